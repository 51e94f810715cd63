package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/internal/wrap"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

const (
	// settleTime: two looks so far apart must agree before "the process is gone and wrote nothing
	// more" is believed; networkSettle where files lie on a network file system.
	settleTime    = 5 * time.Second
	networkSettle = 90 * time.Second
)

func (s *session) settle() time.Duration {
	switch {
	case s.d.o.Settle > 0:
		return s.d.o.Settle
	case agent.NetworkFS(filepath.Dir(s.ds.Path)) != "":
		return networkSettle
	}
	return settleTime
}

// answer finds out what the machine asks. Nil: clawd ends, and a look that was called off shows nothing.
func (s *session) answer(ctx context.Context, q machine.Question) (a machine.Answer) {
	switch q := q.(type) {
	case machine.AskFiles:
		f := s.readOn(ctx, q.Rec)
		s.seeSubs(ctx, q.Rec, f)
		a = f
	case machine.AskHolders:
		a = s.seeHolders(ctx, q.Rec)
	case machine.AskScreen:
		a = s.seeScreen(ctx, q)
	case machine.AskStop:
		a = s.seeStop(ctx, q)
	case machine.AskFit:
		a = s.seeFit(ctx, q)
	case machine.AskAll:
		a = s.seeAll(ctx, q)
	case machine.AskRoles:
		a = s.rolesAhead(ctx, q.Rec)
	case machine.AskOrder:
		a = s.seeOrder(ctx, q)
	}
	if ctx.Err() != nil {
		return nil
	}
	return a
}

// seeHolders asks who has the session open, and what became of the one who had.
func (s *session) seeHolders(ctx context.Context, rec *state.Session) *machine.HoldersSeen {
	out, was, procs := &machine.HoldersSeen{Settle: s.settle()}, rec.Holder, s.d.o.Env.Procs
	known := was.Liveness == detect.Alive && was.PID != 0
	out.Past.Lived = known && agent.Lives(procs, agent.Proc{PID: was.PID, Start: was.Start})
	if out.All, out.Err = s.a.Live(ctx, s.ds, rec.Info); out.Err != nil {
		return out
	}
	s.nested(rec, out.All)
	if out.Exec, _, out.Err = callers(s.d.held(), s.ds, rec.Stop); out.Err != nil {
		return out
	}
	out.Terminals = s.terminals(out.All, rec)
	if !known {
		return out
	}
	out.Past.Over = !agent.Lives(procs, agent.Proc{PID: was.PID, Start: was.Start})
	out.Past.LeaderLives = agent.Lives(procs, agent.Proc{PID: was.Leader, Start: was.LeaderStart})
	if was.Wrap != 0 && was.Boot == s.d.boot {
		out.Past.Wrap, out.Past.WrapTold = s.d.wrapEnd(was)
	}
	return out
}

// terminals looks at the terminals of those that have a session open.
func (s *session) terminals(holders []detect.Holder, rec *state.Session) machine.Terminals {
	all := machine.Terminals{Wraps: map[int]detect.Holder{}}
	for _, h := range holders {
		if w, ok := s.d.trigger.Wrapped(h); ok {
			all.Wraps[h.PID] = detect.Holder{Wrap: w.Child.PID, WrapStart: w.Child.Start}
		}
		if h.Kind == detect.Interactive && s.late(h, rec) {
			all.Late = append(all.Late, h.PID)
		}
	}
	return all
}

// wrapEnd is what clawd wrap wrote down about the end of its program. One that was killed itself has
// left nothing: then its user counts as having ended it.
func (d *Daemon) wrapEnd(h detect.Holder) (state.HolderEnd, bool) {
	w, ok := wrap.Find(d.o.Wraps, h.Wrap, h.WrapStart)
	if !ok || w.End == nil {
		p, lives := d.procs.Get(w.Wrapper.PID)
		return state.HolderQuit, !ok || !lives || p.Start != w.Wrapper.Start
	}
	switch w.End.Cause {
	case wrap.Hangup:
		return state.HolderHangup, true
	case wrap.Crash:
		return state.HolderCrash, true
	}
	return state.HolderQuit, true
}

