package rules

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// held are facts in which one rule holds, and no other.
var held = map[string]func(*Facts){
	"copy":            func(f *Facts) { f.Record.Owner = "another" },
	"sub_agent":       func(f *Facts) { f.Info.Parent = "main" },
	"archived":        func(f *Facts) { f.Info.Archived = true },
	"ignore_projects": func(f *Facts) { f.Config.IgnoresProject = true },
	"ignored":         func(f *Facts) { f.Record.Ignored = true },
	"canceled":        func(f *Facts) { f.Record.Cancelled = true },
	"exec_has":        func(f *Facts) { f.Who.Exec = true },
	"exec_told":       func(f *Facts) { f.Who.ExecTold = true },
	"overdue":         func(f *Facts) { f.Record.Overdue = 13 * time.Hour },
	"self_resume":     func(f *Facts) { f.Stop.State = detect.Retrying },
	"queued_before":   func(f *Facts) { f.Record.InQueue = true },
	"queued_prompt":   func(f *Facts) { f.Record.Queued = detect.Holder{PID: 7} },
	"quit_behind_server": func(f *Facts) {
		f.Who.Server, f.Who.Holder.Outlives, f.Record.Driven, f.Who.End = Alone, true, true, OtherEnd
	},
	"foreign": func(f *Facts) { f.Who.Holder.Foreign = true },
	"hangup":  func(f *Facts) { f.Record.Driven, f.Who.End = true, Hangup },
	"quit":    func(f *Facts) { f.Record.Driven, f.Who.End = true, Quit },
	"closed_unseen": func(f *Facts) {
		f.Info.Interactive, f.Record.Driven, f.Who.Holder.Liveness = true, true, detect.Gone
	},
	"folder_away":       func(f *Facts) { f.Tail.Away, f.Tail.AwayFor = "claude", time.Hour },
	"files_gone":        func(f *Facts) { f.Tail.Gone = true },
	"unreadable":        func(f *Facts) { f.Tail.Err = errors.New("no permission") },
	"rewritten":         func(f *Facts) { f.Tail.Rewritten = true },
	"moved_on":          func(f *Facts) { f.Tail.MovedOn = "the turn ended well" },
	"same_prompt":       func(f *Facts) { f.World.SamePrompt = "two" },
	"sibling_went_on":   func(f *Facts) { f.World.WentOn = "two" },
	"sibling_busy":      func(f *Facts) { f.World.Busy = "two" },
	"open_elsewhere":    func(f *Facts) { f.Who.Holder = detect.Holder{Liveness: detect.Alive, Kind: detect.Headless} },
	"attended":          func(f *Facts) { f.Who.Holder = detect.Holder{Liveness: detect.Alive, Kind: detect.Interactive} },
	"neighbor":          func(f *Facts) { f.Who.Neighbor = true },
	"no_hand_off":       func(f *Facts) { f.Plan.HandOff = errors.New("no room") },
	"unfit":             func(f *Facts) { f.Plan.Unfit = "it would have to ask" },
	"no_start_for_long": func(f *Facts) { f.Plan.Err, f.Plan.Waited = errors.New("no folder"), 26*time.Hour },
	"no_start":          func(f *Facts) { f.Plan.Err = errors.New("no folder") },
}

func facts() Facts {
	return Facts{Record: Record{Session: detect.Session{Agent: "claude", ID: "one"}, Owner: "one"},
		Stop:   detect.Stop{State: detect.Stopped},
		Config: Config{MaxOverdue: 12 * time.Hour, GiveUpAfter: 25 * time.Hour}}
}

var moments = []Moment{Stop, Next, Wait, Claim, Shim, Order}

