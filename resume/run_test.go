package resume

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/detect"
)

var (
	errShutdown = errors.New("shutdown")
	errDisk     = errors.New("disk full")
)

func job(wait time.Duration) Job {
	return Job{Session: detect.Session{Agent: "claude", ID: "s"}, Stop: stop(detect.UsageLimit),
		Decision: Decision{Strategy: SameSession, WakeAt: time.Now().Add(wait), Attempt: 1}}
}

// run carries out a job of one hour's wait in a bubble; scene sets it up and may play along.
func run(t *testing.T, scene func(w *world, cancel context.CancelCauseFunc, j *Job, p *Ports)) (w *world, out Outcome, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w = newWorld()
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		j, p := job(time.Hour), w.ports()
		scene(w, cancel, &j, p)
		var o *Outcome
		if o, err = (Same{}).Run(ctx, &j, p); o != nil {
			out = *o
		}
	})
	return w, out, err
}

func after(d time.Duration, f func()) { time.AfterFunc(d, f) }

func wantCalls(t *testing.T, w *world, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, w.calls()); diff != "" {
		t.Error(diff)
	}
}

func answered(s *Sight) { s.Events = []detect.Event{ours(1), answer(2)} }

func TestRunWaitsClaimsAndFires(t *testing.T) {
	w, out, err := run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, _ *Ports) {
		after(time.Hour+3*time.Second, func() { w.see(answered) })
		after(time.Hour+time.Minute, func() {
			w.see(func(s *Sight) { s.Output.CostUSD = 0.5 })
			w.die()
		})
	})
	if err != nil || out.Verdict != Resumed || out.Took != 3*time.Second {
		t.Errorf("%+v %v", out, err)
	}
	wantCalls(t, w, "0s wait", "1h0m0s claim", "1h0m0s start", "1h0m0s fired", "1h0m0s open", "1h0m3s close resumed", "1h1m0s ended")
	if out.CostUSD != 0 || w.ended == nil || w.ended.CostUSD != 0.5 {
		t.Errorf("the cost is counted with the verdict (%v) or not at the end (%v)", out.CostUSD, w.ended)
	}
}

func TestRunFiresAtOnceWhenOverdue(t *testing.T) {
	w, _, err := run(t, func(w *world, _ context.CancelCauseFunc, j *Job, _ *Ports) {
		j.Decision.WakeAt = time.Now().Add(-time.Hour)
		w.see(answered)
		after(time.Second, w.die)
	})
	wantCalls(t, w, "0s wait", "0s claim", "0s start", "0s fired", "0s open", "0s close resumed", "1s ended")
	if err != nil {
		t.Error(err)
	}
}

func TestRunBeforeTheGate(t *testing.T) {
	type scene = func(w *world, cancel context.CancelCauseFunc)
	fail := func(call string) scene {
		return func(w *world, _ context.CancelCauseFunc) { w.hooks[call] = func() error { return errDisk } }
	}
	cancelIn := func(call string) scene {
		return func(w *world, cancel context.CancelCauseFunc) {
			w.hooks[call] = func() error { cancel(errShutdown); return nil }
		}
	}
	for _, c := range []struct {
		name  string
		scene scene
		calls []string // after wait
		want  Verdict
		err   error
	}{
		{"cancelled in the wait", func(_ *world, cancel context.CancelCauseFunc) { after(time.Minute, func() { cancel(errShutdown) }) },
			nil, "", errShutdown},
		{"the decision cannot be written", fail("wait"), nil, "", errDisk},
		{"the claim cannot be written", fail("claim"), []string{"1h0m0s claim"}, "", errDisk},
		{"the claim is refused", func(w *world, _ context.CancelCauseFunc) {
			w.hooks["claim"] = func() error { return &Refusal{Outcome{Verdict: ByHand, Why: "moved"}} }
		}, []string{"1h0m0s claim"}, ByHand, nil},
		{"the shim does not start", fail("start"), []string{"1h0m0s claim", "1h0m0s start", "1h0m0s unclaim"}, Postponed, nil},
		{"cancelled at the claim", cancelIn("claim"), []string{"1h0m0s claim", "1h0m0s start", "1h0m0s abort", "1h0m0s unclaim"}, Postponed, errShutdown},
		{"cancelled at the start", cancelIn("start"), []string{"1h0m0s claim", "1h0m0s start", "1h0m0s abort", "1h0m0s unclaim"}, Postponed, errShutdown},
		{"T3 fails", fail("fired"), []string{"1h0m0s claim", "1h0m0s start", "1h0m0s fired", "1h0m0s abort", "1h0m0s unclaim"}, Postponed, nil},
		{"cancelled at T3", cancelIn("fired"), []string{"1h0m0s claim", "1h0m0s start", "1h0m0s fired", "1h0m0s abort", "1h0m0s unclaim"}, Postponed, errShutdown},
		{"the shim looked once more", func(w *world, _ context.CancelCauseFunc) { w.gate = GateTaken },
			[]string{"1h0m0s claim", "1h0m0s start", "1h0m0s fired", "1h0m0s open", "1h0m0s unclaim"}, Postponed, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, out, err := run(t, func(w *world, cancel context.CancelCauseFunc, _ *Job, _ *Ports) { c.scene(w, cancel) })
			if out.Verdict != c.want || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Errorf("%+v %v", out, err)
			}
			wantCalls(t, w, append([]string{"0s wait"}, c.calls...)...)
		})
	}
}

