package opencode

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// Ids that the agent gave (testdata/opencode): the time of the row stands in them.
func TestMessageID(t *testing.T) {
	for at, want := range map[int64]string{1795219858609: "msg_1fb7124b1001", 1795219876022: "msg_1fb7168b6001"} {
		if got := messageID(time.UnixMilli(at), uuid.New()); len(got) != len("msg_1fb7124b1001TCl406UbYiONvu") || got[:len(want)] != want {
			t.Errorf("%d: %s, want %s…", at, got, want)
		}
	}
	if a, b := messageID(time.UnixMilli(1), uuid.UUID{}), messageID(time.UnixMilli(2), uuid.UUID{}); a >= b || a != "msg_000000001001"+"00000000000000" {
		t.Errorf("%s, %s do not ascend", a, b)
	}
}

func TestWake(t *testing.T) {
	env := map[string]string{"OPENCODE_SERVER_PASSWORD": "secret"}
	o := &OpenCode{data: "/data", env: agent.Env{Getenv: func(k string) string { return env[k] }}}
	s := detect.Session{Agent: "opencode", ID: testID, Path: "/data/opencode.db"}
	dir := t.TempDir()
	r := agent.Request{Session: s, Info: detect.Info{Dir: dir, Setup: detect.Setup{Role: "plan", Model: "openrouter/some/model", Effort: "low"}}, Prompt: "go on", Holder: detect.Holder{URL: "http://127.0.0.1:4096"}}
	p, err := o.Wake(r)
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		MessageID string
		Parts     []struct{ Type, Text string }
		Agent     string
		Model     struct{ ProviderID, ModelID string }
		Variant   string
	}
	if err := json.Unmarshal(p.Body, &body); err != nil || body.MessageID != p.MessageID || len(body.Parts) != 1 || body.Parts[0].Text != "go on" {
		t.Errorf("%s (%v)", p.Body, err)
	}
	if body.Agent != "plan" || body.Model.ProviderID != "openrouter" || body.Model.ModelID != "some/model" || body.Variant != "low" {
		t.Errorf("the prompt is not given what the last one had: %s", p.Body)
	}
	if p.Roles != "http://127.0.0.1:4096/agent?directory="+url.QueryEscape(dir) || p.Role != "plan" {
		t.Errorf("agent %q is looked for at %q", p.Role, p.Roles)
	}
	if p.Way != resume.HTTP || p.User != "opencode" || p.Password != "secret" || p.Abort != "" || p.Health != "http://127.0.0.1:4096/global/health" ||
		p.Status != "http://127.0.0.1:4096/session/status?directory="+url.QueryEscape(dir) {
		t.Errorf("%+v", p)
	}
	if stored, err := json.Marshal(p); err != nil || strings.Contains(string(stored), "secret") {
		t.Errorf("the password is stored: %s", stored)
	}
	r.Stop.State = detect.Retrying
	if p, err = o.Wake(r); err != nil || p.Abort == "" || !strings.HasSuffix(p.Newest, "/message?directory="+url.QueryEscape(dir)+"&limit=1") {
		t.Errorf("the agent's own wait is not ended: %v; its end is looked for at %q", err, p.Newest)
	}
	r.Holder.URL = ""
	if _, err = o.Wake(r); !errors.As(err, new(*agent.Unfit)) {
		t.Errorf("without a server: %v", err)
	}
}