// Each rule holds at each of its moments and at no other, and an order overrides those that it may.
func TestEveryRuleAtEveryMoment(t *testing.T) {
	if len(held) != len(table) {
		t.Errorf("%d rules have facts, of %d", len(held), len(table))
	}
	for _, r := range table {
		set := held[r.Name]
		if set == nil {
			t.Errorf("%s: no facts", r.Name)
			continue
		}
		for _, m := range moments {
			for _, asked := range []bool{false, true} {
				f := facts()
				set(&f)
				f.Asked = asked
				found, ok := Ask(m, &f)
				want := r.At&m != 0 && (!asked || r.Ordered)
				if ok && found.Rule == "no_start" && r.Name == "no_start_for_long" {
					ok = false // the same facts, at a moment that has no patience
				}
				if ok != want || ok && (found.Rule != r.Name || found.Why == "" || found.Ends != r.Ends) {
					t.Errorf("%s, moment %b, ordered %v: %+v %v, want %v", r.Name, m, asked, found, ok, want)
				}
			}
		}
		if r.Key != "" {
			f := facts()
			set(&f)
			f.Config = Config{AfterQuit: true, AfterHangup: true, MaxOverdue: 48 * time.Hour, GiveUpAfter: 48 * time.Hour}
			if r.Name == "folder_away" {
				f.Config.MaxOverdue = time.Minute
			}
			if found, ok := Ask(r.At, &f); ok && found.Rule == r.Name {
				t.Errorf("%s: the config key %s changes nothing", r.Name, r.Key)
			}
		}
	}
}

// Where nothing speaks against it nothing is said.
func TestNoRuleHolds(t *testing.T) {
	for _, m := range moments {
		f := facts()
		if found, ok := Ask(m, &f); ok {
			t.Errorf("moment %b: %+v", m, found)
		}
	}
}

// A session that a person can be asked in is not left for how an earlier process of it ended.
func TestAttendedIsAsked(t *testing.T) {
	for _, name := range []string{"foreign", "hangup", "quit", "unfit"} {
		f := facts()
		held[name](&f)
		f.Who.Holder.Liveness, f.Who.Holder.Kind = detect.Alive, detect.Interactive
		if found, ok := Ask(Wait, &f); ok {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// How its terminal went counts where only a server is left, or one that nobody can be told to look at.
func TestBehindAServer(t *testing.T) {
	for _, c := range []struct {
		server   Server
		outlives bool
		end      End
		parted   bool
		quit     string // the rule that holds
		hung     string // with after_hangup = "leave"
	}{
		{NoServer, false, Quit, true, "", ""},
		{Among, false, Quit, true, "quit_behind_server", "quit_behind_server"},
		{Alone, false, Quit, true, "quit_behind_server", "quit_behind_server"},
		{Late, false, Quit, true, "quit_behind_server", "quit_behind_server"},
		{Alone, false, Quit, false, "", ""}, // it went before the last prompt
		{Alone, true, Quit, false, "quit_behind_server", "quit_behind_server"},
		{Alone, false, Hangup, true, "", "hangup"},
		{Alone, true, Hangup, true, "", "hangup"},
		{Alone, true, Hangup, false, "quit_behind_server", "quit_behind_server"},
		{Among, true, NotSeen, false, "", ""},
		{Alone, false, NotSeen, false, "", ""},
		{Late, false, NotSeen, false, "closed_unseen", "closed_unseen"},
	} {
		for _, resumes := range []bool{true, false} {
			f := facts()
			f.Who = Who{Server: c.server, End: c.end, Parted: c.parted, Holder: detect.Holder{Liveness: detect.Alive, Kind: detect.Server, Outlives: c.outlives}}
			f.Record.Driven, f.Info.Interactive, f.Config.AfterHangup = true, true, resumes
			want := c.hung
			if resumes {
				want = c.quit
			}
			if found, _ := Ask(Wait, &f); found.Rule != want {
				t.Errorf("%+v, after_hangup %t: %q, want %q", c, resumes, found.Rule, want)
			}
		}
	}
}

// The commands are for the session that they name.
func TestCommands(t *testing.T) {
	for name, want := range map[string]string{"copy": "clawd resume another", "ignored": "clawd ignore --off one", "exec_told": "clawd exec --agent claude --resume one"} {
		f := facts()
		held[name](&f)
		if found, _ := Ask(Order, &f); found.Command != want || !strings.Contains(found.Why, " ") {
			t.Errorf("%s: %+v, want %q", name, found, want)
		}
	}
}
