package daemon

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/detect"
)

// clawd has seen how a run was started, stops (an update), and the run is limited and ends before clawd is back: what took from what it
// may do counts, and nothing that gave. Another process may have come in between.
func TestRunStopsWhileAway(t *testing.T) {
	for name, c := range map[string]struct {
		environ []string
		argv    []string
		left    string // what the session is left for
	}{
		"bound":             {[]string{"CLAUDE_CODE_RESTRICTED=1"}, []string{"claude", "-p", "do"}, "may have been started with a different CLAUDE_CODE_RESTRICTED"},
		"limited":           {nil, []string{"claude", "-p", "--model", "opus", "--disallowedTools", "Bash", "--", "do"}, "may have been started with --disallowedTools, as was a run of it that ended while clawd was not running"},
		"no limit after it": {nil, []string{"claude", "-p", "--tools", "Read", "--model", "opus", "do"}, "may have been started with --tools, as"},
		"lost":              {nil, []string{"claude", "-p", "--nobody-knows", "do"}, "may have been started with --nobody-knows, as"},
		"given":             {nil, []string{"claude", "-p", "--allowedTools", "Bash", "--", "do"}, "nobody saw with which options"},
		"nothing":           {nil, []string{"claude", "-p", "do"}, "nobody saw with which options"},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.registry()
				id := uuid.NewString()
				r.start()
				r.runs(700, id, c.environ, c.argv...)
				r.pass(time.Minute)
				r.down()
				r.endsAway(700, id)
				r.wantStarts(0)
				if left := r.log.events("session_left"); len(left) != 1 || !strings.Contains(left[0]["why"].(string), c.left) {
					t.Errorf("left: %v, want %q", left, c.left)
				}
			})
		})
	}
}

// What was seen at a stop counts for it, whatever becomes of the process while clawd is away: a reboot ends every terminal.
func TestSeenAtTheStop(t *testing.T) {
	in(t, func(r *rig) {
		r.registry()
		id := uuid.NewString()
		r.start()
		r.runs(700, id, nil, "claude", "-p", "--disallowedTools", "Bash", "--model", "opus", "do")
		r.add(id, r.unrecorded(id))
		r.pass(time.Second)
		r.down()
		r.end(700)
		r.pass(10 * time.Second)
		r.start()
		r.pass(time.Hour)
		r.wantFlags(id, "seen", "--disallowedTools=Bash", "--model=opus")
	})
}

func TestDoubtful(t *testing.T) {
	flags := []detect.Flag{{Name: "--sandbox", Limits: true}, {Name: "--model", Values: []string{"x"}}}
	for name, c := range map[string]struct {
		launch detect.Launch
		unlike []string
		want   []string // nil: as if nobody had seen it
	}{
		"nothing":   {detect.Launch{Flags: flags[1:]}, nil, nil},
		"alike":     {detect.Launch{Flags: flags[1:], Bounds: map[string]string{"BOX": "1"}}, nil, nil},
		"unlike":    {detect.Launch{Bounds: map[string]string{"BOX": "1"}}, []string{"BOX"}, []string{"BOX"}},
		"all three": {detect.Launch{Flags: flags, Lost: []string{"--x"}}, []string{"BOX"}, []string{"--x", "BOX", "--sandbox"}},
	} {
		l := doubtful(c.launch, c.unlike)
		if (l != nil) != (c.want != nil) || l != nil && (!slices.Equal(l.Lost, c.want) || len(l.Flags) > 0) {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// endsAway has a run stop and end while clawd is down, and clawd come back.
func (r *rig) endsAway(pid int, id string) {
	r.t.Helper()
	r.pass(10 * time.Second)
	r.add(id, r.unrecorded(id))
	r.end(pid)
	r.pass(10 * time.Second)
	r.start()
	r.pass(time.Hour)
}
