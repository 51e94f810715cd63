package gemini

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// hashOf is the agent's name for a project folder inside its files; 0.20 named its folders so, too.
func hashOf(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:])
}

// projectDir gives the folder of a project; empty: it is not told. A folder is only believed when
// its hash is the one in the session's header: slugs go by the order in which projects were first
// used, and the list of them is written by every version and tool.
func (g *Gemini) projectDir(chats, hash string) string {
	if b, err := agent.ReadFile(filepath.Join(filepath.Dir(chats), ".project_root"), 16<<10); err == nil {
		if dir := string(bytes.TrimSpace(b)); fits(dir, hash) {
			return dir
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(g.projectList())) {
		if fits(dir, hash) {
			return dir
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dirs[hash]
}

// projectList is the agent's own list of projects: by folder, what it calls each.
func (g *Gemini) projectList() map[string]string {
	var list struct {
		Projects map[string]string `json:"projects"`
	}
	if b, err := agent.ReadFile(filepath.Join(g.root, "projects.json"), 4<<20); err == nil {
		_ = json.Unmarshal(b, &list) // what cannot be read names none
	}
	return list.Projects
}

// seen remembers a folder in which the agent works or has worked: up to 0.28 no file of its own names one.
func (g *Gemini) seen(dir string) {
	if hash := hashOf(dir); fits(dir, hash) {
		g.mu.Lock()
		g.dirs[hash] = dir
		g.mu.Unlock()
	}
}

// reported looks for the folder of a project in the newest error reports of it.
func (g *Gemini) reported(s detect.Session, hash string) string {
	all := g.names()
	newest := slices.SortedFunc(maps.Keys(all), func(x, y string) int { return all[y].Compare(all[x]) })
	for _, name := range newest[:min(len(newest), maxCandidates)] {
		r, ok := readReport(filepath.Join(g.reports, name))
		if !ok || !r.of(s) {
			continue
		}
		if dir := r.folder(hash); dir != "" {
			g.seen(dir)
			return dir
		}
	}
	return ""
}

func fits(dir, hash string) bool {
	return filepath.IsAbs(dir) && filepath.Clean(dir) == dir && hashOf(dir) == hash
}

// typed tells whether a prompt of the session was typed into the terminal UI, which keeps a list of
// its own.
func typed(chats, id string) bool {
	b, err := agent.ReadFile(filepath.Join(filepath.Dir(chats), "logs.json"), 16<<20)
	return err == nil && bytes.Contains(b, []byte(`"`+id+`"`))
}
