package machine

import (
	"slices"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/state"
)

// hold takes in who has the session open, and remembers the holder of a terminal while it lives: only then can its end
// be understood. False: that is not known yet, or cannot be seen.
func (t *step) hold() bool {
	seen := t.s.Job.Answers.Holders
	switch {
	case seen == nil:
		t.open = AskHolders{t.rec()}
		return false
	case seen.Err != nil:
		t.failed = seen.Err
		return false
	case t.held:
		return true
	}
	t.held = true
	all := seen.All
	if seen.Exec {
		all = append(slices.Clip(all), detect.Holder{Liveness: detect.Alive, Kind: detect.Headless, Sure: true, Why: rules.ExecHas})
	}
	t.ran(all)
	h := Strongest(all)
	was := t.s.Rec.Holder
	if h.Liveness == detect.Gone && was.Liveness == detect.Alive && was.Boot != "" && was.Boot != t.w.Here.Boot && !t.w.Here.Absent {
		// It was alive when the machine went down: nobody ended it.
		h.Liveness, h.Why = detect.LeftBehind, "the machine was started anew since"
	}
	if h.Liveness == detect.LeftBehind && h.PID == was.PID && was.Boot == t.w.Here.Boot && seen.Past.Lived {
		h = was // it lets go of its lock a moment before it removes that and ends, which is no crash
	}
	there := h.Liveness == detect.Alive || h.Liveness == detect.HolderUnknown
	if there {
		t.s.Holder.Gone, t.s.Holder.Settled = Timer{}, false // when it goes again, that settles anew
	}
	if t.s.Rec.Classifier.Last.Kind != detect.KindFailure && !there && !t.settledGone(seen.Settle) {
		return true
	}
	t.s.Rec.Classifier.Feed(detect.Event{Kind: detect.KindHolder, Holder: &h, At: t.w.Now})
	t.remember(h, was, seen)
	return true
}

// remember takes in the terminal that lives, or how the remembered one went. h is the strongest of those that have the session open.
func (t *step) remember(h, was detect.Holder, seen *HoldersSeen) {
	switch {
	case t.lost(Shown(seen.All)): // it may have been the one that showed it
		t.write(t.s.Rec.HolderSeen(t.w.Books, was, state.HolderQuit))
	case rules.Attends(h) && !t.behind(h) && !t.missed(h, seen):
		t.sawHolder(h, seen.Terminals)
	case (h.Liveness != detect.Alive || t.behind(h) || seen.Past.Over) && was.Liveness == detect.Alive && t.s.Rec.HolderEnd == "": // how it went shows only right then
		if end, known := t.holderEnd(h, seen.Past); known {
			t.write(t.s.Rec.HolderSeen(t.w.Books, was, end))
		}
	}
	if t.behind(h) {
		t.await(h)
	}
}

// ran remembers the terminal's process that is the only one there while the newest turn runs, or surely runs it. Where an agent's
// records do not tell who wrote them, nothing says later whether a script did beside a terminal; and where nothing names what a terminal
// shows, whether that was this session. Who is left of several ran it only if it goes on. At a stop that nobody was seen before, who is
// there may have run it: of several any one.
func (t *step) ran(all []detect.Holder) {
	c := t.s.Rec.Classifier
	stopped := c.Last.Kind == detect.KindFailure
	if c.LastPrompt.ID == "" || stopped && t.s.Rec.Ran.Turn == c.LastPrompt.ID {
		return
	}
	all, told := candidates(all)
	unknown := slices.ContainsFunc(all, func(h detect.Holder) bool { return h.Liveness != detect.Alive })
	if len(all) == 0 || unknown || told && !t.s.Rec.Info.Untold {
		return
	}
	seen := state.Ran{Turn: c.LastPrompt.ID, Shared: t.s.Rec.Ran.Turn == c.LastPrompt.ID, At: t.w.Now}
	if seen.Shared || stopped { // whoever has gone may have written all that was read, whatever the clock says now
		seen.At = later(seen.At, c.Last.At)
	}
	switch h := all[0]; {
	case !oneTerminal(all):
		if !seen.Shared {
			t.write(t.s.Rec.RanBy(t.w.Books, seen))
			t.log(Debug, "turn_shared", "several processes are there that may run the turn", Field{"pids", pids(all)})
		}
	case !t.s.Rec.Ran.By(h, seen.Turn):
		seen.PID, seen.Start, seen.Boot = h.PID, h.Start, h.Boot
		t.write(t.s.Rec.RanBy(t.w.Books, seen))
		if !stopped {
			t.log(Debug, "turn_seen", "the turn runs in this terminal", Field{"pid", h.PID})
		}
	}
}

