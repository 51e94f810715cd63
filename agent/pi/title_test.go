package pi

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

const nameLine = `{"type":"session_info","id":"a0000008","parentId":"a0000005","timestamp":"2026-11-22T12:06:30.000Z","name":"My task"}` + "\n"

// of gives the lines of another session.
func of(text string) string { return strings.ReplaceAll(text, sid, other) }

// TestMayShow: a terminal that waits at a failure may show any session of its folder that stood at one since it was started.
func TestMayShow(t *testing.T) {
	again := strings.ReplaceAll(asked, "12:06:28.900", "12:06:31.000")
	for name, c := range map[string]struct {
		text    string
		started string // by default before everything
		dir     string // of the other session
		shows   bool
	}{
		"failed":                              {text: begun + failed + "\n", shows: true},
		"failed before it was started":        {text: begun + failed + "\n", started: "2026-11-23T00:00:00Z", shows: true},
		"failed, and has a name":              {text: begun + failed + "\n" + nameLine, shows: true},
		"is to be tried again":                {text: begun + failed + "\n" + edited + "\n", shows: true},
		"was tried again":                     {text: begun + failed + "\n" + edited + "\n" + ended + "\n"},
		"somebody went on in it":              {text: begun + failed + "\n" + again + ended + "\n", shows: true},
		"and that was after the start":        {text: begun + failed + "\n" + again + ended + "\n", started: "2026-11-22T12:06:30Z", shows: true},
		"and that was before it":              {text: begun + failed + "\n" + again + ended + "\n", started: "2026-11-22T12:06:31.200Z"},
		"ended well":                          {text: begun + ended + "\n"},
		"is worked on":                        {text: begun},
		"was stopped by its user":             {text: begun + strings.Replace(failed, `"error"`, `"aborted"`, 1) + "\n"},
		"of another folder":                   {text: begun + failed + "\n", dir: "--home-dev-work-other--"},
		"holds nothing":                       {text: of(header)},
		"its last line is half a line":        {text: begun + failed + "\n" + ended[:40], shows: true},
		"whose failure is only being written": {text: begun + failed[:60]},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := session(t, begun+failed+"\n")
			o := fileOf(p.root, other)
			if c.dir != "" {
				o.Path = filepath.Join(p.sessions, c.dir, filepath.Base(o.Path))
			}
			put(t, o.Path, of(c.text))
			started := time.Time{}
			if c.started != "" {
				started = at(c.started)
			}
			got, err := p.MayShow(t.Context(), s, started)
			if err != nil || len(got) > 0 != c.shows || c.shows && got[0] != o {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// TestMayShowMoved: where the sessions of all folders lie flat, those of other folders do not count.
func TestMayShowMoved(t *testing.T) {
	root := t.TempDir()
	p := over(root, procTable{}, agent.Config{Env: map[string]string{sessionVar: filepath.Join(root, "all")}})
	file := func(id string) detect.Session {
		return detect.Session{Agent: "pi", ID: id, Path: filepath.Join(p.sessions, filepath.Base(fileOf(root, id).Path))}
	}
	put(t, file(sid).Path, begun+failed+"\n")
	put(t, file(other).Path, of(begun+failed+"\n"))
	put(t, file("third").Path, strings.ReplaceAll(strings.ReplaceAll(begun, sid, "third"), work, "/home/dev/work/other")+failed+"\n")
	got, err := p.MayShow(t.Context(), file(sid), time.Time{})
	if err != nil || len(got) != 1 || got[0].ID != other {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestTitled: a name tells which session it is, no name tells nothing.
func TestTitled(t *testing.T) {
	for name, c := range map[string]struct {
		own, others  string // lines behind the failure
		title        string
		shows, known bool
	}{
		"no names":                {title: "π - demo"},
		"its name":                {own: nameLine, title: "π - My task - demo", shows: true, known: true},
		"another one's name":      {own: nameLine, title: "π - Your task - demo", known: true},
		"no name of two":          {own: nameLine, title: "π - demo", known: true},
		"a name, and it has none": {title: "π - My task - demo", known: true},
		"of another folder":       {own: nameLine, title: "π - My task - other"},
		"no title of pi's":        {own: nameLine, title: "vm"},
		"two of one name":         {own: nameLine, others: nameLine, title: "π - My task - demo"},
		"it was named anew":       {own: nameLine + strings.ReplaceAll(nameLine, "My", "Your"), title: "π - My task - demo", known: true},
		"its name was removed":    {own: nameLine + strings.ReplaceAll(nameLine, "My task", ""), title: "π - demo"},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := session(t, begun+failed+"\n"+c.own)
			put(t, fileOf(p.root, other).Path, of(begun+failed+"\n"+c.others))
			shows, known, err := p.Titled(t.Context(), s, c.title)
			if err != nil || shows != c.shows || known != c.known {
				t.Errorf("shows %t, known %t, %v", shows, known, err)
			}
		})
	}
}
