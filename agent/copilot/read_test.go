package copilot

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// A command that its user runs with "!" asks no model, and ends no wait.
func TestShellCommandEndsNoWait(t *testing.T) {
	const command = `{"type":"tool.user_requested","data":{"toolCallId":"c1","toolName":"local_shell"},"id":"00000000-0000-4000-8000-0000000000a1","timestamp":"2026-11-22T12:07:10.031Z","parentId":null}` + "\n" +
		`{"type":"tool.execution_complete","data":{"toolCallId":"c1","isUserRequested":true,"success":true},"id":"00000000-0000-4000-8000-0000000000a2","timestamp":"2026-11-22T12:07:10.592Z","parentId":null}` + "\n"
	c, s := session(t, limited+command)
	if got, _ := verdict(t, c, s, detect.Alive); got.Reason != detect.UsageLimit || got.State != detect.Stopped {
		t.Errorf("%+v", got)
	}
	c, s = session(t, begun+command) // while a turn is under way
	if got, b := verdict(t, c, s, detect.Gone); got.Key != "cut:00000000-0000-4000-8000-000000000003" || len(b.Events) != 1 {
		t.Errorf("%+v, %+v", got, b.Events)
	}
}

// What a process writes when it is ended counts for its own turn alone.
func TestAbort(t *testing.T) {
	turn := func(parent string) string {
		return `{"type":"abort","data":{"reason":"user_initiated"},"id":"00000000-0000-4000-8000-0000000000a3","timestamp":"2026-11-22T12:08:52.879Z","parentId":"` + parent + `"}` + "\n"
	}
	const before, within = "00000000-0000-4000-8000-000000000005", "00000000-0000-4000-8000-000000000008"
	for name, w := range map[string]struct {
		text string
		want detect.Reason
	}{
		"its user ends a turn":                  {begun + turn("00000000-0000-4000-8000-000000000004"), detect.Interrupted},
		"what hangs is ended":                   {limited + turn(before), detect.UsageLimit},
		"the same, while another run is at it":  {limited + resumed + again + turn(before), ""},
		"the same, when another run is through": {limited + resumed + again + ended + "\n" + turn(before), detect.Completed},
		"its user ends that other run":          {limited + resumed + again + turn(within), detect.Interrupted},
	} {
		c, s := session(t, w.text)
		if got, _ := verdict(t, c, s, detect.Alive); got.Reason != w.want {
			t.Errorf("%s: %s %s, want %s", name, got.State, got.Reason, w.want)
		}
	}
}

// The agent itself goes on after a limit where its user has given it more to do meanwhile, or another model.
func TestGoesOnByItself(t *testing.T) {
	info := func(kind, text string) string {
		return `{"type":"session.info","data":{"infoType":"` + kind + `","message":"` + text + `"},"id":"00000000-0000-4000-8000-0000000000a4","timestamp":"2026-11-22T12:06:26Z","parentId":null}` + "\n"
	}
	for text, want := range map[string]time.Duration{
		"Rate limited. Pausing 1 pending message for 2 hours before continuing.":                         2 * time.Hour,
		"Rate limited. Pausing 2 pending messages for 4 minutes before continuing.":                      4 * time.Minute,
		"Rate limited. Pausing 2 pending messages until November 24, 2026 at 3:06 PM before continuing.": 51*time.Hour - 26*time.Second,
		"Rate limited. Pausing 2 pending messages for a while before continuing.":                        pauseTime,
	} {
		c, s := session(t, limited+info(pause, text))
		got, _ := verdict(t, c, s, detect.Alive)
		if got.State != detect.Retrying || got.SelfResumeAt.Sub(at("2026-11-22T12:06:26Z")) != want {
			t.Errorf("%s: %s until %s", text, got.State, got.SelfResumeAt)
		}
		if got, _ := verdict(t, c, s, detect.Gone); got.State != detect.Stopped || got.Reason != detect.UsageLimit {
			t.Errorf("%s, and it is gone: %+v", text, got)
		}
	}
	c, s := session(t, limited+info(autoSwitch, "x"))
	if got, _ := verdict(t, c, s, detect.Alive); got.State != detect.Running {
		t.Errorf("with another model: %+v", got)
	}
	if got, _ := verdict(t, c, s, detect.Gone); got.Reason != detect.Interrupted {
		t.Errorf("with another model, and it is gone: %+v", got)
	}
}

