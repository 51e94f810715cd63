package machine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// restarted gives a session whose attempt another clawd had fired, as it is restored.
func restarted(t *testing.T, way resume.Way, change ...func(rec *state.Session)) (*kit, *place) {
	t.Helper()
	k, old := fires(t, time.Hour, func(_ *kit, p *place) {
		if p.plan.Way = way; way.Live() {
			p.holders, p.plan.Holder = []detect.Holder{window(77)}, window(77)
		}
	})
	old.wantPhase(state.Fired)
	rec := old.s.Rec
	for _, c := range change {
		c(&rec)
	}
	books := k.books
	k = newKit(t)
	k.w.Now, k.w.Here.Started = noon.Add(time.Hour), noon.Add(time.Hour)
	k.books, k.w.Books = books, books
	p := k.seat(New(rec, true))
	p.events, p.holders, p.plan = old.events, old.holders, old.plan
	return k, p
}

func TestRunAdoptsAndNeverFires(t *testing.T) {
	for name, c := range map[string]struct {
		see  func(*resume.Sight)
		dead bool
		want []string
	}{
		"alive": {answered, false, []string{"0s adopt", "0s write resumed", "10m0s write following"}},
		"gone":  {func(*resume.Sight) {}, true, []string{"0s adopt", "5s write no_effect+scheduled"}},
	} {
		t.Run(name, func(t *testing.T) {
			k, p := restarted(t, resume.Exec)
			p.child.alive = !c.dead
			c.see(&p.child.sight)
			k.in(10*time.Minute, p.die)
			p.post(Restored{})
			k.pass(11 * time.Minute)
			got := k.did(acts...)
			if len(got) > len(c.want) && c.dead { // the next attempt
				got = got[:len(c.want)]
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q", got)
			}
		})
	}
}

// A shutdown leaves the child alone and the attempt open.
func TestRunShutdownLeavesTheChild(t *testing.T) {
	for name, see := range map[string]func(*resume.Sight){"unsettled": func(*resume.Sight) {}, "resumed": answered} {
		t.Run(name, func(t *testing.T) {
			k, p := fires(t, 2*time.Hour, func(k *kit, p *place) {
				see(&p.child.sight)
				k.in(time.Hour+time.Minute, k.stop)
			})
			want := begun
			if name == "resumed" {
				want = after(begun, "1h0m0s write resumed")
			}
			k.want(want...)
			if !p.child.alive {
				t.Error("the child was ended")
			}
			if got := k.did("forget"); !slices.Equal(got, []string{"1h1m0s forget keep=true"}) {
				t.Errorf("the session that it works in is not looked after: %q", got)
			}
		})
	}
}

func TestRunVerdictCannotBeWritten(t *testing.T) {
	k, p := fires(t, time.Hour+50*time.Second, func(k *kit, p *place) {
		answered(&p.child.sight)
		k.refuses(state.Fired, state.Following)
	})
	p.wantPhase(state.Fired)
	if n := len(k.did("refused")); n < 2 || n > 5 {
		t.Errorf("judged %d times in 50 s:\n%s", n, k)
	}
	if strings.Contains(k.String(), "run_ended") || strings.Contains(k.String(), "resume_succeeded") {
		t.Errorf("said before it is written:\n%s", k)
	}
	k.refuse = nil
	k.pass(20 * time.Second)
	k.wantVerdict(p, resume.Resumed)
}
