package gemini

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// What 0.40 wrote of a turn that failed behind a tool: lines, no checkpoint, the tool's result in the record of its call alone.
const bareTool = `{"id":"u2","timestamp":"2026-11-21T00:10:01.000Z","type":"user","content":[{"text":"say done"}]}
{"$set":{"lastUpdated":"2026-11-21T00:10:01.000Z"}}
{"id":"g2","timestamp":"2026-11-21T00:10:02.000Z","type":"gemini","content":"I will use a tool.","thoughts":[],"tokens":{"input":100,"output":10,"cached":0,"thoughts":0,"tool":0,"total":110},"model":"gemini-3-flash-preview"}
{"$set":{"lastUpdated":"2026-11-21T00:10:02.000Z"}}
{"id":"g2","timestamp":"2026-11-21T00:10:02.000Z","type":"gemini","content":"I will use a tool.","thoughts":[],"tokens":{"input":100,"output":10,"cached":0,"thoughts":0,"tool":0,"total":110},"model":"gemini-3-flash-preview","toolCalls":[{"id":"call_1","name":"read_file","args":{"file_path":"README.md"},"result":[{"functionResponse":{"id":"call_1","name":"read_file","response":{"output":"# demo\n"}}}],"status":"success","timestamp":"2026-11-21T00:10:02.500Z","resultDisplay":"","description":"README.md","displayName":"ReadFile","renderOutputAsMarkdown":true}]}
{"$set":{"lastUpdated":"2026-11-21T00:10:02.500Z"}}
`

// Its terminal adds the error.
const bareError = `{"id":"e2","timestamp":"2026-11-21T00:10:03.000Z","type":"error","content":"[API Error: terminated]"}
{"$set":{"lastUpdated":"2026-11-21T00:10:03.000Z"}}
{"id":"i2","timestamp":"2026-11-21T00:10:03.000Z","type":"info","content":"This request failed. Press F12 for diagnostics, or run /settings and change \"Error Verbosity\" to full for full details."}
{"$set":{"lastUpdated":"2026-11-21T00:10:03.000Z"}}
`

func TestBareLines(t *testing.T) {
	const asked, result = `{"text":"say done"}`, `{"functionResponse":{"id":"call_1"}}`
	prompt, _, _ := strings.Cut(bareTool, "\n")
	for name, c := range map[string]struct {
		text   string
		report string // at 00:10:03
		want   detect.Reason
		key    string
	}{
		"a tool's result, with a report":     {bareTool, report("demo", "TerminalQuotaError", "You have exhausted your daily quota on this model.", asked, result), detect.UsageLimit, "g2"},
		"a prompt, with a report":            {prompt + "\n", report("demo", "RetryableQuotaError", "Resource has been exhausted (e.g. check quota).", asked), detect.RateLimit, "u2"},
		"a tool's result, in a terminal":     {bareTool + bareError, "", detect.Network, "g2"},
		"a prompt, in a terminal":            {prompt + "\n" + bareError, "", detect.Network, "u2"},
		"a prompt, and a report of another":  {prompt + "\n", report("demo", "RetryableQuotaError", "Resource has been exhausted (e.g. check quota).", `{"text":"say what"}`), detect.Interrupted, "cut:u2"},
		"a tool's result, and no report yet": {bareTool, "", detect.Interrupted, "cut:g2"},
		"an answer behind it":                {bareTool + `{"id":"g3","timestamp":"2026-11-21T00:10:04.000Z","type":"gemini","content":"All done."}` + "\n", "", detect.Completed, "g3"},
	} {
		t.Run(name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "home")
			put(t, filepath.Join(home, "tmp", "demo", "chats", "session-2026-11-21T00-10-22222222.jsonl"), headLine(toolID)+c.text)
			g := over(home, procs{})
			if c.report != "" {
				put(t, filepath.Join(g.reports, reportName("00-10-03-000")), c.report)
			}
			s := named(t, g, "22222222")
			stop, _ := verdict(t, g, s, detect.Gone)
			if stop.Reason != c.want || stop.Key != c.key || stop.NotResumable {
				t.Errorf("%+v, want %s of %s", stop, c.want, c.key)
			}
			// One that is taken up at its end knows the beginning once it was read.
			_, cursor, err := g.Tail(t.Context(), s)
			must(t, err)
			if cursor == "" {
				return
			}
			if b, err := agenttest.Read(t.Context(), g, s, cursor); err != nil || b.Anew {
				t.Errorf("from its end: %+v, %v", b, err)
			}
		})
	}
}

// The terminal of 0.47 and 0.54 does not say what became of a stream that was cut; its report does.
func TestUnknownErrorByReport(t *testing.T) {
	const record = `{"id":"e2","timestamp":"2026-11-21T00:10:03.300Z","type":"error","content":"[API Error: An unknown error occurred.]"}` + "\n"
	for text, want := range map[string]detect.Reason{
		report("demo", "TypeError", "terminated", `{"text":"do it"}`, `{"functionResponse":{"id":"call_1"}}`): detect.Network,
		report("demo", "TypeError", "terminated", `{"text":"do it"}`, `{"functionResponse":{"id":"call_2"}}`): detect.Unknown,
		"": detect.Unknown,
	} {
		g, _, s := world(t)
		add(t, s["tool"].Path, record)
		if text != "" {
			put(t, filepath.Join(g.reports, reportName("00-10-03-280")), text)
		}
		if stop, _ := verdict(t, g, s["tool"], detect.Alive); stop.Reason != want || stop.Key != "f2" {
			t.Errorf("%+v, want %s", stop, want)
		}
	}
}
