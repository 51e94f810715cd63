package gemini

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// What Google answers is read from the agent's error as what it means.
func TestBodies(t *testing.T) {
	g := New(agent.Env{Home: t.TempDir(), Zone: time.UTC}, agent.Config{})
	agenttest.CheckBodies(t, "../../testdata/vocab/bodies.tsv", agenttest.Recorder{
		Agent:     "gemini",
		Providers: []string{"vertex"},
		Read: func(b agenttest.Body) (detect.Stop, agenttest.Part) {
			if !strings.Contains(b.Text, `"status":"`) { // another vendor's model, which it does not talk to
				return detect.Stop{}, agenttest.OnlyStatus
			}
			text, has := written(b)
			stop, _ := g.Message(text, b.At, time.UTC)
			return stop, has
		},
	})
}

// written is how 0.61 writes down an answer: its sentence where it may ask again, else all of it.
func written(b agenttest.Body) (string, agenttest.Part) {
	text, has := "[API Error: "+b.Text+"]", agenttest.WholeBody
	if said, ok := b.Sentence(); ok && (b.Status == http.StatusTooManyRequests || b.Status == http.StatusServiceUnavailable) {
		text, has = "[API Error: "+said+"]", agenttest.Sentence
	}
	if b.Status == http.StatusTooManyRequests {
		text += "\nPlease wait and try again later. To increase your limits, request a quota increase through Vertex, or switch to another /auth method"
	}
	return text, has
}
