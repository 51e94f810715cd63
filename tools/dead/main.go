// Dead finds what no program and no user of a library reaches: functions, methods, types, variables,
// constants and fields that stand for nothing, or for tests alone. The linter unused sees one package
// at a time and takes a test for a user.
//
//	dead [-lib regexp] [folder]
//
// It starts at every main and init, and at the exported API of the packages that -lib names, which have
// users elsewhere. A declaration that is reached reaches what it names. A method is reached by name, or
// where its type is reached and an interface has a method of that name. A field needs somebody who names
// it, in a library, too. Packages that only tests import are left out. What another system alone needs
// is not dead: linux and darwin are read.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"golang.org/x/tools/go/packages"
)

func main() {
	lib := flag.String("lib", "^$", "import paths of packages with users elsewhere, a regular `expression`")
	flag.Parse()
	libs, err := regexp.Compile(*lib)
	if err != nil {
		fmt.Fprintln(os.Stderr, "dead: -lib:", err)
		os.Exit(2)
	}
	found, err := find(cmp.Or(flag.Arg(0), "."), libs, "linux", "darwin")
	if err != nil {
		fmt.Fprintln(os.Stderr, "dead:", err)
		os.Exit(2)
	}
	for _, f := range found {
		fmt.Println(f)
	}
	if len(found) > 0 {
		fmt.Fprintln(os.Stderr, "dead: only tests reach these, or nothing does; remove them")
		os.Exit(1)
	}
}

// find gives a line for everything that is dead on each of the systems that have it.
func find(dir string, libs *regexp.Regexp, systems ...string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	declared, live := map[string]string{}, map[string]bool{}
	for _, goos := range systems {
		pkgs, err := packages.Load(&packages.Config{Dir: dir, Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH=amd64"),
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedSyntax}, "./...")
		if err != nil {
			return nil, err
		}
		g := newGraph(dir)
		for _, p := range used(pkgs, libs) {
			if len(p.Errors) > 0 {
				return nil, p.Errors[0]
			}
			g.add(p, libs.MatchString(p.PkgPath))
		}
		g.walk()
		for o, name := range g.names {
			at := g.at(o)
			declared[at] = at + ": " + name
			live[at] = live[at] || g.live[o]
		}
	}
	maps.DeleteFunc(declared, func(at, _ string) bool { return live[at] })
	return slices.Sorted(maps.Values(declared)), nil
}

// used gives the programs, the libraries, and what they import: not what tests alone import.
func used(pkgs []*packages.Package, libs *regexp.Regexp) []*packages.Package {
	ours, in := map[string]*packages.Package{}, map[*packages.Package]bool{}
	for _, p := range pkgs {
		ours[p.PkgPath] = p
	}
	var take func(p *packages.Package)
	take = func(p *packages.Package) {
		if p == nil || in[p] {
			return
		}
		in[p] = true
		for path := range p.Imports {
			take(ours[path])
		}
	}
	for _, p := range pkgs {
		if p.Name == "main" || libs.MatchString(p.PkgPath) {
			take(p)
		}
	}
	return slices.DeleteFunc(pkgs, func(p *packages.Package) bool { return !in[p] })
}

// graph knows what each declaration names.
type graph struct {
	dir     string
	fset    *token.FileSet
	names   map[types.Object]string         // what is judged, and its name for people
	uses    map[types.Object][]types.Object // a declaration and what it names
	methods map[types.Object][]*types.Func  // a type and its methods
	calls   map[string]bool                 // names of methods that an interface has
	live    map[types.Object]bool
	todo    []types.Object
}

func newGraph(dir string) *graph {
	g := &graph{dir: dir, names: map[types.Object]string{}, uses: map[types.Object][]types.Object{},
		methods: map[types.Object][]*types.Func{}, calls: map[string]bool{}, live: map[types.Object]bool{}}
	// Asked for by the standard library in the middle of its functions.
	for _, name := range []string{"Error", "String", "Is", "As", "Unwrap", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"} {
		g.calls[name] = true
	}
	return g
}

