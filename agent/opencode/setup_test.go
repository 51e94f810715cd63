package opencode

import (
	"fmt"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// A stop is resumed with what its own prompt ran with: in the database, in the files of 1.1, and when only
// the answer is new.
func TestSetup(t *testing.T) {
	const base = int64(1795219735051)
	users := []string{
		`{"role":"user","agent":"plan","model":{"providerID":"fake","modelID":"demo-2","variant":"low"},"time":{"created":1}}`,
		`{"role":"user","agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"tools":{},"summary":{"diffs":[]},"time":{"created":1}}`,
		`{"role":"user","agent":"strict","model":{"providerID":"a","modelID":"b/c"},"variant":"high","time":{"created":1}}`,
		`{"role":"user","agent":"plan","model":{"providerID":"a","modelID":"b"},"tools":{"write":false},"time":{"created":1}}`,
		`{"role":"user","agent":"plan","model":{"providerID":"a","modelID":"b"},"system":"be brief","time":{"created":1}}`,
		`{"role":"user","agent":{"x":1},"model":"a/b","variant":7,"tools":null,"system":null,"time":{"created":1}}`,
	}
	want := []detect.Setup{
		{Role: "plan", Model: "fake/demo-2", Effort: "low"},
		{Role: "build", Model: "fake/demo-1"},
		{Role: "strict", Model: "a/b/c", Effort: "high"},
		{Role: "plan", Model: "a/b", Bound: true},
		{Role: "plan", Model: "a/b", Bound: true},
		{},
	}
	o, db, s := newStore(t)
	var cursor agent.Cursor
	for i, data := range users {
		at := base + int64(i)*1000
		prompt, answer := fmt.Sprintf("msg_1fb6f4e8a%03dprompt", i), fmt.Sprintf("msg_1fb6f4e8b%03danswer", i)
		insert(t, db, prompt, at, data)
		b := read(t, o, s, cursor)
		if b.Info.Setup != want[i] {
			t.Errorf("prompt %d: %+v, want %+v", i, b.Info.Setup, want[i])
		}
		insert(t, db, answer, at+1, fmt.Sprintf(fail, prompt, at+1, at+2))
		b = read(t, o, s, b.Cursor)
		cursor = b.Cursor
		if again := read(t, o, s, cursor); b.Info.Setup != want[i] || again.Info.Setup != want[i] {
			t.Errorf("answer %d: %+v, again %+v, want %+v", i, b.Info.Setup, again.Info.Setup, want[i])
		}
	}
	// The newest answer belongs to an older prompt: that one counts.
	insert(t, db, "msg_1fb6f4e8c000late", base+100_000, fmt.Sprintf(fail, "msg_1fb6f4e8a000prompt", base+100_000, base+100_001))
	if b := read(t, o, s, ""); b.Info.Setup != want[0] {
		t.Errorf("an answer to the first prompt: %+v", b.Info.Setup)
	}
}

func TestSetupInFiles(t *testing.T) {
	o, s, b := one(t, "old-1.1.53-retries-for-ever")
	if want := (detect.Setup{Role: "build", Model: "fake/demo-1"}); b.Info.Setup != want {
		t.Errorf("%+v, want %+v", b.Info.Setup, want)
	}
	if again := read(t, o, s, b.Cursor); again.Info.Setup != b.Info.Setup {
		t.Errorf("again: %+v", again.Info.Setup)
	}
}

// A command that its user runs with "!" asks no model (rows of 1.18.33): the stop before it stays the newest
// word of the session, however the rows come.
func TestShellCommandEndsNoWait(t *testing.T) {
	const at = int64(1795219735051)
	o, db, s := newStore(t)
	insert(t, db, "msg_1fb6f4e8a001prompt", at, `{"role":"user","agent":"plan","model":{"providerID":"fake","modelID":"demo-1"},"time":{"created":1795219735051}}`)
	insert(t, db, "msg_1fb6f4e8a002failed", at+1, fmt.Sprintf(fail, "msg_1fb6f4e8a001prompt", at+1, at+2))
	b := read(t, o, s, "")
	var c detect.Classifier
	feed := func(b agenttest.Batch) {
		for _, e := range b.Events {
			c.Feed(e)
		}
	}
	feed(b)
	stopped := func(when string) {
		t.Helper()
		c.Holder = detect.Holder{Liveness: detect.Gone}
		if got := c.Stop(); got.Reason != detect.RateLimit || got.Key != "msg_1fb6f4e8a002failed" {
			t.Errorf("%s: %+v", when, got)
		}
		all := judge(read(t, o, s, "").Events, detect.Gone)
		if all.Reason != detect.RateLimit || all.Key != "msg_1fb6f4e8a002failed" {
			t.Errorf("%s, read as a whole: %+v", when, all)
		}
	}
	step := func(when string) {
		t.Helper()
		b = read(t, o, s, b.Cursor)
		feed(b)
		stopped(when)
		if b.Info.Setup.Role != "" && b.Info.Setup.Role != "plan" {
			t.Errorf("%s: the stop's prompt ran as %q", when, b.Info.Setup.Role)
		}
	}
	const asked, ran = "msg_1fb6f4e8b001asked", "msg_1fb6f4e8b002ran"
	insertPart(t, db, "prt_1", asked, at+10, `{"type":"text","synthetic":true,"text":"The following tool was executed by the user"}`)
	insert(t, db, asked, at+10, `{"role":"user","agent":"build","model":{"providerID":"fake","modelID":"demo-1"},"time":{"created":1795219735061}}`)
	step("begun")
	insert(t, db, ran, at+11, `{"role":"assistant","parentID":"`+asked+`","providerID":"fake","modelID":"demo-1","time":{"created":1795219735062}}`)
	insertPart(t, db, "prt_2", ran, at+11, `{"type":"tool","tool":"bash","state":{"status":"running"}}`)
	step("running")
	exec(t, db, "update part set data = ? where id = 'prt_2'", `{"type":"tool","tool":"bash","state":{"status":"completed"}}`)
	update(t, db, ran, at+12, `{"role":"assistant","parentID":"`+asked+`","providerID":"fake","modelID":"demo-1","time":{"created":1795219735062,"completed":1795219735063}}`)
	step("done")
	// A prompt of a person in these very words is one.
	insertPart(t, db, "prt_3", "msg_1fb6f4e8c001typed", at+20, `{"type":"text","text":"The following tool was executed by the user"}`)
	insert(t, db, "msg_1fb6f4e8c001typed", at+20, `{"role":"user","time":{"created":1795219735071}}`)
	feed(read(t, o, s, b.Cursor))
	if got := c.Stop(); got.Key == "msg_1fb6f4e8a002failed" {
		t.Errorf("a person's prompt ends no wait: %+v", got)
	}
}
