package provider

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	turn = `{"model":"m","stream":%STREAM%,"tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"say done"}]}`
	side = `{"model":"small","messages":[{"role":"user","content":"a title, please"}]}`
)

func serve(t *testing.T) (*Provider, string) {
	t.Helper()
	p := New()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return p, server.URL
}

// answered is a response whose body was read to its end.
type answered struct {
	StatusCode int
	Header     http.Header
}

func post(t *testing.T, url, body string, header ...string) (answered, string, error) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answered{}, "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return answered{resp.StatusCode, resp.Header}, string(data), err
}

func asTurn(stream bool) string {
	return strings.Replace(turn, "%STREAM%", strconv.FormatBool(stream), 1)
}

func TestTextInAllForms(t *testing.T) {
	for _, path := range []string{pathMessages, pathChat} {
		for _, stream := range []bool{false, true} {
			p, url := serve(t)
			p.Queue(Text("hello there"))
			resp, body, err := post(t, url+path, asTurn(stream))
			if err != nil || resp.StatusCode != 200 || !strings.Contains(body, "hello there") {
				t.Errorf("%s stream %v: %v %s", path, stream, err, body)
			}
			want := "application/json"
			if stream {
				want = "text/event-stream"
			}
			if got := resp.Header.Get("Content-Type"); got != want {
				t.Errorf("%s: content type %s, want %s", path, got, want)
			}
			if stream {
				checkEvents(t, path, body)
			}
		}
	}
}

// checkEvents wants every data line to be JSON or the end mark, and the closing event of the API.
func checkEvents(t *testing.T, path, body string) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if ok && data != "[DONE]" && !json.Valid([]byte(data)) {
			t.Errorf("%s: no JSON: %s", path, data)
		}
	}
	end := `"type":"message_stop"`
	if path == pathChat {
		end = "data: [DONE]"
	}
	if !strings.Contains(body, end) {
		t.Errorf("%s: no %s in\n%s", path, end, body)
	}
}