// candidates gives those of the holders that may run a turn, and tells whether one surely has the session open. Then another window may
// show anything; a script that may be in this session is in it.
func candidates(all []detect.Holder) ([]detect.Holder, bool) {
	over := func(h detect.Holder) bool { return h.Liveness == detect.Gone || h.Liveness == detect.LeftBehind }
	told := slices.ContainsFunc(all, func(h detect.Holder) bool { return h.Sure && !over(h) })
	return slices.DeleteFunc(slices.Clone(all), func(h detect.Holder) bool {
		return over(h) || told && !h.Sure && h.Kind != detect.Headless
	}), told
}

func pids(all []detect.Holder) (pids []int) {
	for _, h := range all {
		pids = append(pids, h.PID)
	}
	return pids
}

// oneTerminal tells whether holders are processes of one terminal, an agent and its launcher say.
func oneTerminal(all []detect.Holder) bool {
	return !slices.ContainsFunc(all, func(h detect.Holder) bool {
		return h.Liveness != detect.Alive || h.Kind != detect.Interactive || h.PID != all[0].PID && (h.TTY == "" || h.TTY != all[0].TTY)
	})
}

// behind tells whether a server is left of those that had the session open, a terminal among them. It does not take the
// terminal's place, and no other terminal does that may show what the server has, or that is found after a quit and may show
// anything: how the first one went is what its user meant.
func (t *step) behind(h detect.Holder) bool {
	rec := t.s.Rec
	other := rec.HolderEnd != "" && slices.Contains(rec.Shown, h.PID) || rec.HolderEnd == state.HolderQuit && !h.Sure
	return h.Liveness == detect.Alive && (h.Kind == detect.Server || other) && rec.InTerminal()
}

// missed tells whether the end of the remembered terminal comes first, before one takes its place that may show anything: it went
// while clawd was away, or the other one was started after the prompt.
func (t *step) missed(h detect.Holder, seen *HoldersSeen) bool {
	was, first := t.s.Rec.Holder, !t.s.Holder.Attended || slices.Contains(seen.Late, h.PID)
	return seen.Past.Over && !h.Sure && first && was.Kind == detect.Interactive && was.Boot == t.w.Here.Boot && t.s.Rec.HolderEnd == ""
}

// lost takes in which terminals may show what a server of the agent has open, and tells whether one of them is not there any more.
func (t *step) lost(shown []int) bool {
	had, was := t.s.Rec.Shown, t.s.Rec.Holder
	if !slices.Equal(had, shown) {
		t.write(t.s.Rec.ShownBy(t.w.Books, shown))
	}
	return len(shown) > 0 && was.Kind == detect.Interactive && was.Boot == t.w.Here.Boot &&
		slices.ContainsFunc(had, func(pid int) bool { return !slices.Contains(shown, pid) })
}

// Shown gives the pids of the terminals of which any may show a session that a server of the agent keeps open.
func Shown(holders []detect.Holder) (pids []int) {
	server := false
	for _, h := range holders {
		switch alive := h.Liveness == detect.Alive; {
		case alive && h.Kind == detect.Interactive && h.Sure:
			return nil
		case alive && h.Kind == detect.Interactive:
			pids = append(pids, h.PID)
		case alive && h.Outlives && h.Sure:
			server = true
		}
	}
	if !server {
		return nil
	}
	return pids
}

