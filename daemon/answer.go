package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/marks"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/internal/wrap"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// lookLasts is how old a list of processes may be for the last look before an attempt.
const lookLasts = 50 * time.Millisecond

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
	case onNetwork(filepath.Dir(s.ds.Path)):
		return networkSettle
	}
	return settleTime
}

// answer finds out what the machine asks. Nil: clawd ends, and a look that was called off shows nothing.
func (s *session) answer(ctx context.Context, q machine.Question) (a machine.Answer) {
	switch q := q.(type) {
	case machine.AskFiles:
		a = s.readOn(ctx, q.Rec)
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
		if r := s.askRoles(ctx, q.Rec); r != nil {
			a = r
		}
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
	out := &machine.HoldersSeen{Settle: s.settle(), Wraps: map[int]detect.Holder{}}
	if out.All, out.Err = s.a.Live(ctx, s.ds, rec.Info); out.Err != nil {
		return out
	}
	if out.Exec, out.ExecUntil, out.Err = callers(s.d.held(), s.ds); out.Err != nil {
		return out
	}
	for _, h := range out.All {
		if w, ok := s.d.trigger.Wrapped(h); ok {
			out.Wraps[h.PID] = detect.Holder{Wrap: w.Child.PID, WrapStart: w.Child.Start}
		}
	}
	was := rec.Holder
	if was.Liveness != detect.Alive || was.PID == 0 {
		return out
	}
	if p, ok := s.d.o.Env.Procs.Get(was.PID); !ok || p.Start != was.Start || p.Zombie {
		out.Past.Over = true
	}
	p, ok := s.d.o.Env.Procs.Get(was.Leader)
	out.Past.LeaderLives = ok && p.Start == was.LeaderStart && !p.Zombie
	if was.Wrap != 0 && was.Boot == s.d.boot {
		out.Past.Wrap, out.Past.WrapTold = s.d.wrapEnd(was)
	}
	return out
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
	h, err := s.shown(ctx, q.Rec, q.Beside, holders)
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
	out := &machine.StopSeen{Ignored: s.ignored(q.Rec)}
	s.seeAccount(q.Rec.Info)
	if out.Exec, out.ExecUntil, out.Err = callers(s.d.held(), s.ds); out.Err != nil {
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
	c := mark.Claim
	if c.Token == "" { // a torn mark: made, and nothing more is known
		c = resume.Claim{Session: s.ds, N: n, Token: "torn", At: stop.At, Cursor: rec.Cursor,
			Plan: resume.Plan{Form: resume.FormPrompt, Argv: []string{s.a.Command()}}}
	}
	c.Session, c.Stop, c.N, c.Attempts = s.ds, stop, n, n
	c.Mark = marks.Path(s.d.marks(), s.ds, stop.Key, n)
	return &c, nil
}

// ask adds what clawd exec has to do with the session, and what the config says about its project.
func (s *session) ask(f *rules.Facts, rec *state.Session) error {
	f.Config.IgnoresProject = s.ignored(rec)
	now, until, err := callers(s.d.held(), s.ds)
	f.Who.Exec, f.Who.ExecTold = now, machine.ExecTold(now, until, f.Stop)
	return err
}

// seeFit finds out whether there could be an attempt at all.
func (s *session) seeFit(ctx context.Context, q machine.AskFit) *machine.FitSeen {
	out := &machine.FitSeen{Facts: q.Facts}
	f, h := &out.Facts, q.Facts.Who.Holder
	if out.Err = s.ask(f, q.Rec); out.Err != nil {
		return out
	}
	attended := h.Liveness == detect.Alive && h.Kind != detect.Headless
	var holders []detect.Holder
	if h.Outlives || q.Live {
		if holders, out.Err = s.a.Live(ctx, s.ds, q.Rec.Info); out.Err != nil {
			return out
		}
		f.Who.ServerOnly = h.Outlives && serverOnly(holders)
	}
	if _, ruled := rules.Ask(rules.Wait, f); ruled {
		return out
	}
	if !attended { // else it is asked where it is open
		_, err := s.plan(q.Rec, []byte("-"))
		s.d.planFacts(f, q.Rec, err)
		return out
	}
	if !q.Live {
		return out
	}
	if _, still := attendedBy(holders); !still {
		out.Gone = true
		return out
	}
	if _, err := s.livePlan(ctx, q.Rec, q.Beside, holders); err != nil {
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

// serverOnly tells whether a server of the agent has a session open, and no terminal.
func serverOnly(holders []detect.Holder) bool {
	server, terminal := false, false
	for _, h := range holders {
		alive := h.Liveness == detect.Alive
		server = server || alive && h.Outlives
		terminal = terminal || alive && h.Kind == detect.Interactive
	}
	return server && !terminal
}

// attendedBy gives the live process that keeps clawd from starting a second one.
func attendedBy(holders []detect.Holder) (detect.Holder, bool) {
	h := machine.Strongest(holders)
	return h, h.Liveness == detect.Alive && h.Kind != detect.Headless
}

// seeAll is the last look before an attempt. It ends as soon as something speaks against one.
func (s *session) seeAll(ctx context.Context, q machine.AskAll) *machine.AllSeen {
	rec := *q.Rec
	out := &machine.AllSeen{Facts: q.Facts, Rec: &rec, Roles: q.Roles, At: s.d.mono()}
	if err := s.d.refresh(ctx, s.a); err != nil {
		out.Later = s.later(lookAgain, "%v", err)
		return out
	}
	if err := s.d.folders(); err != nil {
		out.Short = "clawd's own folders: " + err.Error()
		return out
	}
	f := &out.Facts
	f.Tail = s.tailOf(ctx, &rec)
	var handOff []byte
	if rec.Decision.Strategy == resume.FreshSession { // first, for it may take a while
		handOff, f.Plan.HandOff = s.handOff(ctx, &rec)
	}
	holders, ok := s.lastHolders(ctx, q, out)
	if !ok {
		return out
	}
	h, attended := attendedBy(holders)
	f.Who.Holder, f.Who.ServerOnly = h, serverOnly(holders)
	f.Info, f.Record.Driven, f.Record.Cancelled = rec.Info, rec.Driven(), rec.CancelStands(rec.Classifier)
	if err := s.ask(f, &rec); err != nil {
		out.Later = s.later(lookAgain, "%v", err)
		return out
	}
	if _, ruled := rules.Ask(rules.Claim, f); ruled {
		return out
	}
	s.seeAccount(rec.Info)
	if s.unsettled(out); out.Made != nil || out.Later != nil {
		return out
	}
	if out.Live = attended; attended {
		s.ready(ctx, q.Beside, holders, out)
	} else {
		s.planned(handOff, out)
	}
	out.Gone, out.At = q.OpenBy != 0 && !attended, s.d.mono()
	return out
}

// lastHolders looks who has the session open, and whether the agent still has the role that it ran in. False: something
// speaks against an attempt.
func (s *session) lastHolders(ctx context.Context, q machine.AskAll, out *machine.AllSeen) ([]detect.Holder, bool) {
	holders, ok := s.who(ctx, out)
	roles, has := s.a.(agent.Roles)
	h := machine.Strongest(holders)
	if !ok || !has || q.OpenBy != 0 || !quiet(h) || out.Facts.Plan.HandOff != nil || out.Facts.Tail != (rules.Tail{}) {
		return holders, ok
	}
	late := s.seeRoles(ctx, roles, out)
	if out.Later != nil || out.Short != "" || out.Err != nil || !late {
		return holders, out.Later == nil && out.Short == "" && out.Err == nil
	}
	out.Facts.Tail = s.tailOf(ctx, out.Rec) // asking took a while
	return s.who(ctx, out)
}

func quiet(h detect.Holder) bool {
	return h.Liveness != detect.Alive && h.Liveness != detect.HolderUnknown && !h.Foreign
}

// later puts an attempt off.
func (s *session) later(by time.Duration, format string, args ...any) *resume.Outcome {
	return &resume.Outcome{Verdict: resume.Postponed, Again: s.d.now().Add(by), Why: fmt.Sprintf(format, args...)}
}

// who looks now who has the session open.
func (s *session) who(ctx context.Context, out *machine.AllSeen) ([]detect.Holder, bool) {
	s.d.procs.atMost(lookLasts)
	holders, err := s.a.Live(ctx, s.ds, out.Rec.Info)
	if err != nil {
		out.Later = s.later(lookAgain, "who holds the session cannot be seen: %v", err)
	}
	return holders, err == nil
}

// tailOf reads what is new in the session's files into the record.
func (s *session) tailOf(ctx context.Context, rec *state.Session) rules.Tail {
	f := s.readOn(ctx, rec)
	switch {
	case errors.Is(f.Err, fs.ErrNotExist):
		tail := rules.Tail{Gone: !deleted(rec) || rec.Decision.Strategy != resume.FreshSession}
		tail.Away, tail.AwayFor = s.away(rec.Decision)
		return tail
	case f.Err != nil:
		return rules.Tail{Err: f.Err}
	}
	switch who := moved(rec, f); who {
	case "":
		rec.Classifier, rec.Cursor = f.Fold, f.Cursor
		rec.Info.Merge(f.Info)
		return rules.Tail{}
	case rules.Rewritten:
		return rules.Tail{Rewritten: true}
	default:
		return rules.Tail{MovedOn: who}
	}
}

// unsettled finds an attempt for the stop that has its mark, and that the store does not know of: it was lost, and
// came back from a snapshot.
func (s *session) unsettled(out *machine.AllSeen) {
	switch made, err := s.marked(out.Rec, out.Rec.Stop); {
	case err != nil:
		out.Later = s.later(lookAgain, "the marks of earlier attempts cannot be read: %v", err)
	case made != nil && made.N > out.Rec.Episode.Attempts:
		out.Made = made
	}
}

// planned gives the plan of a process of ours.
func (s *session) planned(handOff []byte, out *machine.AllSeen) {
	if _, err := s.d.program(s.a); err != nil { // it is being replaced, say
		out.Later = s.later(lookAgain, "%v", err)
		return
	}
	p, err := s.plan(out.Rec, handOff)
	switch {
	case aboutMachine(err):
		out.Short = err.Error()
	case err != nil:
		s.d.planFacts(&out.Facts, out.Rec, err)
	}
	out.Plan = p
}

// plan asks the agent for the argv. handOff is for fresh sessions.
func (s *session) plan(rec *state.Session, handOff []byte) (resume.Plan, error) {
	r, err := s.request(rec)
	if err != nil {
		return resume.Plan{}, err
	}
	if rec.Decision.Strategy == resume.FreshSession {
		r.NewID, r.Handoff = uuid.NewString(), handOff
		return s.a.Fresh(r)
	}
	return s.a.Plan(r)
}

// request is what a plan for the session is asked with.
func (s *session) request(rec *state.Session) (agent.Request, error) {
	cfg, _ := s.d.settings()
	p, err := s.d.program(s.a)
	r := agent.Request{Session: s.ds, Info: rec.Info, Stop: rec.Stop, Program: p, Prompt: cfg.Resume.Prompt,
		LastMeta: rec.Classifier.LastPrompt.Meta || rec.Classifier.Aside, Inert: rec.InertNow(), Launch: s.launch(rec),
		Answered: rec.Episode.Attempts > 0 || rec.Classifier.Answered.After(rec.Classifier.LastPrompt.At)}
	r.Info.Interactive = rec.Driven()
	return r, err
}

// moved tells whether the tail of the files is still the claimed stop; empty: it is.
func moved(rec *state.Session, f *machine.FilesSeen) string {
	c := f.Fold
	if f.Anew && !machine.Told(c, rec.Stop) {
		return rules.Rewritten
	}
	c.Holder = detect.Holder{Liveness: detect.Gone}
	if rec.Stop.Reason == detect.Crashed { // a proven crash stays one: the proof is not in the records
		c.Holder.Liveness = detect.LeftBehind
	}
	now := c.Stop()
	switch {
	case now.Reason == detect.Completed:
		return "the turn ended well"
	case now.Reason == detect.Interrupted && rec.Stop.Reason != detect.Interrupted && now.Key == rec.Stop.Key:
		return "its user stopped it"
	case now.State == detect.Stopped && (now.Key == rec.Stop.Key || "cut:"+now.Key == rec.Stop.Key || now.Key == "cut:"+rec.Stop.Key):
		return ""
	case now.Key == rec.Stop.Key:
		return fmt.Sprintf("the session is %s now", now.State)
	}
	return "somebody went on in this session"
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
	if !s.d.lookedFor(s.a) {
		out.Err = refused("clawd has just started and has not found out yet which version %q is; say it again in a minute", s.a.Command())
		return out
	}
	h, attended := attendedBy(out.Holders)
	if out.Stop, out.Err = s.tail(ctx, &rec, q.Order, h); out.Err != nil {
		return out
	}
	_, policy := s.d.settings()
	tried := resume.Tried{Attempts: rec.Episode.Attempts, Fresh: rec.Episode.Fresh, Refused: rec.RefusedNow()}
	rec.Stop, rec.Decision = out.Stop, policy.Ordered(out.Stop, tried, s.d.now(), q.Order)
	out.Facts.Stop = out.Stop
	if out.Err = s.ask(&out.Facts, &rec); out.Err != nil {
		return out
	}
	if attended {
		if _, err := s.livePlan(ctx, &rec, q.Beside, out.Holders); err != nil {
			out.Way = err.Error()
		}
		return out
	}
	_, err = s.plan(&rec, []byte("-"))
	s.d.planFacts(&out.Facts, &rec, err)
	return out
}

// tail gives the stop that the session's files end in.
func (s *session) tail(ctx context.Context, rec *state.Session, o resume.Order, h detect.Holder) (detect.Stop, error) {
	f := s.readOn(ctx, rec)
	switch {
	case errors.Is(f.Err, fs.ErrNotExist) && deleted(rec) && (o.Fresh || rec.Decision.Strategy == resume.FreshSession):
		return rec.Stop, nil // what a fresh session needs of it was kept
	case errors.Is(f.Err, fs.ErrNotExist):
		found, _ := rules.Ask(rules.Order, &rules.Facts{Tail: rules.Tail{Gone: true}})
		return detect.Stop{}, refused("%s", found.Why)
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
		return stop, refused("there is nothing to resume: its turn ended well")
	default:
		return stop, refused("there is nothing to resume: the session is %s", stop.State)
	}
}

// LastLook is what the shim looks at before it becomes the agent: is the tail of the files still
// the claimed stop, and is nobody else in the session? held is the folder of the sessions that clawd
// exec has open. A text says why not.
func LastLook(ctx context.Context, a agent.Agent, c resume.Claim, held string) string {
	f := rules.Facts{Stop: c.Stop, Record: rules.Record{Session: c.Session}}
	now, until, err := callers(held, c.Session)
	if err != nil {
		return err.Error()
	}
	f.Who.Exec, f.Who.ExecTold = now, machine.ExecTold(now, until, c.Stop)
	batch, err := a.Read(ctx, c.Session, agent.Cursor(c.Cursor), func(e detect.Event) {
		if e.Kind != detect.KindRetry && e.Kind != detect.KindHolder {
			f.Tail.MovedOn = "somebody went on in this session"
		}
	})
	if errors.Is(err, fs.ErrNotExist) && c.Plan.Form == resume.FormFresh && c.Stop.NotResumable {
		err = nil // the agent itself deletes such a session
	}
	f.Tail.Err, f.Tail.Rewritten = err, batch.Anew && f.Tail.MovedOn == ""
	if found, ok := rules.Ask(rules.Shim, &f); ok {
		return found.Why
	}
	holders, err := a.Live(ctx, c.Session, c.Info)
	if err != nil {
		return "who holds the session cannot be seen: " + err.Error()
	}
	if c.Plan.Way == resume.Queue {
		if slices.ContainsFunc(holders, c.Plan.Reaches) {
			return ""
		}
		return "the process that had the session open is gone"
	}
	f.Who.Holder = machine.Strongest(holders)
	found, _ := rules.Ask(rules.Shim, &f)
	return found.Why
}

// paths are where the mark and the output of an attempt are.
func (d *Daemon) paths(s detect.Session, key string, n int, token string) (mark, output string) {
	return marks.Path(d.marks(), s, key, n), filepath.Join(d.outputs(), fmt.Sprintf("%s-%s-%d-%s.out", s.Agent, s.ID, n, token[:8]))
}

// token names an attempt.
func token() string { return uuid.NewString() }

// account names whose quota a session uses, as it was seen last.
func (d *Daemon) account(name string, i detect.Info) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.accounts[name+"\x00"+i.Provider]
}

// seeAccount looks whose quota the session uses now. Its agent's folder tells, which may hang, so the loop does not look.
func (s *session) seeAccount(i detect.Info) {
	account := s.a.Account(i)
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.d.accounts[s.ds.Agent+"\x00"+i.Provider] = account
}
