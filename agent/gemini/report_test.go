package gemini

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// A project in which a first prompt was taken back at 00:10:05, and a tool's result got no answer.
const (
	backID = "11111111-0000-4000-8000-000000000001"
	toolID = "22222222-0000-4000-8000-000000000002"
)

func headLine(id string) string {
	return `{"sessionId":"` + id + `","projectHash":"` + demoHash + `","startTime":"2026-11-21T00:10:00Z","lastUpdated":"2026-11-21T00:10:00Z","kind":"main"}` + "\n"
}

const contextLine = `{"$set":{"messages":[{"id":"ctx","timestamp":"2026-11-21T00:10:00Z","type":"user","content":[{"text":"<session_context>\nhi"}]}],"lastUpdated":"%s"}}` + "\n"

func promptLine(id, at, text string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":%q,"type":"user","content":[{"text":%q}]}`+"\n", id, at, text)
}

func backText() string {
	return headLine(backID) + fmt.Sprintf(contextLine, "2026-11-21T00:10:00Z") + promptLine("u1", "2026-11-21T00:10:01Z", "do it") +
		fmt.Sprintf(contextLine, "2026-11-21T00:10:05.000Z")
}

func toolText() string {
	return headLine(toolID) + promptLine("u2", "2026-11-21T00:10:01Z", "do it") +
		`{"id":"g2","timestamp":"2026-11-21T00:10:02Z","type":"gemini","content":"","toolCalls":[{"id":"call_1","status":"success"}]}` + "\n" +
		`{"id":"f2","timestamp":"2026-11-21T00:10:03Z","type":"user","content":[{"functionResponse":{"id":"call_1"}}]}` + "\n"
}

func report(project, class, message string, parts ...string) string {
	return fmt.Sprintf(`{"error":{"message":%q,"stack":%q},"context":[{"role":"user","parts":[{"text":"<session_context>\nThe project's temporary directory is: /home/dev/.gemini/tmp/%s\n"}]},{"role":"user","parts":[%s]}]}`,
		message, class+": "+message+"\n    at x", project, strings.Join(parts, ","))
}

func reportName(at string) string {
	return "gemini-client-error-Turn.run-sendMessageStream-2026-11-21T" + at + "Z.json"
}

// world is a project with both sessions.
func world(t *testing.T) (g *Gemini, home string, sessions map[string]detect.Session) {
	t.Helper()
	home = filepath.Join(t.TempDir(), "home")
	chats := filepath.Join(home, "tmp", "demo", "chats")
	put(t, filepath.Join(chats, "session-2026-11-21T00-10-11111111.jsonl"), backText())
	put(t, filepath.Join(chats, "session-2026-11-21T00-10-22222222.jsonl"), toolText())
	g = over(home, procs{})
	must(t, os.MkdirAll(g.reports, 0o700))
	return g, home, map[string]detect.Session{"back": named(t, g, "11111111"), "tool": named(t, g, "22222222")}
}

