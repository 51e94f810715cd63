package pi

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// TestErrorWaits: an error is told only when the agent would have said that it asks again, and the stamp changes then.
func TestErrorWaits(t *testing.T) {
	p, s := session(t, begun+failed+"\n")
	wrote := at("2026-11-22T12:06:29.3Z")
	now := wrote.Add(settle / 2)
	p.now = func() time.Time { return now }
	stampOf := func() string {
		t.Helper()
		all, err := p.Scan(t.Context(), s.Path)
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		return all[0].Stamp
	}
	b, err := agenttest.Read(t.Context(), p, s, "")
	if err != nil || len(b.Events) != 1 || b.Events[0].Kind != detect.KindPrompt {
		t.Fatalf("at once: %+v, %v", b.Events, err)
	}
	before := stampOf()
	if p.Lag() <= settle {
		t.Errorf("the second look comes after %v, when the error is not told yet", p.Lag())
	}
	now = wrote.Add(p.Lag())
	if stampOf() == before {
		t.Error("nothing says that there is something to tell")
	}
	late, err := agenttest.Read(t.Context(), p, s, b.Cursor)
	if err != nil || late.Anew || len(late.Events) != 1 || late.Events[0].Failure.Reason != detect.RateLimit {
		t.Fatalf("after a moment: %+v, %v", late.Events, err)
	}
	if again, err := agenttest.Read(t.Context(), p, s, late.Cursor); err != nil || len(again.Events) != 0 {
		t.Errorf("told again: %+v, %v", again.Events, err)
	}
	if stampOf() != before {
		t.Error("the stamp stays another one")
	}

	put(t, s.Path, edited+"\n") // late, as on a machine that hangs: it is not the last word after all
	b, err = agenttest.Read(t.Context(), p, s, late.Cursor)
	if err != nil || len(b.Events) != 2 || b.Events[0].Kind != detect.KindOpen || b.Events[1].Kind != detect.KindRetry {
		t.Errorf("the agent asks again: %+v, %v", b.Events, err)
	}
}

// TestUnknownErrorKept: the text of an error that no rule knows survives the wait, in the cursor, without secrets.
func TestUnknownErrorKept(t *testing.T) {
	strange := strings.Replace(failed, `429: {\"message\":\"Rate limit reached for demo-1. Please try again in 20s.\",\"code\":\"rate_limit_exceeded\"}`, `the moon is full for sk-ant-api03-secretsecret`, 1)
	p, s := session(t, begun+strange+"\n")
	now := at("2026-11-22T12:06:29.3Z")
	p.now = func() time.Time { return now }
	b, err := agenttest.Read(t.Context(), p, s, "")
	if err != nil || len(b.Events) != 1 {
		t.Fatalf("%+v, %v", b.Events, err)
	}
	now = now.Add(time.Minute)
	if b, err = agenttest.Read(t.Context(), p, s, b.Cursor); err != nil || len(b.Events) != 1 {
		t.Fatalf("%+v, %v", b.Events, err)
	}
	if f := b.Events[0].Failure; f.Reason != detect.Unknown || !strings.Contains(f.Text, "the moon is full") || strings.Contains(f.Text, "secretsecret") {
		t.Errorf("%+v", f)
	}
}

// TestOwnRetries: what the agent asks again after is no stop, in versions that say so and in those that do not.
func TestOwnRetries(t *testing.T) {
	old := func(n int) string {
		return strings.Replace(failed, "a0000005", "b000000"+string(rune('0'+n)), 1) + "\n"
	}
	hopeless := strings.Replace(failed, "rate_limit_exceeded", "insufficient_quota", 1) + "\n"
	bare := header + setup + strings.Replace(asked, "a0000003", "a0000002", 1)
	for what, c := range map[string]struct {
		text string
		h    detect.Liveness
		want detect.Stop
	}{
		"says so, lives":     {begun + failed + "\n" + edited + "\n", detect.Alive, detect.Stop{State: detect.Retrying}},
		"says so, ended":     {begun + failed + "\n" + edited + "\n", detect.Gone, detect.Stop{State: detect.Stopped, Reason: detect.Interrupted}},
		"says nothing":       {begun + failed + "\n", detect.Alive, detect.Stop{State: detect.Stopped, Reason: detect.RateLimit}},
		"old, one, lives":    {bare + old(1), detect.Alive, detect.Stop{State: detect.Retrying}},
		"old, three, ended":  {bare + old(1) + old(2) + old(3), detect.Gone, detect.Stop{State: detect.Stopped, Reason: detect.Interrupted}},
		"old, four":          {bare + old(1) + old(2) + old(3) + old(4), detect.Alive, detect.Stop{State: detect.Stopped, Reason: detect.RateLimit}},
		"old, never retried": {bare + hopeless, detect.Alive, detect.Stop{State: detect.Stopped, Reason: detect.Billing}},
		"old, four, another prompt between": {bare + old(1) + old(2) + strings.Replace(asked, "a0000004", "b0000009", 1) + old(3) + old(4), detect.Gone,
			detect.Stop{State: detect.Stopped, Reason: detect.Interrupted}},
	} {
		p, s := session(t, c.text)
		if stop, _ := verdict(t, p, s, c.h); stop.State != c.want.State || stop.Reason != c.want.Reason {
			t.Errorf("%s: %s %s, want %s %s", what, stop.State, stop.Reason, c.want.State, c.want.Reason)
		}
	}
}

