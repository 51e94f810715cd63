package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent/all"
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

// Memory that is not Go's counts, too, and who ends in time tidies up first.
func TestBoundedProcess(t *testing.T) {
	most := inUse() + 32<<20
	size := int(most) // and what it has already, which may be less than it once had
	_, err := bounded(t.Context(), time.Hour, most, func(ctx context.Context) (int, error) {
		b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			return 0, err
		}
		for i := 0; i < size; i += 4096 {
			b[i] = 1
		}
		<-ctx.Done()
		return 0, unix.Munmap(b)
	})
	if err == nil || !strings.Contains(err.Error(), "of memory") {
		t.Error(err)
	}
	tidy := false
	_, err = bounded(t.Context(), time.Millisecond, 1<<40, func(ctx context.Context) (int, error) {
		<-ctx.Done()
		tidy = true
		return 0, ctx.Err()
	})
	if !tidy || err == nil || !strings.Contains(err.Error(), "took longer than 1ms") {
		t.Errorf("%v, %v", tidy, err)
	}
}

// Whoever starts clawd may be large. That memory is not clawd's.
func TestInUseIsOwn(t *testing.T) {
	if os.Getenv("CLAWD_TEST_IN_USE") != "" {
		fmt.Println("in use:", inUse())
		return
	}
	const size = 512 << 20
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < size; i += 4096 {
		b[i] = 1
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestInUseIsOwn$")
	cmd.Env = append(os.Environ(), "CLAWD_TEST_IN_USE=1")
	out, err := cmd.CombinedOutput()
	if err := errors.Join(err, unix.Munmap(b)); err != nil {
		t.Fatal(err)
	}
	var used uint64
	if _, err := fmt.Sscanf(string(out), "in use: %d", &used); err != nil || used == 0 || used > size/2 {
		t.Errorf("%d MB in use: %v\n%s", used>>20, err, out)
	}
}

// A file elsewhere is not copied when it is huge: its holes would fill the disk.
func TestLooseHuge(t *testing.T) {
	for _, k := range all.Kinds() {
		if k.Layout.Lay == nil {
			continue
		}
		path := filepath.Join(t.TempDir(), map[string]string{"codex": "rollout-x.jsonl", "copilot": "00000000-0000-4000-8000-000000000001/events.jsonl",
			"gemini": "session-x.jsonl", "pi": "2026-11-22T12-06-27-824Z_x.jsonl", "qwen": "6fc3ac74-61d2-44e5-b5b2-44c3ace483eb.jsonl"}[k.Name])
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("{}\n"), 0o600), os.Truncate(path, maxCopied+1)); err != nil {
			t.Fatal(err)
		}
		t.Setenv("TMPDIR", t.TempDir())
		_, err := detecting{}.loose(k, path)
		if err == nil || !strings.Contains(err.Error(), path+": it is larger than the 1024 MB") || !strings.Contains(err.Error(), filepath.Dir(k.Layout.Lay(path)[0].To)) {
			t.Errorf("%s: %v", k.Name, err)
		}
		if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
			t.Errorf("%s: %v is left", k.Name, left)
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
