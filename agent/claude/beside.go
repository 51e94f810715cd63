package claude

import (
	"path/filepath"

	"github.com/clawd-project/clawd/detect"
)

// Beside names the session with the given id in the same project folder.
func (c *Claude) Beside(s detect.Session, id string) detect.Session {
	return detect.Session{Agent: s.Agent, ID: id, Path: filepath.Join(filepath.Dir(s.Path), id+".jsonl")}
}
