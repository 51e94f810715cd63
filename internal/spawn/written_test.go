package spawn

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// An agent that is updated just now is started when that is done.
func TestWhenWritten(t *testing.T) {
	program := filepath.Join(t.TempDir(), "agent")
	f, err := os.OpenFile(program, os.O_WRONLY|os.O_CREATE, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("#!/bin/sh\n"); err != nil {
		t.Fatal(err)
	}
	tries := 0
	err = WhenWritten(t.Context(), func() error {
		err := exec.Command(program).Run()
		if tries++; tries == 1 && err != nil {
			f.Close()
		}
		return err
	})
	if err != nil || tries < 2 { // another test's child may have the file open for a moment longer
		t.Errorf("%d tries: %v", tries, err)
	}
}

func TestWhenWrittenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		other, tries, began := errors.New("no"), 0, time.Now()
		if err := WhenWritten(ctx, func() error { tries++; return other }); !errors.Is(err, other) || tries != 1 {
			t.Errorf("another failure: %d tries, %v", tries, err)
		}
		busy := func() error { tries++; return &os.PathError{Op: "fork/exec", Path: "agent", Err: syscall.ETXTBSY} }
		if err := WhenWritten(ctx, busy); !errors.Is(err, syscall.ETXTBSY) || time.Since(began) > 10*time.Second || tries < 5 {
			t.Errorf("always written: %d tries in %v, %v", tries, time.Since(began), err)
		}
		cancel()
		tries = 0
		if err := WhenWritten(ctx, busy); !errors.Is(err, syscall.ETXTBSY) || tries != 1 {
			t.Errorf("cancelled: %d tries, %v", tries, err)
		}
	})
}
