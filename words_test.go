package clawd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestWords: what clawd says, it says to its user, and in plain words.
func TestWords(t *testing.T) {
	odd := regexp.MustCompile(`\b(its user|somebody|tells|goes on|the defaults hold|if you like)\b`)
	texts := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == ".cache" || path == "e2e" || path == "internal/sim" || path == "internal/storm" || path == "internal/vocab" || d.Name() == "testdata"):
			return fs.SkipDir // nobody but who works on clawd reads these
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			texts++
			if word := odd.FindString(text); word != "" {
				t.Errorf("%s: %q says %q", fset.Position(lit.Pos()), text, word)
			}
			return true
		})
		return nil
	})
	if err != nil || texts < 3000 {
		t.Errorf("%d texts, %v", texts, err)
	}
}
