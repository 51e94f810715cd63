package opencode

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
)

// password is the variable that has the server's.
const password = "OPENCODE_SERVER_PASSWORD"

// Wake asks the holder's own server, where it has one. The prompt's record gets an id of our choice,
// so that a lost answer is settled by looking for it. It is given the agent, model and variant of the prompt
// that stopped, as the server keeps none but the model; an agent that the server does not know is no
// error there, and nothing happens, so the plan has it looked for first.
func (o *OpenCode) Wake(r agent.Request) (resume.Plan, error) {
	if err := o.check(r.Session); err != nil {
		return resume.Plan{}, err
	}
	base := r.Holder.URL
	if base == "" {
		return resume.Plan{}, &agent.Unfit{Why: "no server of opencode has it open"}
	}
	if !o.bounds(r.Launch, r.Holder) {
		return resume.Plan{}, &agent.Unfit{Why: "the server that has it open may lack the limits that its process was started with"}
	}
	if err := agent.CheckDir(r.Info.Dir); err != nil {
		return resume.Plan{}, &agent.Unfit{Why: err.Error()}
	}
	setup := r.Info.Setup
	if err := o.settled(r, setup.Role); err != nil {
		return resume.Plan{}, err
	}
	provider, model, _ := strings.Cut(setup.Model, "/")
	id := messageID(time.Now(), uuid.New())
	prompt := map[string]any{"messageID": id, "parts": []any{map[string]string{"type": "text", "text": r.Prompt}},
		"agent": setup.Role, "model": map[string]string{"providerID": provider, "modelID": model}}
	if setup.Effort != "" {
		prompt["variant"] = setup.Effort
	}
	body, err := json.Marshal(prompt)
	if err != nil {
		return resume.Plan{}, err
	}
	in := "?directory=" + url.QueryEscape(r.Info.Dir)
	session := base + "/session/" + url.PathEscape(r.Session.ID)
	p := resume.Plan{Way: resume.HTTP, Form: resume.FormPrompt, Session: r.Session.ID, Argv: []string{o.Command()}, Dir: r.Info.Dir,
		Prompt: detect.HashText(r.Prompt), Health: base + "/global/health", Status: base + "/session/status" + in, URL: session + "/prompt_async" + in, Body: body, MessageID: id,
		Roles: base + "/agent" + in, Role: setup.Role}
	if r.Stop.State == detect.Retrying {
		p.Abort, p.Newest = session+"/abort"+in, session+"/message"+in+"&limit=1"
	}
	p.User, p.Password = o.cfg.Getenv(o.env, "OPENCODE_SERVER_USERNAME"), o.cfg.Getenv(o.env, password)
	p.Unlock = "put " + password + " into [agent.opencode] env, or into clawd's environment"
	if p.User == "" {
		p.User = "opencode"
	}
	return p, nil
}

// bounds tells whether a server has the bounds of the process that a session stopped in; nil: nobody saw any.
func (o *OpenCode) bounds(l *detect.Launch, server detect.Holder) bool {
	if l == nil || l.PID == server.PID && l.Start == server.Start {
		return true
	}
	p, lives := o.env.Procs.Get(server.PID)
	if !lives || p.Start != server.Start {
		return false
	}
	has, _ := o.launch(p) // none: it is not bound
	return len(l.Lost) == 0 && maps.Equal(l.Bounds, has.Bounds) && reflect.DeepEqual(l.Flags, has.Flags)
}

// messageID makes an id as opencode does: 48 bits of time and a counter, which ascend, and 14 random
// digits of base 62.
func messageID(now time.Time, random uuid.UUID) string {
	stamp := (uint64(now.UnixMilli())<<12 | 1) & (1<<48 - 1)
	n := new(big.Int).SetBytes(random[:])
	digits := n.Text(62)
	if len(digits) < 14 {
		digits = strings.Repeat("0", 14-len(digits)) + digits
	}
	return fmt.Sprintf("msg_%012x%s", stamp, digits[len(digits)-14:])
}
