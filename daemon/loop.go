package daemon

import (
	"container/heap"
	"context"
	"math"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/state"
)

// loop owns all sessions: it alone decides about them and writes what was decided. Nothing in it waits but for the
// store. What it needs to know of files and processes is looked up outside, and comes back by mail.
type loop struct {
	d      *Daemon
	w      machine.World
	seats  map[string]*seat
	timers timers
	queue  []*seat // those that wait for their turn, first come first
	write  func(...*state.Change) error
	hand   *Hand // drives the loop; nil: run does

	mu   sync.Mutex // guards what follows
	mail []mail
	over bool          // no mail is taken any more
	kick chan struct{} // one slot: there is mail
}

// seat is one session in the loop.
type seat struct {
	*session
	s      machine.Session
	at     time.Time // when it is to be looked at again, by the wall clock
	index  int       // among the timers; -1: not there
	queued bool      // it is in the loop's queue
}

// mail is something for the loop: an event of a session, or a question to the loop itself.
type mail struct {
	s    *session
	e    machine.Event
	from string        // where a session of no interest ended when it was last looked at
	ask  func(*loop)   // is carried out there
	done chan struct{} // closed after that
}

// wallStep bounds how late a wait can end after the machine slept: Go's timers stand still in a
// suspend, so the wall clock is looked at anew this often while anything waits.
const wallStep = 10 * time.Second

// jump is how far wall clock and monotonic clock must part to count as a sleep or a step of the
// clock.
const jump = 2 * time.Second

// headStart is how long before the end of a wait what it will need is read ahead.
const headStart = 20 * time.Millisecond

func newLoop(d *Daemon) *loop {
	l := &loop{d: d, seats: map[string]*seat{}, kick: make(chan struct{}, 1)}
	l.w = machine.World{Peers: machine.NewPeers(), Turns: machine.NewTurns(), Token: uuid.NewString, Paths: d.paths, Account: d.account}
	return l
}

// post leaves mail. It never waits.
func (l *loop) post(m mail) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		if m.done != nil {
			close(m.done)
		}
		return
	}
	l.mail = append(l.mail, m)
	signal(l.kick)
}

// ask carries a question out in the loop and waits for that. After the loop has ended nothing is carried out.
func (l *loop) ask(f func(*loop)) {
	if l.hand != nil {
		f(l)
		return
	}
	done := make(chan struct{})
	l.post(mail{ask: f, done: done})
	<-done
}

func (l *loop) take() []mail {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.mail
	l.mail = nil
	return all
}

// clock brings the world's clocks up to now, and has everything looked at again where they have parted since the last
// time.
func (l *loop) clock() {
	// One look at the clocks for all that follows.
	mono, wall := l.d.mono(), l.d.now().Round(0)
	apart := wall.Sub(l.w.Now) - (mono - l.w.Mono)
	known := !l.w.Now.IsZero()
	if l.w.Now, l.w.Mono = wall, mono; known && apart.Abs() > jump {
		l.jumped(apart)
	}
}

// run works until ctx ends, and then for as long as something that was begun is still under way.
func (l *loop) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ahead := false; ; {
		l.turn()
		left, any := l.left()
		switch {
		case any && left > headStart:
			left, ahead = left-headStart, false
		case any && !ahead:
			ahead = true
			l.d.effects.do(nil, l.d.procs.ahead)
		}
		var tick <-chan time.Time
		if any {
			timer.Reset(min(left, wallStep))
			tick = timer.C
		}
		select {
		case <-ctx.Done():
			return
		case <-l.kick:
		case <-tick:
		}
	}
}

// turn does what there is to do now.
func (l *loop) turn() {
	l.clock()
	for _, m := range l.take() {
		l.clock()
		l.handle(m)
	}
	l.due()
	l.begun()
	l.turns()
}

// handle takes one piece of mail in.
func (l *loop) handle(m mail) {
	if m.ask != nil {
		m.ask(l)
		close(m.done)
		return
	}
	s := l.seat(m.s, m.from)
	if s == nil {
		return
	}
	if e, ok := m.e.(machine.Touched); ok && e.Stamp != "" && m.s.ds.Path != s.ds.Path {
		l.move(s, m.s)
	}
	l.step(s, m.e)
}

// seat gives the session's seat; nil: its record cannot be read now.
func (l *loop) seat(of *session, from string) *seat {
	if s := l.seats[of.key]; s != nil {
		return s
	}
	rec, ok, err := l.d.store.Session(of.ds)
	if err != nil {
		l.d.broken(err)
		l.d.unfollow(of.key) // the next rescan finds it again
		return nil
	}
	switch {
	case !ok:
		rec = state.Session{Session: of.ds, Phase: state.Following, Cursor: from}
	case rec.Path == "": // it was known by a mark alone
		rec.Session = of.ds
	}
	return l.sit(of, machine.New(rec, ok))
}

// move has a session read from where it was found now, but while an attempt is judged by the file that it was made for.
func (l *loop) move(s *seat, to *session) {
	if s.s.Attempted() {
		l.d.unfollow(s.key) // the next rescan finds it again
		return
	}
	s.session, s.s.Rec.Session = to, to.ds
}

func (l *loop) sit(of *session, s machine.Session) *seat {
	at := &seat{session: of, s: s, index: -1}
	l.seats[of.key] = at
	l.w.Peers.Put(&at.s)
	return at
}