// A date is in the zone of the version that wrote it; where that is not known, the later one counts.
func TestZones(t *testing.T) {
	for name, w := range map[string]struct {
		version string
		more    string // between the start and the limit
		want    string
	}{
		"1.0.102":                   {"1.0.102", "", "2026-11-24T15:06:00Z"},
		"1.0.75":                    {"1.0.75", "", "2026-11-24T15:06:00Z"},
		"1.0.73":                    {"1.0.73", "", "2026-11-24T14:06:00Z"},
		"1.0.73, resumed by others": {"1.0.73", resumed, "2026-11-24T15:06:00Z"},
		"not told":                  {"", "", "2026-11-24T15:06:00Z"},
	} {
		root := t.TempDir()
		s := fileOf(root, sid)
		start := `{"type":"session.start","data":{"sessionId":"` + sid + `","copilotVersion":"` + w.version + `"},"id":"00000000-0000-4000-8000-000000000001","timestamp":"2026-11-22T12:06:24.859Z","parentId":null}` + "\n"
		put(t, s.Path, start+w.more+asked+failed+"\n")
		got, _ := verdict(t, over(root, procTable{}, agent.Config{}), s, detect.Gone)
		if !got.ResetAt.Equal(at(w.want)) {
			t.Errorf("%s: %s, want %s", name, got.ResetAt, w.want)
		}
	}
}

// A prompt that its user takes back is gone from a shorter file in the place of the old one.
func TestRewind(t *testing.T) {
	c, s := session(t, begun+ended+"\n"+again)
	_, b := verdict(t, c, s, detect.Gone)
	put(t, s.Path+".new", begun+ended+"\n")
	rename(t, s.Path+".new", s.Path)
	b2, err := agenttest.Read(t.Context(), c, s, b.Cursor)
	if err != nil || !b2.Anew || len(b2.Events) != 2 {
		t.Errorf("%+v, %v", b2, err)
	}
	if got, _ := verdict(t, c, s, detect.Alive); got.Reason != detect.Completed {
		t.Errorf("%+v", got)
	}
}

// TestLastPrompt: what the agent asks by itself is no prompt of a person's.
func TestLastPrompt(t *testing.T) {
	c, s := copied(t, recorded(t)["autopilot"][0])
	if got, err := c.LastPrompt(t.Context(), s); got != "do it" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	c, s = copied(t, recorded(t)["subagent-429"][0])
	if got, err := c.LastPrompt(t.Context(), s); got != "do it" || err != nil {
		t.Errorf("a sub-agent's: %q, %v", got, err)
	}
}

// Whoever drives the session has thrown the conversation away: there is nothing to go on with, whatever stands before it.
func TestContextCleared(t *testing.T) {
	const cleared = `{"type":"session.context_cleared","data":{"messagesCleared":2},"id":"00000000-0000-4000-8000-000000000011","timestamp":"2026-11-22T12:10:00.000Z",` +
		`"parentId":"00000000-0000-4000-8000-000000000005"}` + "\n"
	for name, w := range map[string]struct {
		text, prompt string
		want         detect.Reason
	}{
		"after a failure":           {limited + cleared, "", detect.Interrupted},
		"within a turn":             {begun + cleared, "", detect.Interrupted},
		"by a process that is gone": {limited + resumed + cleared, "", detect.Interrupted},
		"asked again":               {limited + resumed + cleared + again, "continue", ""},
	} {
		c, s := session(t, w.text)
		got, _ := verdict(t, c, s, detect.Alive)
		text, err := c.LastPrompt(t.Context(), s)
		if got.Reason != w.want || text != w.prompt || err != nil {
			t.Errorf("%s: %s %s, want %s; the last prompt is %q, %v", name, got.State, got.Reason, w.want, text, err)
		}
	}
	c, s := session(t, limited)
	b, err := agenttest.Read(t.Context(), c, s, "")
	if err != nil {
		t.Fatal(err)
	}
	put(t, s.Path, cleared)
	if late, err := agenttest.Read(t.Context(), c, s, b.Cursor); err != nil || len(late.Events) != 1 || late.Events[0].Kind != detect.KindInterrupt {
		t.Errorf("the last look: %+v, %v", late.Events, err)
	}
}
