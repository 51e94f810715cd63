package provider

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	codexTurn = `{"model":"m","stream":true,"tools":[{"name":"exec_command"}],"input":[` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x"}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"say done"}]}]}`
	geminiTurn = `{"tools":[{"functionDeclarations":[]}],"contents":[` +
		`{"role":"user","parts":[{"text":"<session_context>x"}]},{"role":"user","parts":[{"text":"say done"}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"1"}}]}]}`
	geminiSide   = `{"contents":[{"role":"user","parts":[{"text":"say done"}]}]}`
	geminiStream = pathGemini + "m:" + streamMethod
	geminiWhole  = pathGemini + "small:" + wholeMethod
)

// events gives the data of a stream.
func events(t *testing.T, body string) (list []map[string]any) {
	t.Helper()
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var e map[string]any
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		list = append(list, e)
	}
	return list
}

func TestResponses(t *testing.T) {
	p, url := serve(t)
	p.Queue(ToolCall("exec_command", map[string]any{"cmd": "true"}), Cut("half"))
	_, body, err := post(t, url+pathResponses, codexTurn, "session-id", "abc", "Authorization", "Bearer sk-dummy")
	list := events(t, body)
	if err != nil || len(list) != 6 || list[0]["type"] != "response.created" || list[5]["type"] != "response.completed" ||
		!strings.Contains(body, `"arguments":"{\"cmd\":\"true\"}"`) {
		t.Errorf("err %v, %d events\n%s", err, len(list), body)
	}
	r := p.Main()[0]
	if r.Session != "abc" || r.LastUser != "say done" || r.Model != "m" || !r.Stream || r.Bearer != "sk-dummy" {
		t.Errorf("%+v", r)
	}
	if _, body, err := post(t, url+pathResponses, codexTurn); err == nil || !strings.Contains(body, "half") || strings.Contains(body, "completed") {
		t.Errorf("a cut stream: err %v\n%s", err, body)
	}
}

func TestResponsesLimits(t *testing.T) {
	reset := time.Unix(1795223080, 0)
	for _, w := range []struct {
		answer             Answer
		status             int
		code               string
		primary, secondary string
	}{
		{UsageLimitUntil(FiveHour, reset), 429, `"type":"usage_limit_reached"`, "100", "30"},
		{UsageLimitUntil(SevenDay, reset), 429, `"resets_at":1795223080`, "30", "100"},
		{RateLimit(), 429, `"code":"rate_limit_exceeded"`, "", ""},
		{Overloaded(), 503, `"code":"server_is_overloaded"`, "", ""},
		{NoCredit(), 429, `"code":"insufficient_quota"`, "", ""},
		{TooLong(), 400, `"code":"context_length_exceeded"`, "", ""},
		{Unauthorized(), 401, `"code":"invalid_api_key"`, "", ""},
	} {
		p, url := serve(t)
		p.Queue(w.answer)
		resp, body, err := post(t, url+pathResponses, codexTurn)
		if err != nil || resp.StatusCode != w.status || !strings.Contains(body, w.code) ||
			resp.Header.Get("X-Codex-Primary-Used-Percent") != w.primary || resp.Header.Get("X-Codex-Secondary-Used-Percent") != w.secondary {
			t.Errorf("want %d %s: %d %s, err %v, %v", w.status, w.code, resp.StatusCode, body, err, resp.Header)
		}
	}
}

func TestGemini(t *testing.T) {
	p, url := serve(t)
	p.Queue(ToolCall("read_file", map[string]any{"file_path": "a"}), Text("whole"))
	_, body, err := post(t, url+geminiStream, geminiTurn, "x-goog-api-key", "dummy")
	if list := events(t, body); err != nil || len(list) != 1 || !strings.Contains(body, `"functionCall":{"args":{"file_path":"a"},"name":"read_file"}`) ||
		!strings.Contains(body, `"finishReason":"STOP"`) {
		t.Errorf("err %v\n%s", err, body)
	}
	if _, body, err := post(t, url+geminiWhole, geminiSide); err != nil || !strings.Contains(body, "model_choice") {
		t.Errorf("a side request: err %v\n%s", err, body)
	}
	main := p.Main()
	if len(main) != 1 || main[0].LastUser != "say done" || main[0].Model != "m" || !main[0].Stream || main[0].Key != "dummy" {
		t.Errorf("%+v", main)
	}
	if resp, _, err := post(t, url+pathGemini+"m:countTokens", geminiTurn); err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("another method: %d, err %v", resp.StatusCode, err)
	}
}

func TestGeminiLimits(t *testing.T) {
	for _, w := range []struct {
		answer Answer
		status int
		text   []string
	}{
		{UsageLimit(FiveHour, time.Hour), 429, []string{`"quotaId":"GenerateRequestsPerDay`, `"retryDelay":"3600s"`, `"status":"RESOURCE_EXHAUSTED"`}},
		{RateLimit().After(400), 429, []string{`"retryDelay":"400s"`}},
		{RateLimit(), 429, []string{"Resource has been exhausted"}},
		{Overloaded(), 503, []string{`"status":"UNAVAILABLE"`}},
		{NoCredit(), 403, []string{"BILLING_DISABLED"}},
		{TooLong(), 400, []string{"exceeds the maximum number of tokens allowed"}},
		{Unauthorized(), 401, []string{"UNAUTHENTICATED"}},
	} {
		p, url := serve(t)
		p.Queue(w.answer)
		resp, body, err := post(t, url+geminiStream, geminiTurn)
		if err != nil || resp.StatusCode != w.status {
			t.Errorf("want %d: %d %s, err %v", w.status, resp.StatusCode, body, err)
		}
		for _, text := range w.text {
			if !strings.Contains(body, text) {
				t.Errorf("want %s: %s", text, body)
			}
		}
		if len(w.text) == 1 && w.answer.retry == 0 && strings.Contains(body, "RetryInfo") {
			t.Errorf("a delay that nobody asked for: %s", body)
		}
	}
}