func TestRunUnclaimFails(t *testing.T) {
	_, out, err := run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, _ *Ports) {
		w.hooks["start"] = func() error { return errors.New("no shim") }
		w.hooks["unclaim"] = func() error { return errDisk }
	})
	if out.Verdict != "" || !errors.Is(err, errDisk) {
		t.Errorf("the claim is still open, and yet %+v %v", out, err)
	}
}

// A shim whose answer is lost, whose mark was there already, or whose exec failed: only evidence
// can tell, and nothing is given back.
func TestRunGateAnswers(t *testing.T) {
	for name, set := range map[string]func(*world){
		"lost":   func(w *world) { w.hooks["open"] = func() error { return errDisk } },
		"marked": func(w *world) { w.gate = GateMarked },
		"failed": func(w *world) { w.gate, w.sight.ExecFail = GateFailed, "ENOENT" },
	} {
		t.Run(name, func(t *testing.T) {
			w, out, err := run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, _ *Ports) {
				set(w)
				w.sight.Output.Began = true
				w.die()
			})
			want := Unsure
			if name == "failed" {
				want = NoEffect
			}
			if err != nil || out.Verdict != want || slices.Contains(w.calls(), "1h0m0s unclaim") {
				t.Errorf("%+v %v %q", out, err, w.calls())
			}
		})
	}
}

func TestRunNothingCountsOnlyAfterTwoLooks(t *testing.T) {
	looks := 0
	w, out, _ := run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, _ *Ports) {
		w.hooks["open"] = func() error { w.die(); return nil }
		w.hooks["look"] = func() error {
			if looks++; looks == 2 { // torn: a failed look is neither news nor nothing
				return errDisk
			}
			return nil
		}
	})
	// Looks at 0, 5 (torn), 10 (the same as at 0: settled).
	if out.Verdict != NoEffect || looks != 3 {
		t.Errorf("%d looks: %+v", looks, out)
	}
	wantCalls(t, w, "0s wait", "1h0m0s claim", "1h0m0s start", "1h0m0s fired", "1h0m0s open", "1h0m10s close no_effect")

	looks = 0
	w, out, _ = run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, p *Ports) {
		p.Settle = 90 * time.Second
		w.hooks["open"] = func() error { w.die(); return nil }
		w.hooks["look"] = func() error {
			if looks++; looks == 1 {
				w.see(func(s *Sight) { s.Events = []detect.Event{ours(1)} })
			}
			return nil
		}
	})
	if out.Verdict != Cut || looks != 3 {
		t.Errorf("%d looks: %+v", looks, out)
	}
	wantCalls(t, w, "0s wait", "1h0m0s claim", "1h0m0s start", "1h0m0s fired", "1h0m0s open", "1h3m0s close cut")
}