func (g *graph) at(o types.Object) string {
	p := g.fset.Position(o.Pos())
	if rel, err := filepath.Rel(g.dir, p.Filename); err == nil {
		p.Filename = rel
	}
	return fmt.Sprintf("%s:%d:%d", filepath.ToSlash(p.Filename), p.Line, p.Column)
}

func (g *graph) add(p *packages.Package, lib bool) {
	g.fset = p.Fset
	for _, imp := range p.Types.Imports() { // ours among them: an interface that is dead keeps a method too many
		for _, name := range imp.Scope().Names() {
			g.interfaceOf(imp.Scope().Lookup(name).Type())
		}
	}
	for _, tv := range p.TypesInfo.Types {
		g.interfaceOf(tv.Type)
	}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			g.decl(p, d, lib)
		}
	}
}

func (g *graph) interfaceOf(t types.Type) {
	if t == nil {
		return
	}
	if i, ok := t.Underlying().(*types.Interface); ok {
		for m := range i.Methods() {
			g.calls[m.Name()] = true
		}
	}
}

func (g *graph) decl(p *packages.Package, d ast.Decl, lib bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		f := p.TypesInfo.Defs[d.Name].(*types.Func)
		name, exported := "func "+f.Name(), d.Name.IsExported()
		if recv := f.Signature().Recv(); recv != nil {
			t := named(recv.Type())
			g.methods[t] = append(g.methods[t], f)
			name, exported = "method "+t.Name()+"."+f.Name(), exported && t.Exported()
		} else if f.Name() == "init" || f.Name() == "main" && p.Name == "main" {
			exported, lib = true, true
		}
		g.declare(p, f, name, d, lib && exported)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				t := p.TypesInfo.Defs[spec.Name]
				g.declare(p, t, "type "+t.Name(), spec, lib && t.Exported())
				g.fields(p, t.Name(), spec.Type)
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					if o := p.TypesInfo.Defs[n]; n.Name != "_" { // an assertion is no use
						g.declare(p, o, d.Tok.String()+" "+o.Name(), spec, lib && o.Exported())
					}
				}
			}
		}
	}
}

// fields are judged but where they are embedded.
func (g *graph) fields(p *packages.Package, of string, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		st, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range st.Fields.List {
			for _, id := range f.Names {
				if id.Name != "_" {
					g.names[p.TypesInfo.Defs[id]] = "field " + of + "." + id.Name
				}
			}
		}
		return true
	})
}

// declare notes what a declaration names; a group's constants take the values of the one above, which
// matters to none of them.
func (g *graph) declare(p *packages.Package, o types.Object, name string, d ast.Node, root bool) {
	g.names[o] = name
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if u := origin(p.TypesInfo.Uses[n]); u != nil {
				g.uses[o] = append(g.uses[o], u)
			}
		case *ast.SelectorExpr: // on the way to a promoted one
			if s := p.TypesInfo.Selections[n]; s != nil {
				g.uses[o] = append(g.uses[o], origin(s.Obj()))
			}
		case *ast.CompositeLit: // without keys it names them all
			if st, ok := p.TypesInfo.TypeOf(n).Underlying().(*types.Struct); ok && len(n.Elts) > 0 {
				if _, keyed := n.Elts[0].(*ast.KeyValueExpr); !keyed {
					for f := range st.Fields() {
						g.uses[o] = append(g.uses[o], origin(f))
					}
				}
			}
		}
		return true
	})
	if root {
		g.reach(o)
	}
}

// origin is what was declared where a type parameter has become a type.
func origin(o types.Object) types.Object {
	switch o := o.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return o
}

func named(t types.Type) types.Object {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return t.(*types.Named).Obj()
}

func (g *graph) reach(o types.Object) {
	if !g.live[o] {
		g.live[o] = true
		g.todo = append(g.todo, o)
	}
}

func (g *graph) walk() {
	for len(g.todo) > 0 {
		o := g.todo[len(g.todo)-1]
		g.todo = g.todo[:len(g.todo)-1]
		for _, u := range g.uses[o] {
			g.reach(u)
		}
		for _, m := range g.methods[o] {
			if g.calls[m.Name()] {
				g.reach(m)
			}
		}
	}
}
