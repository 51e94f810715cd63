package trigger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/clawd-project/clawd/resume"
)

const (
	healthTime  = 3 * time.Second
	requestTime = 15 * time.Second // the first request of a folder boots the server's part for it
	abortTime   = 10 * time.Second // for a turn to end that was told to
	abortLook   = 100 * time.Millisecond
)

// healthy asks the server whether it is there. What it has in mind with the port is its own
// matter, so an answer that is not JSON is another program's.
func (t *Trigger) healthy(ctx context.Context, p resume.Plan) error {
	short, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	switch status, kind, _, err := t.call(short, p, http.MethodGet, p.Health, nil); {
	case err != nil:
		return &BlockedError{"the agent's server does not answer: " + err.Error()}
	case status == http.StatusUnauthorized:
		return &BlockedError{"the agent's server wants a password: " + p.Unlock}
	case status != http.StatusOK || !strings.HasPrefix(kind, "application/json"):
		return &BlockedError{fmt.Sprintf("the agent's server answers its health check with %d", status)}
	}
	if err := t.hasRole(ctx, p); err != nil {
		return err
	}
	return t.atRest(ctx, p)
}

// hasRole looks whether the server knows the role that the prompt is to run in, and whether a prompt can.
func (t *Trigger) hasRole(ctx context.Context, p resume.Plan) error {
	if p.Roles == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	status, _, body, err := t.call(ctx, p, http.MethodGet, p.Roles, nil)
	var all []struct {
		Name string `json:"name"`
		Mode string `json:"mode"`
	}
	if err == nil && status == http.StatusOK {
		err = json.Unmarshal(body, &all)
	}
	if err != nil || status != http.StatusOK {
		return &BlockedError{fmt.Sprintf("the agent's server does not list its agents (%d): %v", status, err)}
	}
	for _, a := range all {
		if a.Name == p.Role && (a.Mode == "primary" || a.Mode == "all") {
			return nil
		}
	}
	return &BlockedError{fmt.Sprintf("the session ran as agent %q, which is gone; clawd does not resume it as another", p.Role)}
}

// soonAgain: a wait that ends so soon is not ended by clawd.
const soonAgain = 2 * time.Minute

// atRest asks the server what the session does: a turn that is at work, or asks its user, is nobody's
// to end or to be prompted into. With Abort it must be in a wait that still lasts.
func (t *Trigger) atRest(ctx context.Context, p resume.Plan) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	status, _, body, err := t.call(ctx, p, http.MethodGet, p.Status, nil)
	var all map[string]struct {
		Type string `json:"type"`
		Next int64  `json:"next"` // unix milliseconds
	}
	if err == nil && status == http.StatusOK {
		err = json.Unmarshal(body, &all)
	}
	if err != nil || status != http.StatusOK {
		return &BlockedError{fmt.Sprintf("what the session does on the agent's server cannot be seen (%d): %v", status, err)}
	}
	now, there := all[p.Session]
	switch {
	case p.Abort == "" && (!there || now.Type == "idle"):
		return nil
	case p.Abort == "":
		return &BlockedError{fmt.Sprintf("the session is not at rest on the agent's server: %q", now.Type)}
	case !there || now.Type != "retry":
		return errors.New("the agent no longer waits to ask again")
	case time.Until(time.UnixMilli(now.Next)) < soonAgain:
		return errors.New("the agent asks again by itself within two minutes")
	}
	return nil
}

// request ends the holder's own wait, where the plan says so, and sends the prompt.
func (l *live) request(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	p := l.c.Plan
	if p.Abort != "" {
		l.sent = true // the agent's own wait may be over, whatever becomes of the prompt
		if status, _, _, err := l.t.call(ctx, p, http.MethodPost, p.Abort, nil); err != nil || status != http.StatusOK {
			return fmt.Errorf("the agent's own wait could not be ended (%d): %w", status, err)
		}
		l.t.over(ctx, p)
	}
	l.sent = true // also when the answer is lost
	status, _, _, err := l.t.call(ctx, p, http.MethodPost, p.URL, p.Body)
	switch {
	case err != nil:
		return err
	case status >= 400 && status < 500: // refused as a whole
		l.sent = p.Abort != ""
		return fmt.Errorf("the agent's server refused the prompt with %d", status)
	case status != http.StatusNoContent && status != http.StatusOK:
		return fmt.Errorf("the agent's server answered %d", status)
	}
	return nil
}

// over waits until the turn is over whose wait was ended. opencode 1.3 says at once that the session is at rest; a prompt that it
// takes then is ended together with the turn before. What cannot be seen is not waited for.
func (t *Trigger) over(ctx context.Context, p resume.Plan) {
	ctx, cancel := context.WithTimeout(ctx, abortTime)
	defer cancel()
	for t.lasts(ctx, p) {
		select {
		case <-ctx.Done():
		case <-time.After(abortLook):
		}
	}
}

// lasts tells whether the server shows an answer that is not complete.
func (t *Trigger) lasts(ctx context.Context, p resume.Plan) bool {
	status, _, body, err := t.call(ctx, p, http.MethodGet, p.Newest, nil)
	var newest []struct {
		Info struct {
			Role string
			Time struct{ Completed int64 } // unix milliseconds
		}
	}
	if err != nil || status != http.StatusOK || json.Unmarshal(body, &newest) != nil || len(newest) == 0 {
		return false
	}
	last := newest[len(newest)-1].Info
	return last.Role == "assistant" && last.Time.Completed == 0
}

// call makes one request to loopback. It follows no redirect.
func (t *Trigger) call(ctx context.Context, p resume.Plan, method, target string, body []byte) (status int, kind string, answer []byte, err error) {
	u, err := url.Parse(target)
	if err != nil {
		return 0, "", nil, err
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme != "http" || ip == nil || !ip.IsLoopback() {
		return 0, "", nil, errors.New("the server is not on loopback")
	}
	r, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if p.Password != "" {
		r.SetBasicAuth(p.User, p.Password)
	}
	c := http.Client{Transport: t.HTTP, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Do(r)
	if err != nil {
		return 0, "", nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, resp.Header.Get("Content-Type"), answer, err
}
