package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// Scan lists tmp/<project>/chats/session-*.json and .jsonl by stat. The id of a session stands in
// its file only, so the first bytes of each file are read once.
//
// A resume leaves a second file of the same id that holds no turn: of several files of one session
// the one with its turns is listed.
func (g *Gemini) Scan(ctx context.Context, hint string) ([]agent.Touched, error) {
	rel := "."
	if hint != "" {
		var ok bool
		if rel, ok = agent.Rel(hint, g.root, g.given); !ok {
			return nil, nil
		}
	}
	part := strings.Split(rel, string(filepath.Separator))
	switch {
	case g.root == "" || rel != "." && part[0] != "tmp":
		return nil, nil
	case len(part) == 1:
		return g.scanAll(ctx)
	case len(part) == 2 || len(part) == 3 && part[2] == "chats":
		return g.scanProject(part[1], "", g.reportTimes())
	case len(part) == 4 && part[2] == "chats":
		if m := nameForm.FindStringSubmatch(part[3]); m != nil {
			return g.scanProject(part[1], m[1], g.reportTimes())
		}
	}
	return nil, nil
}

func (g *Gemini) scanAll(ctx context.Context) ([]agent.Touched, error) {
	folders, err := agent.ReadDir(g.root, g.projects())
	if err != nil {
		return nil, err
	}
	times := g.reportTimes()
	at := map[string]int{}
	var all []agent.Touched
	var errs []error
	for _, d := range folders {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !d.IsDir() && d.Type()&fs.ModeSymlink == 0 { // the agent keeps files there, too
			continue
		}
		// One folder that cannot be read must not hide the others.
		found, err := g.scanProject(d.Name(), "", times)
		all, errs = g.merge(all, at, found), append(errs, err)
	}
	g.forget(all)
	return all, errors.Join(errs...)
}

// merge adds sessions to a list that has each once; at is where in it an id stands.
func (g *Gemini) merge(all []agent.Touched, at map[string]int, found []agent.Touched) []agent.Touched {
	for _, t := range found {
		i, twice := at[t.Session.ID]
		switch {
		case !twice:
			at[t.Session.ID] = len(all)
			all = append(all, t)
		case g.better(t, all[i]):
			all[i] = t
		}
	}
	return all
}

// forget drops what is known of files that are gone.
func (g *Gemini) forget(all []agent.Touched) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.heads) <= 2*len(all)+64 {
		return
	}
	for path := range g.heads {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			delete(g.heads, path)
		}
	}
}

// scanProject lists the sessions of a project, or those whose id begins with short.
func (g *Gemini) scanProject(project, short string, reports []time.Time) ([]agent.Touched, error) {
	found, err := g.find(filepath.Join(g.projects(), project, "chats"), short)
	for i := range found {
		found[i].Stamp += g.later(found[i].ModTime, reports)
	}
	return found, err
}

// later is the part of a stamp that changes without a change of the file: a report that may tell
// why its last request failed, or the end of the time that such a report is waited for.
func (g *Gemini) later(written time.Time, reports []time.Time) string {
	first, _ := slices.BinarySearchFunc(reports, written.Add(-reportSlack), time.Time.Compare)
	last, _ := slices.BinarySearchFunc(reports, written.Add(longestRequest), time.Time.Compare)
	n := last - first
	if age := g.now().Sub(written); age >= 0 && age < 2*settle {
		return fmt.Sprintf("/%d+", n)
	}
	return fmt.Sprintf("/%d", n)
}

// find lists the sessions in a folder of chats, each once. The error names what is refused.
func (g *Gemini) find(chats, short string) ([]agent.Touched, error) {
	files, err := agent.ReadDir(g.root, chats)
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	var all []agent.Touched
	var errs []error
	for _, f := range files {
		path := filepath.Join(chats, f.Name())
		m := nameForm.FindStringSubmatch(f.Name())
		if m == nil && strings.HasPrefix(filepath.Ext(path), ".json") {
			errs = append(errs, &agent.Refused{Path: path, Why: "its name is not that of a session"})
		}
		if m == nil || short != "" && m[1] != short {
			continue
		}
		fi, err := agent.Own(path)
		if err != nil {
			errs = append(errs, agent.SkipAbsent(err))
			continue
		}
		h, ok := g.head(path, fi)
		if ok && h.SessionID[:8] != m[1] || !ok && h.SessionID != "" && !agent.IsUUID(h.SessionID) {
			errs = append(errs, &agent.Refused{Path: path, Why: "the session id in it is not that of its name"})
			continue
		}
		if !ok {
			continue
		}
		all = g.merge(all, at, []agent.Touched{{Session: detect.Session{Agent: Name, ID: h.SessionID, Path: path},
			ModTime: fi.ModTime(), Stamp: agent.Stamp(fi)}})
	}
	return all, errors.Join(errs...)
}

