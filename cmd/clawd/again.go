package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// errAgain ends a daemon that is to start again. It does so as a new program in the same process: whatever still hangs in the old one
// ends with that.
var errAgain = errors.New("the config asks for a restart")

const (
	// logVar names the descriptor by which a log stays open while clawd restarts itself. Who reads it from a pipe would else see its end
	// and go, and nothing can be opened for writing that nobody reads.
	logVar = "CLAWD_LOG_FD"
	// configVar says that there was a config, so that one that is gone for a moment does not mean the defaults.
	configVar = "CLAWD_HAD_CONFIG"
)

// handOn leaves a log open for the program that this process becomes, and gives that one's environment. had: there was a config.
func handOn(environ []string, log *os.File, had bool) []string {
	if had {
		environ = append(environ, configVar+"=1")
	}
	raw, err := log.SyscallConn()
	if err != nil { // there is no file
		return environ
	}
	_ = raw.Control(func(fd uintptr) {
		if kept, err := unix.Dup(int(fd)); err == nil {
			environ = append(environ, fmt.Sprintf("%s=%d", logVar, kept))
		}
	})
	return environ
}

// handedOn gives what handOn has left: whether there was a config, and what closes the log when it was opened anew.
func handedOn() (had bool, done func()) {
	had = os.Getenv(configVar) != ""
	fd, err := strconv.Atoi(os.Getenv(logVar))
	os.Unsetenv(configVar)
	os.Unsetenv(logVar)
	if err != nil || fd <= 2 {
		return had, func() {}
	}
	return had, func() { _ = unix.Close(fd) }
}

// moved tells whether a log that is open is no longer the file at its path, as after logrotate.
func moved(log *os.File, path string) bool {
	open, err := log.Stat()
	if err != nil { // there is no file
		return false
	}
	there, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(open, there)
}
