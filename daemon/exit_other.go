//go:build !linux

package daemon

import (
	"context"
	"errors"
)

// exited: how the kernel tells of an end was not tried on such a system.
func exited(context.Context, int) error { return errors.ErrUnsupported }
