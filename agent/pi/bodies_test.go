package pi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// What providers answer is read from the agent's record of it as what it means, in each form that the agent has for it.
func TestBodies(t *testing.T) {
	p := over(t.TempDir(), procTable{}, agent.Config{})
	all := []string{"openrouter", "litellm", "zai", "bedrock", "vertex", "azure", "copilot", "dashscope", "deepseek", "moonshot", "minimax",
		"groq", "cerebras", "xai", "mistral", "ollama", "volcengine", "nvidia", "cloudflare"}
	for name, form := range map[string]struct {
		providers []string
		write     func(agenttest.Body) (string, agenttest.Part)
	}{
		"pi":            {all, inObject},
		"pi-anthropic":  {all, behindStatus},
		"pi-responses":  {all, responses},
		"pi-0.73":       {all, spoken},
		"pi-google":     {[]string{"vertex"}, bare},
		"pi-google-raw": {[]string{"vertex"}, wrapped},
	} {
		t.Run(name, func(t *testing.T) {
			agenttest.CheckBodies(t, "../../testdata/vocab/bodies.tsv", agenttest.Recorder{Agent: name, Providers: form.providers,
				Read: func(b agenttest.Body) (detect.Stop, agenttest.Part) {
					text, has := form.write(b)
					stop, _ := p.failure(&message{Role: "assistant", StopReason: "error", Error: text}, b.At).Stop(b.At)
					return stop, has
				}})
		})
	}
}

// inObject: the object of the error, behind the status.
func inObject(b agenttest.Body) (string, agenttest.Part) {
	var said struct {
		Error json.RawMessage `json:"error"`
	}
	status := strconv.Itoa(b.Status)
	switch err := json.Unmarshal([]byte(b.Text), &said); {
	case err != nil:
		return status + " " + b.Text, agenttest.WholeBody
	case said.Error == nil:
		return status + ": " + b.Text, agenttest.WholeBody
	}
	return status + ": " + string(said.Error), agenttest.WholeBody
}

// behindStatus: the body as it came.
func behindStatus(b agenttest.Body) (string, agenttest.Part) {
	return strconv.Itoa(b.Status) + " " + b.Text, agenttest.WholeBody
}

// responses: behind the name of the API.
func responses(b agenttest.Body) (string, agenttest.Part) {
	return "OpenAI API error (" + strconv.Itoa(b.Status) + "): " + b.Text, agenttest.WholeBody
}

// spoken: the provider's sentence, as 0.73 wrote it.
func spoken(b agenttest.Body) (string, agenttest.Part) {
	said, ok := b.Sentence()
	if !ok {
		return behindStatus(b)
	}
	return strconv.Itoa(b.Status) + " " + said, agenttest.Sentence
}

// bare: Google's body, without the status.
func bare(b agenttest.Body) (string, agenttest.Part) { return b.Text, agenttest.WholeBody }

// wrapped: its text within a body of the client's own, where it did not come as JSON.
func wrapped(b agenttest.Body) (string, agenttest.Part) {
	text, _ := json.Marshal(map[string]any{"error": map[string]any{"message": b.Text, "code": b.Status, "status": http.StatusText(b.Status)}})
	return string(text), agenttest.WholeBody
}

// A body in the message of another keeps its line breaks, which no text of a terminal has.
func TestGoogleWithin(t *testing.T) {
	p := over(t.TempDir(), procTable{}, agent.Config{})
	inner := "{\n  \"error\": {\n    \"code\": 429,\n    \"message\": \"Resource has been exhausted (e.g. check quota).\",\n    \"status\": \"RESOURCE_EXHAUSTED\"\n  }\n}\n"
	text, _ := wrapped(agenttest.Body{Status: http.StatusTooManyRequests, Text: inner})
	f := p.failure(&message{Role: "assistant", StopReason: "error", Error: text}, at("2026-11-20T12:00:00Z"))
	if f.Reason != detect.RateLimit || f.Status != http.StatusTooManyRequests {
		t.Errorf("%+v", f)
	}
}
