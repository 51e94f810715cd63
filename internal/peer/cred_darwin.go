package peer

import (
	"net"

	"golang.org/x/sys/unix"
)

// UID is the user at the other end of a unix socket. The error says that there is no way to tell.
func UID(c net.Conn) (uid int, err error) {
	err = descriptor(c, func(fd int) error {
		cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		if err == nil {
			uid = int(cred.Uid)
		}
		return err
	})
	return uid, err
}

// PID is the process that connected.
func PID(c net.Conn) (pid int, err error) {
	err = descriptor(c, func(fd int) (err error) {
		pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
		return err
	})
	return pid, err
}
