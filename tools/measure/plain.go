package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// plain is what the plain stop has entered.
type plain struct {
	Functions []string `json:"functions"` // file and name
	Files     int      `json:"files"`
}

// runs is how often the stop is run, each way.
const runs = 8

// plainStop builds the test with counters, runs it both ways, and compares them.
func plainStop(dir string) (*plain, error) {
	temp, err := os.MkdirTemp("", "measure")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	bin := filepath.Join(temp, "plain.test")
	folders, err := all(dir)
	if err != nil {
		return nil, err
	}
	if _, err := in(dir, nil, "go", "test", "-c", "-o", bin, "-covermode=atomic",
		"-coverpkg=./"+strings.Join(folders, ",./"), "./"+groups[0]); err != nil {
		return nil, err
	}
	var always map[block]int // the least that the stop made run; goroutines take turns as they like
	most := map[block]int{}
	for range runs {
		idle, err := counted(dir, temp, bin, "idle")
		if err != nil {
			return nil, err
		}
		for b, n := range idle {
			most[b] = max(most[b], n)
		}
		stop, err := counted(dir, temp, bin, "stop")
		if err != nil {
			return nil, err
		}
		for b, n := range stop {
			if always != nil {
				stop[b] = min(always[b], n)
			}
		}
		always = stop
	}
	maps.DeleteFunc(always, func(b block, n int) bool { return n <= most[b] })
	return entered(dir, always)
}

// all gives the folders of all groups.
func all(dir string) (folders []string, err error) {
	for _, group := range groups {
		of, err := packages(dir, group)
		if err != nil {
			return nil, err
		}
		folders = append(folders, of...)
	}
	return folders, nil
}

// block is a place in a file, by its path below the module.
type block struct {
	file string
	line int
}

// counted gives how often each block ran. The test ends its process itself, without a shutdown.
func counted(dir, temp, bin, how string) (map[block]int, error) {
	into, err := os.MkdirTemp(temp, how)
	if err != nil {
		return nil, err
	}
	_, err = in(filepath.Join(dir, groups[0]), []string{"GOCOVERDIR=" + into, "TMPDIR=" + temp, "CLAWD_MEASURE=" + how},
		bin, "-test.run=^TestPlainStop$")
	if end := (*exec.ExitError)(nil); !errors.As(err, &end) || end.ExitCode() != 3 {
		return nil, fmt.Errorf("TestPlainStop did not end as it should, %s: %w", how, err)
	}
	profile := into + ".txt"
	if _, err := in(dir, nil, "go", "tool", "covdata", "textfmt", "-i="+into, "-o="+profile); err != nil {
		return nil, err
	}
	module, err := in(dir, nil, "go", "list", "-m")
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	return parse(string(b), strings.TrimSpace(module)+"/")
}

// parse reads the lines "file:line.column,line.column statements count" of a profile.
func parse(profile, module string) (map[block]int, error) {
	ran := map[block]int{}
	for line := range strings.Lines(profile) {
		if strings.HasPrefix(line, "mode:") {
			continue
		}
		f := strings.Fields(line)
		if len(f) != 3 {
			return nil, fmt.Errorf("the profile has %q", line)
		}
		i := strings.LastIndex(f[0], ":")
		from, _, _ := strings.Cut(f[0][i+1:], ".")
		first, err1 := strconv.Atoi(from)
		n, err2 := strconv.Atoi(f[2])
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("the profile has %q: %w", line, err)
		}
		ran[block{strings.TrimPrefix(f[0][:i], module), first}] += n
	}
	return ran, nil
}

// entered gives the functions that the blocks are in. What a function holds without a name is part of it.
func entered(dir string, ran map[block]int) (*plain, error) {
	p := &plain{}
	blocks := slices.Collect(maps.Keys(ran))
	folders, err := all(dir)
	if err != nil {
		return nil, err
	}
	for _, pkg := range folders {
		fset := token.NewFileSet()
		files, _, err := read(fset, filepath.Join(dir, pkg))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			name := path.Join(pkg, filepath.Base(fset.Position(f.Pos()).Filename))
			before := len(p.Functions)
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				first, last := fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
				if slices.ContainsFunc(blocks, func(b block) bool {
					return b.file == name && first <= b.line && b.line <= last
				}) {
					p.Functions = append(p.Functions, name+": "+funcName(fn))
				}
			}
			if len(p.Functions) > before {
				p.Files++
			}
		}
	}
	if len(p.Functions) == 0 {
		return nil, errors.New("the plain stop entered nothing")
	}
	return p, nil
}

// in runs a program in a folder and gives its output.
func in(dir string, environ []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environ...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return string(out), nil
}
