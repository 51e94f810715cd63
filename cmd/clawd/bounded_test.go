package main

import (
	"context"
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
}
