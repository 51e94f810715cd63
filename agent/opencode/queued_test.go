package opencode

import (
	"fmt"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

const aborted = `{"role":"assistant","parentID":"%s","time":{"created":%d,"completed":%d},"error":{"name":"MessageAbortedError","data":{"message":"m"}}}`

// A prompt that is typed while opencode works makes its row at once. When the request under way fails, nobody answers that
// prompt, and the row that failed is older than the newest one.
func TestFailureBehindQueuedPrompt(t *testing.T) {
	const first, answer, queued, later = "msg_a0000000000001", "msg_a0000000000002", "msg_a0000000000003", "msg_a0000000000004"
	for name, c := range map[string]struct {
		end   string // of the request
		state detect.State
		want  detect.Reason
	}{
		"failed":            {end: fail, state: detect.Stopped, want: detect.RateLimit},
		"ended by its user": {end: aborted, state: detect.Stopped, want: detect.Interrupted},
		"answered":          {end: stop, state: detect.Running},
	} {
		for _, further := range []string{"", "a second one is queued", "asked afterwards", "answered in the end"} {
			o, db, s := newStore(t)
			var all []detect.Event
			var cursor agent.Cursor
			look := func() (told int) {
				t.Helper()
				b := read(t, o, s, cursor)
				if b.Anew {
					t.Errorf("%s, %s: anew", name, further)
				}
				all, cursor = append(all, b.Events...), b.Cursor
				return len(b.Events)
			}
			prompt := func(id string, at int64) {
				insert(t, db, id, at, fmt.Sprintf(user, at))
				insertPart(t, db, "prt_"+id, id, at, `{"type":"text","text":"and then"}`)
			}
			prompt(first, at0)
			insert(t, db, answer, at0+10, fmt.Sprintf(begun, first, at0+10))
			look()
			prompt(queued, at0+30_000)
			look()
			state, want := c.state, c.want
			if further == "a second one is queued" {
				prompt(later, at0+40_000)
				look()
			}
			update(t, db, answer, at0+67_000, fmt.Sprintf(c.end, first, at0+10, at0+67_000))
			switch further {
			case "asked afterwards":
				prompt(later, at0+68_000)
				state, want = detect.Running, ""
			case "answered in the end":
				insert(t, db, later, at0+67_010, fmt.Sprintf(stop, queued, at0+67_010, at0+68_000))
				state, want = detect.Stopped, detect.Completed
			}
			look()
			for _, events := range [][]detect.Event{all, read(t, o, s, "").Events} {
				if st := judge(events, detect.Alive); st.State != state || st.Reason != want {
					t.Errorf("%s, %s: %v: %s %q, want %s %q", name, further, kinds(events), st.State, st.Reason, state, want)
				}
			}
			if again := look(); again != 0 {
				t.Errorf("%s, %s: %d events are told again", name, further, again)
			}
		}
	}
}
