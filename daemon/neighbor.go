package daemon

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
)

// domain is the folders of sessions in which this clawd alone makes attempts. Marks and the user's lock meet no other clawd where
// home folders differ and the agent's is shared: on the host, say, and in a container. Both would answer a stop at the same moment.
//
// The folder itself is locked, so that nothing is written among the agent's files. A lock is kept while clawd runs: what came of an
// attempt may be known to nobody but the clawd that made it.
type domain struct {
	mu   sync.Mutex // guards mine
	mine []*os.File // the oldest first
}

// maxDomain bounds the open files. Of the folders of long ago others may have the next attempt.
const maxDomain = 8

// take makes a folder this clawd's own. False: it is another one's. A file system without locks, and a folder that cannot be opened
// now, keep nobody back.
func (o *domain) take(dir string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	there, err := os.Stat(dir)
	if err != nil || slices.ContainsFunc(o.mine, func(f *os.File) bool { return same(f, there) }) {
		return true
	}
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return true
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return !errors.Is(err, syscall.EWOULDBLOCK)
	}
	o.mine = append(o.mine, f)
	if len(o.mine) > maxDomain {
		o.mine[0].Close()
		o.mine = o.mine[1:]
	}
	return true
}

// same tells whether an open folder is still the one that is there.
func same(f *os.File, there os.FileInfo) bool {
	mine, err := f.Stat()
	return err == nil && os.SameFile(mine, there)
}

// leave gives all folders back.
func (o *domain) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range o.mine {
		f.Close()
	}
	o.mine = nil
}
