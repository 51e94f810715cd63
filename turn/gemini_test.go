package turn

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/gemini"
	"github.com/clawd-project/clawd/internal/scripttest"
	"github.com/clawd-project/clawd/resume"
)

// scriptedGemini is a request to a script that stands in for Gemini CLI, with files in its home.
func scriptedGemini(t *testing.T, script string, files map[string]string) (r Request, home string) {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	all := map[string]string{"gemini": script, ".gemini/tmp/demo/.project_root": dir}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		scripttest.Write(t, filepath.Join(home, name), text)
	}
	return Request{Agent: gemini.Kind, Prompt: "say hello", Dir: dir, Held: filepath.Join(home, "held"), Timeout: patient,
		Environ: []string{"HOME=" + home, "PATH=/usr/bin:/bin", "TMPDIR=" + home},
		Config:  agent.Config{Command: filepath.Join(home, "gemini"), ConfigDir: filepath.Join(home, ".gemini")},
		Retry:   &resume.RetryPolicy{Attempts: 3, Backoff: resume.Backoff{Base: time.Millisecond}}}, home
}

// A session that clawd has put back, as the agent deletes what it resumes, has a new file. Its old turns are not the request.
func TestRunAsksAgainInRestoredSession(t *testing.T) {
	t.Parallel()
	const id = "aaaaaaa0-0000-4000-8000-000000000000"
	const head = `{"sessionId":"` + id + `","projectHash":"0000","startTime":"2026-11-21T00:03:00.000Z","lastUpdated":"2026-11-21T00:03:00.000Z","kind":"main"}
`
	const turn = `{"id":"u0","timestamp":"2026-11-21T00:03:00.000Z","type":"user","content":[{"text":"begin"}]}`
	const answer = `{"id":"a0","timestamp":"2026-11-21T00:03:01.000Z","type":"gemini","content":"begun","model":"gemini-3.8-flash"}`
	r, home := scriptedGemini(t, `#!/bin/sh
if [ "$1" = --version ]; then echo 0.61.0; exit; fi
file=$HOME/.gemini/tmp/demo/chats/session-2026-11-21T00-03-aaaaaaa0.jsonl
prompt=$(cat)
echo "$prompt" >> "$HOME/asked"
tries=$(wc -l < "$HOME/asked")
at=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
echo '{"id":"u'$tries'","timestamp":"'$at'","type":"user","content":[{"text":"'$prompt'"}]}' >> "$file"
echo '{"type":"init","session_id":"`+id+`"}'
if [ "$tries" -le 2 ]; then
	echo '{"$set":{"messages":[`+turn+`,`+answer+`],"lastUpdated":"'$at'"}}' >> "$file"
	if [ "$tries" = 1 ]; then head -1 "$file" > "$file.new"; mv "$file.new" "$file"; fi
	echo '{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: Resource has been exhausted (e.g. check quota).]"}}'
	exit 1
fi
echo '{"type":"message","role":"assistant","content":"'$prompt'","delta":true}'
echo '{"type":"result","status":"success","stats":{}}'
`, map[string]string{".gemini/tmp/demo/chats/session-2026-11-21T00-03-aaaaaaa0.jsonl": head + turn + "\n" + answer + "\n"})
	r.Session = id
	got, err := Run(t.Context(), r)
	if b, _ := os.ReadFile(filepath.Join(home, "asked")); err != nil || string(b) != "say hello\nsay hello\nsay hello\n" {
		t.Errorf("%v, %+v; asked %q", err, got, b)
	}
}

// On a busy machine Gemini reads its prompt too late. What an extension or a tool's server prints before that begins no session.
func TestRunGeminiWithoutInput(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{"alone": "", "behind a word of another's": "Error during discovery for MCP server 'demo': Connection closed"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, home := scriptedGemini(t, `#!/bin/sh
if [ "$1" = --version ]; then echo 0.61.0; exit; fi
prompt=$(cat)
echo "$prompt" >> "$HOME/asked"
if [ "$(wc -l < "$HOME/asked")" = 1 ]; then
	[ -z "`+before+`" ] || echo "`+before+`" >&2
	echo 'No input provided via stdin. Input can be provided by piping data into gemini or using the --prompt option.' >&2
	exit 42
fi
echo '{"type":"init","session_id":"aaaaaaaa-0000-4000-8000-000000000000"}'
echo '{"type":"message","role":"assistant","content":"hi","delta":true}'
echo '{"type":"result","status":"success","stats":{}}'
`, nil)
			got, err := Run(t.Context(), r)
			if b, _ := os.ReadFile(filepath.Join(home, "asked")); err != nil || got.Attempts != 2 {
				t.Errorf("%v, %+v; asked %q", err, got, b)
			}
		})
	}
}
