package opencode

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

const made = "New session - 2026-11-21T00:22:25.300Z"

// What the title of a terminal says about the session that it shows, as 1.18.33 sets it.
func TestTitled(t *testing.T) {
	long := strings.Repeat("long ", 9) // 45
	for _, c := range []struct {
		name, own, title string
		shows, known     bool
	}{
		{"its own", "Fix the parser", "OC | Fix the parser", true, true},
		{"another one's", "Fix the parser", "OC | Write docs", false, true},
		{"none yet", "Fix the parser", "OpenCode", false, true},
		{"it has none itself", made, "OpenCode", false, false},
		{"it has none itself, and another one's is shown", made, "OC | Write docs", false, true},
		{"a sub-agent's own", "Child session - 2026-11-21T00:22:25.300Z", "OpenCode", false, false},
		{"titles are turned off", "Fix the parser", "bash", false, false},
		{"titles are turned off, and it says nothing", "Fix the parser", "", false, false},
		{"as long as may be", long[:40], "OC | " + strings.TrimSpace(long[:40]), true, true},
		{"cut", long[:44], "OC | " + long[:37] + "…", true, true},
		{"cut by an older version", long[:44], "OC | " + long[:37] + "...", true, true},
		{"cut, and another one's", long[:44], "OC | " + long[:36] + "x…", false, true},
		{"it counts as JavaScript does", strings.Repeat("😀", 21), "OC | " + strings.Repeat("😀", 18) + "\ufffd…", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, db, s := newStore(t)
			exec(t, db, "alter table session add column title text")
			exec(t, db, "update session set title = ?", c.own)
			shows, known, err := o.Titled(t.Context(), s, c.title)
			if shows != c.shows || known != c.known || err != nil {
				t.Errorf("shows %t, known %t, %v", shows, known, err)
			}
			s.ID = "ses_e0490bdf4ffetoGb2yI1hytQKD"
			if _, _, err := o.Titled(t.Context(), s, "OpenCode"); err == nil {
				t.Error("a session that is not there")
			}
		})
	}
}

// Two sessions whose titles look the same cannot be told apart by them.
func TestTitledTwins(t *testing.T) {
	long := strings.Repeat("long ", 9)
	for own, c := range map[string]struct {
		other, title string
		known        bool
	}{
		"Fix the parser": {"Fix the parser ", "OC | Fix the parser", false},
		"Fix the lexer":  {"Fix the parser", "OC | Fix the lexer", true},
		long + "one":     {long + "two", "OC | " + long[:37] + "…", false},
	} {
		o, db, s := newStore(t)
		exec(t, db, "alter table session add column title text")
		exec(t, db, "update session set title = ?", own)
		exec(t, db, "insert into session values ('ses_other', null, '/elsewhere', '1.18.33', null, 0, 1, null, ?)", c.other)
		if shows, known, err := o.Titled(t.Context(), s, c.title); shows != c.known || known != c.known || err != nil {
			t.Errorf("%s beside %s: shows %t, known %t, %v", own, c.other, shows, known, err)
		}
		if shows, known, err := o.Titled(t.Context(), s, "OC | Another"); shows || !known || err != nil {
			t.Errorf("%s, and another one's: shows %t, known %t, %v", own, shows, known, err)
		}
	}
}

// The title of a session in JSON files, of a recorded run.
func TestTitledStored(t *testing.T) {
	o, s, _ := one(t, "old-1.1.53-finished")
	own, err := o.stored(s).title()
	if err != nil || own == "" {
		t.Fatal(own, err)
	}
	shows, known, err := o.Titled(t.Context(), s, titled+own)
	if !shows && !madeTitle.MatchString(own) || err != nil || !known && !madeTitle.MatchString(own) {
		t.Errorf("%q: shows %t, known %t, %v", own, shows, known, err)
	}
	if shows, known, _ := o.Titled(t.Context(), s, titled+"something else"); shows || !known {
		t.Errorf("another title: shows %t, known %t", shows, known)
	}
	const other = "ses_e0490bdf4ffetoGb2yI1hytQKA"
	writeFile(t, filepath.Join(filepath.Dir(s.Path), other+".json"), strings.ReplaceAll(readFile(t, s.Path), s.ID, other))
	if shows, known, err := o.Titled(t.Context(), s, titled+own); shows || known || err != nil {
		t.Errorf("beside one that looks the same: shows %t, known %t, %v", shows, known, err)
	}
}

