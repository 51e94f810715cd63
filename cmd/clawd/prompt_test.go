package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// A prompt that does not come, from a pipe whose writer stays, is waited for until the first signal.
func TestReadPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, signal := context.WithCancel(t.Context())
		in, writer := io.Pipe()
		defer writer.Close()
		go signal()
		_, err := readPrompt(ctx, in)
		if c := (*codeError)(nil); !errors.As(err, &c) || c.code != exitInterrupted {
			t.Errorf("it ends with %v", err)
		}
	})
	if text, err := readPrompt(t.Context(), strings.NewReader("fix it\n")); text != "fix it\n" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}
