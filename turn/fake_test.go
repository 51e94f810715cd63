package turn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/internal/spawn"
)

// fakeMode is what the test binary does as an agent; it speaks Claude Code's stream-json.
const fakeMode = "TURN_FAKE"

// fakeClaude is the agent. Modes may have an argument behind a colon.
func fakeClaude(mode string) int {
	id := ""
	for i, a := range os.Args {
		if a == "--session-id" || a == "--resume" {
			id = os.Args[i+1]
		}
	}
	prompt := new(bytes.Buffer)
	_, _ = prompt.ReadFrom(os.Stdin)
	out := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	opened := func() { out(`{"type":"system","subtype":"init","session_id":%q}`, id) }
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	done := func(text string) {
		out(`{"type":"result","subtype":"success","is_error":false,"result":%s,"session_id":%q,"total_cost_usd":0.25,"duration_api_ms":40,"usage":{"input_tokens":3,"output_tokens":5,"cache_creation_input_tokens":7,"cache_read_input_tokens":11}}`, quote(text), id)
	}
	failed := func(status int, text string) {
		out(`{"type":"result","subtype":"success","is_error":true,"api_error_status":%d,"result":%s,"session_id":%q,"total_cost_usd":0,"usage":{}}`, status, quote(text), id)
	}
	mode, arg, _ := strings.Cut(mode, ":")
	switch mode {
	case "answer":
		opened()
		done(prompt.String())
	case "large": // 200 MB of other things before the answer, on both streams
		opened()
		line := strings.Repeat("x", 1<<20-100)
		for range 200 {
			out(`{"type":"user","message":{"content":[{"type":"tool_result","content":"%s"}]}}`, line)
			fmt.Fprintln(os.Stderr, strings.Repeat("e", 1000))
		}
		done("the end")
	case "one line": // far over what is kept of a line
		opened()
		for range 40 {
			fmt.Print(strings.Repeat("y", 1<<20))
		}
		out("")
		done("the end")
	case "junk":
		opened()
		os.Stdout.Write([]byte("\x00\xff\xfe\x1b[2J{\"type\":\x00}\n\x80\x81"))
		out("")
		done("after the junk")
	case "only junk":
		os.Stdout.Write(bytes.Repeat([]byte{0, 0xff, '{', 0x1b}, 10000))
	case "half":
		opened()
		fmt.Printf(`{"type":"result","subtype":"success","is_error":false,"result":"half an ans`)
	case "lie": // exit 0 with an error inside
		opened()
		failed(400, "Prompt is too long")
	case "fails":
		opened()
		failed(529, "API Error: 529 Overloaded. This is a server-side issue, usually temporary")
		return 1
	case "no input": // at first: as on a machine so busy that it reads its prompt too late
		if n := count(arg); n == 1 {
			fmt.Fprintln(os.Stderr, "Error: Input must be provided either through stdin or as a prompt argument when using --print")
			return 1
		}
		opened()
		done(prompt.String())
	case "fails twice":
		opened()
		if n := count(arg); n <= 2 {
			failed(429, "API Error: Request rejected (429) · slow down")
			return 1
		}
		done("third")
	case "fails, and never ends":
		opened()
		failed(529, "API Error: 529 Overloaded. This is a server-side issue, usually temporary")
		stay()
	case "works, then fails": // and leaves no session
		opened()
		out(`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","name":"Bash"}]}}`)
		failed(529, "API Error: 529 Overloaded. This is a server-side issue, usually temporary")
		return 1
	case "limited": // until a time given in seconds from now
		opened()
		n, _ := strconv.Atoi(arg)
		out(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%d,"rateLimitType":"seven_day"}}`, time.Now().Unix()+int64(n))
		failed(429, "You've hit your weekly limit · resets 3am (UTC)")
		return 1
	case "limited, stamped": // by a clock that is wrong: the year, and no time of reset
		opened()
		keepLines(id, arg+"-03-04T05:06:07.000Z", `{"type":"user","uuid":"00000000-0000-4000-8000-000000000001","parentUuid":null,"sessionId":"ID","cwd":"DIR","timestamp":"AT","entrypoint":"sdk-cli","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"00000000-0000-4000-8000-000000000002","parentUuid":"00000000-0000-4000-8000-000000000001","sessionId":"ID","cwd":"DIR","timestamp":"AT","isApiErrorMessage":true,"apiErrorStatus":429,"error":"rate_limit","message":{"id":"m1","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"You've hit your weekly limit"}],"stop_reason":"stop_sequence"}}