// Other sessions that a terminal of the folder may show.
func TestNewer(t *testing.T) {
	o, db, s := newStore(t)
	add := func(id, parent, dir, permission string, at int64) {
		exec(t, db, "insert into session values (?, nullif(?, ''), ?, '1.18.33', nullif(?, ''), 0, ?, null)", id, parent, dir, permission, at)
	}
	const dir, headless = "/home/dev/work/demo", `[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]`
	for i := range 120 { // a script that is called often
		add(fmt.Sprint("ses_again", i), "", dir, headless, at0+1)
	}
	add("ses_before", "", dir, "", at0-1)
	add("ses_silent", "", dir, "", at0-1)
	exec(t, db, "insert into message values ('msg_1', 'ses_silent', ?, ?, '{}')", at0+1, at0+1)
	add("ses_after", "", dir, "", at0+1)
	add("ses_part", s.ID, dir, "", at0+1)
	add("ses_elsewhere", "", "/home/dev/work/other", "", at0+1)
	add("ses_run", "", dir, headless, at0+1)
	exec(t, db, "update session set time_updated = ? where id = ?", at0+5, s.ID)
	got, err := o.Newer(t.Context(), s, time.UnixMilli(at0))
	want := []detect.Session{{Agent: Name, ID: "ses_after", Path: s.Path}, {Agent: Name, ID: "ses_silent", Path: s.Path}}
	slices.SortFunc(got, func(a, b detect.Session) int { return strings.Compare(a.ID, b.ID) })
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	begun, err := o.Begun(t.Context(), s, time.UnixMilli(at0)) // those of headless runs, too
	if err != nil || len(begun) != len(want)+121 || !slices.Contains(begun, detect.Session{Agent: Name, ID: "ses_run", Path: s.Path}) {
		t.Errorf("%d begun, %v", len(begun), err)
	}
}

func TestNewerStored(t *testing.T) {
	o, s, _ := one(t, "old-1.1.53-finished")
	text := readFile(t, s.Path)
	other := func(id string, change ...string) {
		writeFile(t, filepath.Join(filepath.Dir(s.Path), id+".json"), strings.NewReplacer(append(change, s.ID, id)...).Replace(text))
	}
	i, err := o.stored(s).info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other("ses_e0490bdf4ffetoGb2yI1hytQKA")
	other("ses_e0490bdf4ffetoGb2yI1hytQKB", i.Dir, "/elsewhere")
	got, err := o.Newer(t.Context(), s, time.Time{})
	want := []string{"ses_e0490bdf4ffetoGb2yI1hytQKA"}
	if !i.Interactive { // as one that began without a terminal
		want = nil
	}
	var ids []string
	for _, g := range got {
		ids = append(ids, g.ID)
	}
	if err != nil || !slices.Equal(ids, want) {
		t.Errorf("%v, want %v, %v", ids, want, err)
	}
	if got, err := o.Begun(t.Context(), s, time.Time{}); err != nil || len(got) != 1 || got[0].ID != "ses_e0490bdf4ffetoGb2yI1hytQKA" {
		t.Errorf("begun: %v, %v", got, err)
	}
	if got, err := o.Newer(t.Context(), s, time.Now().Add(time.Hour)); len(got) != 0 || err != nil {
		t.Errorf("later than all: %v, %v", got, err)
	}
}