// seeScreen reads a limit that an agent draws on its screen alone.
func (s *session) seeScreen(ctx context.Context, q machine.AskScreen) *machine.ScreenSeen {
	out := &machine.ScreenSeen{}
	if _, ok := s.a.(agent.Drawer); !ok || s.d.trigger.Way(q.Rec.Classifier.Holder) == resume.Exec {
		return out
	}
	holders, err := s.a.Live(ctx, s.ds, q.Rec.Info)
	if err != nil {
		out.Err = err
		return out
	}
	h, _, err := s.shown(ctx, q.Rec, q.Beside, holders)
	if err != nil {
		return out // whose screen it is cannot be told
	}
	text, err := s.d.trigger.Dialog(ctx, s.ds, h)
	if err != nil || text == "" {
		return out // no screen, nothing seen
	}
	zone := s.d.o.Env.Zone
	if zone == nil {
		zone = time.Local
	}
	if seen, ok := s.a.Message(text, s.d.now(), zone); ok {
		out.Failure = &detect.Failure{Reason: seen.Reason, Window: seen.Window, ResetAt: seen.ResetAt, ResetMinute: seen.ResetMinute,
			RetryAfter: seen.RetryAfter, Source: "screen", Field: "dialog", Notes: seen.Notes}
	}
	return out
}

// seeStop finds out what else there is to know of a stop.
func (s *session) seeStop(ctx context.Context, q machine.AskStop) *machine.StopSeen {
	out := &machine.StopSeen{Facts: rules.Facts{Stop: q.Stop}}
	s.seeAccount(q.Rec.Info)
	if out.Err = s.ask(&out.Facts, q.Rec); out.Err != nil {
		return out
	}
	out.Made, _ = s.marked(q.Rec, q.Stop) // what cannot be read now is looked at once more before an attempt
	if q.Stop.NotResumable {
		out.Prompt, out.Problem = s.lastPrompt(ctx, q.Rec)
	}
	out.Err = s.d.seenUntil(s.key)
	return out
}

func (s *session) ignored(rec *state.Session) bool {
	cfg, _ := s.d.settings()
	return cfg.Watch.Ignores(rec.Info.Dir)
}

// marked gives the newest attempt for a stop that has a mark; nil: there is none.
func (s *session) marked(rec *state.Session, stop detect.Stop) (*resume.Claim, error) {
	n, mark, err := marks.Last(s.d.marks(), s.ds, stop.Key)
	if err != nil || n == 0 {
		return nil, err
	}
	c, path := mark.Claim, marks.Path(s.d.marks(), s.ds, stop.Key, n)
	if c.Token == "" { // a torn mark: made, and nothing more is known
		c = resume.Claim{Token: "torn " + path, At: stop.At, Cursor: rec.Cursor, Plan: resume.Plan{Form: resume.FormPrompt, Argv: []string{s.a.Command()}}}
	}
	c.Session, c.Stop, c.N, c.Attempts, c.Mark = s.ds, stop, n, n, path
	return &c, nil
}

// ask adds what clawd exec has to do with the session, and what the config says about its project.
func (s *session) ask(f *rules.Facts, rec *state.Session) (err error) {
	f.Config.IgnoresProject = s.ignored(rec)
	f.Who.Exec, f.Who.ExecTold, err = callers(s.d.held(), s.ds, f.Stop)
	return err
}

// seeFit finds out whether there could be an attempt at all.
func (s *session) seeFit(ctx context.Context, q machine.AskFit) *machine.FitSeen {
	out := &machine.FitSeen{Facts: q.Facts}
	f, h := &out.Facts, q.Facts.Who.Holder
	if out.Err = s.ask(f, q.Rec); out.Err != nil {
		return out
	}
	attended := rules.Attends(h)
	var holders []detect.Holder
	if attended {
		if holders, out.Err = s.a.Live(ctx, s.ds, q.Rec.Info); out.Err != nil {
			return out
		}
		f.Who.Server = s.serverIn(holders, q.Rec)
	}
	if _, ruled := rules.Ask(rules.Wait, f); ruled {
		return out
	}
	if !attended { // else it is asked where it is open
		err := s.mayStart(ctx, q.Rec)
		if passes(err) { // the attempt meets it again, and is put off
			err = nil
		}
		s.d.planFacts(f, q.Rec, err)
		return out
	}
	if !q.Live {
		return out
	}
	if !rules.Attends(machine.Strongest(holders)) {
		out.Gone = true
		return out
	}
	if err := s.mayWake(ctx, q.Rec, q.Beside, holders); err != nil {
		out.Way = s.noWay(err)
	}
	return out
}

