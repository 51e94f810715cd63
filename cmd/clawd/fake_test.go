package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be two programs, by its name: the tests, and clawd. As clawd it must not fire: the
// shim is started by the path of the binary itself, which is that of the tests. Tests that fire build a clawd of their own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "check-store" { // by the path of the binary, too, and it fires nothing
		main()
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "shim" {
		fmt.Fprintln(os.Stderr, "the test binary is no shim")
		os.Exit(2)
	}
	testscript.Main(cleaning{m}, map[string]func(){"clawd": main})
}

// cleaning removes what all tests share.
type cleaning struct{ m *testing.M }

func (c cleaning) Run() int {
	defer func() { os.RemoveAll(builtDir) }()
	_ = flag.Set("test.parallel", "8") // they wait more than they work; -parallel goes before this
	return c.m.Run()
}

// fakeDir names the folder with the fake agent's orders (modes) and its log (starts).
const fakeDir = "FAKE_DIR"

// builtDir holds the programs that the tests start.
var builtDir string

// built builds clawd with its crash points, and the agent (internal/fakeclaude), once. Without an order to crash this
// clawd is as any other.
var built = sync.OnceValues(func() (programs, error) {
	dir, err := os.MkdirTemp("", "clawd-test")
	if err != nil {
		return programs{}, err
	}
	builtDir = dir
	cmd := exec.Command("go", "build", "-tags", "crashtest", "-ldflags=-s -w", "-o", dir, ".", "../../internal/fakeclaude")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return programs{}, fmt.Errorf("%w\n%s", err, out)
	}
	return programs{clawd: filepath.Join(dir, "clawd"), claude: filepath.Join(dir, "fakeclaude")}, nil
})

type programs struct{ clawd, claude string }

func build(t *testing.T) programs {
	t.Helper()
	p, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// line is what the tests need of a transcript's line.
type line struct{ UUID string }