func TestReports(t *testing.T) {
	const daily, asked, result = "You have exhausted your daily quota on this model.", `{"text":"do it"}`, `{"functionResponse":{"id":"call_1"}}`
	for _, c := range []struct {
		name, session string
		reports       map[string]string // by time
		want          detect.Reason
		note          string
	}{
		{"right after the roll-back", "back", map[string]string{"00-10-05-012": report("demo", "TerminalQuotaError", daily, asked)}, detect.UsageLimit, ""},
		{"none", "back", nil, detect.Unknown, "not written down"},
		{"another prompt", "back", map[string]string{"00-10-05-012": report("demo", "TerminalQuotaError", daily, `{"text":"do that"}`)}, detect.Unknown, "no error report is surely"},
		{"another project", "back", map[string]string{"00-10-05-012": report("demo-1", "TerminalQuotaError", daily, asked)}, detect.Unknown, "no error report is surely"},
		{"another time", "back", map[string]string{"00-10-09-000": report("demo", "TerminalQuotaError", daily, asked)}, detect.Unknown, "not written down"},
		{"two that fit", "back", map[string]string{"00-10-05-012": report("demo", "TerminalQuotaError", daily, asked),
			"00-10-05-900": report("demo", "ApiError", `{"error":{"code":401}}`, asked)}, detect.Unknown, "no error report is surely"},
		{"not JSON", "back", map[string]string{"00-10-05-012": "{"}, detect.Unknown, "no error report is surely"},
		{"the prompt in an answer only", "back", map[string]string{"00-10-05-012": strings.Replace(report("demo", "TerminalQuotaError", daily, asked), `{"role":"user","parts":[{"text":"do it"`, `{"role":"model","parts":[{"text":"do it"`, 1)}, detect.Unknown, "no error report is surely"},
		{"no words for it but the class", "back", map[string]string{"00-10-05-012": report("demo", "RetryableQuotaError", "slow down, please", asked)}, detect.RateLimit, ""},
		{"no words for it at all", "back", map[string]string{"00-10-05-012": report("demo", "Error", "the moon is full", asked)}, detect.Unknown, ""},
		{"of the tool call, half an hour later", "tool", map[string]string{"00-40-00-000": report("demo", "TerminalQuotaError", daily, result)}, detect.UsageLimit, ""},
		{"of another tool call", "tool", map[string]string{"00-10-05-000": report("demo", "TerminalQuotaError", daily, `{"functionResponse":{"id":"call_2"}}`)}, "", ""},
		{"of the prompt before the tool call", "tool", map[string]string{"00-10-05-000": report("demo", "TerminalQuotaError", daily, asked)}, "", ""},
		{"before the tool call", "tool", map[string]string{"00-10-01-000": report("demo", "TerminalQuotaError", daily, result)}, "", ""},
		{"twice: its user tried again", "tool", map[string]string{"00-10-05-000": report("demo", "TerminalQuotaError", daily, result),
			"00-11-05-000": report("demo", "ApiError", `{"error":{"code":401,"message":"x"}}`, result)}, detect.Auth, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _, s := world(t)
			for at, text := range c.reports {
				put(t, filepath.Join(g.reports, reportName(at)), text)
			}
			stop, _ := verdict(t, g, s[c.session], detect.HolderUnknown)
			if stop.Reason != c.want || !strings.Contains(strings.Join(stop.Notes, ";"), c.note) {
				t.Errorf("reason %q, notes %q; want %q, %q", stop.Reason, stop.Notes, c.want, c.note)
			}
			if c.want != "" && stop.Key != map[string]string{"back": "u1", "tool": "f2"}[c.session] {
				t.Errorf("key %q", stop.Key)
			}
		})
	}
}

// TestReportsOfOthers: the temporary folder is everybody's.
func TestReportsOfOthers(t *testing.T) {
	text := report("demo", "TerminalQuotaError", "You have exhausted your daily quota on this model.", `{"text":"do it"}`)
	for name, plant := range map[string]func(t *testing.T, path string){
		"link":     func(t *testing.T, path string) { put(t, path+".x", text); must(t, os.Symlink(path+".x", path)) },
		"writable": func(t *testing.T, path string) { put(t, path, text); must(t, os.Chmod(path, 0o666)) },
		"folder":   func(t *testing.T, path string) { must(t, os.Mkdir(path, 0o700)) },
	} {
		g, _, s := world(t)
		plant(t, filepath.Join(g.reports, reportName("00-10-05-012")))
		if stop, _ := verdict(t, g, s["back"], detect.Gone); stop.Reason != detect.Unknown {
			t.Errorf("%s: reason %q", name, stop.Reason)
		}
	}
}

// TestReportOfBusyProject: while another session of the project was written, a first prompt's report
// may be that one's.
func TestReportOfBusyProject(t *testing.T) {
	g, _, s := world(t)
	put(t, filepath.Join(g.reports, reportName("00-10-05-012")), report("demo", "TerminalQuotaError", "You have exhausted your daily quota on this model.", `{"text":"do it"}`))
	must(t, os.Chtimes(s["tool"].Path, time.Time{}, time.Date(2026, 11, 21, 0, 10, 6, 0, time.UTC)))
	if stop, _ := verdict(t, g, s["back"], detect.Gone); stop.Reason != detect.Unknown || !strings.Contains(strings.Join(stop.Notes, ""), "surely") {
		t.Errorf("reason %q, notes %q", stop.Reason, stop.Notes)
	}
}

