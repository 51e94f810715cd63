package opencode

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

const (
	ourSession = "ses_e0490bdf4ffetoGb2yI1hytQKC"
	ourProject = "447d6ff91d4875c689a93a5718ee959c2e04580f"
)

// inProject writes the database of a session of a project; others are folders of its other sessions.
func inProject(t *testing.T, data, project, worktree, dir string, others ...string) (path string) {
	t.Helper()
	path = filepath.Join(data, "opencode.db")
	db := writer(t, path)
	exec(t, db, "create table session (id text primary key, project_id text not null, directory text not null)")
	exec(t, db, "create table project (id text primary key, worktree text not null, sandboxes text not null)")
	exec(t, db, "create table project_directory (project_id text not null, directory text not null)")
	exec(t, db, "insert into project values (?, ?, '[]'), ('another', '/another', '[\"/another/box\"]')", project, worktree)
	exec(t, db, "insert into project_directory values ('another', '/another/known')")
	exec(t, db, "insert into session values (?, ?, ?), ('ses_x', 'another', '/another/sub')", ourSession, project, dir)
	for _, d := range others {
		exec(t, db, "insert into session values (?, ?, ?)", "ses_of_"+d, project, d)
	}
	return path
}

// process gives a table with one opencode in a terminal that has the database open.
func process(cwd string, opens []string, argv ...string) *testProcs {
	return &testProcs{
		All:  []agent.Proc{{PID: 7, Start: 70, Group: 7, Leader: 3, Comm: "opencode", TTY: "/dev/pts/1"}, {PID: 3, Start: 30, Comm: "bash"}},
		Args: map[int][]string{7: append([]string{"opencode"}, argv...), 3: {"bash"}},
		Dirs: map[int]string{7: cwd, 3: cwd}, Files: map[int][]string{7: opens},
	}
}

// wantHolder looks who has our session open: nobody, or a process of which that cannot be told.
func wantHolder(t *testing.T, o *OpenCode, s detect.Session, dir string, want detect.Liveness) {
	t.Helper()
	got, err := o.Live(t.Context(), s, detect.Info{Dir: dir})
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	h := got[0]
	if h.Liveness != want || h.Sure || h.Named || h.Why == "" || h.Boot != "boot" {
		t.Errorf("%+v, want %s", h, want)
	}
	if want == detect.HolderUnknown && (h.PID != 7 || h.Start != 70 || !strings.Contains(h.Why, "process 7 ")) {
		t.Errorf("%+v does not name the process", h)
	}
}

// work gives folders with two repositories, one of them with a second work tree, and one folder that
// is in none.
func work(t *testing.T) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"repo/.git/worktrees/wt", "repo/api", "other/.git", "other/sub", "empty/.git", "wt/sub", "plain/sub", "plain2"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(root, "wt/.git"), "gitdir: "+root+"/repo/.git/worktrees/wt\n")
	writeFile(t, filepath.Join(root, "repo/.git/worktrees/wt/commondir"), "../..\n")
	writeFile(t, filepath.Join(root, "other/.git/opencode"), "another\n")
	return root
}