`)
		failed(429, "You've hit your weekly limit")
		return 1
	case "max turns": // ends by itself after a tool's result
		opened()
		keep(id)
		out(`{"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":3,"session_id":%q,"total_cost_usd":0.1,"usage":{},"errors":["Reached maximum number of turns (2)"]}`, id)
		return 1
	case "told": // as opencode: to wait for so many seconds
		out(`{"type":"error","sessionID":"ses_5a1b2c3d4e5fABCDEFGHIJKLMN","error":{"name":"APIError","data":{"message":"Service Unavailable","statusCode":503,"isRetryable":true,"responseHeaders":{"retry-after":%q}}}}`, arg)
		return 1
	case "usage":
		fmt.Fprintln(os.Stderr, "error: unknown option '--nonsense'")
		return 1
	case "stubborn": // with a child that has a group of its own; all ignore SIGTERM
		opened()
		return stubborn(arg)
	case "colors":
		opened()
		done("\x1b[1mbold\x1b[0m /home/bob\x1b]0;title\a")
	case "fails in color":
		opened()
		failed(401, "\x1b[31mPlease run /login\x1b[0m in /home/bob for https://gateway.example")
		return 1
	case "silent":
		stay()
	case "opened, nothing kept":
		opened()
		stay()
	case "kept, then silent":
		keep(id)
		opened()
		stay()
	case "killed":
		opened()
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "leaves a tool": // which keeps the pipes open
		opened()
		cmd := spawn.Command([]string{"/bin/sleep", "1000"}, nil, nil, os.Stdout, os.Stderr)
		if err := cmd.Start(); err != nil {
			return 1
		}
		_ = os.WriteFile(arg, []byte(strconv.Itoa(cmd.Process.Pid)), 0o600)
		done("it runs on")
	case "env":
		opened()
		b, _ := json.Marshal(os.Environ())
		done(string(b))
	}
	return 0
}

// count adds one to the number in a file.
func count(path string) int {
	b, _ := os.ReadFile(path)
	n, _ := strconv.Atoi(string(b))
	_ = os.WriteFile(path, []byte(strconv.Itoa(n+1)), 0o600)
	return n + 1
}

func stubborn(pids string) int {
	const script = `trap '' TERM INT HUP; echo $$ >> "$0"; while :; do /bin/sleep 1; done`
	for range 2 {
		cmd := spawn.Command([]string{"/bin/sh", "-c", script, pids}, os.Environ(), nil, nil, nil)
		if err := cmd.Start(); err != nil {
			return 1
		}
	}
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", script, pids}, os.Environ())
	return 1
}

// keep writes the session's file: a request and a tool's result.
func keep(id string) {
	keepLines(id, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), `{"type":"user","uuid":"00000000-0000-4000-8000-000000000001","parentUuid":null,"sessionId":"ID","cwd":"DIR","timestamp":"AT","entrypoint":"sdk-cli","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"00000000-0000-4000-8000-000000000002","parentUuid":"00000000-0000-4000-8000-000000000001","sessionId":"ID","cwd":"DIR","timestamp":"AT","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}],"stop_reason":"tool_use"}}
{"type":"user","uuid":"00000000-0000-4000-8000-000000000003","parentUuid":"00000000-0000-4000-8000-000000000002","sessionId":"ID","cwd":"DIR","timestamp":"AT","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}
`)
}

// keepLines writes the session's file.
func keepLines(id, at, all string) {
	dir, _ := os.Getwd()
	path := filepath.Join(os.Getenv("HOME"), ".claude", "projects", regexp.MustCompile("[^a-zA-Z0-9]").ReplaceAllString(dir, "-"), id+".jsonl")
	_ = os.MkdirAll(filepath.Dir(path), 0o700)
	_ = os.WriteFile(path, []byte(strings.NewReplacer("ID", id, "DIR", dir, "AT", at).Replace(all)), 0o600)
}

// stay is an agent that says nothing more, until it is ended; at most as long as any test is patient.
func stay() { <-time.After(patient) }
