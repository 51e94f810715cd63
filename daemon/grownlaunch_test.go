package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// A run that goes on since before an update of clawd: its options are stored without the word that they limit it, which the older one did
// not note. What is seen of the same process now tells.
func TestOldLaunchRecordLimits(t *testing.T) {
	for name, seenAgain := range map[string]bool{"seen again": true, "ended before": false} {
		t.Run(name, func(t *testing.T) {
			in(t, func(r *rig) {
				r.registry()
				id := uuid.NewString()
				key := state.Key(detect.Session{Agent: "claude", ID: id})
				r.start()
				r.runs(700, id, nil, "claude", "-p", "--model", "opus", "--disallowedTools", "Bash", "--", "do")
				r.pass(time.Minute)
				r.d.launches.mu.Lock()
				seen := r.d.launches.all[key]
				for n := range seen.Flags {
					seen.Flags[n].Limits = false
				}
				seen.Bounds = nil
				r.d.launches.all[key], r.d.launches.fresh[key] = seen, true
				r.d.launches.mu.Unlock()
				r.down()
				if seenAgain {
					r.start()
					r.pass(time.Hour)
					r.down()
				}
				r.endsAway(700, id)
				r.wantStarts(0)
				left := r.log.events("session_left")
				if len(left) != 1 || seenAgain && !strings.Contains(left[0]["why"].(string), "with --disallowedTools") {
					t.Errorf("left: %v", left)
				}
			})
		})
	}
}

// The same process, seen by the first look while it was a wrapper script, and then as the agent: what bounds it is what the agent has.
func TestWrapperBecameAgent(t *testing.T) {
	l, now := newLaunches(), time.Now()
	wrapper := detect.Launch{PID: 7, Start: 70, Boot: "b", Bounds: map[string]string{"OPENCODE_CONFIG_DIR": "h1", "OPENCODE_PERMISSION": ""}}
	became := detect.Launch{PID: 7, Start: 70, Boot: "b", Bounds: map[string]string{"OPENCODE_CONFIG_DIR": "h1", "OPENCODE_PERMISSION": "h2"}, Flags: []detect.Flag{{Name: "--pure", Limits: true}}}
	l.saw("opencode/x", wrapper, now)
	l.saw("opencode/x", became, now.Add(time.Hour))
	got, _ := l.of("opencode/x", now.Add(time.Hour))
	if got == nil || got.Bounds["OPENCODE_PERMISSION"] == "" || len(got.Flags) != 1 {
		t.Errorf("%+v", got)
	}
}

// A process that a new clawd finds alive at its start, and that ends later before its eyes: the stop in between is its own. (Gemini CLI and
// qwen-code are looked at by a change of their files alone.)
func TestAliveAtTheStart(t *testing.T) {
	l, t0 := newLaunches(), time.Now()
	l.all["gemini/x"] = detect.Launch{PID: 7, Start: 70, Boot: "b", Seen: t0, Flags: []detect.Flag{{Name: "--sandbox", Limits: true}}}
	l.ended("gemini", func(detect.Launch) bool { return true }, t0.Add(time.Minute))    // clawd's start
	l.ended("gemini", func(detect.Launch) bool { return true }, t0.Add(5*time.Minute))  // rescans
	l.ended("gemini", func(detect.Launch) bool { return false }, t0.Add(6*time.Minute)) // it was limited and has ended
	got, perhaps := l.of("gemini/x", t0.Add(5*time.Minute+50*time.Second))
	if got == nil || perhaps {
		t.Errorf("%+v, perhaps %t", got, perhaps)
	}
}