// await has the session looked at again when a process that has it open ends.
func (t *step) await(h detect.Holder) {
	if t.s.Holder.Awaited != h.PID {
		t.s.Holder.Awaited = h.PID
		t.do(Await{h.PID})
	}
}

// sawHolder remembers the holder of a terminal that lives. How one ends that was started after the prompt, and may show anything, says
// nothing of the terminal that ran the turn, which went unseen.
func (t *step) sawHolder(h detect.Holder, seen Terminals) {
	h.Status, h.Since = "", time.Time{} // changes all the time and says nothing about the end
	was := t.s.Rec.Holder
	another := was.PID != h.PID || was.Start != h.Start || t.s.Rec.HolderEnd != ""
	late := t.s.Rec.Info.Interactive && !h.Sure && slices.Contains(seen.Late, h.PID)
	switch {
	case !late || another && t.s.Rec.InTerminal():
		t.s.Holder.Attended = true
	case another:
		t.s.Holder.Attended = false
	}
	if w, ok := seen.Wraps[h.PID]; ok && t.s.Holder.Attended {
		h.Wrap, h.WrapStart = w.Wrap, w.WrapStart
	}
	t.await(h)
	if t.s.Rec.Holder != h || t.s.Rec.HolderEnd != "" {
		t.write(t.s.Rec.HolderSeen(t.w.Books, h, ""))
	}
}

// settledGone tells whether the holder has been gone for the settle time, awake: its last lines may come
// late.
func (t *step) settledGone(settle time.Duration) bool {
	if t.s.Holder.Settled {
		t.s.Holder.Settled = false
		return true
	}
	if !t.s.Holder.Gone.Set() {
		t.s.Holder.Gone = t.w.awake(settle)
	}
	return false
}

// Strongest picks the holder that forbids most.
func Strongest(holders []detect.Holder) detect.Holder {
	rank := func(h detect.Holder) int {
		switch {
		case h.Liveness == detect.Alive && h.Kind == detect.Interactive:
			return 6
		case rules.Attends(h):
			return 5
		case h.Liveness == detect.Alive:
			return 4
		case h.Liveness == detect.HolderUnknown:
			return 3
		case h.Liveness == detect.LeftBehind:
			return 2
		}
		return 1
	}
	var best detect.Holder
	for _, h := range holders {
		if rank(h) > rank(best) || best.Liveness == "" {
			best = h
		}
	}
	return best
}

// holderEnd says how the remembered holder of a terminal went. False: not known yet.
func (t *step) holderEnd(now detect.Holder, past Past) (state.HolderEnd, bool) {
	h, here := t.s.Rec.Holder, t.s.Rec.Holder.Boot == t.w.Here.Boot
	switch {
	case h.Wrap != 0 && here:
		return past.Wrap, past.WrapTold
	case !here && t.w.Here.Absent && now.Liveness != detect.LeftBehind:
		return state.HolderQuit, true // whether it lived until the machine went down nobody saw
	case !here:
		return state.HolderHangup, true
	case now.Liveness == detect.LeftBehind && now.PID == h.PID:
		return state.HolderCrash, true
	case !t.s.Holder.Attended: // it ended while clawd did not run: a quit and a closed window look alike by now
		return state.HolderQuit, true
	case now.Liveness == detect.HolderUnknown && (now.PID == 0 || !past.Over):
		// How it went shows only right then: a shell that has outlived it may be closed later.
		return "", false
	case h.Leader == 0 || h.Leader == h.PID || h.LeaderStart == 0:
		return state.HolderQuit, true // it led its own session, or nobody could see who does, so its end and the terminal's look alike
	case past.LeaderLives:
		return state.HolderQuit, true
	}
	return state.HolderHangup, true
}

// untold: the remembered holder is gone, and clawd wrap is yet to say how it went.
func (t *step) untold() bool {
	now, h := t.s.Rec.Classifier.Holder.Liveness, t.s.Rec.Holder
	return (now == detect.Gone || now == detect.LeftBehind) && h.Liveness == detect.Alive && h.Wrap != 0 && h.Boot == t.w.Here.Boot && t.s.Rec.HolderEnd == ""
}
