package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/daemon"
	"github.com/clawd-project/clawd/daemon/trigger"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/sim/actor"
	"github.com/clawd-project/clawd/resume"
)

// window is a terminal of tmux that an agent runs in.
type window struct {
	b       *body
	input   string    // what stands in the input box
	menu    bool      // that of a usage limit lies over the box
	scrolls time.Time // until then no key reaches the agent
	draws   time.Time // until then what was typed does not show
}

func (r *run) window(b *body) *window {
	p := r.world.Procs.Proc(b.PID())
	for _, x := range []*actor.Proc{p, r.launcher(p)} {
		if x != nil {
			x.Env = append(slices.Clone(x.Env), "TMUX=/tmp/tmux-1000/default,812,0", fmt.Sprintf("TMUX_PANE=%%%d", b.PID()))
		}
	}
	return &window{b: b}
}

// launcher gives the process that has started one in the same terminal; nil: none has.
func (r *run) launcher(p *actor.Proc) *actor.Proc {
	if x := r.world.Procs.Proc(p.PPID); x != nil && x.TTY == p.TTY {
		return x
	}
	return nil
}

// fails: a turn has failed.
func (w *window) fails(k actor.Kind) {
	if w == nil || k != actor.UsedUp || w.b.cast.Name() != "claude" || w.b.Armed() {
		return
	}
	w.menu = true
}

// asks tells whether a question of the agent's own lies over the box, which takes what is typed.
func (w *window) asks() bool {
	x, ok := w.b.Session.(interface{ Asks() bool })
	return ok && x.Asks()
}

// takesBack: a prompt that its user takes back stands in the box again.
func (w *window) takesBack() {
	if w == nil {
		return
	}
	if x, ok := w.b.Session.(interface{ Draft() string }); ok {
		w.input += x.Draft()
	}
}

// submits gives what stands in the box when its user presses Enter.
func (w *window) submits() (text string) {
	if w == nil {
		return ""
	}
	text, w.input, w.menu = w.input, "", false
	return text
}

// putsBack: an agent whose request is stopped may put the prompt into its box again.
func (w *window) putsBack() {
	if w == nil {
		return
	}
	if x, ok := w.b.Session.(interface{ Back() string }); ok {
		w.input += x.Back()
	}
}

// closes: its user presses a key that closes what lies over the box.
func (w *window) closes() {
	if w != nil {
		w.menu = false
	}
}

// does what its user does without a word to the agent.
func (w *window) does(what What) {
	if w == nil {
		return
	}
	r := w.b.r
	r.trace("%s/%s: %s", w.b.cast.Name(), w.b.ID(), what)
	switch what {
	case halfTypes:
		if w.menu = false; !w.asks() {
			w.input += "half a thought"
		}
	case wipes:
		w.input = ""
	case scrolls:
		w.scrolls = time.Now().Add(drawer{r.chance}.span(time.Second, time.Hour))
	}
}

// sees is what the agent shows.
func (w *window) sees() agent.View {
	switch {
	case w.menu || w.asks():
		return agent.View{Close: []byte(agent.Escape), Why: "the menu of the usage limit lies over its input box"}
	case w.b.Armed():
		return agent.View{Why: "it continues by itself when the usage limit resets"}
	case !w.b.Idle():
		return agent.View{Why: agent.WhyBusy}
	case w.blank():
		return agent.View{Why: "it shows its start page and has no session open"}
	case w.shown() != "":
		return agent.View{Why: agent.WhyText, Input: w.shown()}
	}
	if x, ok := w.b.Session.(interface{ Failed() bool }); ok && !x.Failed() {
		return agent.View{Why: "its user has stopped what it shows"}
	}
	return agent.View{Ready: true, Room: 100}
}

// shown is what the input box shows.
func (w *window) shown() string {
	if time.Now().Before(w.draws) {
		return ""
	}
	return w.input
}

// lag is how long a window takes to show what is typed into it: one of five is on a machine that is busy.
func (w *window) lag() time.Duration {
	if w.b.PID()%5 != 0 {
		return 0
	}
	return time.Duration(w.b.PID()%30) * time.Second
}

