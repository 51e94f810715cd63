package provider

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// Request is one logged request.
type Request struct {
	At     time.Time // when it arrived
	End    time.Time // when its answer was complete or given up; zero: still open
	Method string
	Path   string // without the query

	// Bearer and Key are the values of "Authorization: Bearer" and of x-api-key or x-goog-api-key.
	// Only dummies ever come here.
	Bearer string
	Key    string

	// Session is the conversation: opencode's x-session-id, Codex's session-id, the session id of
	// Claude Code's metadata. Gemini's requests name none.
	Session  string
	Model    string
	Stream   bool
	Tools    int    // tools offered to the model
	Messages int    // messages of the conversation
	LastUser string // text of the last user message, blocks joined by a newline, without tool results and reminders
	// Main: the request of the agent's own turn, which takes an answer from the script. It offers
	// tools and is not a warm-up. Titles, topic checks, quota probes (max_tokens 1), connection
	// probes and token counts are not.
	Main bool

	Status int    // what it was answered with; 0: the connection was closed or cut
	Body   []byte // as it came
}

// body is what the APIs have in common, as far as it matters here. The conversation lies in one of
// three fields.
type body struct {
	Model     string            `json:"model"`
	Stream    bool              `json:"stream"`
	MaxTokens int               `json:"max_tokens"`
	Tools     []json.RawMessage `json:"tools"`
	Messages  []said            `json:"messages"`
	Input     json.RawMessage   `json:"input"`    // Responses: a list of items
	Contents  []said            `json:"contents"` // Gemini
	Metadata  struct {
		UserID string `json:"user_id"`
	} `json:"metadata"`
}

type said struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Parts   json.RawMessage `json:"parts"` // Gemini's content
}

// turns is the conversation.
func (b body) turns() []said {
	var items []said
	switch {
	case len(b.Contents) > 0:
		return b.Contents
	case len(b.Input) > 0 && json.Unmarshal(b.Input, &items) == nil:
		return items
	}
	return b.Messages
}

// describe reads a request into its log entry. A body that is no JSON leaves the fields empty.
func describe(r *http.Request, raw []byte, now time.Time) Request {
	req := Request{Body: raw, At: now, Method: r.Method, Path: r.URL.Path, Key: r.Header.Get("X-Api-Key")}
	if req.Key == "" {
		req.Key = r.Header.Get("X-Goog-Api-Key")
	}
	req.Bearer, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	var b body
	if json.Unmarshal(raw, &b) != nil {
		return req
	}
	req.Session = conversation(r.Header, b.Metadata.UserID)
	turns := b.turns()
	req.Model, req.Stream, req.Tools, req.Messages = b.Model, b.Stream, len(b.Tools), len(turns)
	if isGemini(req.Path) {
		name, method, _ := strings.Cut(strings.TrimPrefix(req.Path, pathGemini), ":")
		req.Model, req.Stream = name, method == streamMethod
	}
	for _, m := range turns {
		if m.Role != "user" {
			continue
		}
		for _, content := range []json.RawMessage{m.Content, m.Parts} {
			if t := text(content); t != "" {
				req.LastUser = t
			}
		}
	}
	isTurn := apiOf(req.Path) != nil
	req.Main = isTurn && req.Method == http.MethodPost && req.Tools > 0 && b.MaxTokens != 1 && req.LastUser != "Warmup"
	return req
}

// conversation finds the session id: a header, or inside Claude Code's metadata.user_id, which is
// a JSON object, in older versions a text that ends in _session_<id>.
func conversation(h http.Header, user string) string {
	for _, name := range []string{"X-Session-Id", "X-Claude-Code-Session-Id", "Session-Id"} {
		if id := h.Get(name); id != "" {
			return id
		}
	}
	var id struct {
		Session string `json:"session_id"`
	}
	if json.Unmarshal([]byte(user), &id) == nil && id.Session != "" {
		return id.Session
	}
	_, after, _ := strings.Cut(user, "_session_")
	return after
}

// text joins the text blocks of a message's content, which is a string or a list of blocks.
func text(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		if (b.Type == "text" || b.Type == "input_text" || b.Type == "") && b.Text != "" && !added(b.Text) {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// added tells what an agent puts on the user's side by itself: Claude Code's reminders, what Codex and
// Gemini say of the machine.
func added(text string) bool {
	for _, tag := range []string{"<system-reminder>", "<environment_context>", "<session_context>"} {
		if strings.HasPrefix(text, tag) {
			return true
		}
	}
	return false
}
