package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

func ids(all []agent.Touched) []string {
	var out []string
	for _, t := range all {
		out = append(out, t.Session.ID[len(t.Session.ID)-1:])
	}
	return out
}

func id(n int) string { return fmt.Sprintf("0a8d26f8-e126-4d05-8111-%012d", n) }

func TestScanTakesOnlyTranscripts(t *testing.T) {
	root := t.TempDir()
	p := filepath.Join(root, "projects", "-home-dev-work-demo")
	put(t, filepath.Join(p, id(1)+".jsonl"), "{}\n")
	outside := filepath.Join(t.TempDir(), id(2)+".jsonl")
	put(t, outside, "{}\n")
	for _, name := range []string{"agent-00a30e13.jsonl", id(3), id(3) + ".json", strings.ToUpper(id(3)) + ".jsonl", "--help.jsonl", id(3)[1:] + ".jsonl", id(3) + ".jsonl.bak"} {
		put(t, filepath.Join(p, name), "{}\n")
	}
	put(t, filepath.Join(root, "projects", id(4)+".jsonl"), "{}\n")               // beside the folders
	put(t, filepath.Join(p, id(1), "subagents", id(5)+".jsonl"), "{}\n")          // too deep
	put(t, filepath.Join(root, "elsewhere", id(6)+".jsonl"), "{}\n")              // behind a link
	must(t, os.Symlink(outside, filepath.Join(p, id(2)+".jsonl")))                // a link
	must(t, syscall.Mkfifo(filepath.Join(p, id(7)+".jsonl"), 0o600))              // a FIFO
	must(t, os.Mkdir(filepath.Join(p, id(8)+".jsonl"), 0o700))                    // a folder
	must(t, os.Symlink("../elsewhere", filepath.Join(root, "projects", "-link"))) // a linked folder
	put(t, filepath.Join(p, id(9)+".jsonl"), "{}\n")
	must(t, os.Chmod(filepath.Join(p, id(9)+".jsonl"), 0o606)) // others write it

	c := over(root, table{}, agent.Config{})
	for _, hint := range []string{"", root, filepath.Join(root, "projects"), p, p + "/"} {
		all, err := c.Scan(t.Context(), hint)
		agenttest.Refused(t, err)
		if d := cmp.Diff([]string{"1"}, ids(all)); d != "" {
			t.Errorf("hint %q: %s", hint, d)
		}
	}
	for _, n := range []int{2, 3, 5, 6, 7, 8, 9} {
		all, err := c.Scan(t.Context(), filepath.Join(p, id(n)+".jsonl"))
		agenttest.Refused(t, err)
		if len(all) != 0 {
			t.Errorf("hint %d: %v", n, ids(all))
		}
		s := detect.Session{Agent: "claude", ID: id(n), Path: filepath.Join(p, id(n)+".jsonl")}
		if _, err := agenttest.Read(t.Context(), c, s, ""); err == nil {
			t.Errorf("Read of %d worked", n)
		}
		if _, _, err := c.Tail(t.Context(), s); err == nil {
			t.Errorf("Tail of %d worked", n)
		}
		if _, err := c.LastPrompt(t.Context(), s); err == nil {
			t.Errorf("LastPrompt of %d worked", n)
		}
	}
	for _, hint := range []string{"/etc/passwd", filepath.Join(root, "history.jsonl"), filepath.Join(root, "projects", "-link", id(6)+".jsonl"), filepath.Join(root, "..", "x")} {
		all, err := c.Scan(t.Context(), hint)
		agenttest.Refused(t, err)
		if len(all) != 0 {
			t.Errorf("hint %s: %v", hint, ids(all))
		}
	}
	if all, err := c.Scan(t.Context(), filepath.Join(p, id(1), "subagents", "agent-1.jsonl")); len(all) != 1 || err != nil {
		t.Errorf("a sub-agent's file: %v, %v", ids(all), err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestReadRefusesForeignNames(t *testing.T) {
	root := t.TempDir()
	c, s := over(root, table{}, agent.Config{}), session(root, sid)
	put(t, s.Path, prompt(1, "x"))
	for _, bad := range []string{"--help", "../" + sid, strings.ToUpper(sid), "", id(5)} {
		other := s
		other.ID = bad
		if _, err := agenttest.Read(t.Context(), c, other, ""); err == nil {
			t.Errorf("Read with id %q worked", bad)
		}
		if _, err := c.Files(other); err == nil {
			t.Errorf("Files with id %q worked", bad)
		}
	}
}

func TestScanRegistryHint(t *testing.T) {
	root := t.TempDir()
	s1, s2 := session(root, id(1)), session(root, id(2))
	put(t, s1.Path, "{}\n")
	put(t, s2.Path, "{}\n")
	entryFile := filepath.Join(root, "sessions", "71.json")
	name := func(id string) {
		_ = os.Remove(entryFile)
		put(t, entryFile, `{"pid":71,"sessionId":"`+id+`","cwd":"/somewhere/else","procStart":"5"}`)
	}
	c := over(root, table{}, agent.Config{})
	check := func(what, hint string, want ...string) {
		t.Helper()
		all, err := c.Scan(t.Context(), hint)
		if d := cmp.Diff(want, ids(all)); d != "" || err != nil {
			t.Errorf("%s: %v %s", what, err, d)
		}
	}
	check("no entry", entryFile)
	name(id(1))
	check("entry", entryFile, "1")
	check("registry", filepath.Dir(entryFile), "1")
	name(id(2))
	check("after /clear both", entryFile, "2", "1")
	must(t, os.Remove(entryFile))
	check("entry removed", entryFile, "2")
	check("removed long ago", entryFile)
	name("nonsense")
	check("no session id", entryFile)
	put(t, filepath.Join(root, "sessions", "71.secret.key"), id(1))
	check("a key", filepath.Join(root, "sessions", "71.secret.key"))
}

func TestRoot(t *testing.T) {
	home := t.TempDir()
	real := filepath.Join(home, "real")
	must(t, os.MkdirAll(real, 0o700))
	must(t, os.Symlink("real", filepath.Join(home, ".claude")))
	none := func(string) string { return "" }
	c := New(agent.Env{Home: home, Getenv: none, Procs: table{}}, agent.Config{})
	if c.root != real {
		t.Errorf("root %s, want %s", c.root, real)
	}
	env := func(n string) string { return map[string]string{"CLAUDE_CONFIG_DIR": "/a"}[n] }
	if c := New(agent.Env{Home: home, Getenv: env, Procs: table{}}, agent.Config{}); c.root != "/a" {
		t.Errorf("root %s", c.root)
	}
	c = New(agent.Env{Home: home, Getenv: env, Procs: table{}}, agent.Config{ConfigDir: "/b", Command: "/opt/claude"})
	if c.root != "/b" || c.Command() != "/opt/claude" {
		t.Errorf("root %s, command %s", c.root, c.Command())
	}
	if d := cmp.Diff([]agent.Folder{{Path: "/b/projects", Depth: 1}, {Path: "/b/sessions"}}, c.Folders()); d != "" {
		t.Error(d)
	}
}

func TestInFolder(t *testing.T) {
	long := "/home/dev/work/" + strings.Repeat("x", 250)
	for _, c := range []struct {
		cwd, folder string
		want        bool
	}{
		{"/home/dev/work/demo", "-home-dev-work-demo", true},
		{"/home/dev/work/My_Proj v1.2 ünï", "-home-dev-work-My-Proj-v1-2--n-", true},
		{"/p/😀", "-p---", true},
		{"/home/dev/work", "-home-dev-work-demo", false},
		{"/home/dev/work/demo/x", "-home-dev-work-demo", false},
		{long, encode(long)[:200] + "-85azn8", true},
		{long, encode(long)[:200] + "-", false},
		{long, encode(long)[:200] + "-../x", false},
		{long, encode(long), false},
	} {
		if got := inFolder(c.cwd, c.folder); got != c.want {
			t.Errorf("inFolder(%.40q, %.40q) = %v", c.cwd, c.folder, got)
		}
	}
}

// corpus writes 2,000 transcripts of 100 KB in 100 folders.
func corpus(b *testing.B) *Claude {
	b.Helper()
	root := b.TempDir()
	filler := strings.Repeat(answer(2, strings.Repeat("word ", 500)), 35)
	for n := range 2000 {
		id := fmt.Sprintf("0a8d26f8-e126-4d05-8111-%012d", n)
		p := filepath.Join(root, "projects", fmt.Sprintf("-home-dev-%d", n%100), id+".jsonl")
		put(b, p, strings.ReplaceAll(filler, sid, id)+strings.ReplaceAll(failed(3, limitSentence, nil), sid, id))
	}
	return over(root, table{}, agent.Config{})
}

func BenchmarkScan2000(b *testing.B) {
	c := corpus(b)
	for b.Loop() {
		if all, err := c.Scan(b.Context(), ""); err != nil || len(all) != 2000 {
			b.Fatal(len(all), err)
		}
	}
}

func BenchmarkTail2000(b *testing.B) {
	c := corpus(b)
	all, err := c.Scan(b.Context(), "")
	must(b, err)
	for b.Loop() {
		for _, s := range all {
			if maybe, _, err := c.Tail(b.Context(), s.Session); err != nil || !maybe {
				b.Fatal(maybe, err)
			}
		}
	}
}

// A transcript that was not written for a day is looked at in every tenth scan of everything, and
// at once when a hint names it.
func TestScanDormant(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "projects", "-x", sid+".jsonl")
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte("{}\n"), 0o600))
	old := time.Now().Add(-48 * time.Hour)
	must(t, os.Chtimes(path, old, old))
	must(t, os.Chtimes(filepath.Dir(path), old, old))
	c := over(root, table{}, agent.Config{})
	stamp := func(hint string) string {
		t.Helper()
		all, err := c.Scan(t.Context(), hint)
		must(t, err)
		if len(all) == 0 {
			return ""
		}
		return all[0].Stamp
	}
	first := stamp("")
	must(t, os.WriteFile(path, []byte("{}\n{}\n"), 0o600))
	must(t, os.Chtimes(path, old, old))
	if stamp("") != "" {
		t.Error("the second scan looked")
	}
	seen := stamp(path)
	if first == "" || seen == "" || seen == first {
		t.Error("a hint did not look")
	}
	stamp("")
	must(t, os.WriteFile(path, []byte("{}\n{}\n{}\n"), 0o600))
	must(t, os.Chtimes(path, old, old))
	for range 10 {
		if now := stamp(""); now != "" && now != seen {
			return
		}
	}
	t.Error("never looked at again")
}

// A transcript that comes right after its folder was listed may leave the folder's time of change as it was.
func TestScanInTheSameTick(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "projects", "-x")
	put(t, filepath.Join(dir, id(1)+".jsonl"), "{}\n")
	tick := time.Now()
	must(t, os.Chtimes(dir, tick, tick))
	c := over(root, table{}, agent.Config{})
	for n := range 3 { // the first scan looks at every file, the others at what changed
		if n == 2 {
			put(t, filepath.Join(dir, id(2)+".jsonl"), "{}\n")
			must(t, os.Chtimes(dir, tick, tick))
		}
		all, err := c.Scan(t.Context(), "")
		must(t, err)
		if want := []int{1, 1, 2}[n]; len(all) != want {
			t.Errorf("scan %d: %v, want %d", n, ids(all), want)
		}
	}
}