func TestRunLookErrorIsNotNothing(t *testing.T) {
	w, out, err := run(t, func(w *world, cancel context.CancelCauseFunc, _ *Job, _ *Ports) {
		w.hooks["open"] = func() error { w.die(); return nil }
		w.hooks["look"] = func() error { return errDisk }
		after(26*time.Hour, func() { cancel(errShutdown) })
	})
	// What cannot be read for long is held and told, never "nothing".
	if err != nil || out.Verdict != Unsure || !out.Held {
		t.Errorf("%+v %v", out, err)
	}
	wantCalls(t, w, "0s wait", "1h0m0s claim", "1h0m0s start", "1h0m0s fired", "1h0m0s open", "1h10m0s close unknown")
}

func TestRunGivesWay(t *testing.T) {
	for name, c := range map[string]struct {
		see func(*Sight)
		who string
	}{
		"holder": {func(s *Sight) { s.Holder = "process 9" }, "process 9"},
		"prompt": {func(s *Sight) { s.Events = []detect.Event{theirs(1)} }, "a prompt that is not clawd's"},
	} {
		t.Run("before an answer: "+name, func(t *testing.T) {
			w, out, err := run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, _ *Ports) {
				w.sight.Output.Began = true
				after(time.Hour+time.Minute, func() { w.see(c.see) })
			})
			if err != nil || out.Verdict != ByHand || out.Held {
				t.Errorf("%+v %v", out, err)
			}
			calls := w.calls()
			if want := []string{"1h1m0s yielded to " + c.who, "1h1m0s stop polite=true"}; !slices.Equal(calls[5:7], want) {
				t.Error(cmp.Diff(want, calls))
			}
			if last := calls[len(calls)-1]; len(calls) != 8 || last[len(last)-len("close by_hand"):] != "close by_hand" {
				t.Error(calls)
			}
		})
	}
	t.Run("after an answer", func(t *testing.T) {
		w, out, err := run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, _ *Ports) {
			after(time.Hour+time.Second, func() { w.see(answered) })
			after(time.Hour+time.Minute, func() { w.see(func(s *Sight) { s.Holder = "process 9" }) })
		})
		if err != nil || out.Verdict != Resumed {
			t.Errorf("%+v %v", out, err)
		}
		wantCalls(t, w, "0s wait", "1h0m0s claim", "1h0m0s start", "1h0m0s fired", "1h0m0s open", "1h0m1s close resumed",
			"1h1m0s yielded to process 9", "1h1m0s stop polite=true", "1h1m0s ended")
	})
}

func TestRunEndsASilentOrLongRun(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*Ports)
		see  func(*Sight)
		want Verdict
	}{
		{"silent, nothing seen", func(p *Ports) { p.Stall = 30 * time.Minute }, func(*Sight) {}, Unsure},
		{"silent, its prompt stands", func(p *Ports) { p.Stall = 30 * time.Minute }, func(s *Sight) { s.Events = []detect.Event{ours(1)} }, Cut},
		{"too long, nothing seen", func(p *Ports) { p.Timeout = 30 * time.Minute }, func(*Sight) {}, Unsure},
		{"too long, resumed", func(p *Ports) { p.Timeout = 30 * time.Minute }, answered, Resumed},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, out, err := run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, p *Ports) {
				c.set(p)
				w.active = time.Now().Add(time.Hour) // it works from its start on
				w.see(c.see)
			})
			if err != nil || out.Verdict != c.want {
				t.Errorf("%+v %v", out, err)
			}
			if !slices.Contains(w.calls(), "1h30m15s stop polite=false") {
				t.Errorf("not ended in time: %q", w.calls())
			}
		})
	}
}

// A run that hangs after a turn that ended well frees its place, and nothing went wrong.
func TestRunEndsOneThatHangsAfterItsTurn(t *testing.T) {
	for rest, want := range map[time.Duration]string{5 * time.Minute: "1h5m15s stop polite=false", 0: "2h0m15s stop polite=false"} {
		w, out, err := run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, p *Ports) {
			p.Stall, w.rest = time.Hour, rest
			w.active = time.Now().Add(time.Hour)
			w.see(func(s *Sight) {
				end := answer(2)
				end.Done = true
				s.Events = []detect.Event{ours(1), end}
			})
		})
		if err != nil || out.Verdict != Resumed || (w.endedWhy != "") != (rest == 0) {
			t.Errorf("%s: %+v %v; %q", rest, out, err, w.endedWhy)
		}
		if !slices.Contains(w.calls(), want) {
			t.Errorf("%s: its place is not free: %q", rest, w.calls())
		}
	}
}

