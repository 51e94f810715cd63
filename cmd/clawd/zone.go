package main

import (
	"context"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// zone is the machine's time zone, which a traveler changes while clawd runs. A program reads it once; agents that are started later
// print the times of their limits in the new one.
type zone struct {
	path  string // empty: a variable says which it is
	began string // what stood there when this program read it
	stale atomic.Bool
}

func machineZone() *zone {
	z := &zone{path: "/etc/localtime"}
	if _, set := os.LookupEnv("TZ"); set {
		z.path = ""
	}
	z.began = z.read()
	return z
}

// read gives what the machine says of its zone: the offsets, whatever it is called. Empty: nothing, for it may just be changed.
func (z *zone) read() string {
	b, _ := os.ReadFile(z.path) // nothing is as good as an error
	return string(b)
}

// follow asks for a reload, which restarts clawd, at each change to a zone that this program has not read.
func (z *zone) follow(ctx context.Context, every time.Duration, hup chan<- os.Signal) {
	if z.began == "" {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for last := z.began; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := z.read()
		if now == "" || now == last {
			continue
		}
		last = now
		if z.stale.Store(now != z.began); now == z.began {
			continue
		}
		select {
		case hup <- syscall.SIGHUP:
		default: // one is on its way
		}
	}
}
