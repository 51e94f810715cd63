package machine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/config"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

var (
	noon    = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	errDisk = errors.New("disk full")
)

// tb is what a test, a benchmark and a property have in common.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// kit plays sessions on a virtual clock: it does what the daemon's loop does around Step, with books in memory, and gives
// the answers that a test wants given. It writes down what is done, a line each.
type kit struct {
	t           tb
	w           World
	began       time.Duration // by the clock that nobody sets
	books       *memory
	places      []*place
	queue       []*place // those that wait for their turn
	mail        []mail
	coming      []coming
	tokens      int
	log         []string
	busy, steps int                      // at this instant, and of all
	lax         bool                     // Step is not checked to be a function
	over        bool                     // clawd ends: what is asked for is called off
	each        func(s Session, e Event) // sees every step; nil: nobody does
	// refuse is the store's answer to a transition of a record; nil: it takes all.
	refuse func(was, is state.Session) error
}

type mail struct {
	p *place
	e Event
}

type coming struct {
	at time.Duration
	f  func()
}

// place is a session, and all that is to be seen of it.
type place struct {
	k      *kit
	s      Session
	key    string
	at     time.Time // when it is to be looked at again, by the wall clock
	filed  bool
	queued bool

	events  []detect.Event // that its files hold
	stamp   int
	info    detect.Info
	holders []detect.Holder
	plan    resume.Plan
	takes   time.Duration // a look
	ages    time.Duration // what is seen, until it is acted on
	// What is seen beside that.
	files func(*FilesSeen)
	held  func(*HoldersSeen)
	drawn func(*ScreenSeen)
	stop  func(*StopSeen)
	fit   func(*FitSeen)
	all   func(*AllSeen)
	order func(*OrderSeen)
	roles func() *Roles
	// What becomes of an attempt.
	child   child
	onStart func() Started
	mute    bool // whether there is a child is not said
	onOpen  func() Opened
	onLook  func(*Sighted)
}

type child struct {
	alive   bool
	sight   resume.Sight
	active  time.Time
	long    bool
	settle  time.Duration
	proof   string        // of Untouched
	working time.Duration // until when the terminal shows it at work
	looks   int
	hangs   bool // looks at it do not come back
}

func newKit(t tb) *kit {
	cfg := config.Default()
	policy := resume.DefaultPolicy()
	policy.Backoff.Jitter, policy.Margin = 0, 0
	k := &kit{t: t, began: time.Hour}
	k.books = newMemory(func() time.Time { return k.w.Now })
	k.w = World{Now: noon, Mono: time.Hour, Here: Here{Boot: "boot-1", Started: noon.Add(-time.Hour)}, Config: cfg, Policy: policy,
		Peers: NewPeers(), Turns: NewTurns(), Books: k.books,
		Account: func(agent string, i detect.Info) string { return agent + i.Provider },
		Token:   func() string { return fmt.Sprintf("token-%d", k.tokens) },
		Paths: func(s detect.Session, key string, n int, token string) (string, string) {
			return fmt.Sprintf("/marks/%s-%s-%d", s.ID, key, n), "/runs/" + token
		}}
	return k
}

// add brings a session of which nothing is known.
func (k *kit) add(id string) *place {
	ds := detect.Session{Agent: "claude", ID: id, Path: "/sessions/" + id}
	return k.seat(New(state.Session{Session: ds, Phase: state.Following}, false))
}

func (k *kit) seat(s Session) *place {
	p := &place{k: k, s: s, key: state.Key(s.Rec.Session)}
	p.info = detect.Info{Dir: "/work/" + s.Rec.ID, Version: "1", Created: noon.Add(-time.Minute)}
	p.plan = resume.Plan{Form: resume.FormPrompt, Session: s.Rec.ID, Argv: []string{"/bin/agent"}, Prompt: detect.HashText("continue")}
	p.child = child{sight: resume.Sight{SameBoot: true, Marked: true}, active: k.w.Now, settle: 5 * time.Second}
	k.places = append(k.places, p)
	k.w.Peers.Put(&p.s)
	return p
}

// rec is a record in a session's files, written now.
func (p *place) rec(id string, kind detect.Kind, change ...func(*detect.Event)) detect.Event {
	e := detect.Event{Kind: kind, ID: id, At: p.k.w.Now, Offset: int64(len(p.events) + 1)}
	for _, c := range change {
		c(&e)
	}
	return e
}