// The store must know that the output proves nothing any more before it is cut.
func TestRunTrimsTheOutputStoreFirst(t *testing.T) {
	scene := func(w *world) {
		w.hooks["trim"] = func() error {
			w.mu.Lock()
			delete(w.hooks, "trim")
			w.mu.Unlock()
			return nil
		}
		after(time.Hour+time.Minute, func() { w.see(answered) })
		after(time.Hour+2*time.Minute, w.die)
	}
	w, _, err := run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, _ *Ports) { scene(w) })
	if err != nil {
		t.Error(err)
	}
	if want := []string{"1h0m0s output cut", "1h0m0s trim"}; !slices.Equal(w.calls()[5:7], want) {
		t.Error(w.calls())
	}
	w, _, err = run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, _ *Ports) {
		scene(w)
		w.hooks["output cut"] = func() error { return errDisk }
	})
	if !errors.Is(err, errDisk) || slices.Contains(w.calls(), "1h0m0s trim") {
		t.Errorf("cut without the store: %v %q", err, w.calls())
	}
}

func TestRunAdoptsAndNeverFires(t *testing.T) {
	for name, c := range map[string]struct {
		see  func(*Sight)
		dead bool
		want []string
	}{
		"alive": {answered, false, []string{"0s adopt", "0s close resumed", "10m0s ended"}},
		"gone":  {func(*Sight) {}, true, []string{"0s adopt", "5s close no_effect"}},
	} {
		t.Run(name, func(t *testing.T) {
			w, _, err := run(t, func(w *world, _ context.CancelCauseFunc, j *Job, _ *Ports) {
				cl := claim(FormPrompt)
				cl.At = time.Now()
				j.Claim = &cl
				w.see(c.see)
				if c.dead {
					w.die()
				} else {
					after(10*time.Minute, w.die)
				}
			})
			if err != nil {
				t.Error(err)
			}
			wantCalls(t, w, c.want...)
		})
	}
}

// A shutdown leaves the child alone and the attempt open.
func TestRunShutdownLeavesTheChild(t *testing.T) {
	for name, see := range map[string]func(*Sight){"unsettled": func(*Sight) {}, "resumed": answered} {
		t.Run(name, func(t *testing.T) {
			w, out, err := run(t, func(w *world, cancel context.CancelCauseFunc, _ *Job, _ *Ports) {
				w.see(see)
				after(time.Hour+time.Minute, func() { cancel(errShutdown) })
			})
			if !errors.Is(err, errShutdown) || name == "unsettled" && out.Verdict != "" {
				t.Errorf("%+v %v", out, err)
			}
			for _, call := range w.calls() {
				if slices.Contains([]string{"stop polite=true", "stop polite=false", "abort", "unclaim", "ended"}, call[len("1h1m0s "):]) {
					t.Error(w.calls())
				}
			}
		})
	}
}

func TestRunVerdictCannotBeWritten(t *testing.T) {
	w, _, err := run(t, func(w *world, _ context.CancelCauseFunc, _ *Job, _ *Ports) {
		w.see(answered)
		w.hooks["close resumed"] = func() error { return errDisk }
	})
	if !errors.Is(err, errDisk) || slices.Contains(w.calls(), "1h0m0s ended") {
		t.Errorf("%v %q", err, w.calls())
	}
}

func TestLeftRuns(t *testing.T) {
	if out, err := (Left{}).Run(t.Context(), &Job{}, &Ports{}); err != nil || out.Verdict != "" {
		t.Error(out, err)
	}
	if (Same{}).Kind() != SameSession || (Fresh{}).Kind() != FreshSession || (Left{}).Kind() != Leave {
		t.Error("kinds are mixed up")
	}
}
