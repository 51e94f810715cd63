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

// logVar names the descriptor by which a log stays open while clawd restarts itself. Who reads it from a pipe would else see its end
// and go, and nothing can be opened for writing that nobody reads.
const logVar = "CLAWD_LOG_FD"

// handOn leaves a log open for the program that this process becomes, and gives that one's environment.
func handOn(environ []string, log *os.File) []string {
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

// handedOn closes what handOn has left open. The log was opened anew.
func handedOn() {
	if fd, err := strconv.Atoi(os.Getenv(logVar)); err == nil && fd > 2 {
		_ = unix.Close(fd)
	}
	os.Unsetenv(logVar)
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
