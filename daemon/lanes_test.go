package daemon

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clawd-project/clawd/resume"
)

// entered collects who got a lane, and when.
type entered struct {
	who string
	at  time.Duration
	err error
}

func enterAll(ctx context.Context, l *lanes, s *sleeper, window string, parallel int, stagger time.Duration, who ...string) chan entered {
	from, out := time.Now(), make(chan entered, len(who))
	for _, w := range who {
		go func() {
			err := l.enter(ctx, s, w, window, from, parallel, stagger)
			out <- entered{w, time.Since(from), err}
		}()
		synctest.Wait()
	}
	return out
}

func TestLanesParallelAndStagger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := startSleeper(t)
		l := newLanes()
		var who []string
		for i := range 9 {
			who = append(who, fmt.Sprint(i))
		}
		out := enterAll(t.Context(), l, s, "", 3, 5*time.Second, who...)
		var last time.Duration
		for i := range 9 {
			if i == 3 { // the lanes are full
				<-time.After(10 * time.Minute)
				synctest.Wait()
				if len(out) != 0 {
					t.Fatal("a fourth one got in")
				}
			}
			if i >= 3 {
				l.leave()
			}
			e := <-out
			if e.err != nil {
				t.Fatal(e.err)
			}
			if i > 0 && e.at-last < 5*time.Second {
				t.Errorf("start %d comes %v after the one before", i, e.at-last)
			}
			last = e.at
		}
	})
}

func TestLanesOneGoesFirst(t *testing.T) {
	for _, c := range []struct {
		name    string
		verdict resume.Verdict
		final   bool // it does not try again
	}{{"it went through", resume.Resumed, false}, {"limited again", resume.StoppedAgain, false}, {"nothing known", resume.Unsure, false},
		{"stopped for good", resume.StoppedAgain, true}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _, _ := startSleeper(t)
				l := newLanes()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				out := enterAll(ctx, l, s, "acct", 9, time.Second, "a", "b", "c")
				if e := <-out; e.who != "a" || e.err != nil {
					t.Fatalf("first: %+v", e)
				}
				<-time.After(time.Hour)
				synctest.Wait()
				if len(out) != 0 {
					t.Fatal("somebody followed before the first one's verdict")
				}
				again := time.Now().Add(30 * time.Minute)
				if c.final {
					again = time.Time{}
				}
				l.verdict("a", "acct", c.verdict, max(0, time.Until(again)))
				l.leave()
				switch {
				case c.verdict == resume.Resumed:
					for range 2 {
						if e := <-out; e.err != nil {
							t.Errorf("%+v", e)
						}
					}
				case c.verdict == resume.StoppedAgain && !c.final:
					for range 2 {
						e := <-out
						r := (*resume.Refusal)(nil)
						if !errors.As(e.err, &r) || r.Outcome.Verdict != resume.Postponed || !r.Outcome.Again.Equal(again) {
							t.Errorf("%s: %v", e.who, e.err)
						}
					}
				default: // the next one leads
					if e := <-out; e.err != nil {
						t.Errorf("%+v", e)
					}
					<-time.After(time.Hour)
					synctest.Wait()
					if len(out) != 0 {
						t.Error("two lead")
					}
				}
			})
		})
	}
}

func TestLanesCancelledLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, _ := startSleeper(t)
		l := newLanes()
		if err := l.enter(t.Context(), s, "other", "", time.Now(), 1, 0); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		lead := enterAll(ctx, l, s, "acct", 1, 0, "a") // waits for a lane, in front of its window
		next := enterAll(t.Context(), l, s, "acct", 1, 0, "b")
		cancel()
		if e := <-lead; !errors.Is(e.err, context.Canceled) {
			t.Fatalf("%+v", e)
		}
		l.leave()
		if e := <-next; e.err != nil {
			t.Errorf("%+v", e)
		}
		if l.running != 1 {
			t.Errorf("%d lanes are taken, want 1", l.running)
		}
	})
}

// One goes first also at the next try, whoever of them comes first then.
func TestFirstAgain(t *testing.T) {
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		synctest.Test(t, func(t *testing.T) {
			s, _, _ := startSleeper(t)
			l := newLanes()
			<-enterAll(t.Context(), l, s, "acct", 3, 0, "a")
			l.verdict("a", "acct", resume.StoppedAgain, 30*time.Minute)
			l.leave()
			<-time.After(30 * time.Minute)
			out := enterAll(t.Context(), l, s, "acct", 3, 0, order...)
			<-time.After(time.Hour)
			synctest.Wait()
			if e := <-out; e.who != order[0] || len(out) != 0 {
				t.Errorf("%s went first, of %v, and %d more followed before its verdict", e.who, order, len(out))
			}
			l.verdict(order[0], "acct", resume.Resumed, 0)
			<-out
		})
	}
}
