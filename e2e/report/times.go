package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// times are the seconds of packages ("path") and tests ("path Test"), of all, and how many tests ran.
type times struct {
	path      string
	last, now map[string]float64
}

const (
	keyAll   = "all"
	keyTests = "tests"
)

// shortest is the shortest time that is kept.
const shortest = 0.1

// readTimes reads the times of the last run. Without any, nothing is said about them.
func readTimes(path string) *times {
	t := &times{path: path, last: map[string]float64{}, now: map[string]float64{}}
	data, err := os.ReadFile(path)
	if err == nil && json.Unmarshal(data, &t.last) != nil {
		t.last = map[string]float64{}
	}
	return t
}

func (t *times) keep(key string, seconds float64) {
	if seconds >= shortest {
		t.now[key] = seconds
	}
}

// before says how long it took last time; empty when nothing is known.
func (t *times) before(key string) string {
	if s, ok := t.last[key]; ok {
		return fmt.Sprintf("last time %.0f s", s)
	}
	return ""
}

// write keeps the times. What did not run this time keeps the time that it had.
func (t *times) write() error {
	for k, s := range t.last {
		if _, ok := t.now[k]; !ok {
			t.now[k] = s
		}
	}
	data, err := json.MarshalIndent(t.now, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(t.path, append(data, '\n'), 0o644)
}
