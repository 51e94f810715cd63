package gemini

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// writeOn resumes a session of an old file as 0.61 does: a file of its own begins with what the old one holds, here behind the stub that each
// resume leaves, and a checkpoint of the same.
func writeOn(t *testing.T, old, to string, more ...string) {
	t.Helper()
	b, err := os.ReadFile(old)
	must(t, err)
	var whole struct {
		ID       string            `json:"sessionId"`
		Messages []json.RawMessage `json:"messages"`
	}
	must(t, json.Unmarshal(b, &whole))
	list, err := json.Marshal(whole.Messages)
	must(t, err)
	text := headLine(whole.ID) + fmt.Sprintf(contextLine, "2026-11-21T01:00:00.000Z") + headLine(whole.ID)
	for _, m := range whole.Messages {
		line, err := json.Marshal(m)
		must(t, err)
		text += string(line) + "\n"
	}
	text += `{"$set":{"sessionId":"` + whole.ID + `"}}` + "\n" + `{"$set":{"messages":` + string(list) + `,"lastUpdated":"2026-11-21T01:00:00.000Z"}}` + "\n"
	for _, line := range more {
		text += line
	}
	put(t, to, text)
	later := time.Now().Add(time.Minute)
	must(t, os.Chtimes(to, later, later))
}

// A session that a newer version resumes goes on behind what was read of the old file, in a file beside it, or in that of the project's new folder.
func TestCarriedOver(t *testing.T) {
	goesOn := []string{promptLine("n1", "2026-11-21T01:00:00.100Z", "continue"),
		`{"id":"n2","timestamp":"2026-11-21T01:00:01.000Z","type":"gemini","content":"All done.","model":"gemini-3.8-flash"}` + "\n"}
	for _, c := range []struct{ name, short, to string }{
		{"old34-cc-quota", "579a35bc", "tmp/demo/chats/session-2026-11-21T00-30-579a35bc.jsonl"},
		{"old20-resume", "816505ad", "tmp/demo/chats/session-2026-11-21T00-26-816505ad.jsonl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, home := recorded(t, c.name)
			s := named(t, g, c.short)
			was, err := agenttest.Read(t.Context(), g, s, "")
			must(t, err)
			to := filepath.Join(home, c.to)
			if copied := to[:len(to)-1]; copied != s.Path {
				put(t, filepath.Join(home, "projects.json"), `{"projects":{"/home/dev/work/demo":"demo"}}`)
				must(t, os.MkdirAll(filepath.Dir(copied), 0o700))
				must(t, os.Link(s.Path, copied))
			}
			for _, begun := range []string{"", promptLine("u", "2026-11-21T00:26:17.969Z", "read the readme")} {
				put(t, to, headLine(s.ID)+fmt.Sprintf(contextLine, "2026-11-21T01:00:00.000Z")+headLine(s.ID)+begun)
				later := time.Now().Add(time.Minute)
				must(t, os.Chtimes(to, later, later))
				b, err := agenttest.Read(t.Context(), g, s, was.Cursor)
				if err != nil || b.Anew || len(b.Events) != 0 || b.Cursor != was.Cursor {
					t.Errorf("while it is being written: %+v, %v", b, err)
				}
			}
			writeOn(t, s.Path, to, goesOn...)
			b, err := agenttest.Read(t.Context(), g, s, was.Cursor)
			if err != nil || b.Anew || len(b.Events) != 2 || b.Events[0].Hash != detect.HashText("continue") || !b.Events[1].Done {
				t.Errorf("%+v, %v", b, err)
			}
			if files, err := g.Files(s); err != nil || files[0] != to {
				t.Errorf("its files: %q, %v", files, err)
			}
			add(t, s.Path, "\n")
			must(t, os.Chtimes(s.Path, time.Now(), time.Now()))
			if b, err := agenttest.Read(t.Context(), g, s, was.Cursor); err != nil || !b.Anew {
				t.Errorf("with more in the old file than was read: %+v, %v", b, err)
			}
		})
	}
}

// A file beside it that is older, or another session's, is not the session's.
func TestNotCarriedOver(t *testing.T) {
	g, _ := recorded(t, "old34-cc-quota")
	s := named(t, g, "579a35bc")
	writeOn(t, s.Path, s.Path+"l")
	early := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(s.Path+"l", early, early))
	if path, err := g.path(s); err != nil || path != s.Path {
		t.Errorf("an older one: %q, %v", path, err)
	}
	put(t, s.Path+"l", headLine(backID))
	if path, err := g.path(s); err != nil || path != s.Path {
		t.Errorf("another session's: %q, %v", path, err)
	}
}
