package pi

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/jsonl"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// The title of a terminal is "π - <folder>", with the name between that /name gave the session, if it did.
const (
	titleLead = "π - "
	titleGap  = " - "
)

// Titled goes by the name that its user gave the session. Without one the title names the folder alone.
func (p *Pi) Titled(ctx context.Context, s detect.Session, title string) (shows, known bool, err error) {
	path, err := p.path(s)
	if err != nil {
		return false, false, err
	}
	dir, err := dirOf(ctx, path)
	if err != nil {
		return false, false, err
	}
	own, err := nameOf(ctx, path)
	if err != nil {
		return false, false, err
	}
	folder := titleGap + filepath.Base(dir)
	named, ours := strings.CutPrefix(title, titleLead)
	switch name, whole := strings.CutSuffix(named, folder); {
	case !ours || dir == "":
		return false, false, nil
	case titleGap+named == folder:
		return false, own != "", nil // it shows one without a name
	case !whole:
		return false, false, nil
	case name != own:
		return false, true, nil
	}
	twin, err := p.twin(ctx, path, own)
	return !twin, !twin, err
}

// twin tells whether another session of the folder has the same name.
func (p *Pi) twin(ctx context.Context, path, name string) (twin bool, err error) {
	err = p.beside(path, func(other string) error {
		got, err := nameOf(ctx, other)
		twin = twin || got == name
		return err
	})
	return twin, err
}

// MayShow lists the sessions of the folder that stood at a failure at some time since a terminal was started: it may
// have opened each of them, and whoever went on in one elsewhere has changed nothing of what it shows.
func (p *Pi) MayShow(ctx context.Context, s detect.Session, started time.Time) (all []detect.Session, err error) {
	path, err := p.path(s)
	if err != nil {
		return nil, err
	}
	dir, err := dirOf(ctx, path)
	if err != nil {
		return nil, err
	}
	err = p.beside(path, func(other string) error {
		stood, err := p.stoodStill(ctx, other, started)
		if err != nil || !stood {
			return err
		}
		if p.moved != "" { // sessions of all folders lie there
			if d, err := dirOf(ctx, other); err != nil || d != dir {
				return err
			}
		}
		id, _ := idOf(filepath.Base(other))
		all = append(all, detect.Session{Agent: s.Agent, ID: id, Path: other})
		return nil
	})
	return all, err
}

// stoodStill tells whether a session ended in a failure at some time since then. One that is tried again at once counts
// when nothing follows.
func (p *Pi) stoodStill(ctx context.Context, path string, since time.Time) (stood bool, err error) {
	target, last := "", true
	stood, _, err = jsonl.Tail(ctx, path, func(_ *tail.Back, line []byte, off int64) jsonl.Says {
		line, ok := agent.Object(line)
		if !ok {
			return jsonl.Nothing
		}
		r, err := parse(line)
		if err != nil || !r.named() || r.Type != "message" && r.Type != "context_edit" {
			return jsonl.Nothing
		}
		before := r.at.Before(since)
		switch e, ok := p.event(r, off); {
		case r.Type == "context_edit":
			target = r.Target
			return jsonl.Nothing
		case !ok:
			return jsonl.Nothing
		case e.Kind == detect.KindFailure && (last || r.ID != target):
			return jsonl.MayStop
		case before:
			return jsonl.NoStop
		}
		last = false
		return jsonl.Nothing
	})
	return stood, err
}

// beside gives the files of the other sessions that lie with one.
func (p *Pi) beside(path string, each func(other string) error) error {
	dir := filepath.Dir(path)
	names, err := agent.ReadDir(filepath.Dir(p.sessions), dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		other := filepath.Join(dir, n.Name())
		if _, ok := idOf(n.Name()); !ok || other == path {
			continue
		}
		if _, err := agent.Own(other); err != nil { // nor does a scan read it
			continue
		}
		if err := each(other); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// dirOf gives the folder of a session's first line.
func dirOf(ctx context.Context, path string) (dir string, err error) {
	r, err := tail.Open(path, "")
	if err != nil {
		return "", err
	}
	defer r.Close()
	err = jsonl.Each(ctx, r, jsonl.All, func(line []byte, _ int64) bool {
		if r, err := parse(line); err == nil && r.Type == "session" {
			dir = r.CWD
		}
		return false
	})
	return dir, err
}

// nameOf gives the name that the newest session_info gives a session; empty: it has none.
func nameOf(ctx context.Context, path string) (string, error) {
	return jsonl.LastPrompt(ctx, path, func(line []byte, _ int64) (string, bool) {
		line, ok := agent.Object(line)
		if !ok {
			return "", false
		}
		r, err := parse(line)
		if err != nil || r.Type != "session_info" {
			return "", false
		}
		return strings.TrimSpace(r.Name), true
	})
}

var _ agent.Titler = (*Pi)(nil)
