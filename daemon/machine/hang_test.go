package machine

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/state"
)

// A folder that does not answer keeps clawd from seeing what its run does. What its user or the config wants is done all
// the same.
func TestRunWhoseFilesHang(t *testing.T) {
	for name, c := range map[string]struct {
		scene func(k *kit, p *place)
		by    time.Duration // it is ended between then and a look later
	}{
		"cancel": {func(k *kit, p *place) {
			p.child.hangs = true
			k.in(time.Hour+10*time.Second, func() { k.post(p, Ordered{Order{ID: 1, Kind: Cancel}}) })
		}, 10 * time.Second},
		"timeout": {func(k *kit, p *place) {
			p.child.hangs = true
			k.w.Config.Resume.Timeout = config.Duration(5 * time.Minute)
		}, 5 * time.Minute},
		"cancel of a run that went on": {func(k *kit, p *place) {
			k.in(time.Hour+3*time.Second, func() { p.see(answered) })
			k.in(time.Hour+4*time.Second, func() { p.child.hangs = true })
			k.in(time.Hour+time.Minute, func() { k.post(p, Ordered{Order{ID: 1, Kind: Cancel}}) })
		}, time.Minute},
		"it failed and goes on": {func(k *kit, p *place) {
			k.in(time.Hour+3*time.Second, func() { p.see(sees(ours(1), limitAgain(2))) })
			k.in(time.Hour+4*time.Second, func() { p.child.hangs = true })
		}, 3*time.Second + leaveTime},
		"cancel of a run that failed and goes on": {func(k *kit, p *place) {
			k.in(time.Hour+3*time.Second, func() { p.write(ours(1), limitAgain(2)); p.see(sees(ours(1), limitAgain(2))) })
			k.in(time.Hour+4*time.Second, func() { p.child.hangs = true })
			k.in(time.Hour+10*time.Second, func() { k.post(p, Ordered{Order{ID: 1, Kind: Cancel}}) })
		}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			k, _ := fires(t, time.Hour+c.by-time.Second, c.scene)
			if halts := k.did("halt"); len(halts) > 0 {
				t.Fatalf("ended too early: %v", halts)
			}
			k.pass(lookEvery + 2*time.Second)
			if halts := k.did("halt"); len(halts) != 1 {
				t.Errorf("ended %d times:\n%s", len(halts), k)
			}
		})
	}
}

// What the store refuses is never written by the step that takes this in: it would be refused, too.
func TestRefusedWritesNothing(t *testing.T) {
	k, p := plain(t)
	k.refuse = func(was, is state.Session) error { return errDisk }
	for range 3 {
		k.post(p, Ordered{Order{ID: 1, Kind: Ignore}})
		k.post(p, Ordered{Order{ID: 2, Kind: Resume}})
	}
	p.limited("stop", time.Hour)
	if n := len(k.did("refused")); n < 4 {
		t.Errorf("%d steps are refused:\n%s", n, k)
	}
	p.wantPhase(state.Following)
}

// While sessions are still being found no attempt is made: one of them may tell that somebody moved on.
func TestNothingStartsBeforeAllAreFound(t *testing.T) {
	k, p := plain(t)
	k.w.Starting = Timer{Mono: k.w.Mono + 2*time.Hour}
	p.limited("stop", time.Hour)
	k.pass(2*time.Hour - time.Second)
	k.want("0s write stop+scheduled")
	k.pass(2 * time.Second) // but a file that hangs does not hold it up for ever
	k.want("0s write stop+scheduled", "2h0m0s write claimed", "2h0m0s start", "2h0m0s write fired", "2h0m0s open")
	k, p = plain(t)
	k.w.Starting = Timer{Mono: k.w.Mono + 2*time.Hour}
	p.limited("stop", time.Hour)
	k.pass(time.Hour + time.Minute)
	k.w.Starting = Timer{}
	k.pass(time.Second)
	if k.starts(p) != 1 {
		t.Errorf("it is not begun when all are found:\n%s", k)
	}
}
