package daemon

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sync/singleflight"
)

// domain is the folders of sessions in which this clawd alone makes attempts. Marks and the user's lock meet no other clawd where
// home folders differ and the agent's is shared: on the host, say, and in a container. Both would answer a stop at the same moment.
//
// The folder itself is locked, so that nothing is written among the agent's files. A lock is kept while clawd runs: what came of an
// attempt may be known to nobody but the clawd that made it.
type domain struct {
	asks singleflight.Group // of each folder one at a time: it may hang, and a second file of ours would find the lock taken
	mu   sync.Mutex         // guards mine
	mine []owned            // the oldest first
}

// owned is a folder that is locked.
type owned struct {
	file *os.File
	info os.FileInfo
}

// maxDomain bounds the open files. Of the folders of long ago others may have the next attempt.
const maxDomain = 8

// take makes a folder this clawd's own. False: it is another one's. A file system without locks, and a folder that cannot be opened
// now, keep nobody back.
func (o *domain) take(dir string) bool {
	free, _, _ := o.asks.Do(dir, func() (any, error) { return o.takes(dir), nil })
	return free.(bool)
}

func (o *domain) takes(dir string) bool {
	there, err := os.Stat(dir)
	if err != nil || o.has(there) {
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
	o.keep(owned{f, there})
	return true
}

func (o *domain) has(there os.FileInfo) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.ContainsFunc(o.mine, func(m owned) bool { return os.SameFile(m.info, there) })
}

func (o *domain) keep(m owned) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.mine = append(o.mine, m)
	if len(o.mine) > maxDomain {
		o.mine[0].file.Close()
		o.mine = o.mine[1:]
	}
}

// leave gives all folders back.
func (o *domain) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range o.mine {
		m.file.Close()
	}
	o.mine = nil
}
