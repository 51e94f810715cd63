package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// words gives the values of a package's text constants of some types.
func words(t *testing.T, dir string, types ...string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || v.Type == nil || len(v.Values) != 1 {
				return true
			}
			kind, value := v.Type, ""
			if s, ok := kind.(*ast.SelectorExpr); ok {
				kind = s.Sel
			}
			if l, ok := v.Values[0].(*ast.BasicLit); ok {
				value, _ = strconv.Unquote(l.Value)
			}
			if id, ok := kind.(*ast.Ident); ok && slices.Contains(types, id.Name) && value != "" {
				found = append(found, value)
			}
			return true
		})
	}
	if len(found) == 0 {
		t.Fatalf("no constants of %v in %s", types, dir)
	}
	return found
}

// A word in public JSON says who moves next, and so it means one thing: "waiting" is clawd, "asking" is the agent.
// Only "running" is on both sides, and both mean that the agent works.
func TestWordsMeanOneThing(t *testing.T) {
	t.Parallel()
	agents := words(t, "../../detect", "State", "Activity")
	ours := slices.Concat(words(t, "../../state", "Phase", "Standing"), words(t, "../../daemon", "Standing"))
	for _, w := range agents {
		if w != "running" && slices.Contains(ours, w) {
			t.Errorf("%q is what the agent does, and what clawd does", w)
		}
	}
	for w, side := range map[string][]string{"asking": agents, "waiting": ours, "running": agents} {
		if !slices.Contains(side, w) {
			t.Errorf("nobody says %q: %v", w, side)
		}
	}
}