// blank tells whether it shows a start page, which looks like no session.
func (w *window) blank() bool {
	x, ok := w.b.Session.(interface{ Blank() bool })
	return ok && x.Blank()
}

// drawn begins the first row of a screen that is no real one.
const drawn = "sim "

// Look gives the real screen of a dialog that is open, else one that says in its first row what is there.
func (w *window) Look(context.Context) (agent.Screen, error) {
	if _, ended := w.b.Exit(); ended {
		return agent.Screen{}, errors.New("the process that had the session open is gone")
	}
	if time.Now().Before(w.scrolls) && !w.b.r.calm {
		return agent.Screen{}, &trigger.BlockedError{Why: "its tmux pane is in copy mode"}
	}
	if err := w.b.r.broken(); err != nil {
		return agent.Screen{}, err
	}
	if d, ok := w.b.Session.(interface{ Screen() agent.Screen }); ok {
		if s := d.Screen(); len(s.Rows) > 0 {
			return s, nil
		}
	}
	if d, ok := w.b.Session.(interface{ Drawn(string) agent.Screen }); ok {
		return d.Drawn(w.shown()), nil
	}
	b, err := json.Marshal(w.sees())
	must(err)
	s := agent.Screen{Cols: 120, Rows: make([]string, 40)}
	s.Rows[0] = drawn + string(b)
	if t, ok := w.b.Session.(interface{ Title() string }); ok {
		s.Title = t.Title()
	}
	return s, nil
}

// keyboard is a window as a clawd reaches it.
type keyboard struct {
	*window
	by *typed // the attempt that is being typed; nil: none is
}

// Press takes keys of clawd's.
func (w *keyboard) Press(ctx context.Context, keys []byte) error {
	if _, err := w.Look(ctx); err != nil {
		return err
	}
	r, b, name := w.b.r, w.b, w.b.cast.Name()+"/"+w.b.ID()
	if w.by == nil {
		r.fails("keys", "%s: %q without an attempt", name, keys)
		return nil
	}
	w.by.acts(b)
	v := w.sees()
	r.trace("keys for %s: %q", name, keys)
	switch {
	case string(keys) == agent.Escape:
		if !w.menu && !w.asks() {
			r.fails("keys", "%s: Escape, and no dialog is open", name)
		}
		w.menu = false
		must(b.Do(actor.Interrupt, r.wall())) // it takes it for nothing
	case string(keys) == "\r":
		if v.Input != w.by.claim.Plan.Keys {
			r.fails("keys", "%s: Enter, and the box holds %q (%s)", name, w.input, v.Why)
		}
		if d, ok := b.Session.(interface{ Behind() bool }); ok && d.Behind() {
			r.fails("keys", "%s: a prompt, and what it shows is not the end of its session", name)
		}
		text := w.submits()
		must(b.Prompt(text, actor.Clawd, r.wall()))
	case len(keys) == 1:
		must(b.Do(actor.Repeat, r.wall()))
	default:
		if !v.Ready {
			r.fails("keys", "%s: text, and %s", name, v.Why)
		}
		w.input, w.draws = w.input+string(keys), time.Now().Add(w.lag())
	}
	r.follows(b)
	return nil
}

// screens reads those of windows.
type screens struct{ agent.Agent }

// Screen reads a screen that was drawn here, and has the agent read any other.
func (a screens) Screen(s agent.Screen) (v agent.View) {
	text, ok := strings.CutPrefix(s.At(0), drawn)
	if !ok {
		t, err := agent.TerminalOf(a.Agent)
		must(err)
		return t.Screen(s)
	}
	must(json.Unmarshal([]byte(text), &v))
	return v
}

// titledScreen is of an agent that names its session in the title.
type titledScreen struct {
	screens
	t agent.Titler
}

// Titled asks the agent.
func (a titledScreen) Titled(ctx context.Context, s detect.Session, title string) (shows, known bool, err error) {
	return a.t.Titled(ctx, s, title)
}

