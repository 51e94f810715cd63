package gemini

import (
	"path/filepath"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// looseForm is the form of the name of a session's file, whatever stands in it.
var looseForm = lazyregexp.New(`^session-.*\.jsonl?$`)

func isNamed(path string) bool { return looseForm.MatchString(filepath.Base(path)) }

// maxBesides bounds how many files of a project are laid out beside one.
const maxBesides = 200

// lay has a file copied with what tells more of its session: other files of the same session, of which one
// counts, other sessions, which may have caused an error report, and the note of the project's folder. The
// project's name is kept, as it stands in its reports.
func lay(path string) []agent.Copy {
	from := filepath.Dir(path)
	project := filepath.Join("tmp", "copy")
	if filepath.Base(from) == "chats" {
		project = filepath.Join("tmp", filepath.Base(filepath.Dir(from)))
	}
	to := func(path string) string { return filepath.Join(project, "chats", filepath.Base(path)) }
	all := []agent.Copy{{From: path, To: to(path)}}
	others, err := filepath.Glob(filepath.Join(from, "session-*"))
	if err != nil || len(others) > maxBesides {
		others = nil
	}
	for _, other := range others {
		if other != path && isNamed(other) {
			all = append(all, agent.Copy{From: other, To: to(other)})
		}
	}
	const note = ".project_root"
	return append(all, agent.Copy{From: filepath.Join(filepath.Dir(from), note), To: filepath.Join(project, note)})
}
