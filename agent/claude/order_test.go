package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

const recordedID = "58d41b17-86d9-4fbb-bb40-f051ef7f6342"

// What the terminal of 2.1.197 left (a run against a provider on loopback): the failure stands before
// the prompt that it answers. However the file is cut into reads, the failure is the end.
func TestEndBeforeBeginning(t *testing.T) {
	lines := recordedOrder(t)
	for cut := 0; cut <= len(lines); cut++ {
		t.Run(fmt.Sprint("first read of ", cut), func(t *testing.T) {
			root := t.TempDir()
			c, s := over(root, table{}, agent.Config{}), session(root, recordedID)
			var cl detect.Classifier
			cursor := agent.Cursor("")
			for _, part := range []string{strings.Join(lines[:cut], ""), strings.Join(lines[cut:], "")} {
				put(t, s.Path, part)
				b, err := agenttest.Read(t.Context(), c, s, cursor)
				if err != nil {
					t.Fatal(err)
				}
				cursor = b.Cursor
				for _, e := range b.Events {
					cl.Feed(e)
				}
			}
			if st := cl.Stop(); st.State != detect.Stopped || st.Reason != detect.RateLimit || cl.LastPrompt.ID == "" {
				t.Errorf("%s %s, prompt %q", st.State, st.Reason, cl.LastPrompt.ID)
			}
		})
	}
}

// A clock that was set back puts nothing out of order: only the lines' parents can.
func TestClockSetBack(t *testing.T) {
	root := t.TempDir()
	c, s := over(root, table{}, agent.Config{}), session(root, recordedID)
	lines := recordedOrder(t)
	next := strings.NewReplacer("6bd56e", "7bd56e", `"parentUuid":null`, `"parentUuid":"215826be-0000-4000-8000-000000000000"`, "21:32:25", "20:00:00").Replace(userLine(lines))
	put(t, s.Path, strings.Join(lines, "")+next)
	b, err := agenttest.Read(t.Context(), c, s, "")
	if err != nil {
		t.Fatal(err)
	}
	if last := b.Events[len(b.Events)-1]; last.Kind != detect.KindPrompt || !strings.HasPrefix(last.ID, "7bd56e") {
		t.Errorf("the newest is %s %s", last.Kind, last.ID)
	}
}

func userLine(lines []string) string {
	for _, l := range lines {
		if strings.Contains(l, `"type":"user"`) {
			return l
		}
	}
	return ""
}

// The conversation was moved to a session in the background (/background, or the left arrow) behind a failure: whichever of the failure and
// its prompt was written first, nothing in the old session is to be gone on with, until its user asks something there.
func TestContinuedInTheBackground(t *testing.T) {
	const id = "92268ba5-0000-4000-8000-000000000001"
	moved := func(from string) string {
		return `{"type":"continued-in","timestamp":"2026-11-21T21:40:00.000Z","sessionId":"` + from + `","continuedInSessionId":"` + id + `"}` + "\n"
	}
	lines := recordedOrder(t)
	for name, text := range map[string]string{
		"recorded": strings.Join(lines, ""),
		"in order": strings.Join(slices.Concat(lines[6:], lines[3:6]), ""),
	} {
		root := t.TempDir()
		c, s := over(root, table{}, agent.Config{}), session(root, recordedID)
		put(t, s.Path, text+moved(id)) // copied from another session
		before, b := verdict(t, c, s, &detect.Holder{Liveness: detect.Gone})
		if before.Reason != detect.RateLimit {
			t.Fatalf("%s, before: %s %s", name, before.State, before.Reason)
		}
		put(t, s.Path, moved(recordedID))
		late, err := agenttest.Read(t.Context(), c, s, b.Cursor)
		if err != nil || len(late.Events) != 1 || late.Events[0].Kind != detect.KindInterrupt || late.Skipped != 0 {
			t.Errorf("%s, the last look: %+v, %v", name, late.Events, err)
		}
		if st, _ := verdict(t, c, s, &detect.Holder{Liveness: detect.Gone}); st.Reason != detect.Interrupted || st.Key != continuedIn+":"+id {
			t.Errorf("%s: %s %s %s", name, st.State, st.Reason, st.Key)
		}
		put(t, s.Path, strings.NewReplacer("6bd56e", "7bd56e", "21:32:25", "21:45:00").Replace(userLine(lines)))
		if st, _ := verdict(t, c, s, &detect.Holder{Liveness: detect.Alive}); st.State != detect.Running {
			t.Errorf("%s, asked in the old session: %s %s", name, st.State, st.Reason)
		}
	}
}

func recordedOrder(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "order.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(b)))
}
