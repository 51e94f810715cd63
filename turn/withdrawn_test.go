package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/gemini"
	"github.com/clawd-project/clawd/internal/scripttest"
	"github.com/clawd-project/clawd/resume"
)

// limitedTwice speaks as Gemini CLI and fails twice. Where it takes its first prompt back, it refuses the session that is left,
// as the real one does. It leaves no report of its failures.
const limitedTwice = `#!/bin/sh
if [ "$1" = --version ]; then echo VERSION; exit; fi
chats=$HOME/.gemini/tmp/demo/chats
mkdir -p "$chats"
n=$(ls "$chats" | wc -l) id= resumed=
while [ $# -gt 0 ]; do
	case $1 in
	--session-id) id=$2 ;;
	--resume) id=$2 resumed=1 ;;
	esac
	shift
done
prompt=$(cat)
echo "$prompt" >> "$HOME/asked"
tries=$(wc -l < "$HOME/asked")
: "${id:=aaaaaaa$n-0000-4000-8000-000000000000}"
if [ -n "$resumed" ] && [ TAKESBACK = 1 ]; then
	echo 'Error resuming session: No previous sessions found for this project.' >&2
	exit 42
fi
file=$chats/session-2026-11-21T00-03-${id%%-*}.jsonl
at=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
if [ ! -e "$file" ]; then
	echo '{"sessionId":"'$id'","projectHash":"0000","startTime":"'$at'","lastUpdated":"'$at'","kind":"main"}' >> "$file"
fi
echo '{"id":"u'$tries'","timestamp":"'$at'","type":"user","content":[{"text":"'$prompt'"}]}' >> "$file"
if [ TAKESBACK = 1 ]; then echo '{"$set":{"messages":[],"lastUpdated":"'$at'"}}' >> "$file"; fi
echo '{"type":"init","session_id":"'$id'"}'
if [ "$tries" -le 2 ]; then
	echo '{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: Resource has been exhausted (e.g. check quota).]"}}'
	exit 1
fi
echo '{"type":"message","role":"assistant","content":"'$prompt'","delta":true}'
echo '{"type":"result","status":"success","stats":{}}'
`

// An agent that takes the prompt of a failed request back is asked again in a session of its own; one that keeps the prompt is
// told to go on. It makes no difference how fast the tries follow each other, or whether the agent has said why they failed.
func TestRunWherePromptsAreTakenBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ version, takesBack, asked string }{
		{"0.61.0", "1", "say hello\nsay hello\nsay hello\n"},
		{"0.28.2", "0", "say hello\ncontinue\ncontinue\n"},
	} {
		t.Run(c.version, func(t *testing.T) {
			t.Parallel()
			home, dir := t.TempDir(), t.TempDir()
			program := filepath.Join(home, "gemini")
			script := strings.NewReplacer("VERSION", c.version, "TAKESBACK", c.takesBack).Replace(limitedTwice)
			tmp := filepath.Join(home, ".gemini", "tmp", "demo")
			for path, text := range map[string]string{program: script, filepath.Join(tmp, ".project_root"): dir} {
				scripttest.Write(t, path, text)
			}
			got, err := Run(t.Context(), Request{Agent: gemini.Kind, Prompt: "say hello", Dir: dir, Held: filepath.Join(home, "held"), Timeout: patient,
				Environ: []string{"HOME=" + home, "PATH=/usr/bin:/bin", "TMPDIR=" + home},
				Config:  agent.Config{Command: program, ConfigDir: filepath.Join(home, ".gemini")},
				Retry:   &resume.RetryPolicy{Attempts: 3, Backoff: resume.Backoff{Base: time.Millisecond}}})
			asked, _ := os.ReadFile(filepath.Join(home, "asked"))
			if err != nil || got.Attempts != 3 || string(asked) != c.asked || !strings.HasSuffix(c.asked, got.Text+"\n") {
				t.Errorf("%v, %+v; asked %q", err, got, asked)
			}
		})
	}
}