// Newer goes by the files' times alone: after /clear the new session's file holds its header, if that.
func (g *Gemini) Newer(ctx context.Context, s detect.Session, after time.Time) ([]detect.Session, error) {
	chats := filepath.Dir(s.Path)
	files, err := agent.ReadDir(g.root, chats)
	if err != nil {
		return nil, err
	}
	var all []detect.Session
	for _, f := range files {
		m := nameForm.FindStringSubmatch(f.Name())
		if m == nil || strings.HasPrefix(s.ID, m[1]) { // a resume leaves a second file of its own session
			continue
		}
		path := filepath.Join(chats, f.Name())
		fi, err := agent.Own(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !fi.ModTime().After(after) {
			continue
		}
		if err != nil {
			return nil, err
		}
		other := detect.Session{Agent: Name, Path: path}
		if h, ok := g.head(path, fi); ok {
			other.ID = h.SessionID
		}
		all = append(all, other)
	}
	return all, ctx.Err()
}

// better tells whether t rather than old is the session's own file.
func (g *Gemini) better(t, old agent.Touched) bool {
	mine, his := g.hasTurns(t.Session.Path), g.hasTurns(old.Session.Path)
	if mine != his {
		return mine
	}
	return t.ModTime.After(old.ModTime)
}

// hasTurns is holdsTurns for a file whose header is known. It reads a file again only when that has
// changed: a session may have thousands of files, each of which is compared with the best so far.
func (g *Gemini) hasTurns(path string) bool {
	fi, err := agent.Own(path)
	if err != nil {
		return false
	}
	now := agent.Stamp(fi)
	g.mu.Lock()
	seen := g.heads[path]
	g.mu.Unlock()
	if seen.asked == now {
		return seen.turns
	}
	holds, sure := holdsTurns(context.Background(), path)
	g.mu.Lock()
	defer g.mu.Unlock()
	if seen, ok := g.heads[path]; ok && sure && seen.inode == agent.Inode(fi) {
		seen.asked, seen.turns = now, holds
		g.heads[path] = seen
	}
	return holds
}

// head is what the beginning of a session's file says.
type head struct {
	SessionID   string    `json:"sessionId"`
	ProjectHash string    `json:"projectHash"`
	StartTime   time.Time `json:"startTime"`
	Kind        string    `json:"kind"`
}

type seenHead struct {
	inode uint64
	head  head
	asked string // stamp of the file when it was asked for turns; empty: it was not
	turns bool
}

// headMax: a header is a line of some 230 bytes, or the first lines of an object.
const headMax = 4 << 10

// head gives the header of a file, from the last look where the file cannot tell: one of the old
// versions is empty for a moment whenever it is rewritten.
func (g *Gemini) head(path string, fi fs.FileInfo) (head, bool) {
	g.mu.Lock()
	seen, ok := g.heads[path]
	g.mu.Unlock()
	if ok && seen.inode == agent.Inode(fi) {
		return seen.head, true
	}
	h, err := readHead(path)
	if err != nil || !agent.IsUUID(h.SessionID) || h.ProjectHash == "" || h.Kind != "" && h.Kind != "main" {
		return h, false
	}
	g.mu.Lock()
	g.heads[path] = seenHead{inode: agent.Inode(fi), head: h}
	g.mu.Unlock()
	return h, true
}

func readHead(path string) (head, error) {
	f, err := agent.OpenRegular(path)
	if err != nil {
		return head{}, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, headMax))
	if err != nil {
		return head{}, err
	}
	var h head
	if strings.HasSuffix(path, ".jsonl") {
		line, _, ok := bytes.Cut(b, []byte("\n"))
		if !ok {
			return head{}, io.ErrUnexpectedEOF
		}
		return h, json.Unmarshal(line, &h)
	}
	// The simple fields stand before the messages.
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return head{}, io.ErrUnexpectedEOF
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		if err != nil || key == "messages" {
			break
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			break
		}
		if name, ok := key.(string); ok && slices.Contains([]string{"sessionId", "projectHash", "startTime", "kind"}, name) {
			fields[name] = v
		}
	}
	b, err = json.Marshal(fields)
	if err != nil {
		return head{}, err
	}
	return h, json.Unmarshal(b, &h)
}
