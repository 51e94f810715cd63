package shim

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve has the disk keep room for what is written first to an empty file. Where that cannot be done for another reason than that there
// is none, as on some file systems and in some sandboxes, the file goes without.
func reserve(f *os.File, room int64) error {
	for {
		switch err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, room); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
			return os.NewSyscallError("fallocate", err)
		default:
			return nil
		}
	}
}
