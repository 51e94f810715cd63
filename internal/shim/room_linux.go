package shim

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve has the disk keep room for what is written first to an empty file.
func reserve(f *os.File, room int64) error {
	for {
		switch err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, room); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return nil // not every file system can
		default:
			return os.NewSyscallError("fallocate", err)
		}
	}
}
