package turn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/scripttest"
	"github.com/clawd-project/clawd/resume"
)

// scriptedHead is how each script that stands in for Claude Code begins: it keeps what it was asked.
const scriptedHead = `#!/bin/sh
id= kept=1
while [ $# -gt 0 ]; do
	case $1 in
	--session-id|--resume) id=$2 ;;
	--no-session-persistence) kept= ;;
	esac
	shift
done
prompt=$(cat)
echo "$prompt" >> "$HOME/asked"
tries=$(wc -l < "$HOME/asked")
file=FILES/$id.jsonl
mkdir -p FILES
at=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
row() { [ -z "$kept" ] || echo "$1" >> "$file"; }
user() { row '{"type":"user","uuid":"00000000-0000-4000-8000-00000000'$1'01","parentUuid":null,"sessionId":"'$id'","cwd":"'$PWD'","timestamp":"'$at'","entrypoint":"sdk-cli","message":{"role":"user","content":"'"$prompt"'"}}'; }
answer() { row '{"type":"assistant","uuid":"00000000-0000-4000-8000-00000000'$1'02","parentUuid":"00000000-0000-4000-8000-00000000'$1'01","sessionId":"'$id'","cwd":"'$PWD'","timestamp":"'$at'","message":{"id":"m'$1'","role":"assistant","model":"m","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"}}'; }
limited() { row '{"type":"assistant","uuid":"00000000-0000-4000-8000-00000000'$1'03","parentUuid":"00000000-0000-4000-8000-00000000'$1'01","sessionId":"'$id'","cwd":"'$PWD'","timestamp":"'$at'","isApiErrorMessage":true,"apiErrorStatus":529,"error":"overloaded","message":{"id":"e'$1'","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"API Error: 529 Overloaded."}],"stop_reason":"stop_sequence"}}'; }
result() { echo '{"type":"result","subtype":"success","is_error":'$1',"api_error_status":'$2',"result":"'"$3"'","session_id":"'$id'","total_cost_usd":'$4',"duration_api_ms":'$5',"usage":{"input_tokens":100,"output_tokens":12}}'; }
`

// scripted is a request to a script that stands in for Claude Code.
func scripted(t *testing.T, body string) (r Request, asked func() string) {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	program := filepath.Join(home, "claude")
	files := filepath.Join(home, ".claude", "projects", regexp.MustCompile("[^a-zA-Z0-9]").ReplaceAllString(dir, "-"))
	scripttest.Write(t, program, strings.ReplaceAll(scriptedHead+body, "FILES", files))
	r = Request{Agent: claude.Kind, Prompt: "say hello", Dir: dir, Held: filepath.Join(home, "held"), Timeout: patient,
		Environ: []string{"HOME=" + home, "PATH=/usr/bin:/bin"}, Config: agent.Config{Command: program, ConfigDir: filepath.Join(home, ".claude")},
		Retry: &resume.RetryPolicy{Attempts: 3, Backoff: resume.Backoff{Base: time.Millisecond}}}
	return r, func() string {
		b, _ := os.ReadFile(filepath.Join(home, "asked"))
		return string(b)
	}
}

// began is a session that was begun by an earlier turn.
func began(t *testing.T, r Request) string {
	t.Helper()
	got, err := Run(t.Context(), r)
	if err != nil || got.Session == "" {
		t.Fatalf("%v, %+v", err, got)
	}
	return got.Session
}

// From 2.1.329 on Claude Code goes on counting cost and time where its session stood (a cost-state row), and so prints those of the
// whole session (recorded: resume_auto_limit-v2.1.329). Tokens are those of the run.
func TestRunCostIsOfThisTurn(t *testing.T) {
	t.Parallel()
	const body = `echo '{"type":"system","subtype":"init","session_id":"'$id'"}'
user $tries
cost() { row '{"type":"cost-state","sessionId":"'$id'","totalCostUSD":'$1',"totalAPIDuration":'$2'}'; }
case $tries in
1) limited 1; cost 0.25 100; result true 529 'API Error: 529 Overloaded.' 0.25 100; exit 1 ;;
2) answer 2; cost 0.5 200; result false null done 0.5 200 ;;
3) answer 3; cost 0.75 300; result false null done 0.75 300 ;;
esac
`
	r, _ := scripted(t, body)
	got, err := Run(t.Context(), r)
	if err != nil || got.Attempts != 2 || *got.Usage.CostUSD != 0.5 || got.Usage.API != 200*time.Millisecond || got.Usage.OutputTokens != 24 {
		t.Errorf("two tries cost 0.5 in 200 ms: %v, %+v, $%v", err, got.Usage, *got.Usage.CostUSD)
	}
	r.Session = got.Session
	if got, err = Run(t.Context(), r); err != nil || *got.Usage.CostUSD != 0.25 || got.Usage.API != 100*time.Millisecond || got.Usage.OutputTokens != 12 {
		t.Errorf("the next turn costs 0.25 in 100 ms: %v, %+v, $%v", err, got.Usage, *got.Usage.CostUSD)
	}
}

