package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// command is one run of go test.
type command struct {
	args, env []string
	packages  int
	about     string
	kind      string // under which the times are kept
}

// plan makes the commands of a run. Without the race detector it is the one that was given. Else a
// package that starts no goroutine, nor do its tests but those named TestRace, is tested without it: it would find nothing
// there and takes many times as long. Those are run with it as well. The second and third command run beside the first.
func plan(args []string, race bool, t *times) ([]command, error) {
	flags := slices.Index(args, "-json") + 1
	if flags < 2 {
		return nil, fmt.Errorf("no command with -json in %q", args)
	}
	// What took longest begins first: at the end no core waits for it.
	packages := slices.Clone(args[flags:])
	slices.SortStableFunc(packages, func(a, b string) int { return cmp.Compare(t.last[b], t.last[a]) })
	list := func(env []string, about string, packages []string, more ...string) command {
		return command{args: slices.Concat(args[:flags-1], more, []string{"-json"}, packages), env: env, packages: len(packages), about: about}
	}
	if !race {
		return []command{list(nil, "", packages)}, nil
	}
	with, without, once, err := split(args[0], packages)
	if err != nil {
		return nil, err
	}
	raced := []string{"CGO_ENABLED=1", "GORACE=atexit_sleep_ms=0"} // by default each program sleeps for a second before it exits
	again := list(raced, "with the race detector, TestRace alone", once, "-p=1", "-race", "-run", "^TestRace")
	again.kind = " TestRace"
	var all []command
	for _, c := range []command{
		list(raced, "with the race detector", with, "-race"), again,
		list([]string{"CGO_ENABLED=0"}, "without the race detector: they start no goroutine", without, "-p=1"),
	} {
		if c.packages > 0 {
			all = append(all, c)
		}
	}
	return all, nil
}

// split tells the packages that start goroutines from the others, and those of the others that have a
// test for the race detector.
func split(goTool string, packages []string) (with, without, once []string, err error) {
	cmd := exec.Command(goTool, append([]string{"list", "-f", "{{.ImportPath}}\t{{.Dir}}"}, packages...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, nil, err
	}
	dirs := map[string]string{}
	for l := range strings.Lines(string(out)) {
		name, dir, _ := strings.Cut(strings.TrimSpace(l), "\t")
		dirs[name] = dir
	}
	for _, p := range packages {
		starts, tests, err := goroutines(dirs[p])
		switch {
		case err != nil:
			return nil, nil, nil, err
		case starts:
			with = append(with, p)
			continue
		case tests:
			once = append(once, p)
		}
		without = append(without, p)
	}
	return with, without, once, nil
}

// starters are the names of functions that start goroutines, or whose function runs in one.
var starters = []string{"Go", "AfterFunc", "Parallel", "RunParallel", "Serve", "ListenAndServe", "NewServer", "NewUnstartedServer"}

// goroutines tells whether a package or its tests start any, on whatever system, but in the tests for the race detector, and
// whether it has such.
func goroutines(dir string) (starts, tests bool, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no Go files in %q", dir)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return false, false, err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				starts = true
			case *ast.SelectorExpr:
				starts = starts || slices.Contains(starters, n.Sel.Name)
			case *ast.FuncDecl:
				if strings.HasPrefix(n.Name.Name, "TestRace") { // it is run with the detector in any case
					tests = true
					return false
				}
			}
			return true
		})
	}
	return starts, tests, err
}
