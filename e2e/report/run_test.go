package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestEndsWhatHangs runs the go command on a package with a test that hangs and one without.
func TestEndsWhatHangs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked for on Linux alone")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.24\n",
		"hang/hang_test.go": "package hang\n\nimport \"testing\"\n\n" +
			"func TestQuick(t *testing.T) {}\n\nfunc TestHangs(t *testing.T) { t.Run(\"sub\", func(t *testing.T) { waitsForever() }) }\n\n" +
			"func waitsForever() { select {} }\n",
		"quick/quick_test.go": "package quick\n\nimport \"testing\"\n\nfunc TestOther(t *testing.T) {}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out strings.Builder
	s := reader(t, &out)
	still := s.now()
	s.now = func() time.Time { // the clock goes on as soon as the one test runs and all others have
		if sub := s.tests["m/hang TestHangs/sub"]; sub != nil && !sub.since.IsZero() && s.all.passed == 1 {
			return still.Add(time.Hour)
		}
		return still
	}
	if err := s.run([]string{"go", "test", "-count=1", "-json", "./hang", "./quick"}, false); err != nil {
		t.Fatal(err)
	}
	wants(t, out.String(), "HANGS hang.TestHangs/sub", "FAIL  hang.TestHangs did not end", "FAIL  hang.TestHangs/sub did not end",
		"waitsForever", "ok    quick.TestOther", "2 packages: 1 passed (0 of them cached), 1 failed", "3 tests: 2 passed, 1 failed", "1 sub-test: 0 passed, 1 failed")
	if s.ok() {
		t.Error("the run passed")
	}
}

// TestExitCodeCounts: the go command may fail without a word on its output.
func TestExitCodeCounts(t *testing.T) {
	var out strings.Builder
	s := reader(t, &out)
	stream := `echo '{"Action":"start","Package":"a"}'; echo '{"Action":"pass","Package":"a"}'`
	if err := s.run([]string{"sh", "-c", stream, "-json", "a"}, false); err != nil || !s.ok() {
		t.Fatalf("%v, ok = %v\n%s", err, s.ok(), out.String())
	}
	s = reader(t, &out)
	if err := s.run([]string{"sh", "-c", stream + "; exit 1", "-json", "a"}, false); err != nil || s.ok() {
		t.Fatalf("%v, ok = %v\n%s", err, s.ok(), out.String())
	}
	if err := s.run([]string{"go", "test", "./..."}, false); err == nil {
		t.Error("ran without -json")
	}
}