// step has the machine decide, stores what it decided, and has the rest done. Where the store refuses, the session
// stays as it was.
func (l *loop) step(s *seat, e machine.Event) {
	now, effects := machine.Step(&l.w, s.s, e)
	tells, err := l.commit(effects)
	if err != nil {
		l.d.broken(err)
		l.step(s, machine.Refused{Err: err, On: e})
		return
	}
	if l.hand != nil && l.hand.Stepped != nil {
		l.hand.Stepped(Step{s.s, now, e, effects, &l.w})
	}
	s.s = now
	l.w.Peers.Put(&s.s)
	if s.s.Queued() && !s.queued {
		s.queued = true
		l.queue = append(l.queue, s)
	}
	l.carry(s, effects)
	l.file(s)
	if tells {
		l.d.tell()
	}
}

// commit stores what a step writes, all of it or nothing. tells: there is something in it for the user.
func (l *loop) commit(effects []machine.Effect) (tells bool, err error) {
	var changes []*state.Change
	for _, e := range effects {
		if w, ok := e.(machine.Write); ok {
			changes = append(changes, w.Change)
		}
	}
	if len(changes) == 0 {
		return false, nil
	}
	if err := l.write(changes...); err != nil {
		return false, err
	}
	for _, c := range changes {
		tells = tells || c.Tells()
		for _, heir := range c.Heirs {
			if s := l.seats[state.Key(heir.Session)]; s != nil {
				s.s.Rec = heir
				l.w.Peers.Put(&s.s)
			}
		}
	}
	return tells, nil
}

// file notes when the session is to be looked at again.
func (l *loop) file(s *seat) {
	next := s.s.Next(&l.w)
	switch {
	case !next.Set() && s.index >= 0:
		heap.Remove(&l.timers, s.index)
	case !next.Set():
	case s.index >= 0:
		s.at = next.Wall(&l.w)
		heap.Fix(&l.timers, s.index)
	default:
		s.at = next.Wall(&l.w)
		heap.Push(&l.timers, s)
	}
}

// due wakes the sessions whose time has come.
func (l *loop) due() {
	for len(l.timers) > 0 && !l.timers[0].at.After(l.w.Now) {
		s := l.timers[0]
		heap.Pop(&l.timers)
		l.step(s, machine.Due{})
		if s.index >= 0 && !s.at.After(l.w.Now) { // it asks for a look at the moment that it was looked at
			s.at = l.w.Now.Add(time.Millisecond)
			heap.Fix(&l.timers, s.index)
		}
	}
}

// found notes that those who look for sessions are back: when all that they have found was read, attempts are made.
func (l *loop) found() {
	if l.w.Starting.Set() {
		l.w.Starting = l.w.After(scanPatience) // a file may hang
	}
}

// begun sees whether all sessions that were found at the start were read.
func (l *loop) begun() {
	if !l.w.Starting.Set() || l.w.Starting == forever {
		return
	}
	for _, s := range l.seats {
		if s.s.Looks() && !l.w.Starting.Over(&l.w) {
			return
		}
	}
	l.w.Starting = machine.Timer{}
}

// forever is a timer that is never due.
var forever = machine.Timer{Mono: math.MaxInt64}

// turns lets those start whose turn it is, which may make it another one's.
func (l *loop) turns() {
	for any := true; any; {
		any = false
		waiting := l.queue[:0]
		for _, s := range l.queue {
			if s.s.MayTurn(&l.w) {
				any = true
				l.step(s, machine.Turn{})
			}
			if s.queued = s.s.Queued(); s.queued {
				waiting = append(waiting, s)
			}
		}
		clear(l.queue[len(waiting):])
		l.queue = waiting
	}
}

// left says how long nothing has to be done. False: until something happens.
func (l *loop) left() (left time.Duration, any bool) {
	if len(l.timers) > 0 {
		left, any = l.timers[0].at.Sub(l.w.Now), true
	}
	if next := l.w.NextTurn(); len(l.queue) > 0 && next.Set() {
		if turn := next.Mono - l.w.Mono; !any || turn < left {
			left, any = max(turn, time.Millisecond), true
		}
	}
	return max(left, 0), any
}

// jumped has everything looked at again: the machine slept or its clock was stepped, so events may have been missed.
func (l *loop) jumped(by time.Duration) {
	l.d.log.Info().Str("event", "clock_jumped").Float64("by_s", machine.Seconds(by)).Msg("the machine slept or its clock was set; looking at everything again")
	for _, s := range l.sorted() {
		l.step(s, machine.Jumped{By: by})
	}
	signal(l.d.leap)
}

// books are the store's, and the records that the loop has newer.
type books struct {
	state.Books
	l *loop
}

func (b books) Record(ds detect.Session) state.Session {
	if s := b.l.seats[state.Key(ds)]; s != nil {
		return s.s.Rec
	}
	return b.Books.Record(ds)
}

// timers are the seats by the time when they are to be looked at again.
type timers []*seat

func (t timers) Len() int           { return len(t) }
func (t timers) Less(i, j int) bool { return t[i].at.Before(t[j].at) }
func (t timers) Swap(i, j int)      { t[i], t[j] = t[j], t[i]; t[i].index, t[j].index = i, j }
func (t *timers) Push(x any)        { s := x.(*seat); s.index = len(*t); *t = append(*t, s) }
func (t *timers) Pop() any {
	old := *t
	s := old[len(old)-1]
	old[len(old)-1] = nil
	*t = old[:len(old)-1]
	s.index = -1
	return s
}
