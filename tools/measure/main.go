// Measure says how large the daemon is, for docs/architecture.md.
//
//	measure [-json] [-plain=false] [folder of the module]
//
// It looks at daemon, resume and state with the folders in them, daemon/trigger apart, and at daemon in depth.
// Code lines hold something else than comments; lines of tests and of generated files do not count, those
// for other systems do. Fields are those of a named struct, an embedded one is one. A function's lines are
// those between its braces. Complexity is cognitive complexity, as the linter gocognit counts it. An atomic
// is a field whose type comes from sync/atomic.
//
// The plain stop is TestPlainStop of the daemon's package: headless, one 429, one resume. It runs with
// the stop, to its verdict, and without it, for the same time, eight times each. A function counts when some
// part of it always ran more often with the stop: what a daemon does that starts, and rests, does not count.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/uudashr/gocognit"
)

// What is reported beyond these sizes.
const (
	maxFields     = 15
	maxLines      = 60
	maxComplexity = 15
)

// groups are measured together, each with the folders in it; the first one in depth.
var groups = []string{"daemon", "resume", "state"}

// apart is not measured: other ways into a terminal, each by itself.
const apart = "daemon/trigger"

// figures are what is measured.
type figures struct {
	Lines   map[string]int `json:"lines"`
	Sum     int            `json:"sum"`
	Structs []size         `json:"structs"`   // by fields, the five largest and all over maxFields
	Long    []size         `json:"long"`      // functions by lines, over maxLines
	Complex []size         `json:"complex"`   // functions over maxComplexity
	Atomics map[string]int `json:"atomics"`   // by struct
	Plain   *plain         `json:"plainStop"` // nil: not run
}

type size struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

func main() {
	asJSON := flag.Bool("json", false, "write JSON")
	run := flag.Bool("plain", true, "run the plain stop")
	flag.Parse()
	dir := cmp.Or(flag.Arg(0), ".")
	f, err := measure(dir)
	if err == nil && *run {
		f.Plain, err = plainStop(dir)
	}
	if err == nil && *asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		err = e.Encode(f)
	} else if err == nil {
		f.print(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// measure reads the code in dir.
func measure(dir string) (figures, error) {
	f := figures{Lines: map[string]int{}, Atomics: map[string]int{}}
	for i, group := range groups {
		folders, err := packages(dir, group)
		if err != nil {
			return f, err
		}
		for _, p := range folders {
			fset := token.NewFileSet()
			files, lines, err := read(fset, filepath.Join(dir, p))
			if err != nil {
				return f, err
			}
			f.Lines[group] += lines
			f.Sum += lines
			if i == 0 {
				f.look(fset, files)
			}
		}
	}
	f.sort()
	return f, nil
}

// packages gives the folders of a group that hold code, by their paths below dir.
func packages(dir, group string) (folders []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), group, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (p == apart || d.Name() == "testdata"):
			return fs.SkipDir
		case path.Ext(p) == ".go" && !strings.HasSuffix(p, "_test.go") && !slices.Contains(folders, path.Dir(p)):
			folders = append(folders, path.Dir(p))
		}
		return nil
	})
	return folders, err
}

// read parses a package's files, whatever system they are for, and counts their lines.
func read(fset *token.FileSet, dir string) (files []*ast.File, lines int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		f, err := parser.ParseFile(fset, name, b, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, 0, err
		}
		if !ast.IsGenerated(f) {
			files, lines = append(files, f), lines+codeLines(b)
		}
	}
	return files, lines, nil
}

// codeLines counts the lines on which a token stands; a raw text may fill many.
func codeLines(b []byte) int {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(b))
	var s scanner.Scanner
	s.Init(file, b, nil, 0)
	found := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return len(found)
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		first := file.Line(pos)
		for n := range 1 + strings.Count(text, "\n") {
			found[first+n] = true
		}
	}
}

// look takes the sizes of types and functions.
func (f *figures) look(fset *token.FileSet, files []*ast.File) {
	for _, file := range files {
		pkg := atomicName(file)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if st, ok := spec.Type.(*ast.StructType); ok {
				f.structure(spec.Name.Name, st, pkg)
			}
			return true
		})
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				if n := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line - 1; n > maxLines {
					f.Long = append(f.Long, size{funcName(fn), n})
				}
			}
		}
	}
	for _, s := range gocognit.ComplexityStatsForFiles(files, fset, nil, nil) {
		if s.Complexity > maxComplexity {
			f.Complex = append(f.Complex, size{strings.NewReplacer("(", "", ")", "", "*", "").Replace(s.FuncName), s.Complexity})
		}
	}
}

// sort puts the largest first, and lets go of structs that are neither among them nor too large.
func (f *figures) sort() {
	for _, list := range [][]size{f.Structs, f.Long, f.Complex} {
		slices.SortFunc(list, func(a, b size) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
	}
	for i, s := range f.Structs {
		if i >= 5 && s.N <= maxFields {
			f.Structs = f.Structs[:i]
			break
		}
	}
}

func (f *figures) structure(name string, st *ast.StructType, pkg string) {
	n, atomics := 0, 0
	for _, field := range st.Fields.List {
		names := max(1, len(field.Names)) // embedded: none
		n += names
		if pkg != "" && of(pkg, field.Type) {
			atomics += names
		}
	}
	f.Structs = append(f.Structs, size{name, n})
	if atomics > 0 {
		f.Atomics[name] = atomics
	}
}

// atomicName is what the file calls sync/atomic; empty: it does not import it.
func atomicName(f *ast.File) string {
	for _, i := range f.Imports {
		if p, _ := strconv.Unquote(i.Path.Value); p == "sync/atomic" {
			if i.Name != nil {
				return i.Name.Name
			}
			return path.Base(p)
		}
	}
	return ""
}

// of says whether a type, or what it is made of, comes from pkg; what it points to does not count.
func of(pkg string, t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.SelectorExpr:
		x, ok := t.X.(*ast.Ident)
		return ok && x.Name == pkg
	case *ast.IndexExpr:
		return of(pkg, t.X)
	case *ast.ArrayType:
		return of(pkg, t.Elt)
	}
	return false
}

func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if g, ok := t.(*ast.IndexExpr); ok {
		t = g.X
	}
	return t.(*ast.Ident).Name + "." + fn.Name.Name
}

func (f figures) print(w io.Writer) {
	fmt.Fprintf(w, "code lines: %d (", f.Sum)
	for i, p := range groups {
		fmt.Fprintf(w, "%s%s %d", strings.Repeat(", ", min(i, 1)), p, f.Lines[p])
	}
	fmt.Fprintf(w, ")\n%s:\n", groups[0])
	for _, l := range []struct {
		what string
		list []size
	}{
		{"largest structs, fields", f.Structs},
		{fmt.Sprintf("functions over %d lines", maxLines), f.Long},
		{fmt.Sprintf("functions over complexity %d", maxComplexity), f.Complex},
	} {
		fmt.Fprintf(w, "  %s: %d\n", l.what, len(l.list))
		for _, s := range l.list {
			fmt.Fprintf(w, "    %4d %s\n", s.N, s.Name)
		}
	}
	fmt.Fprintf(w, "  atomics:\n")
	for _, name := range slices.Sorted(maps.Keys(f.Atomics)) {
		fmt.Fprintf(w, "    %4d %s\n", f.Atomics[name], name)
	}
	if f.Plain != nil {
		fmt.Fprintf(w, "plain stop: %d functions in %d files\n", len(f.Plain.Functions), f.Plain.Files)
	}
}
