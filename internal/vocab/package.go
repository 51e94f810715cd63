package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// kind is how the package of an agent is read: vocab.json in the agent's folder.
type kind struct {
	NPM string `json:"npm"` // the package
	// Files are where its code is, below node_modules: the first of these groups of patterns that fits. Of a folder it is
	// all scripts below it.
	Files  [][]string `json:"files"`
	Read   string     `json:"read"`   // by which of readers
	Single bool       `json:"single"` // one of the files is enough: they are builds of the same
	// Inside are, by the name of a program, the files to read in the archives that it carries, and by which of readers.
	Inside map[string]map[string]string `json:"inside"`
	// Records of a failure, and of a notice, with %s for the text in JSON, where clawd reads these alone. A stop is asked
	// as the first that is understood.
	Records []string `json:"records"`
}

var readers = map[string]func(content []byte, found func(string)){"bundled": bundled, "compiled": compiled, "literals": jsLiterals}

func readKind(repo, agent string) (kind, error) {
	var k kind
	path := filepath.Join(repo, "agent", filepath.Base(agent), "vocab.json")
	b, err := os.ReadFile(path)
	if err != nil {
		return k, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&k); err != nil {
		return k, fmt.Errorf("%s: %w", path, err)
	}
	if readers[k.Read] == nil {
		return k, fmt.Errorf("%s: nothing reads a package as %q", path, k.Read)
	}
	for _, named := range k.Inside {
		for _, by := range named {
			if readers[by] == nil {
				return k, fmt.Errorf("%s: nothing reads a file as %q", path, by)
			}
		}
	}
	return k, nil
}

// install gives the folder of a version. One that is not there is fetched; none of its code runs.
func install(ctx context.Context, repo string, k kind, p pin) (string, error) {
	cache := os.Getenv("CLAWD_AGENT_CACHE")
	if cache == "" {
		cache = filepath.Join(repo, ".cache", "agents")
	}
	dir := filepath.Join(cache, p.name())
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return dir, nil
	}
	fresh := dir + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return "", err
	}
	if err := os.MkdirAll(fresh, 0o755); err != nil {
		return "", err
	}
	pkg := fmt.Sprintf("{\n  \"private\": true,\n  \"dependencies\": {\n    %q: %q\n  }\n}\n", k.NPM, p.version)
	if err := os.WriteFile(filepath.Join(fresh, "package.json"), []byte(pkg), 0o644); err != nil {
		return "", err
	}
	// As e2e/install.sh does it, but for the scripts of the package.
	npm := exec.CommandContext(ctx, "npm", "install", "--prefix", fresh, "--ignore-scripts", "--no-audit", "--no-fund",
		"--no-update-notifier", "--loglevel=error", "--omit-lockfile-registry-resolved=true")
	npm.Stdout, npm.Stderr = os.Stderr, os.Stderr
	if err := npm.Run(); err != nil {
		return "", fmt.Errorf("npm install %s: %w", p, err)
	}
	return dir, os.Rename(fresh, dir)
}

// strings gives the strings of the error and limit paths of a package, each once, in order.
func (k kind) strings(dir string) ([]string, error) {
	paths, err := k.paths(dir)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		keep := func(s string) {
			if s = tidy(s); errorPath(s) {
				seen[s] = true
			}
		}
		readers[k.Read](b, keep)
		if named := k.Inside[filepath.Base(path)]; named != nil {
			if err := inside(b, named, keep); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	all := make([]string, 0, len(seen))
	for s := range seen {
		all = append(all, s)
	}
	slices.Sort(all)
	return all, nil
}

func (k kind) paths(dir string) ([]string, error) {
	for _, group := range k.Files {
		var paths []string
		for _, pattern := range group {
			found, err := filepath.Glob(filepath.Join(dir, "node_modules", pattern))
			if err != nil {
				return nil, err
			}
			for _, path := range found {
				below, err := scripts(path)
				if err != nil {
					return nil, err
				}
				paths = append(paths, below...)
			}
		}
		if len(paths) > 0 && k.Single {
			paths = paths[:1]
		}
		if len(paths) > 0 {
			return paths, nil
		}
	}
	return nil, fmt.Errorf("%s has none of %q: the package is laid out anew (vocab.json in the agent's folder)", dir, k.Files)
}

// scripts gives a file itself, and of a folder the scripts below it, but for the agent's own tests.
func scripts(path string) (all []string, err error) {
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		script := (strings.HasSuffix(p, ".js") || strings.HasSuffix(p, ".mjs")) && !strings.HasSuffix(p, ".test.js")
		if err == nil && !d.IsDir() && (p == path || script) {
			all = append(all, p)
		}
		return err
	})
	return all, err
}

// tidy takes off what differs between two builds of a sentence.
func tidy(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\t", " "))
}
