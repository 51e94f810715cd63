//go:build !linux

package daemon

import "context"

// awaitExit has nothing to wait on: no process is seen on this system.
func (s *session) awaitExit(context.Context, int) {}
