package spawn

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// WhenWritten starts a program, once more and again for some 6 s while its file is open for writing: an update is at work on it. What was
// looked at before the start is that old then.
func WhenWritten(ctx context.Context, start func() error) error {
	for wait := 50 * time.Millisecond; ; wait *= 2 {
		err := start()
		if !errors.Is(err, syscall.ETXTBSY) || wait > 4*time.Second {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return err
		}
	}
}