// write adds records to the files, and has the session told.
func (p *place) write(all ...detect.Event) {
	for _, e := range all {
		e.Offset = int64(len(p.events) + 1)
		p.events = append(p.events, e)
	}
	p.touch()
}

func (p *place) touch() {
	p.stamp++
	p.k.post(p, Touched{Stamp: fmt.Sprint("stamp-", p.stamp)})
}

func failed(f detect.Failure) func(*detect.Event) {
	return func(e *detect.Event) { e.Failure = &f }
}

// limited writes a usage limit that ends after a while.
func (p *place) limited(key string, ends time.Duration) *place {
	p.write(p.rec("p-"+key, detect.KindPrompt), p.rec(key, detect.KindFailure, failed(detect.Failure{
		Reason: detect.UsageLimit, Window: detect.FiveHour, ResetAt: p.k.w.Now.Add(ends)})))
	p.k.settle()
	return p
}

// rated writes a rate limit, which has a backoff of 30 s.
func (p *place) rated(key string) *place {
	p.write(p.rec("p-"+key, detect.KindPrompt), p.rec(key, detect.KindFailure, failed(detect.Failure{Reason: detect.RateLimit})))
	p.k.settle()
	return p
}

func (p *place) post(e Event) {
	p.k.post(p, e)
	p.k.settle()
}

func (k *kit) post(p *place, e Event) { k.mail = append(k.mail, mail{p, e}) }

// in has something happen after a while.
func (k *kit) in(d time.Duration, f func()) {
	k.coming = append(k.coming, coming{k.w.Mono + d, f})
}

// settle has everything happen that happens at this instant.
func (k *kit) settle() {
	k.t.Helper()
	for {
		if len(k.mail) > 0 {
			m := k.mail[0]
			k.mail = k.mail[1:]
			k.step(m.p, m.e)
			continue
		}
		if k.happens() || k.due() || k.turns() {
			continue
		}
		return
	}
}

// happens carries out what a test wants to happen now.
func (k *kit) happens() bool {
	for i, l := range k.coming {
		if l.at <= k.w.Mono {
			k.coming = slices.Delete(k.coming, i, i+1)
			l.f()
			return true
		}
	}
	return false
}

func (k *kit) due() bool {
	for _, p := range k.places {
		if p.filed && !p.at.After(k.w.Now) {
			p.filed = false
			k.step(p, Due{})
			if p.filed && !p.at.After(k.w.Now) { // as the loop does
				p.at = k.w.Now.Add(time.Millisecond)
			}
			return true
		}
	}
	return false
}

func (k *kit) turns() bool {
	waiting, any := k.queue[:0:0], false
	for _, p := range k.queue {
		if p.s.MayTurn(&k.w) {
			any = true
			k.step(p, Turn{})
		}
		if p.queued = p.s.Queued(); p.queued {
			waiting = append(waiting, p)
		}
	}
	k.queue = waiting
	return any
}

// pass lets time pass.
func (k *kit) pass(d time.Duration) {
	k.t.Helper()
	for end := k.w.Mono + d; ; {
		k.settle()
		next := end
		for _, l := range k.coming {
			next = min(next, l.at)
		}
		for _, p := range k.places {
			if p.filed {
				next = min(next, k.w.Mono+max(p.at.Sub(k.w.Now), 0))
			}
		}
		if t := k.w.NextTurn(); len(k.queue) > 0 && t.Set() {
			next = min(next, max(t.Mono, k.w.Mono+time.Millisecond))
		}
		k.w.Now, k.w.Mono, k.busy = k.w.Now.Add(next-k.w.Mono), next, 0
		if next >= end {
			k.settle()
			return
		}
	}
}

// jump sets the wall clock, or has the machine sleep.
func (k *kit) jump(d time.Duration) {
	k.t.Helper()
	k.w.Now = k.w.Now.Add(d)
	for _, p := range k.sorted() {
		k.step(p, Jumped{d})
	}
	k.settle()
}

func (k *kit) sorted() []*place {
	all := slices.Clone(k.places)
	slices.SortFunc(all, func(a, b *place) int { return cmp.Compare(a.key, b.key) })
	return all
}

