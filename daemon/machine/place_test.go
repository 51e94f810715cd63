package machine

import (
	"fmt"
	"strconv"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// fold reads the files on from where a record stands.
func (p *place) fold(rec *state.Session) (detect.Classifier, bool) {
	c := rec.Classifier
	from, _ := strconv.Atoi(rec.Cursor)
	for _, e := range p.events[min(from, len(p.events)):] {
		c.Feed(e)
	}
	return c, from < len(p.events)
}

// answer is what is seen when the machine asks.
func (p *place) answer(q Question) Answer {
	switch q := q.(type) {
	case AskFiles:
		c, news := p.fold(q.Rec)
		out := &FilesSeen{Fold: c, Info: p.info, Cursor: strconv.Itoa(len(p.events)), News: news}
		with(p.files, out)
		return out
	case AskHolders:
		out := &HoldersSeen{All: p.holders, Settle: 5 * time.Second}
		with(p.held, out)
		return out
	case AskScreen:
		out := &ScreenSeen{}
		with(p.drawn, out)
		return out
	case AskStop:
		out := &StopSeen{}
		with(p.stop, out)
		return out
	case AskFit:
		out := &FitSeen{Facts: q.Facts}
		with(p.fit, out)
		return out
	case AskAll:
		out := p.lastLook(q)
		with(p.all, out)
		return out
	case AskRoles:
		if p.roles == nil {
			return &Roles{At: p.k.w.Now}
		}
		return p.roles()
	case AskOrder:
		c, _ := p.fold(q.Rec)
		out := &OrderSeen{Stop: c.Stop(), Holders: p.holders}
		out.Facts.Stop = out.Stop
		if !out.Stop.IsStop() {
			out.Err = Refuse("there is nothing to resume: the session is %s", out.Stop.State)
		}
		with(p.order, out)
		return out
	}
	p.k.t.Fatalf("a question that nobody knows: %T", q)
	return nil
}

func with[T any](f func(*T), v *T) {
	if f != nil {
		f(v)
	}
}

func (p *place) lastLook(q AskAll) *AllSeen {
	rec := *q.Rec
	c, _ := p.fold(&rec)
	out := &AllSeen{Facts: q.Facts, Rec: &rec, Plan: p.plan, Roles: q.Roles, At: p.k.w.Mono}
	if now := c.Stop(); now.Key != rec.Stop.Key && now.Key != "cut:"+rec.Stop.Key && "cut:"+now.Key != rec.Stop.Key {
		out.Facts.Tail = rules.Tail{MovedOn: "it was continued"}
		return out
	}
	rec.Classifier, rec.Cursor = c, strconv.Itoa(len(p.events))
	h := Strongest(p.holders)
	out.Facts.Who.Holder, out.Live = h, rules.Attends(h)
	out.Gone = q.OpenBy != 0 && !out.Live
	return out
}

func (p *place) starts(e Start) {
	out := Started{Token: e.Claim.Token, PID: 42, Start: 7}
	p.child.looks = 0
	if p.onStart != nil {
		out = p.onStart()
		out.Token = e.Claim.Token
	}
	p.child.alive = out.Why == ""
	if p.mute {
		return
	}
	p.k.post(p, out)
}

func (p *place) opens(e Open) {
	out := Opened{Token: e.Token, Gate: resume.GateExec}
	if p.onOpen != nil {
		out = p.onOpen()
		out.Token = e.Token
	}
	p.k.post(p, out)
}

func (p *place) token() string {
	if r, ok := p.s.under(); ok {
		return r.Claim.Token
	}
	if p.s.Guard != nil {
		return p.s.Guard.Claim.Token
	}
	return ""
}

// die ends the run.
func (p *place) die() {
	p.child.alive = false
	if token := p.token(); token != "" {
		p.k.post(p, Gone{token})
	}
}

// see changes what is to be seen of the run, and says so.
func (p *place) see(f func(*resume.Sight)) {
	f(&p.child.sight)
	p.touch()
}

func (p *place) sighted(e Look) Sighted {
	c := &p.child
	c.looks++
	out := Sighted{Token: e.Token, At: p.k.w.Mono, Sight: c.sight, Alive: c.alive, Settle: c.settle, Long: c.long && c.alive}
	if c.alive {
		out.Active = c.active
	}
	if e.Closely {
		out.Asked, out.Working = true, p.k.w.Mono < c.working
		if !out.Working {
			out.Untouched = c.proof
		}
	}
	with(p.onLook, &out)
	return out
}

// The records of a run.
func record(id string, kind detect.Kind, change ...func(*detect.Event)) detect.Event {
	e := detect.Event{Kind: kind, ID: id, At: noon.Add(time.Hour)}
	for _, c := range change {
		c(&e)
	}
	return e
}

func ours(n int) detect.Event {
	return record(fmt.Sprint("e", n), detect.KindPrompt, func(e *detect.Event) { e.Hash = detect.HashText("continue") })
}

func theirs(n int) detect.Event {
	return record(fmt.Sprint("e", n), detect.KindPrompt, func(e *detect.Event) { e.Hash = detect.HashText("do it differently") })
}

func answer(n int) detect.Event { return record(fmt.Sprint("e", n), detect.KindAnswer) }

func limitAgain(n int) detect.Event {
	return record(fmt.Sprint("e", n), detect.KindFailure, failed(detect.Failure{Reason: detect.RateLimit}))
}

func sees(all ...detect.Event) func(*resume.Sight) {
	return func(s *resume.Sight) { s.Events = all }
}

var answered = sees(ours(1), answer(2))

// A window on a terminal.
func window(pid int) detect.Holder {
	return detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive, PID: pid, Start: 9, Boot: "boot-1", Sure: true, Why: "it is in the registry"}
}