// planFacts adds what became of the plan.
func (d *Daemon) planFacts(f *rules.Facts, rec *state.Session, err error) {
	f.Plan = rules.Plan{Err: err, Waited: d.now().Sub(rec.Decision.WakeAt), HandOff: f.Plan.HandOff}
	if u := (*agent.Unfit)(nil); errors.As(err, &u) {
		f.Plan = rules.Plan{Unfit: u.Reason(), Command: u.Command, HandOff: f.Plan.HandOff}
	}
}

// late tells whether a process was started after the prompt of the newest turn, so that it did not take that.
func (s *session) late(h detect.Holder, rec *state.Session) bool {
	began := rec.Classifier.LastPrompt.At
	if began.IsZero() { // its files are not read so far back
		began = rec.Stop.At
	}
	p, ok := s.d.o.Env.Procs.Get(h.PID)
	return ok && !began.IsZero() && p.Started.After(began.Add(truncated))
}

// truncated bounds what the time of a record leaves out: some agents write whole seconds.
const truncated = time.Second

// serverIn tells where a server of the agent stands among those that have a session open.
func (s *session) serverIn(holders []detect.Holder, rec *state.Session) rules.Server {
	where := rules.NoServer
	for _, h := range holders {
		switch {
		case h.Liveness != detect.Alive:
		case h.Kind == detect.Interactive && len(machine.Shown(holders)) > 0:
			return rules.Among
		case h.Kind == detect.Interactive:
			return rules.NoServer
		case h.Kind == detect.Server && s.late(h, rec) && where != rules.Alone:
			where = rules.Late
		case h.Kind == detect.Server:
			where = rules.Alone
		}
	}
	return where
}

// attendedBy gives the live process that keeps clawd from starting a second one.
func attendedBy(holders []detect.Holder) (detect.Holder, bool) {
	h := machine.Strongest(holders)
	return h, rules.Attends(h)
}

// seeOrder looks what the session's files end in and what speaks against a resume that its user wants.
func (s *session) seeOrder(ctx context.Context, q machine.AskOrder) *machine.OrderSeen {
	rec := *q.Rec
	out := &machine.OrderSeen{}
	var err error
	if out.Holders, err = s.a.Live(ctx, s.ds, rec.Info); err != nil {
		out.Err = fmt.Errorf("who has the session open cannot be seen: %w", err)
		return out
	}
	h, attended := attendedBy(out.Holders)
	if out.Stop, out.Err = s.tail(ctx, &rec, q.Order, h); out.Err != nil {
		return out
	}
	unheard := q.Rec.Classifier.Holder.Liveness == detect.Alive // its process has ended since clawd looked, perhaps long after it wrote
	if out.Stop.Evidence.Field == string(detect.KindHolder) && (unheard || s.writtenWithin(s.settle())) {
		out.Err = machine.Refuse("its turn has only just ended, and its last words may be yet to come; say it again in %s", s.settle())
		return out
	}
	if out.Err = s.heirWorks(&rec); out.Err != nil {
		return out
	}
	_, policy := s.d.settings()
	rec.Stop, rec.Decision = out.Stop, policy.Ordered(out.Stop, rec.TriedBefore(), s.d.now(), q.Order)
	out.Facts.Stop = out.Stop
	if out.Err = s.lookedFor(&rec); out.Err != nil {
		return out
	}
	if out.Err = s.ask(&out.Facts, &rec); out.Err != nil {
		return out
	}
	if attended {
		if err := s.mayWake(ctx, &rec, q.Beside, out.Holders); err != nil {
			out.Way = err.Error()
		}
		return out
	}
	err = s.mayStart(ctx, &rec)
	if errors.Is(err, errNotYet) {
		out.Err = s.soon(&rec)
		return out
	}
	s.d.planFacts(&out.Facts, &rec, err)
	return out
}

