package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/state"
)

// promptCap bounds what is quoted of the last prompt.
const promptCap = 8 << 10

// handOff is the first prompt of a fresh session. It quotes the prompt that was kept at the stop, for a
// session that its agent may have deleted since.
func (s *session) handOff(ctx context.Context, rec *state.Session) ([]byte, error) {
	cfg, _ := s.d.settings()
	last := rec.Prompt
	if last == "" {
		var err error
		if last, err = s.a.LastPrompt(ctx, s.ds); err != nil {
			return nil, err
		}
	}
	h := config.Handoff{Project: rec.Info.Dir, Session: s.ds.ID, Transcript: s.ds.Path, LastPrompt: quote(last)}
	if name := cfg.Resume.Fresh.NextStepFile; name != "" {
		var err error
		if h.NextStep, err = nextStep(rec.Info.Dir, name); err != nil {
			s.d.log.Warn().Str("event", "next_step_ignored").EmbedObject(s).Err(err).Msg("next_step_file cannot be used")
		}
	}
	return cfg.Resume.Fresh.Render(h)
}

// quote fences a text as a quotation: what stands in it is told, not asked for.
func quote(text string) string {
	text = bounded(text)
	if strings.TrimSpace(text) == "" {
		return "> (nothing is recorded)"
	}
	return "> " + lineBreaks.Replace(strings.ToValidUTF8(text, "\uFFFD"))
}

// lineBreaks are all that a reader may take for the end of a line: none ends the quotation.
var lineBreaks = strings.NewReplacer("\r\n", "\n> ", "\n", "\n> ", "\r", "\n> ", "\v", "\n> ", "\f", "\n> ", "\x1c", "\n> ", "\x1d", "\n> ", "\x1e", "\n> ",
	"\u0085", "\n> ", "\u2028", "\n> ", "\u2029", "\n> ")

// bounded is a text of at most promptCap bytes, and a mark where it was cut.
func bounded(text string) string {
	if len(text) <= promptCap {
		return text
	}
	cut := promptCap - len(cutMark)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + cutMark
}

const cutMark = " …"

// nextStep gives the path of the file if it is a regular file of this user inside the project.
func nextStep(project, name string) (string, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return "", err
	}
	defer root.Close()
	fi, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case !fi.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", name)
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Getuid() {
		return "", fmt.Errorf("%s belongs to another user", name)
	}
	return filepath.Join(project, name), nil
}

// backUp copies the session's files to the state folder and keeps the newest copies only.
func (s *session) backUp() error {
	cfg, _ := s.d.settings()
	files, err := s.a.Files(s.ds)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.d.backups(), s.d.now().UTC().Format("20060102T150405")+s.copyName())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, path := range files {
		if err := agent.CopyTree(path, filepath.Join(dir, filepath.Base(path))); err != nil {
			return err
		}
	}
	// A run under way may need its copy.
	return s.d.pruneBackups(max(cfg.Resume.Fresh.Backups, cfg.Resume.MaxParallel))
}

// copyName is what the name of a copy ends in.
func (s *session) copyName() string { return "-" + s.ds.Agent + "-" + s.ds.ID }

// pruneBackups keeps the newest copies, and the newest one of each session that a run of ours is at work
// in: the session may have to be put back from it, however long the run lasts. Their names begin with
// the time.
func (d *Daemon) pruneBackups(keep int) error {
	all, err := os.ReadDir(d.backups())
	if err != nil {
		return err
	}
	needed := d.those((*machine.Session).Works)
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(b.Name(), a.Name()) })
	for i, e := range all {
		of := slices.IndexFunc(needed, func(s *session) bool { return strings.HasSuffix(e.Name(), s.copyName()) })
		if of >= 0 {
			needed = slices.Delete(needed, of, of+1)
		} else if i >= keep {
			err = errors.Join(err, os.RemoveAll(filepath.Join(d.backups(), e.Name())))
		}
	}
	return err
}
