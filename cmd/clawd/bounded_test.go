package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestBounded(t *testing.T) {
	if v, err := bounded(t.Context(), time.Hour, 1<<40, func(context.Context) (int, error) { return 7, nil }); v != 7 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
	block := func(context.Context) (int, error) { select {} }
	if _, err := bounded(t.Context(), time.Millisecond, 1<<40, block); err == nil || !strings.Contains(err.Error(), "took longer than 1ms") {
		t.Error(err)
	}
	if _, err := bounded(t.Context(), time.Hour, 1, block); err == nil || !strings.Contains(err.Error(), "of memory") {
		t.Error(err)
	}
	// Who interrupts it waited no 30 s.
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	heeds := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
	for name, f := range map[string]func(context.Context) (int, error){"blocked": block, "heeding": heeds} {
		if _, err := bounded(ended, time.Hour, 1<<40, f); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "longer") {
			t.Errorf("%s, interrupted: %v", name, err)
		}
	}
}

// What one path takes is not held against the next one.
func TestBoundedPaths(t *testing.T) {
	read := []string{}
	found, err := eachPath(t.Context(), []string{"a", "b", "c", "d"}, func(_ context.Context, p string) ([]finding, error) {
		read = append(read, p)
		switch p {
		case "b":
			return nil, errors.New("no such file")
		case "c":
			return nil, fmt.Errorf("c: %w", errTooMuch)
		}
		return []finding{{Path: p}}, nil
	})
	if len(found) != 1 || strings.Join(read, "") != "abc" || err == nil ||
		!strings.Contains(err.Error(), "b: no such file") || !strings.Contains(err.Error(), "not looked at: d") {
		t.Errorf("%v, %q, %v", found, read, err)
	}
}
