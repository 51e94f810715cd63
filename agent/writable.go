package agent

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	account "os/user"
	"strconv"
	"strings"
	"syscall"
)

// OthersMayWrite tells whether somebody else than this user and root may write to a file, by what a stat told of it. The group that a
// user has to himself, as many systems give one with a umask of 002, is nobody else.
func OthersMayWrite(fi fs.FileInfo) bool {
	perm := fi.Mode().Perm()
	if perm&0o022 != 0o020 {
		return perm&0o022 != 0
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok || int(st.Gid) != os.Getgid() {
		return true
	}
	me, err := account.Current()
	if err != nil {
		return true
	}
	groups, err := os.Open("/etc/group")
	if err != nil {
		return true
	}
	defer groups.Close()
	return !alone(groups, me.Username, st.Gid)
}

// alone tells whether a group has the name of a user, and nobody else in it. groups is as in group(5).
func alone(groups io.Reader, name string, gid uint32) bool {
	for lines := bufio.NewScanner(groups); lines.Scan(); {
		f := strings.Split(lines.Text(), ":")
		if len(f) != 4 || f[2] != strconv.FormatUint(uint64(gid), 10) {
			continue
		}
		return f[0] == name && (f[3] == "" || f[3] == name)
	}
	return false
}