// lookedFor says that the program which the decision has run is still looked for.
func (s *session) lookedFor(rec *state.Session) error {
	if a, err := s.runner(rec); err != nil || s.d.lookedFor(a) { // else the plan says what is wrong
		return nil
	}
	return s.soon(rec)
}

func (s *session) soon(rec *state.Session) error {
	return machine.Refuse("%v (%s); say it again in a minute", errNotYet, cmp.Or(rec.Decision.With, s.a.Name()))
}

// writtenWithin tells whether the session's files were written within a time.
func (s *session) writtenWithin(span time.Duration) bool {
	files, _ := s.a.Files(s.ds) // they have just been read
	return slices.ContainsFunc(files, func(path string) bool {
		fi, err := os.Lstat(path)
		return err == nil && s.d.now().Sub(fi.ModTime()).Abs() < span
	})
}

// heirWorks refuses an order for a session whose work another one goes on with, or will: two would do the same.
func (s *session) heirWorks(rec *state.Session) error {
	ds := rec.Handed()
	if ds.ID == "" {
		return nil
	}
	heir, known, err := s.d.store.Session(ds)
	if err != nil || !known {
		return err
	}
	switch heir.Phase {
	case state.Waiting, state.Claimed, state.Fired:
		return &machine.OrderError{Why: fmt.Sprintf("session %s took over from it and is %s; cancel that first", rec.NewSession, heir.Phase), Command: "clawd cancel " + state.Key(ds)}
	}
	if s.standing().child != 0 {
		return &machine.OrderError{Why: fmt.Sprintf("session %s took over from it and works; cancel that first", rec.NewSession), Command: "clawd cancel " + state.Key(ds)}
	}
	return nil
}

// tail gives the stop that the session's files end in.
func (s *session) tail(ctx context.Context, rec *state.Session, o resume.Order, h detect.Holder) (detect.Stop, error) {
	f := s.readOn(ctx, rec)
	switch {
	case errors.Is(f.Err, fs.ErrNotExist) && deleted(rec) && (o.Fresh || o.With != "" || rec.Decision.Strategy == resume.FreshSession):
		return rec.Stop, nil // what a fresh session needs of it was kept
	case errors.Is(f.Err, fs.ErrNotExist):
		found, _ := rules.Ask(rules.Order, &rules.Facts{Tail: rules.Tail{Gone: true}})
		return detect.Stop{}, machine.Refuse("%s", found.Why)
	case f.Err != nil:
		return detect.Stop{}, fmt.Errorf("its files cannot be read: %w", f.Err)
	}
	if rec.Stop.State == detect.Stopped && moved(rec, f) == "" {
		return rec.Stop, nil
	}
	c := f.Fold
	c.Feed(detect.Event{Kind: detect.KindHolder, Holder: &h, At: s.d.now()})
	switch stop := c.Stop(); {
	case stop.IsStop(), stop.State == detect.Retrying && stop.Reason != "":
		return stop, nil
	case stop.Reason == detect.Completed:
		return stop, machine.Refuse("there is nothing to resume: its turn ended well")
	default:
		return stop, machine.Refuse("there is nothing to resume: the session is %s", stop.State)
	}
}

// paths are where the mark and the output of an attempt are.
func (d *Daemon) paths(s detect.Session, key string, n int, token string) (mark, output string) {
	return marks.Path(d.marks(), s, key, n), filepath.Join(d.outputs(), fmt.Sprintf("%s-%s-%d-%s.out", s.Agent, s.ID, n, token[:8]))
}

// account names whose quota a session uses, as it was seen last.
func (d *Daemon) account(name string, i detect.Info) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.accounts[name+"\x00"+i.Provider]
}

// seeAccount looks whose quota the session uses now. Its agent's folder tells, which may hang, so the loop does not look.
func (s *session) seeAccount(i detect.Info) {
	s.d.accountIs(s.ds.Agent, i, s.a.Account(i))
}

func (d *Daemon) accountIs(name string, i detect.Info, account string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.accounts[name+"\x00"+i.Provider] = account
}