// MayShow asks the agent.
func (a titledScreen) MayShow(ctx context.Context, s detect.Session, started time.Time) ([]detect.Session, error) {
	return a.t.MayShow(ctx, s, started)
}

// triggers start the runs of clawd, and type.
type triggers struct {
	*trigger.Trigger
	c *clawd
}

func (c *clawd) trigger() daemon.Trigger {
	return triggers{c: c, Trigger: &trigger.Trigger{Exec: shims{c}, Procs: c.world.Procs, Wraps: c.path("wraps"), Tmux: func() string { return "" },
		Agents: func(name string) agent.Agent {
			return screensOf(c.agent(name))
		},
		Reach: func(h detect.Holder, _ resume.Way) (trigger.Terminal, error) {
			if w := c.windowOf(h); w != nil {
				return &keyboard{w, c.typing[w]}, nil
			}
			return nil, errors.New("no tmux pane shows its terminal")
		},
		LastLook: func(ctx context.Context, x resume.Claim) string {
			return daemon.LastLook(ctx, c.agent(x.Session.Agent), x, c.path("user/held"))
		},
		HTTP: wire{c}, Pause: c.pauses}}
}

// agent is an adapter of clawd's own.
func (c *clawd) agent(name string) agent.Agent {
	return c.agents[slices.IndexFunc(c.agents, func(a agent.Agent) bool { return a.Name() == name })]
}

func screensOf(a agent.Agent) agent.Agent {
	if t, ok := a.(agent.Titler); ok {
		return titledScreen{screens{a}, t}
	}
	return screens{a}
}

func (r *run) windowOf(h detect.Holder) *window {
	for _, b := range r.alive {
		p := r.world.Procs.Proc(b.PID())
		if b.over || p == nil {
			continue
		}
		if x := r.launcher(p); b.PID() == h.PID || b.tty != "" && x != nil && x.PID == h.PID {
			return b.window
		}
	}
	return nil
}

// typed is an attempt that is typed.
type typed struct {
	resume.Run
	c     *clawd
	claim resume.Claim
	acted bool
}

// Start prepares an attempt.
func (t triggers) Start(ctx context.Context, c resume.Claim) (resume.Run, error) {
	run, err := t.Trigger.Start(ctx, c)
	if err != nil || c.Plan.Way == resume.Exec || c.Plan.Way == resume.Queue {
		return run, err
	}
	return &typed{Run: run, c: t.c, claim: c}, nil
}

// Open types, or sends.
func (x *typed) Open(ctx context.Context) (resume.Gate, string, error) {
	if x.claim.Plan.Way == resume.HTTP {
		x.c.sends = x
		defer func() { x.c.sends = nil }()
		gate, why, err := x.Run.Open(ctx)
		x.c.trace("sent for %s/%s: %s %s %v", x.claim.Session.Agent, x.claim.Session.ID, gate, why, err)
		return gate, why, err
	}
	w := x.c.windowOf(x.claim.Plan.Holder)
	if w == nil {
		return x.Run.Open(ctx)
	}
	x.c.typing[w] = x
	defer delete(x.c.typing, w)
	gate, why, err := x.Run.Open(ctx)
	x.c.trace("typed for %s/%s: %s %s %v", x.claim.Session.Agent, x.claim.Session.ID, gate, why, err)
	return gate, why, err
}

// acts looks at the world before the first key.
func (x *typed) acts(b *body) {
	if x.acted {
		return
	}
	x.acted = true
	r, c := x.c.run, x.claim
	if _, err := os.Lstat(c.Mark); err != nil {
		r.fails("I2", "%s/%s: keys without a mark: %v", c.Session.Agent, c.Session.ID, err)
		return
	}
	if b.ID() != c.Session.ID {
		r.fails("keys", "%s/%s: attempt %d goes to %s", c.Session.Agent, c.Session.ID, c.N, b.ID())
	}
	r.marked(x.c, c, b)
	r.trace("mark %d of %s/%s", c.N, c.Session.Agent, c.Session.ID)
	if b.talk != nil {
		r.moment(b.talk.who, starts)
	}
}
