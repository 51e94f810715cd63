package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A config that is gone at a reload, as while a dotfile manager writes it anew, does not mean the defaults: it may have forbidden something. One
// that never was does.
func TestConfigGone(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("CLAWD_CONFIG", "")
	g := &globals{}
	if _, _, err := g.loadAgain(false); err != nil {
		t.Errorf("never there: %v", err)
	}
	_, path, err := g.loadAgain(true)
	if err == nil || !strings.Contains(err.Error(), path+" is gone") {
		t.Errorf("gone: %v", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.loadAgain(true); err != nil {
		t.Errorf("an empty one: %v", err)
	}
}
