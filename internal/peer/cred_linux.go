package peer

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// UID is the user at the other end of a unix socket. The error says that there is no way to tell.
func UID(c net.Conn) (int, error) {
	uc, ok := c.(*net.UnixConn)
	if !ok {
		return 0, errors.New("not a unix socket")
	}
	raw, err := uc.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	err = errors.Join(raw.Control(func(fd uintptr) { cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }), err)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