// between puts something between a request and its agent.
func between(t *testing.T, r *Request, f func(agent.Agent, agent.Starter) agent.Agent) {
	t.Helper()
	open := r.Agent.Open
	r.Agent.Open = func(env agent.Env, cfg agent.Config) agent.Agent {
		a := open(env, cfg)
		s, err := agent.StarterOf(a)
		if err != nil {
			t.Fatal(err)
		}
		return f(a, s)
	}
}

// looks is Claude Code that tells of a look, and may have a further holder in it.
type looks struct {
	agent.Agent
	agent.Starter
	told func() []detect.Holder
}

func (l looks) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	if more := l.told(); more != nil {
		return more, nil
	}
	return l.Agent.Live(ctx, s, i)
}

// somebody has opened the session in a window.
var somebody = []detect.Holder{{Liveness: detect.Alive, Kind: detect.Interactive, PID: 7, Sure: true}}

const failsOnce = `echo '{"type":"system","subtype":"init","session_id":"'$id'"}'
user $tries
if [ $tries = 1 ]; then limited 1; result true 529 'API Error: 529 Overloaded.' 0 0; exit 1; fi
answer $tries
result false null done 0 0
`

// Whoever opens the session in a window while a limit is waited for is not written beside.
func TestRunBesideWindowOpenedInWait(t *testing.T) {
	t.Parallel()
	r, asked := scripted(t, failsOnce)
	var window atomic.Bool
	between(t, &r, func(a agent.Agent, s agent.Starter) agent.Agent {
		return looks{a, s, func() []detect.Holder {
			if !window.Load() {
				return nil
			}
			return somebody
		}}
	})
	r.OnWait = func(Wait) { window.Store(true) }
	if got, err := Run(t.Context(), r); !errors.Is(err, ErrBusy) || asked() != "say hello\n" {
		t.Errorf("%v, %+v; asked %q", err, got, asked())
	}
}

// An agent that is updated just now is asked when that is done.
func TestRunWhileAgentIsUpdated(t *testing.T) {
	t.Parallel()
	r, asked := scripted(t, failsOnce)
	r.Session = began(t, r)
	before := asked()
	f, err := os.OpenFile(r.Config.Command, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("its user pressed Ctrl-C"))
	if _, err := Run(ctx, r); err == nil || asked() != before {
		t.Errorf("called off: %v; asked %q, before %q", err, asked(), before)
	}
	looked := 0
	between(t, &r, func(a agent.Agent, s agent.Starter) agent.Agent {
		return looks{a, s, func() []detect.Holder {
			if looked++; looked == 2 { // the look before the second try
				f.Close()
			}
			return nil
		}}
	})
	if got, err := Run(t.Context(), r); err != nil || asked() == before || looked < 2 {
		t.Errorf("%v, %+v; %d looks", err, got, looked)
	}
}