// step is the loop's: what is decided is written, and then done.
func (k *kit) step(p *place, e Event) {
	k.t.Helper()
	if k.busy++; k.busy > 3000+100*len(k.places) {
		k.t.Fatalf("it does not come to rest at %s:\n%s", k.w.Now, strings.Join(k.log[max(0, len(k.log)-40):], "\n"))
	}
	if k.each != nil {
		k.each(p.s, e)
	}
	now, effects := k.pure(p.s, e)
	if err := k.commit(p, effects); err != nil {
		k.note(p, "refused "+err.Error())
		k.step(p, Refused{Err: err, On: e})
		return
	}
	p.s = now
	k.w.Peers.Put(&p.s)
	if p.s.Queued() && !p.queued {
		p.queued = true
		k.queue = append(k.queue, p)
	}
	for _, e := range effects {
		k.carry(p, e)
	}
	k.file(p)
}

func (k *kit) file(p *place) {
	next := p.s.Next(&k.w)
	if p.filed = next.Set(); p.filed {
		p.at = next.Wall(&k.w)
	}
}

func (k *kit) commit(p *place, effects []Effect) error {
	var changes []*state.Change
	was := p.s.Rec
	for _, e := range effects {
		if w, ok := e.(Write); ok {
			if k.refuse != nil {
				if err := k.refuse(was, w.Change.Session); err != nil {
					return err
				}
			}
			was = w.Change.Session
			changes = append(changes, w.Change)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	before, told := len(k.books.History()), len(k.books.Notices())
	if err := k.books.Commit(changes...); err != nil {
		k.t.Fatalf("the books take no more: %v\n%s", err, k)
	}
	var kinds []string
	for _, e := range k.books.History()[before:] {
		kinds = append(kinds, e.Kind)
	}
	for _, n := range k.books.Notices()[told:] {
		kinds = append(kinds, "told:"+n.Event)
	}
	if len(kinds) == 0 {
		kinds = []string{string(was.Phase)}
	}
	k.note(p, "write "+strings.Join(kinds, "+"))
	for _, c := range changes {
		for _, heir := range c.Heirs {
			for _, o := range k.places {
				if o.key == state.Key(heir.Session) {
					o.s.Rec = heir
					k.w.Peers.Put(&o.s)
				}
			}
		}
	}
	return nil
}

// carry does one effect of a step.
func (k *kit) carry(p *place, e Effect) {
	switch e := e.(type) {
	case Write:
	case Ask:
		if k.over {
			return
		}
		k.note(p, "ask "+strings.TrimPrefix(fmt.Sprintf("%T", e.Question), "machine.Ask"))
		k.in(p.takes, func() {
			a := p.answer(e.Question)
			k.in(p.ages, func() { k.post(p, Answered{e.Job, a}) })
		})
	case TurnMove:
		k.w.Turns.Move(e, k.w.Mono)
		k.note(p, "turn "+[...]string{"leads", "takes", "leaves", "drops", "judges", "closes"}[e.Kind])
	case ShortMove:
		began, ended := k.w.Short.Move(e, k.w.Mono)
		if began || ended {
			k.note(p, fmt.Sprintf("short began=%t ended=%t", began, ended))
		}
	case LagMove:
		k.w.Lag.Move(e)
	case Start:
		k.tokens++
		k.note(p, "start")
		p.starts(e)
	case Open:
		k.note(p, "open")
		p.opens(e)
	case Abort:
		k.note(p, "abort")
		p.child.alive = false
	case Adopt:
		k.note(p, "adopt")
	case Look:
		if k.over {
			return
		}
		k.note(p, "look")
		if p.child.hangs {
			return
		}
		if seen := p.sighted(e); !k.over {
			k.post(p, seen)
		}
	case Halt:
		k.note(p, fmt.Sprintf("halt polite=%t", e.Polite))
		if e.Polite || p.plan.Way == resume.Exec {
			p.die()
		}
	case Trim:
		k.note(p, "trim")
		p.child.long = false
	case Forget:
		k.note(p, fmt.Sprintf("forget keep=%t", e.Keep))
	case Await:
		k.note(p, "await")
	case Reply:
		text := e.Text
		if e.Err != nil {
			text = "no: " + e.Err.Error()
		}
		k.note(p, "reply "+text)
	case Log:
		why := ""
		for _, f := range e.Fields {
			if f.Key == "why" {
				why = ": " + fmt.Sprint(f.Value)
			}
		}
		k.note(p, "log "+e.Event+why)
	default:
		k.t.Fatalf("an effect that nobody knows: %T", e)
	}
}
