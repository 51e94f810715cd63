package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// A resume (0.61) opens a second file of the same session that holds no turn, and never writes to it
// again. The next process of the agent in the project that has another session deletes files without
// a turn, and with them every file of the same id: the session itself.

var _ agent.Keeper = (*Gemini)(nil)

// Spare deletes, in the session's project, files that hold no turn while another file holds the
// conversation of the same session. Nothing is done while a process of the agent may be at work there.
func (g *Gemini) Spare(ctx context.Context, s detect.Session) error {
	if err := g.check(s); err != nil {
		return err
	}
	if path, err := g.path(s); err == nil {
		s.Path = path
	}
	chats := filepath.Dir(s.Path)
	files, err := agent.ReadDir(g.root, chats)
	if err != nil {
		return err
	}
	holders, err := g.Live(ctx, s, detect.Info{Dir: g.folderOf(chats, files)})
	if err != nil {
		return err
	}
	for _, h := range holders {
		if h.Liveness != detect.Gone {
			return nil
		}
	}
	whole := map[string]bool{} // sessions with a turn
	empty := map[string]string{}
	for _, f := range files {
		path := filepath.Join(chats, f.Name())
		h, ok := g.headOf(path)
		if !ok {
			continue
		}
		switch turns, sure := holdsTurns(ctx, path); {
		case turns && sure:
			whole[h.SessionID] = true
		case sure && strings.HasSuffix(path, ".jsonl"):
			empty[path] = h.SessionID
		}
	}
	for path, id := range empty {
		if whole[id] {
			err = errors.Join(err, agent.SkipAbsent(os.Remove(path)))
		}
	}
	return err
}

// headOf is head for a file of which only the name is known.
func (g *Gemini) headOf(path string) (head, bool) {
	m := nameForm.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return head{}, false
	}
	fi, err := agent.Own(path)
	if err != nil {
		return head{}, false
	}
	h, ok := g.head(path, fi)
	return h, ok && h.SessionID[:8] == m[1]
}

// folderOf gives the project's folder; empty: no file tells it.
func (g *Gemini) folderOf(chats string, files []fs.DirEntry) string {
	for _, f := range files {
		if h, ok := g.headOf(filepath.Join(chats, f.Name())); ok {
			return g.projectDir(chats, h.ProjectHash)
		}
	}
	return ""
}

// restoreMax bounds a session that is put back, in bytes.
const restoreMax = 1 << 30

// Restore writes the copy back under the session's own name when no file of it holds a turn any more.
// A process that worked on goes on writing to the old path, without a header: such lines are kept
// behind the copy's.
func (g *Gemini) Restore(ctx context.Context, s detect.Session, from string) (bool, error) {
	if err := g.check(s); err != nil {
		return false, err
	}
	if err := agent.Inside(g.root, s.Path); err != nil {
		return false, err
	}
	if lost, err := g.lost(ctx, s); err != nil || !lost {
		return false, err
	}
	if turns, sure := holdsTurns(ctx, from); !turns || !sure {
		return false, nil // nothing to go back to
	}
	text, err := agent.ReadFile(from, restoreMax)
	if err != nil {
		return false, err
	}
	late, err := agent.ReadFile(s.Path, restoreMax)
	if err = agent.SkipAbsent(err); err != nil {
		return false, err
	}
	if !headless(late) {
		late = nil
	}
	return true, g.replace(s.Path, append(text, late...))
}

// lost tells whether no file of a session holds a turn. What is known of files by their inode does not
// count here: a new file may have got an old one's.
func (g *Gemini) lost(ctx context.Context, s detect.Session) (bool, error) {
	chats := filepath.Dir(s.Path)
	files, err := agent.ReadDir(g.root, chats)
	if err != nil {
		return false, err
	}
	for _, f := range files {
		path := filepath.Join(chats, f.Name())
		if m := nameForm.FindStringSubmatch(f.Name()); m == nil || m[1] != s.ID[:8] {
			continue
		}
		if _, err := agent.Own(path); err != nil {
			continue
		}
		if h, err := readHead(path); err != nil || h.SessionID != s.ID {
			continue
		}
		if turns, sure := holdsTurns(ctx, path); turns || !sure {
			return false, nil
		}
	}
	return true, nil
}

// headless: lines of a conversation whose file was deleted before they were written.
func headless(text []byte) bool {
	line, _, ok := bytes.Cut(text, []byte("\n"))
	var h head
	return ok && json.Unmarshal(line, &h) == nil && h.SessionID == ""
}

// replace writes a file anew, whole or not at all.
func (g *Gemini) replace(path string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".clawd-*")
	if err != nil {
		return fmt.Errorf("the session cannot be put back: %w", err)
	}
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("the session cannot be put back: %w", errors.Join(err, agent.SkipAbsent(os.Remove(tmp.Name()))))
	}
	return nil
}
