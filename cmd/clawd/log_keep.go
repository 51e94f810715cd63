package main

import (
	"io"
	"sync"
	"time"
)

const (
	// logPatience is how long a line of the log may take. Whose reader stands still for longer holds nobody up.
	logPatience = time.Second
	// logKept bounds the lines that such a reader has yet to take, in bytes: some ten thousand lines.
	logKept = 4 << 20
)

// keeper writes a log whose reader may stand still: a terminal stopped by Ctrl-S, a pipe that nobody empties. As long as it reads, a line
// is written when Write returns. Once it does not, lines are kept for it, in their order, and only when there are too many does Write wait.
type keeper struct {
	out  io.Writer
	mu   sync.Mutex // guards what follows
	kept [][]byte
	size int
	idle chan struct{} // closed when all is written; nil: it is
	slow bool          // the reader stood still, and has not taken all since
	err  error         // of the last line that was written
}

func (k *keeper) Write(p []byte) (int, error) {
	k.mu.Lock()
	k.kept, k.size = append(k.kept, append([]byte(nil), p...)), k.size+len(p)
	if k.idle == nil {
		k.idle = make(chan struct{})
		go k.drain()
	}
	idle, slow, full := k.idle, k.slow, k.size > logKept
	k.mu.Unlock()
	switch {
	case full:
		<-idle
	case slow:
		return len(p), nil
	}
	return len(p), k.await(idle)
}

// await gives the reader its time.
func (k *keeper) await(idle chan struct{}) error {
	timer := time.NewTimer(logPatience)
	defer timer.Stop()
	select {
	case <-idle:
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.err
	case <-timer.C:
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.slow = k.idle != nil
	return nil
}

// drain writes until nothing is left. A line that the log refuses, as on a full disk, is gone.
func (k *keeper) drain() {
	for {
		k.mu.Lock()
		if len(k.kept) == 0 {
			close(k.idle)
			k.idle, k.slow = nil, false
			k.mu.Unlock()
			return
		}
		line := k.kept[0]
		k.kept, k.size = k.kept[1:], k.size-len(line)
		k.mu.Unlock()
		_, err := k.out.Write(line)
		k.mu.Lock()
		k.err = err
		k.mu.Unlock()
	}
}
