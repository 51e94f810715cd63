// Package rules holds every reason not to resume a stopped session, each written once. Whoever is about to act asks
// the same table: the stop, the wait, the claim, the shim, the order, and who explains it all to a person.
package rules

import (
	"fmt"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// Moment is when a rule is asked. Moments are bits, for a rule holds at several.
type Moment uint8

const (
	Stop  Moment = 1 << iota // a stop was read
	Next                     // it is decided anew: by a verdict, a new config, or what became known later
	Wait                     // before the wait begins
	Claim                    // the last look before an attempt
	Shim                     // the last look before our process becomes the agent
	Order                    // the user's order to resume
)

// Ends says what becomes of the stop where a rule holds.
type Ends uint8

const (
	Quiet    Ends = iota + 1 // left; its user knows, and hears nothing
	Tells                    // left, and its user is told
	Later                    // nothing happens now; it may pass
	ByOthers                 // nothing happens now; the files will tell what others did
)

// Rule is one reason not to resume.
type Rule struct {
	Name    string // stable
	At      Moment
	Ends    Ends
	Ordered bool          // holds also where its user ordered the resume
	Key     string        // of the config, that changes it; empty: none does
	Again   time.Duration // Later: when to look again; 0: when something changes

	holds   func(*Facts) bool
	why     func(*Facts) string
	command func(*Facts) string // nil: none
}

// Finding is the rule that holds, in words.
type Finding struct {
	Rule    string
	Ends    Ends
	Why     string
	Command string // what its user can type instead; empty: nothing of its own
	Again   time.Duration
}

// Facts are what the rules look at. Whoever asks gives those that the rules of its moment need.
type Facts struct {
	Stop   detect.Stop
	Info   detect.Info
	Asked  bool // its user ordered the resume
	Record Record
	Who    Who
	Tail   Tail
	World  World
	Plan   Plan
	Config Config
}

// Record is what clawd remembers of the session.
type Record struct {
	Session   detect.Session
	Owner     string // the session that had the stop first: its own id where it is no copy
	Ignored   bool   // its user has clawd ignore it
	Cancelled bool   // its user had clawd's run ended, and nothing came after that
	Driven    bool   // a person drove it when it stopped
	Overdue   time.Duration
	Queued    detect.Holder // in its queue clawd's prompt may still lie
	InQueue   bool          // clawd's prompt for an earlier stop may still lie in the agent's queue
}

// Who is who has the session open, or had.
type Who struct {
	Holder   detect.Holder // the one that forbids most
	End      End
	Parted   bool // it ended after the last prompt
	Server   Server
	Exec     bool // clawd exec has it open
	ExecTold bool // clawd exec had it open at the stop, and told its caller
	Neighbor bool // another clawd makes the attempts in its folder
}

// End is how the terminal's process ended that had the session open.
type End uint8

const (
	NotSeen End = iota
	Quit
	Hangup
	OtherEnd
)

// Server is where a server of the agent stands among those that have the session open.
type Server uint8

const (
	NoServer Server = iota // there is none, or a terminal counts
	Among                  // it has it, and which of the terminals beside it shows it is not recorded
	Alone                  // it has it, or may have, and no terminal is there
	Late                   // as Alone, and it was started after the turn that stopped had begun
)

// Tail is what became of the session's files since the stop.
type Tail struct {
	Away      string        // the agent's whole folder is not there or empty, and may come back: whose it is
	AwayFor   time.Duration // the session has been due for so long
	Gone      bool
	Err       error // they cannot be read
	Rewritten bool  // they do not hold the stop any more
	MovedOn   string
}

// World is what other sessions of the folder did since the stop; each is the id of one.
type World struct {
	SamePrompt string // it was begun with the same prompt
	WentOn     string
	Busy       string
}

// Plan is why the agent could not be started.
type Plan struct {
	Unfit   string // the agent's own reason never to start this session headless; empty: there is none
	Command string // for Unfit: what to type instead
	Err     error  // what else is wrong; it may pass
	Waited  time.Duration
	HandOff error // why a fresh session could not be told what to do
}

// Config is what the config says.
type Config struct {
	IgnoresProject bool
	AfterQuit      bool // resume what its user quit
	AfterHangup    bool // resume what lost its terminal
	MaxOverdue     time.Duration
	GiveUpAfter    time.Duration
}

// Attends tells whether a process that has the session open would have to be asked first.
func Attends(h detect.Holder) bool { return h.Liveness == detect.Alive && h.Kind != detect.Headless }

func (f *Facts) attended() bool { return Attends(f.Who.Holder) }

// behindServer tells whether its terminal went so after the last prompt, and a server has it open, or may have.
func (f *Facts) behindServer(end End) bool {
	return f.Who.Server != NoServer && f.Who.Parted && f.Who.End == end
}

// elsewhere tells whether a process may have the session open that cannot be asked: it ends by itself, or cannot be seen.
func (f *Facts) elsewhere() bool {
	h := f.Who.Holder
	return h.Liveness == detect.HolderUnknown || h.Liveness == detect.Alive && h.Kind == detect.Headless
}

// HeldBy says who has a session open.
func HeldBy(h detect.Holder) string {
	who := "a process"
	if h.PID != 0 {
		who = fmt.Sprintf("process %d", h.PID)
	}
	if h.Liveness == detect.HolderUnknown {
		return "whether a process has the session open cannot be seen: " + h.Why
	}
	return strings.TrimSuffix(fmt.Sprintf("%s has the session open: %s", who, h.Why), ": ")
}

// Heard is told, where it is set, of each rule that holds when it is asked. The simulator counts so what its seeds reach;
// it asks from one goroutine.
var Heard func(Moment, string)

// Ask gives the first rule that holds at a moment.
func Ask(m Moment, f *Facts) (Finding, bool) {
	for i := range table {
		r := &table[i]
		if r.At&m == 0 || f.Asked && !r.Ordered || !r.holds(f) {
			continue
		}
		found := Finding{Rule: r.Name, Ends: r.Ends, Why: r.why(f), Again: r.Again}
		if r.command != nil {
			found.Command = r.command(f)
		}
		if Heard != nil {
			Heard(m, r.Name)
		}
		return found, true
	}
	return Finding{}, false
}

func text(s string) func(*Facts) string { return func(*Facts) string { return s } }

// Table is all rules, in their order.
func Table() []Rule { return table }

// table: the first row that holds is the answer.
var table = []Rule{
	{Name: "copy", At: Stop | Next | Wait | Claim | Order, Ends: Quiet, Ordered: true,
		holds:   func(f *Facts) bool { return f.Record.Owner != "" && f.Record.Owner != f.Record.Session.ID },
		why:     func(f *Facts) string { return "it is a copy: the same record stands in session " + f.Record.Owner },
		command: func(f *Facts) string { return "clawd resume " + f.Record.Owner }},
	{Name: "sub_agent", At: Stop | Next | Wait | Claim | Order, Ends: Quiet, Ordered: true,
		holds: func(f *Facts) bool { return f.Info.Parent != "" },
		why:   text("it is a sub-agent's session; what counts is the main one")},
	{Name: "archived", At: Stop | Next | Wait | Claim | Order, Ends: Quiet, Ordered: true,
		holds: func(f *Facts) bool { return f.Info.Archived },
		why:   text("it is archived")},
	{Name: "ignore_projects", At: Stop | Wait | Claim | Order, Ends: Quiet, Ordered: true, Key: "watch.ignore_projects",
		holds: func(f *Facts) bool { return f.Config.IgnoresProject },
		why:   text("its project is in [watch] ignore_projects")},
	{Name: "ignored", At: Stop | Next | Wait | Claim | Order, Ends: Quiet, Ordered: true,
		holds:   func(f *Facts) bool { return f.Record.Ignored },
		why:     text("you have clawd ignore it"),
		command: func(f *Facts) string { return "clawd ignore --off " + f.Record.Session.ID }},
	{Name: "canceled", At: Stop | Next | Wait | Claim, Ends: Quiet, Ordered: true,
		holds: func(f *Facts) bool { return f.Record.Cancelled },
		why:   text("you canceled it, and it was not continued since")},
	{Name: "exec_has", At: Wait | Claim | Shim | Order, Ends: Later, Ordered: true,
		holds: func(f *Facts) bool { return f.Who.Exec },
		why:   text(ExecHas)},
	{Name: "exec_told", At: Stop | Wait | Claim | Shim | Order, Ends: Quiet, Ordered: true,
		holds: func(f *Facts) bool { return f.Who.ExecTold },
		why:   text("clawd exec had it open when it stopped, and told its caller"),
		command: func(f *Facts) string {
			return "clawd exec --agent " + f.Record.Session.Agent + " --resume " + f.Record.Session.ID
		}},
	{Name: "queued_before", At: Stop, Ends: Tells,
		holds: func(f *Facts) bool { return f.Record.InQueue },
		why:   text("clawd's prompt for an earlier stop may still lie in the agent's queue; it runs when a turn there ends")},
	{Name: "overdue", At: Claim, Ends: Tells, Key: "resume.max_overdue",
		holds: func(f *Facts) bool { return f.Record.Overdue > f.Config.MaxOverdue },
		why: func(f *Facts) string {
			return fmt.Sprintf("the wait ended while clawd did not run, or did not watch this agent, %s before it was started; [resume] max_overdue is %s",
				f.Record.Overdue.Round(time.Second), f.Config.MaxOverdue)
		}},
	{Name: "self_resume", At: Order, Ends: Later, Ordered: true,
		holds: func(f *Facts) bool { return f.Stop.State == detect.Retrying },
		why: func(f *Facts) string {
			return "the agent has set its own retry for " + f.Stop.SelfResumeAt.Format(time.RFC3339)
		}},
	{Name: "queued_prompt", At: Order, Ends: Later, Ordered: true,
		holds: func(f *Facts) bool { return f.Record.Queued.PID != 0 },
		why: func(f *Facts) string {
			return fmt.Sprintf("clawd's prompt may still lie in the agent's queue; it runs when process %d next ends a turn", f.Record.Queued.PID)
		}},
	{Name: "quit_behind_server", At: Wait | Claim, Ends: Tells, Key: "resume.after_quit",
		holds: func(f *Facts) bool {
			unseen := f.Who.Server >= Alone && f.Who.Holder.Outlives && !f.behindServer(Hangup)
			return (f.behindServer(Quit) || unseen) && f.Record.Driven && !f.Config.AfterQuit
		},
		why: func(f *Facts) string {
			if f.Who.Server == Among {
				return "a terminal that may have shown it was quit, and clawd can't tell which other one shows it; " + afterQuit
			}
			return "you quit it, and only a server of the agent still has it open; " + afterQuit
		}},
	{Name: "foreign", At: Wait | Claim | Order, Ends: Tells, Ordered: true,
		holds: func(f *Facts) bool { return f.Who.Holder.Foreign && !f.attended() },
		why:   text("its process lived in another container, or on another machine that shares the agent's folder, where clawd cannot see it")},
	{Name: "hangup", At: Wait, Ends: Tells, Key: "resume.after_hangup",
		holds: func(f *Facts) bool {
			return (!f.attended() || f.behindServer(Hangup)) && f.Record.Driven && f.Who.End == Hangup && !f.Config.AfterHangup
		},
		why: text(`its terminal went away; [resume] after_hangup = "leave"`)},
	{Name: "quit", At: Wait, Ends: Tells, Key: "resume.after_quit",
		holds: func(f *Facts) bool {
			return !f.attended() && f.Record.Driven && f.Who.End == Quit && !f.Config.AfterQuit
		},
		why: text("you quit it, or went over to another session in its window; " + afterQuit)},
	{Name: "closed_unseen", At: Wait, Ends: Tells, Key: "resume.after_quit",
		holds: func(f *Facts) bool {
			nobody := f.Who.Holder.Liveness == detect.Gone || f.Who.Server == Late // which did not run the turn that stopped
			return nobody && f.Info.Interactive && f.Who.End == NotSeen && !f.Config.AfterQuit
		},
		why: text("it was closed while clawd did not watch, as a user's quit looks; " + afterQuit)},
	{Name: "folder_away", At: Claim, Ends: Later, Ordered: true, Again: time.Minute, Key: "resume.max_overdue",
		holds: func(f *Facts) bool { return f.Tail.Away != "" && f.Tail.AwayFor < f.Config.MaxOverdue },
		why: func(f *Facts) string {
			return "the folder of all sessions of " + f.Tail.Away + " is not there or empty; its disk may not be mounted"
		}},
	{Name: "files_gone", At: Claim | Order, Ends: Tells, Ordered: true,
		holds: func(f *Facts) bool { return f.Tail.Gone },
		why:   text("its files are gone: you or the agent removed it")},
	{Name: "unreadable", At: Claim | Shim, Ends: Later, Ordered: true, Again: time.Minute,
		holds: func(f *Facts) bool { return f.Tail.Err != nil },
		why:   func(f *Facts) string { return fmt.Sprintf("its files cannot be read: %v", f.Tail.Err) }},
	{Name: "rewritten", At: Claim | Shim, Ends: Tells, Ordered: true,
		holds: func(f *Facts) bool { return f.Tail.Rewritten },
		why:   text(Rewritten)},
	{Name: "moved_on", At: Claim | Shim, Ends: ByOthers, Ordered: true,
		holds: func(f *Facts) bool { return f.Tail.MovedOn != "" },
		why:   func(f *Facts) string { return f.Tail.MovedOn }},
	{Name: "same_prompt", At: Claim, Ends: Tells,
		holds: func(f *Facts) bool { return f.World.SamePrompt != "" },
		why: func(f *Facts) string {
			return "session " + f.World.SamePrompt + " was started after the stop with the same prompt: a person or a script tries again by itself"
		}},
	{Name: "sibling_went_on", At: Claim, Ends: Tells,
		holds: func(f *Facts) bool { return f.World.WentOn != "" },
		why: func(f *Facts) string {
			return "session " + f.World.WentOn + " was started after the stop in the same folder and continued: the work moved on there"
		}},
	{Name: "sibling_busy", At: Claim, Ends: Later, Ordered: true, Again: 10 * time.Second,
		holds: func(f *Facts) bool { return f.World.Busy != "" },
		why:   func(f *Facts) string { return "session " + f.World.Busy + " is busy in the same folder" }},
	{Name: "open_elsewhere", At: Claim | Shim, Ends: Later, Ordered: true,
		holds: func(f *Facts) bool { return f.elsewhere() },
		why:   func(f *Facts) string { return HeldBy(f.Who.Holder) }},
	{Name: "attended", At: Shim, Ends: Later, Ordered: true,
		holds: func(f *Facts) bool { return f.attended() },
		why:   func(f *Facts) string { return HeldBy(f.Who.Holder) }},
	{Name: "neighbor", At: Claim, Ends: Later, Ordered: true, Again: time.Minute,
		holds: func(f *Facts) bool { return f.Who.Neighbor },
		why:   text("another clawd resumes the sessions of its folder: one of another home folder, perhaps in a container")},
	{Name: "no_hand_off", At: Claim, Ends: Tells, Ordered: true,
		holds: func(f *Facts) bool { return f.Plan.HandOff != nil && !f.attended() },
		why:   func(f *Facts) string { return fmt.Sprintf("the hand-off cannot be written: %v", f.Plan.HandOff) }},
	{Name: "unfit", At: Wait | Claim | Order, Ends: Tells, Ordered: true,
		holds:   func(f *Facts) bool { return f.Plan.Unfit != "" && !f.attended() },
		why:     func(f *Facts) string { return f.Plan.Unfit },
		command: func(f *Facts) string { return f.Plan.Command }},
	{Name: "no_start_for_long", At: Claim, Ends: Tells, Ordered: true, Key: "resume.give_up_after",
		holds: func(f *Facts) bool { return f.Plan.Err != nil && f.Plan.Waited > f.Config.GiveUpAfter },
		why: func(f *Facts) string {
			return fmt.Sprintf("for %s the agent could not be started: %v", f.Plan.Waited.Round(time.Minute), f.Plan.Err)
		}},
	{Name: "no_start", At: Claim | Order, Ends: Later, Ordered: true,
		holds: func(f *Facts) bool { return f.Plan.Err != nil && !f.attended() },
		why:   func(f *Facts) string { return fmt.Sprintf("the agent cannot be started: %v", f.Plan.Err) }},
}

const (
	// ExecHas is said of a session that clawd exec works in.
	ExecHas = "clawd exec has the session open"
	// Rewritten is said of files that lost the stop.
	Rewritten = "the session's file was rewritten, and this stop is not in it any more"
	afterQuit = `[resume] after_quit = "resume" changes that`
)