func TestToolCall(t *testing.T) {
	for path, wants := range map[string][]string{
		pathMessages: {`"stop_reason":"tool_use"`, `"name":"Bash"`, `{\"command\":\"echo hi\"}`},
		pathChat:     {`"finish_reason":"tool_calls"`, `"name":"Bash"`, `{\"command\":\"echo hi\"}`},
	} {
		p, url := serve(t)
		p.Queue(ToolCall("Bash", map[string]any{"command": "echo hi"}))
		_, body, err := post(t, url+path, asTurn(true))
		for _, want := range wants {
			if err != nil || !strings.Contains(body, want) {
				t.Errorf("%s: %v, no %s in\n%s", path, err, want, body)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		answer Answer
		status int
		header map[string]string
		kind   string
	}{
		{RateLimit(), 429, map[string]string{"Retry-After": "", "Retry-After-Ms": ""}, "rate_limit_error"},
		{RateLimit().After(60), 429, map[string]string{"Retry-After": "60"}, "rate_limit_error"},
		{RateLimit().AfterMS(250), 429, map[string]string{"Retry-After-Ms": "250"}, "rate_limit_error"},
		{UsageLimitUntil(FiveHour, time.Unix(4000000000, 0)), 429, map[string]string{
			"Anthropic-Ratelimit-Unified-Status": "rejected", "Anthropic-Ratelimit-Unified-Reset": "4000000000",
			"Anthropic-Ratelimit-Unified-5h-Reset": "4000000000", "Anthropic-Ratelimit-Unified-Representative-Claim": "five_hour"}, "rate_limit_error"},
		{UsageLimitUntil(SevenDay, time.Unix(4000000000, 0)), 429, map[string]string{
			"Anthropic-Ratelimit-Unified-7d-Reset": "4000000000", "Anthropic-Ratelimit-Unified-5h-Status": "allowed"}, "rate_limit_error"},
		{Overloaded(), 529, nil, "overloaded_error"},
		{ServerError(), 500, nil, "api_error"},
		{Unauthorized(), 401, nil, "authentication_error"},
		{NoCredit(), 400, nil, "credit balance is too low"},
		{TooLong(), 400, nil, "prompt is too long"},
	} {
		for _, path := range []string{pathMessages, pathChat} {
			p, url := serve(t)
			p.Queue(c.answer)
			resp, body, err := post(t, url+path, asTurn(true))
			if err != nil || resp.StatusCode != c.status || !strings.Contains(body, c.kind) {
				t.Errorf("%s %d: %v %s", path, c.status, err, body)
				continue
			}
			for name, want := range c.header {
				if got := resp.Header.Get(name); got != want {
					t.Errorf("%s %s = %q, want %q", path, name, got, want)
				}
			}
		}
	}
}

func TestResetsCountFromTheAnswer(t *testing.T) {
	now := time.Date(2026, 11, 21, 2, 0, 0, 0, time.UTC)
	if got, want := RateLimit().AfterDate(time.Minute).headers(now).Get("Retry-After"), "Sat, 21 Nov 2026 02:01:00 GMT"; got != want {
		t.Errorf("Retry-After = %q, want %q", got, want)
	}
	h := UsageLimit(FiveHour, 90*time.Second).headers(now)
	if got, want := h.Get("Anthropic-Ratelimit-Unified-Reset"), strconv.FormatInt(now.Unix()+90, 10); got != want {
		t.Errorf("reset = %q, want %q", got, want)
	}
	if got := h.Get("Retry-After"); got != "90" {
		t.Errorf("Retry-After = %q, want 90", got)
	}
}

func TestBrokenConnections(t *testing.T) {
	for _, path := range []string{pathMessages, pathChat} {
		for _, stream := range []bool{false, true} {
			p, url := serve(t)
			p.Queue(Cut("half a"), Refused())
			if resp, body, err := post(t, url+path, asTurn(stream)); err == nil {
				t.Errorf("cut: %d %q without an error", resp.StatusCode, body)
			} else if stream && !strings.Contains(body, "half a") {
				t.Errorf("cut: %q, want the half answer", body)
			}
			if _, _, err := post(t, url+path, asTurn(stream)); err == nil {
				t.Error("refused: no error")
			}
			if log := p.Main(); len(log) != 2 || log[0].Status != 0 || log[1].Status != 0 {
				t.Errorf("log %+v", log)
			}
		}
	}
}

func TestSideRequestsTakeNoAnswer(t *testing.T) {
	p, url := serve(t)
	p.Queue(Text("for the turn"))
	for path, body := range map[string]string{
		pathMessages:                   side,
		pathChat:                       side,
		pathMessages + "/count_tokens": asTurn(false),
		pathMessages + "?beta=true":    strings.Replace(asTurn(false), `"model"`, `"max_tokens":1,"model"`, 1),
	} {
		if resp, got, err := post(t, url+path, body); err != nil || resp.StatusCode != 200 || strings.Contains(got, "for the turn") {
			t.Errorf("%s: %v %s", path, err, got)
		}
	}
	warmup := strings.Replace(asTurn(false), "say done", "Warmup", 1)
	if _, got, _ := post(t, url+pathMessages, warmup); strings.Contains(got, "for the turn") {
		t.Error("a warm-up took the answer")
	}
	if resp, err := http.Head(url + "/"); err != nil || resp.StatusCode != 200 || resp.Body.Close() != nil {
		t.Errorf("HEAD: %v", err)
	}
	if resp, _, err := post(t, url+"/v1/other", asTurn(false)); err != nil || resp.StatusCode != 404 {
		t.Errorf("another route: %v", err)
	}
	if n := len(p.Main()); n != 0 {
		t.Errorf("%d main requests, want 0", n)
	}
	if _, got, _ := post(t, url+pathMessages, asTurn(false)); !strings.Contains(got, "for the turn") {
		t.Errorf("the turn got %s", got)
	}
}

func TestQueues(t *testing.T) {
	p, url := serve(t)
	p.Queue(Text("for all"))
	p.QueueFor("one", Text("for one"))
	p.SetRule(func(r Request) *Answer {
		if r.Session == "two" {
			a := Text("by rule")
			return &a
		}
		return nil
	})
	for _, c := range [][2]string{{"one", "for one"}, {"one", "for all"}, {"two", "by rule"}, {"three", "All done."}} {
		_, got, err := post(t, url+pathChat, asTurn(false), "x-session-id", c[0])
		if err != nil || !strings.Contains(got, c[1]) {
			t.Errorf("%s got %s, want %s (%v)", c[0], got, c[1], err)
		}
	}
}

func TestLog(t *testing.T) {
	p, url := serve(t)
	body := `{"model":"claude","stream":true,"tools":[{}],"metadata":{"user_id":"{\"session_id\":\"abc\"}"},"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"hello"}]},` +
		`{"role":"assistant","content":"hi"},{"role":"user","content":[{"type":"tool_result","content":"r"}]}]}`
	if _, _, err := post(t, url+pathMessages+"?beta=true", body, "x-api-key", "k", "Authorization", "Bearer b"); err != nil {
		t.Fatal(err)
	}
	got := p.Requests()[0]
	if got.Session != "abc" || got.LastUser != "hello" || got.Messages != 3 || got.Key != "k" || got.Bearer != "b" ||
		got.Path != pathMessages || got.Model != "claude" || !got.Main || got.Status != 200 || got.End.Before(got.At) {
		t.Errorf("log entry %+v", got)
	}
	if id := conversation(http.Header{}, "user_1_account__session_xyz"); id != "xyz" {
		t.Errorf("old form of the session id: %q", id)
	}
}

func TestHold(t *testing.T) {
	p, url := serve(t)
	held, release := Hold(Text("at last"))
	p.Queue(held)
	got := make(chan string, 1)
	go func() {
		_, body, _ := post(t, url+pathMessages, asTurn(false))
		got <- body
	}()
	one := func(main []Request) bool { return len(main) == 1 }
	if err := p.Wait(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	select {
	case body := <-got:
		t.Fatalf("answered before the release: %s", body)
	default:
	}
	release()
	release()
	if body := <-got; !strings.Contains(body, "at last") {
		t.Errorf("got %s", body)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := New().Wait(ctx, func([]Request) bool { return false }); !errors.Is(err, cause) {
		t.Errorf("err = %v, want %v", err, cause)
	}
}