// A terminal may show any session of its project, whatever folder that was begun in.
func TestLiveProject(t *testing.T) {
	var many []string
	for i := range maxFolders + 1 {
		many = append(many, fmt.Sprint("many/", i))
	}
	for name, c := range map[string]struct {
		worktree string // of the project; empty: the repository
		dir      string // of the session; empty: repo/api
		global   bool
		others   []string
		cwd      string
		argv     []string
		change   func(t *testing.T, root string)
		want     detect.Liveness
	}{
		"its work tree":                   {cwd: "repo/web", want: detect.HolderUnknown},
		"its newest session":              {cwd: "repo/web", argv: []string{"-c"}, want: detect.HolderUnknown},
		"run of its newest session":       {cwd: "repo/web", argv: []string{"run", "-c", "x"}, want: detect.HolderUnknown},
		"run of its newest session, long": {cwd: "repo/web", argv: []string{"run", "--continue", "x"}, want: detect.HolderUnknown},
		"run of a new session":            {cwd: "repo/web", argv: []string{"run", "x"}, want: detect.Gone},
		"run of a message -c":             {cwd: "repo/web", argv: []string{"run", "--", "-c"}, want: detect.Gone},
		"another session by name":         {cwd: "repo/web", argv: []string{"-s", "ses_x"}, want: detect.Gone},
		"no session":                      {cwd: "repo/web", argv: []string{"models"}, want: detect.Gone},
		"a folder that was given":         {cwd: "plain", argv: []string{"run", "-c", "--dir", "../repo/web"}, want: detect.HolderUnknown},
		"another session's folder":        {cwd: "plain", others: []string{"plain"}, want: detect.HolderUnknown},
		"below another session's folder":  {cwd: "plain/sub", others: []string{"plain"}, want: detect.HolderUnknown},
		"above another session's folder":  {cwd: "plain", others: []string{"plain/sub"}, want: detect.HolderUnknown},
		"another folder's beginning":      {cwd: "plain2", others: []string{"plain"}, want: detect.Gone},
		"another work tree":               {cwd: "wt", want: detect.HolderUnknown},
		"below another work tree":         {cwd: "wt/sub", want: detect.HolderUnknown},
		"the work tree is another one":    {worktree: "wt", cwd: "repo/web", want: detect.HolderUnknown},
		"the work tree is gone":           {worktree: "removed", cwd: "wt", want: detect.HolderUnknown},
		"the session's folder is gone":    {dir: "removed/api", cwd: "wt", want: detect.HolderUnknown},
		"another project":                 {cwd: "other/sub", want: detect.Gone},
		"no project":                      {cwd: "plain", want: detect.Gone},
		"a file that was given": {cwd: "other", argv: []string{"./sub/notes.md"}, want: detect.Gone, change: func(t *testing.T, root string) {
			writeFile(t, filepath.Join(root, "other/sub/notes.md"), "")
		}},
		"another clone": {cwd: "other", want: detect.HolderUnknown, change: func(t *testing.T, root string) {
			writeFile(t, filepath.Join(root, "other/.git/opencode"), ourProject+"\n")
		}},
		"a linked .git": {cwd: "plain", want: detect.HolderUnknown, change: func(t *testing.T, root string) {
			mkLink(t, filepath.Join(root, "repo/.git"), filepath.Join(root, "plain/.git"))
		}},
		"a .git that is no file": {cwd: "plain", want: detect.HolderUnknown, change: func(t *testing.T, root string) {
			if err := syscall.Mkfifo(filepath.Join(root, "plain/.git"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		"a .git that leads nowhere": {cwd: "plain", want: detect.HolderUnknown, change: func(t *testing.T, root string) {
			writeFile(t, filepath.Join(root, "plain/.git"), "gitdir: /nowhere/.git/worktrees/x\n")
		}},
		"a .git that says nothing": {cwd: "plain", want: detect.HolderUnknown, change: func(t *testing.T, root string) {
			writeFile(t, filepath.Join(root, "plain/.git"), "../other/.git\n")
		}},
		"a .git that is large": {cwd: "plain", want: detect.HolderUnknown, change: func(t *testing.T, root string) {
			writeFile(t, filepath.Join(root, "plain/.git"), "gitdir: ../other/.git"+strings.Repeat("\n", 1<<20))
		}},
		"a submodule": {cwd: "plain", want: detect.Gone, change: func(t *testing.T, root string) {
			writeFile(t, filepath.Join(root, "plain/.git"), "gitdir: ../repo/.git/modules/plain\n")
			writeFile(t, filepath.Join(root, "repo/.git/modules/plain/HEAD"), "ref: refs/heads/main\n")
		}},
		"global":                     {global: true, dir: "plain", cwd: "plain2", want: detect.HolderUnknown},
		"global, newest":             {global: true, dir: "plain", cwd: "plain2", argv: []string{"-c"}, want: detect.HolderUnknown},
		"global, new session":        {global: true, dir: "plain", cwd: "plain2", argv: []string{"run", "x"}, want: detect.Gone},
		"global, a project's folder": {global: true, dir: "plain", cwd: "other/sub", want: detect.Gone},
		"global, many folders":       {global: true, dir: "plain", others: many, cwd: "other", want: detect.Gone},
		"global, noted": {global: true, dir: "plain", cwd: "other", want: detect.HolderUnknown, change: func(t *testing.T, root string) {
			if err := os.WriteFile(filepath.Join(root, "other/.git/opencode"), []byte(globalProject), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		// opencode gives a repository without a commit no project of its own, and says so nowhere.
		"global, a repository without a project": {global: true, dir: "plain", cwd: "empty", want: detect.HolderUnknown},
		// One session was begun in the home folder: that does not make its repositories global.
		"global, below another session": {global: true, dir: "plain", others: []string{""}, cwd: "other", want: detect.Gone},
	} {
		t.Run(name, func(t *testing.T) {
			root := work(t)
			under := func(rel, other string) string {
				if rel == "" {
					rel = other
				}
				return filepath.Join(root, rel)
			}
			if c.change != nil {
				c.change(t, root)
			}
			project, worktree, dir := ourProject, under(c.worktree, "repo"), under(c.dir, "repo/api")
			if c.global {
				project, worktree = globalProject, "/"
			}
			var others []string
			for _, d := range c.others {
				others = append(others, filepath.Join(root, d))
			}
			p := process(under(c.cwd, ""), nil, c.argv...)
			o, data := open(t, p)
			db := inProject(t, data, project, worktree, dir, others...)
			p.Files[7] = []string{db, db + "-wal"}
			s := detect.Session{Agent: Name, ID: ourSession, Path: db}
			wantHolder(t, o, s, dir, c.want)
			p.Files[7] = []string{"/mnt/x/opencode/opencode.db"}
			wantHolder(t, o, s, dir, detect.Gone)
			p.Files[7] = nil
			wantHolder(t, o, s, dir, detect.Gone)
		})
	}
}

// The database knows folders of a project in which no session was begun.
func TestLiveProjectFolders(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		cwd    string
		want   detect.Liveness
	}{
		"a sandbox":             {"update project set sandboxes = '[\"/box\", 1, null]' where id <> 'another'", "/box/sub", detect.HolderUnknown},
		"another's sandbox":     {"select 1", "/another/box", detect.Gone},
		"sandboxes not JSON":    {"update project set sandboxes = '['", "/box", detect.Gone},
		"a known folder":        {"insert into project_directory values ('" + ourProject + "', '/known')", "/known", detect.HolderUnknown},
		"another's folder":      {"select 1", "/another/known", detect.Gone},
		"another's session":     {"select 1", "/another/sub", detect.Gone},
		"no such tables":        {"drop table project_directory; drop table project", "/repo/web", detect.Gone},
		"no such column":        {"alter table project drop column sandboxes", "/repo/web", detect.HolderUnknown},
		"no projects":           {"alter table session drop column project_id", "/elsewhere", detect.HolderUnknown},
		"the session is gone":   {"delete from session", "/repo/web", detect.Gone},
		"too many to look at":   {"with n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into session select 'ses_' || i, '" + ourProject + "', '/many/' || i from n", "/elsewhere", detect.HolderUnknown},
		"many from two folders": {"with n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into session select 'ses_' || i, '" + ourProject + "', '/many/' || (i % 2) from n", "/elsewhere", detect.Gone},
	} {
		t.Run(name, func(t *testing.T) {
			p := process(c.cwd, nil)
			o, data := open(t, p)
			db := inProject(t, data, ourProject, "/repo", "/repo/api")
			p.Files[7] = []string{db}
			w := writer(t, db)
			for q := range strings.SplitSeq(c.change, ";") {
				exec(t, w, q)
			}
			wantHolder(t, o, detect.Session{Agent: Name, ID: ourSession, Path: db}, "/repo/api", c.want)
		})
	}
}

// A process of which nothing can be told says nothing against one that works in the session's folder.
func TestLiveProjectOrder(t *testing.T) {
	p := process("/repo/web", nil)
	p.All = append(p.All, agent.Proc{PID: 8, Start: 80, Comm: "opencode", TTY: "/dev/pts/2"})
	p.Args[8], p.Dirs[8] = []string{"opencode"}, "/repo/api"
	o, data := open(t, p)
	db := inProject(t, data, ourProject, "/repo", "/repo/api")
	p.Files[7] = []string{db}
	got, err := o.Live(t.Context(), detect.Session{Agent: Name, ID: ourSession, Path: db}, detect.Info{Dir: "/repo/api"})
	if err != nil || len(got) != 2 || got[0].PID != 8 || got[0].Liveness != detect.Alive || got[1].PID != 7 || got[1].Liveness != detect.HolderUnknown {
		t.Errorf("%+v, %v", got, err)
	}
}

// "opencode -c" has the database open, and it cannot be read.
func TestLiveProjectUnread(t *testing.T) {
	p := process("/repo/web", nil, "-c")
	o, data := open(t, p)
	db := filepath.Join(data, "opencode.db")
	p.Files[7] = []string{db, db + "-wal"}
	s := detect.Session{Agent: Name, ID: ourSession, Path: db}
	wantHolder(t, o, s, "/repo/api", detect.HolderUnknown)
	writeFile(t, db, "no database at all, but long enough to be taken for the head of one")
	wantHolder(t, o, s, "/repo/api", detect.HolderUnknown)
}

// Before 1.2 a session's project was the folder that its file lies in.
func TestLiveProjectFiles(t *testing.T) {
	for name, c := range map[string]struct {
		project, cwd, file string
		want               detect.Liveness
	}{
		"its work tree":     {ourProject, "repo/web", `{"id":"x","worktree":"%/repo","vcs":"git"}`, detect.HolderUnknown},
		"another work tree": {ourProject, "wt", `{"worktree":"%/repo"}`, detect.HolderUnknown},
		"a sandbox":         {ourProject, "plain", `{"worktree":"%/repo","sandboxes":["%/plain"]}`, detect.HolderUnknown},
		"another project":   {ourProject, "other", `{"worktree":"%/repo"}`, detect.Gone},
		"without git":       {ourProject, "plain/sub", `{"worktree":"%/plain"}`, detect.HolderUnknown},
		"none and another":  {ourProject, "other", "", detect.Gone},
		"not written":       {ourProject, "wt", "", detect.HolderUnknown},
		"half written":      {ourProject, "other", `{"worktree":"%/re`, detect.HolderUnknown},
		"global":            {globalProject, "plain", `{"worktree":"/"}`, detect.HolderUnknown},
		"global, elsewhere": {globalProject, "other", `{"worktree":"/"}`, detect.Gone},
	} {
		t.Run(name, func(t *testing.T) {
			root := work(t)
			p := process(filepath.Join(root, c.cwd), nil)
			o, data := open(t, p)
			dir := filepath.Join(root, "repo/api")
			if c.project == globalProject {
				dir = filepath.Join(root, "plain2")
			}
			path := filepath.Join(data, "storage", "session", c.project, ourSession+".json")
			writeFile(t, path, `{"id":"`+ourSession+`"}`)
			if c.file != "" {
				writeFile(t, filepath.Join(data, "storage", "project", c.project+".json"), strings.ReplaceAll(c.file, "%", root))
			}
			p.Files[7] = []string{filepath.Join(data, "log", "2026-11-21T003110.log")}
			wantHolder(t, o, detect.Session{Agent: Name, ID: ourSession, Path: path}, dir, c.want)
		})
	}
}
