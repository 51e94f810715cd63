package opencode

import (
	"io/fs"
	"sync"

	"github.com/clawd-project/clawd/agent"
)

const (
	// maxKept is how large the file of a message may be that is kept, and keptMessages how many are.
	maxKept      = 16 << 10
	keptMessages = 256
)

// keptRows are messages as their files said when they were read last: any of a session's files may be written anew, so each read looks at
// all of them, and hardly one has changed since the read before.
type keptRows struct {
	mu  sync.Mutex
	all map[string]keptRow // by path
}

type keptRow struct {
	stamp string // of the file
	message
}

// get gives a message if its file is as it was.
func (k *keptRows) get(path string, fi fs.FileInfo) (message, bool) {
	if k == nil {
		return message{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	row, ok := k.all[path]
	return row.message, ok && row.stamp == agent.Stamp(fi)
}

// put keeps a message, unless its file may be written once more without a trace in its times.
func (k *keptRows) put(path string, fi fs.FileInfo, m message) {
	if k == nil || !agent.Settled(fi.ModTime()) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil || len(k.all) >= keptMessages {
		k.all = map[string]keptRow{}
	}
	k.all[path] = keptRow{agent.Stamp(fi), m}
}
