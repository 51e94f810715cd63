package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// The power fails at any moment: of what was written since the last sync any part is there. The store opens with what was
// acknowledged, and knows of the agent from the moment on at which it was started.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	d := w.start()
	d.await("daemon_started")
	d.stop()
	db := filepath.Join(w.state, "clawd", "clawd.db")
	disk, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := w.limited()
	calls := filepath.Join(w.root, "calls")
	by := tracer(t, "-e", "trace=pwrite64,ftruncate,fdatasync,fsync,execve", "-y", "-xx", "-s", "1000000")
	by[slices.Index(by, "/dev/null")] = calls
	d = w.startUnder(by)
	d.await("resume_succeeded")
	d.stop()
	log, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	cut := powerCut{w: w, id: id, disk: disk, rand: rand.New(rand.NewPCG(1, 2))}
	for call := range strings.Lines(string(log)) {
		cut.call(db, call)
	}
	cut.check(0)
	if cut.syncs < 8 || cut.images < 20 || !cut.started {
		t.Errorf("%d syncs, %d images, started: %v", cut.syncs, cut.images, cut.started)
	}
}

// powerCut follows the writes to the store.
type powerCut struct {
	w             *world
	id            string
	rand          *rand.Rand
	disk          []byte   // what is surely there
	loose         []sector // what was written since
	started       bool     // the agent runs
	syncs, images int
}

// sector is written as a whole or not at all.
type sector struct {
	at   int64
	data []byte
}

var (
	wrote  = regexp.MustCompile(`pwrite64\(\d+<([^>]*)>, "([^"]*)", \d+, (\d+)`)
	synced = regexp.MustCompile(`f(?:data)?sync\(\d+<([^>]*)>`)
	grown  = regexp.MustCompile(`ftruncate\(\d+<([^>]*)>, (\d+)`)
)

// bytesOf reads strace's form of bytes.
func bytesOf(text string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(text, `\x`, ""))
	if err != nil {
		return []byte(text)
	}
	return b
}

func (c *powerCut) call(db, line string) {
	ours := func(m []string) bool { return m != nil && string(bytesOf(m[1])) == db }
	number := func(s string) int64 { n, _ := strconv.ParseInt(s, 10, 64); return n }
	switch m := wrote.FindStringSubmatch(line); {
	case ours(m):
		for data, at := bytesOf(m[2]), number(m[3]); len(data) > 0; {
			n := min(512, len(data))
			c.loose = append(c.loose, sector{at, data[:n]})
			data, at = data[n:], at+int64(n)
		}
	case ours(synced.FindStringSubmatch(line)):
		for range 3 {
			c.check(0.5)
		}
		c.syncs++
		c.disk, c.loose = c.image(1), nil
	case ours(grown.FindStringSubmatch(line)):
		n := number(grown.FindStringSubmatch(line)[2])
		c.disk = append(c.disk, make([]byte, max(0, n-int64(len(c.disk))))...)
	case strings.Contains(line, "execve(") && strings.Contains(line, hexed("--resume")):
		c.started = true
	}
}

func hexed(text string) (s string) {
	for _, b := range []byte(text) {
		s += fmt.Sprintf(`\x%02x`, b)
	}
	return s
}

// image is the disk with a share of what was not synced.
func (c *powerCut) image(share float64) []byte {
	b := bytes.Clone(c.disk)
	for _, s := range c.loose {
		if c.rand.Float64() >= share {
			continue
		}
		if end := s.at + int64(len(s.data)); end > int64(len(b)) {
			b = append(b, make([]byte, end-int64(len(b)))...)
		}
		copy(b[s.at:], s.data)
	}
	return b
}

// check opens what a cut leaves.
func (c *powerCut) check(share float64) {
	t := c.w.t
	t.Helper()
	c.images++
	dir := t.TempDir()
	path := filepath.Join(dir, "clawd.db")
	id, err := os.ReadFile(filepath.Join(c.w.state, "clawd", "clawd.db.id"))
	if err := errors.Join(err, os.WriteFile(path+".id", id, 0o600), os.WriteFile(path, c.image(share), 0o600)); err != nil {
		t.Fatal(err)
	}
	s, err := state.Open(path, state.Options{})
	if err != nil {
		t.Errorf("after sync %d: %v", c.syncs, err)
		return
	}
	defer s.Close()
	if s.Quarantined != "" || s.Lost {
		t.Errorf("after sync %d the store is damaged, or lost: %v", c.syncs, s.Lost)
	}
	rec, ok, err := s.Session(detect.Session{Agent: "claude", ID: c.id, Path: c.w.transcript(c.id)})
	if err != nil || c.started && (!ok || rec.Phase == state.Waiting || rec.Phase == state.Claimed) {
		t.Errorf("after sync %d the agent runs, and the store says %q (%v)", c.syncs, rec.Phase, err)
	}
}