// Whoever opens the session while an update of the agent is waited for is not written beside.
func TestRunBesideWindowOpenedInUpdate(t *testing.T) {
	t.Parallel()
	r, asked := scripted(t, failsOnce)
	r.Session = began(t, r)
	before := asked()
	f, err := os.OpenFile(r.Config.Command, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	looked := 0
	between(t, &r, func(a agent.Agent, s agent.Starter) agent.Agent {
		return looks{a, s, func() []detect.Holder {
			if looked++; looked < 2 {
				return nil
			}
			return somebody
		}}
	})
	if got, err := Run(t.Context(), r); !errors.Is(err, ErrBusy) || asked() != before || looked < 2 {
		t.Errorf("%v, %+v; asked %q, before %q; %d looks", err, got, asked(), before, looked)
	}
}

// A session in which its user has gone on while a limit was waited for is left to him.
func TestRunWhereUserWentOnInWait(t *testing.T) {
	t.Parallel()
	r, asked := scripted(t, failsOnce)
	id := ""
	r.OnEvent = func(e Event) {
		if e.Kind == agent.SaidOpened {
			id = e.Session
		}
	}
	r.OnWait = func(Wait) {
		path, _ := filepath.Glob(filepath.Join(r.Config.ConfigDir, "projects", "*", id+".jsonl"))
		f, err := os.OpenFile(path[0], os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		_, _ = f.WriteString(`{"type":"user","uuid":"00000000-0000-4000-8000-000000000901","parentUuid":"00000000-0000-4000-8000-00000000103","sessionId":"` + id + `","timestamp":"` + time.Now().UTC().Format(time.RFC3339) + `","entrypoint":"cli","message":{"role":"user","content":"continue"}}
{"type":"assistant","uuid":"00000000-0000-4000-8000-000000000902","parentUuid":"00000000-0000-4000-8000-000000000901","sessionId":"` + id + `","timestamp":"` + time.Now().UTC().Format(time.RFC3339) + `","message":{"id":"m9","role":"assistant","model":"m","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"}}
`)
	}
	if got, err := Run(t.Context(), r); err == nil || asked() != "say hello\n" {
		t.Errorf("%v, %+v; asked %q", err, got, asked())
	}
}

// An old session in which nothing of the try is kept is no proof that the try did nothing.
func TestRunRepeatsNoUnkeptWorkInOldSession(t *testing.T) {
	t.Parallel()
	r, asked := scripted(t, `echo '{"type":"system","subtype":"init","session_id":"'$id'"}'
user $tries
if [ $tries = 2 ]; then
	echo '{"type":"assistant","message":{"id":"m2","content":[{"type":"tool_use","name":"Bash"}]}}'
	result true 529 'API Error: 529 Overloaded.' 0 0
	exit 1
fi
answer $tries
result false null done 0 0
`)
	r.Prompt = "begin"
	r.Session = began(t, r)
	r.Prompt, r.Args = "pay the bill", []string{"--no-session-persistence"}
	if got, err := Run(t.Context(), r); err == nil || asked() != "begin\npay the bill\n" {
		t.Errorf("%v, %+v; asked %q", err, got, asked())
	}
}

// A run that breaks off with words on stderr alone may have done work, too.
func TestRunRepeatsNoWorkOfSpeechless(t *testing.T) {
	t.Parallel()
	r, asked := scripted(t, `echo '{"type":"system","subtype":"init","session_id":"'$id'"}'
user $tries
if [ $tries = 1 ]; then
	echo '{"type":"assistant","message":{"id":"m2","content":[{"type":"tool_use","name":"Bash"}]}}'
	echo 'API Error: Unable to connect to API (ConnectionRefused)' >&2
	exit 1
fi
answer $tries
result false null done 0 0
`)
	r.Args = []string{"--no-session-persistence"}
	if got, err := Run(t.Context(), r); err == nil || asked() != "say hello\n" {
		t.Errorf("%v, %+v; asked %q", err, got, asked())
	}
}

// What cannot be read is no proof either.
func TestRunRepeatsNothingBesideUnreadable(t *testing.T) {
	t.Parallel()
	r, asked := scripted(t, `echo '{"type":"system","subtype":"init","session_id":"'$id'"}'
user $tries
if [ $tries = 1 ]; then
	echo 'API Error: Unable to connect to API (ConnectionRefused)' >&2
	exit 1
fi
answer $tries
result false null done 0 0
`)
	between(t, &r, func(a agent.Agent, s agent.Starter) agent.Agent { return unreadable{a, s} })
	if got, err := Run(t.Context(), r); err == nil || asked() != "say hello\n" {
		t.Errorf("%v, %+v; asked %q", err, got, asked())
	}
}

// unreadable is an agent whose sessions cannot be read now, such as a database that is locked.
type unreadable struct {
	agent.Agent
	agent.Starter
}

func (unreadable) Read(context.Context, detect.Session, agent.Cursor, func(detect.Event)) (agent.Batch, error) {
	return agent.Batch{}, errors.New("database is locked")
}