// TestReasonIsWaitedFor: the reason of a failure is written a moment after the prompt was taken back.
// What is told in between must not be "unknown", which would be final.
func TestReasonIsWaitedFor(t *testing.T) {
	g, _, s := world(t)
	clock := time.Date(2026, 11, 21, 0, 10, 5, 5e6, time.UTC)
	g.now = func() time.Time { return clock }
	must(t, os.Chtimes(s["back"].Path, time.Time{}, clock))
	stamp := func() string {
		all, err := g.Scan(t.Context(), s["back"].Path)
		must(t, err)
		return all[0].Stamp
	}
	stop, b := verdict(t, g, s["back"], detect.Gone)
	if stop.Reason == detect.Unknown || stop.Key != "cut:u1" {
		t.Errorf("at once: reason %q, key %q", stop.Reason, stop.Key)
	}
	first := stamp()
	clock = clock.Add(time.Minute)
	if stamp() == first {
		t.Error("nothing says that the session is to be read again when the wait is over")
	}
	late, err := agenttest.Read(t.Context(), g, s["back"], b.Cursor)
	if err != nil || len(late.Events) != 1 || late.Events[0].Failure == nil || late.Events[0].Failure.Reason != detect.Unknown {
		t.Errorf("after a minute: %+v, err %v", late.Events, err)
	}
	before := stamp()
	put(t, filepath.Join(g.reports, reportName("00-10-05-012")), report("demo", "TerminalQuotaError", "You have exhausted your daily quota on this model.", `{"text":"do it"}`))
	if stamp() == before {
		t.Error("nothing says that there is a report")
	}
	for _, from := range []agent.Cursor{b.Cursor, late.Cursor} {
		told, err := agenttest.Read(t.Context(), g, s["back"], from)
		if err != nil || len(told.Events) != 1 || told.Events[0].ID != "u1" || told.Events[0].Failure.Reason != detect.UsageLimit {
			t.Errorf("with the report: %+v, err %v", told.Events, err)
		}
		again, err := agenttest.Read(t.Context(), g, s["back"], told.Cursor)
		if err != nil || len(again.Events) != 0 {
			t.Errorf("told twice: %+v, err %v", again.Events, err)
		}
	}
}

// No file of 0.20 names the project's folder: an error report of the project does, also one of another session, and a process that works there.
func TestFolderOfOldVersion(t *testing.T) {
	dirOf := func(g *Gemini, short string) string {
		_, b := verdict(t, g, named(t, g, short), detect.Gone)
		return b.Info.Dir
	}
	g, home := recorded(t, "old20-429-daily-text")
	if got := dirOf(g, "23d08343"); got != "/home/dev/work/demo" {
		t.Errorf("by its report: %q", got)
	}
	reports, err := filepath.Glob(filepath.Join(g.reports, "*"))
	must(t, err)
	for _, path := range reports {
		text, err := os.ReadFile(path)
		must(t, err)
		put(t, path, strings.ReplaceAll(string(text), "/home/dev/work/demo", "/home/dev/work/other"))
	}
	if got := dirOf(over(home, procs{}), "23d08343"); got != "" {
		t.Errorf("by the name of another folder: %q", got)
	}
	for cwd, want := range map[string]string{"/home/dev/work/demo": "/home/dev/work/demo", "/home/dev/work/other": ""} {
		g := over(home, procs{All: []agent.Proc{{PID: 7}}, Args: map[int][]string{7: {"node", "/usr/bin/gemini"}}, Dirs: map[int]string{7: cwd}})
		if _, err := g.Live(t.Context(), named(t, g, "23d08343"), detect.Info{}); err != nil {
			t.Fatal(err)
		}
		if got := dirOf(g, "23d08343"); got != want {
			t.Errorf("by a process in %s: %q", cwd, got)
		}
	}
}
