package peer

import (
	"net"

	"golang.org/x/sys/unix"
)

// UID is the user at the other end of a unix socket. The error says that there is no way to tell.
func UID(c net.Conn) (int, error) {
	cred, err := credentials(c)
	return int(cred.Uid), err
}

// PID is the process that connected; 0: it is of another namespace.
func PID(c net.Conn) (int, error) {
	cred, err := credentials(c)
	return int(cred.Pid), err
}

func credentials(c net.Conn) (cred unix.Ucred, err error) {
	err = descriptor(c, func(fd int) error {
		got, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err == nil {
			cred = *got
		}
		return err
	})
	return cred, err
}
