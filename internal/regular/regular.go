// Package regular opens regular files for reading. A session's files are opened again with every look at it, and an os.File
// would be offered to the poller each time, which takes no regular files, and be watched by the garbage collector.
package regular

import (
	"errors"
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

// File is an open one. Whoever opened it closes it: nothing else does. It is not for several goroutines.
type File struct {
	Size  int64 // when it was opened
	Inode uint64

	fd   int
	path string
}

// Open opens a file without following a link in its last element and without blocking on a FIFO.
func Open(path string) (*File, error) {
	fd, err := again(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := &File{fd: fd, path: path}
	var st unix.Stat_t
	switch err := unix.Fstat(fd, &st); {
	case err != nil:
		_ = f.Close()
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	case uint32(st.Mode)&unix.S_IFMT != unix.S_IFREG:
		_ = f.Close()
		return nil, errors.New(path + " is not a regular file")
	}
	f.Size, f.Inode = st.Size, st.Ino
	return f, nil
}

// ReadAt is that of io.ReaderAt.
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) {
		m, err := again(func() (int, error) { return unix.Pread(f.fd, b[n:], off+int64(n)) })
		if err != nil {
			return n, &fs.PathError{Op: "read", Path: f.path, Err: err}
		}
		if m == 0 {
			return n, io.EOF
		}
		n += m
	}
	return n, nil
}

// Read gives all of the file as long as it is now, of at most so many bytes.
func (f *File) Read(most int64) ([]byte, error) {
	b := make([]byte, min(f.Size+1, most)) // the byte more shows the end
	for n := 0; ; {
		m, err := f.ReadAt(b[n:], int64(n))
		if n += m; errors.Is(err, io.EOF) || err == nil && int64(n) == most {
			return b[:n], nil
		}
		if err != nil {
			return nil, err
		}
		b = append(b, make([]byte, min(int64(n)+1, most-int64(n)))...) // it has grown
	}
}

// Close closes it.
func (f *File) Close() error {
	fd := f.fd
	f.fd = -1 // another file may have its number next
	return unix.Close(fd)
}

// again does what a signal interrupts once more.
func again(f func() (int, error)) (n int, err error) {
	for {
		if n, err = f(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
