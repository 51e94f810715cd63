package actor

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Fork is opencode --session ID --fork: the messages are copied under new ids, and keep their times.
func (o *OpenCode) Fork(id string, s Start, now time.Time) (Session, error) {
	old := o.files[id]
	if old == nil {
		return nil, ErrCannot
	}
	argv := []string{"opencode", "run", "--format", "json", "--session", id, "--fork"}
	if s.TTY != "" {
		argv = []string{"opencode", "--session", id, "--fork"}
	}
	p := o.spawn(nil, s, append(argv, s.Args...), o.w.Env, now)
	p.from = old
	return p, nil
}

// copyRows copies the messages of the session that a fork begins with.
func (p *opencode) copyRows(now time.Time) error {
	if p.from == nil {
		return nil
	}
	old := p.from.id
	p.from = nil
	storage := filepath.Join(p.o.root, "storage")
	paths, err := filepath.Glob(filepath.Join(storage, "message", old, "*.json"))
	if err != nil {
		return err
	}
	slices.Sort(paths) // by id is by time
	renamed := []string{old, p.id}
	for _, path := range paths {
		msg := strings.TrimSuffix(filepath.Base(path), ".json")
		renamed = append(renamed, msg, p.o.id("msg_", now, false))
	}
	names := strings.NewReplacer(renamed...)
	move := func(path string, folders ...string) error {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return p.put(now, names.Replace(string(b)), folders...)
	}
	for _, path := range paths {
		msg := strings.TrimSuffix(filepath.Base(path), ".json")
		p.file.last = names.Replace(msg)
		if err := move(path, "message", p.id, p.file.last); err != nil {
			return err
		}
		parts, err := filepath.Glob(filepath.Join(storage, "part", msg, "*.json"))
		if err != nil {
			return err
		}
		for _, part := range parts {
			id := strings.TrimSuffix(filepath.Base(part), ".json")
			if err := move(part, "part", p.file.last, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// title is what a session is called: the first request may have failed that asks for one.
func (o *OpenCode) title(id string, now time.Time) string {
	switch o.w.Rand.IntN(3) {
	case 0:
		return "New session - " + now.UTC().Format("2006-01-02T15:04:05.000Z")
	case 1:
		return "Demo task"
	}
	return "Demo task " + id[len(id)-4:]
}

// Title is that of the terminal.
func (p *opencode) Title() string {
	if p.o.files[p.id] == nil || untitled(p.file.title) {
		return "OpenCode"
	}
	return "OC | " + p.file.title
}

// Blank tells whether its terminal shows the start page.
func (p *opencode) Blank() bool { return p.o.files[p.id] == nil }

// turn has the window show another session of its folder, out of the agent's list. One whose title tells no difference is left: no
// look from outside would.
func (p *opencode) turn() error {
	for _, id := range slices.Sorted(maps.Keys(p.o.files)) {
		f := p.o.files[id]
		same := f.title == p.file.title || untitled(f.title) && untitled(p.file.title)
		if f != p.file && f.dir == p.file.dir && f.parent == "" && !f.archived && !same && there(f.path) {
			p.file, p.id, p.path, p.last = f, f.id, f.path, f.last
			return nil
		}
	}
	return ErrCannot
}

// untitled tells whether a session is called as all new ones are.
func untitled(title string) bool { return strings.HasPrefix(title, "New session - ") }

// Archive puts a session away, as its user does.
func (o *OpenCode) Archive(id string, now time.Time) error {
	f := o.files[id]
	if f == nil {
		return ErrCannot
	}
	f.archived = true
	return o.save(f, now)
}