// TestTools: what each change of the tools makes of the whole, and that only the agent knows it on another branch.
func TestTools(t *testing.T) {
	change := strings.NewReplacer("a0000003", "c0000001", "a0000002", "a0000009", `"toolsAdded":[{"name":"read"},{"name":"bash"}]`,
		`"toolsRemoved":[{"name":"bash"}],"toolsAdded":[{"name":"grep"}]`).Replace(system)
	elsewhere := strings.NewReplacer("a0000004", "c0000002", "a0000003", "a0000001").Replace(asked)
	read := func(text string) detect.Info {
		p, s := session(t, text)
		_, b := verdict(t, p, s, detect.Gone)
		return b.Info
	}
	if i := read(begun + ended + "\n" + change); i.Offer != "tools:read,grep" {
		t.Errorf("%+v", i.Options)
	}
	if i := read(begun + ended + "\n" + change + elsewhere); i.Shape != shapeBranch {
		t.Errorf("another branch: %+v", i.Options)
	}
	if i := read(header + setup + strings.Replace(system, `"toolsAdded":[{"name":"read"},{"name":"bash"}]`, `"x":1`, 1) + asked); i.Offer != "tools:" || i.Shape != shapeTools {
		t.Errorf("none: %+v", i.Options)
	}
	for what, sections := range map[string]string{"prompt": `"preamble":"You are a pirate."`, "addition": `"preamble":"You are a coding assistant running inside pi, a coding agent harness.","addendum":"<addendum>x</addendum>"`} {
		if i := read(header + setup + strings.Replace(system, `"preamble":"You are a coding assistant running inside pi, a coding agent harness."`, sections, 1) + asked); !i.Setup.Bound || i.Setup.Effort != "high" {
			t.Errorf("a user's own %s: %+v", what, i.Setup)
		}
	}
}

// TestAfterTail: a session that was quiet is read whole for what a resume brings back, and none of that is news.
func TestAfterTail(t *testing.T) {
	p, s := session(t, begun+ended+"\n")
	maybe, cursor, err := p.Tail(t.Context(), s)
	if err != nil || maybe {
		t.Fatalf("%v, %v", maybe, err)
	}
	put(t, s.Path, strings.NewReplacer("a0000004", "c0000002", "a0000003", "a0000009").Replace(asked)+
		strings.NewReplacer("a0000005", "c0000003", "a0000004", "c0000002").Replace(failed)+"\n")
	b, err := agenttest.Read(t.Context(), over(p.root, procTable{}, agent.Config{}), s, cursor)
	if err != nil || b.Anew || len(b.Events) != 2 {
		t.Fatalf("%+v, %v", b, err)
	}
	_, whole := verdict(t, p, s, detect.Gone)
	if whole.Info.Offer == "" || b.Info.Offer != whole.Info.Offer || b.Info.Dir != work || b.Info.Model != whole.Info.Model || b.Info.Setup != whole.Info.Setup || b.Info.FirstPrompt != whole.Info.FirstPrompt {
		t.Errorf("%+v\nwant %+v", b.Info, whole.Info)
	}
}

func TestLastPrompt(t *testing.T) {
	p, s := session(t, begun+strings.NewReplacer(`"text":"x"`, `"text":"`+strings.Repeat("ü", promptMax)+`"`, "a0000004", "c0000002").Replace(asked)+failed+"\n")
	text, err := p.LastPrompt(t.Context(), s)
	if err != nil || len(text) != promptMax || strings.Trim(text, "ü") != "" {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// TestFork: a copy of a session has its records and was begun later, so none of them is news in it.
func TestFork(t *testing.T) {
	files := recorded(t)["resume-fork"]
	p, s := copied(t, files[1])
	_, b := verdict(t, p, s, detect.Gone)
	if first := b.Events[0]; !first.At.Before(b.Info.Created) || b.Info.Parent != "" {
		t.Errorf("begun %v, first record %v, parent %q", b.Info.Created, first.At, b.Info.Parent)
	}
}
