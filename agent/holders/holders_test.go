package holders

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// judge takes what runs "sure", "perhaps" or "hidden" for a holder.
func judge(p agent.Proc) (detect.Holder, bool) {
	h := detect.Holder{PID: p.PID, Liveness: detect.Alive, Sure: p.Comm == "sure"}
	if p.Comm == "hidden" {
		h.Liveness = detect.HolderUnknown
	}
	return h, p.Comm != "other"
}

func table(procs ...agent.Proc) agenttest.Procs {
	t := agenttest.Procs{All: procs, Args: map[int][]string{}}
	for _, p := range procs {
		t.Args[p.PID] = []string{p.Comm}
	}
	return t
}

func TestFind(t *testing.T) {
	broken := errors.New("broken")
	all := table(agent.Proc{PID: 1, Comm: "hidden"}, agent.Proc{PID: 2, Comm: "perhaps"}, agent.Proc{PID: 3, Comm: "other"}, agent.Proc{PID: 4, Comm: "sure"},
		agent.Proc{PID: 5, Comm: "sure", Zombie: true}, agent.Proc{PID: os.Getpid(), Comm: "sure"}, agent.Proc{PID: 6, Comm: "perhaps"})
	for name, c := range map[string]struct {
		procs agent.Procs
		pids  []int
		live  detect.Liveness // of the first
		err   error
	}{
		"the surest first":    {all, []int{4, 2, 6, 1}, detect.Alive, nil},
		"nobody":              {table(agent.Proc{PID: 3, Comm: "other"}), []int{0}, detect.Gone, nil},
		"no table here":       {agenttest.Procs{Err: agent.ErrNoProcs}, []int{0}, detect.HolderUnknown, nil},
		"a table that breaks": {agenttest.Procs{Err: broken}, []int{0}, detect.HolderUnknown, broken},
	} {
		got, err := Find(t.Context(), c.procs, "nobody is there", func(p agent.Proc) (detect.Holder, bool) {
			if p.Zombie {
				t.Errorf("%s: process %d has ended, and is judged", name, p.PID)
			}
			return judge(p)
		})
		var pids []int
		for _, h := range got {
			pids = append(pids, h.PID)
		}
		if !slices.Equal(pids, c.pids) || got[0].Liveness != c.live || !errors.Is(err, c.err) || got[0].Liveness == detect.Gone && got[0].Why != "nobody is there" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Find(ended, all, "", judge); !errors.Is(err, context.Canceled) || len(got) != 1 || got[0].Liveness != detect.HolderUnknown {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDescribe(t *testing.T) {
	procs := agenttest.Procs{All: []agent.Proc{{PID: 7, Start: 70, Group: 6, Leader: 5, TTY: "/dev/pts/1"}, {PID: 5, Start: 50}}}
	h := detect.Holder{PID: 7, Liveness: detect.Alive, Kind: detect.Interactive}
	Describe(procs, &h, procs.All[0])
	if h.Start != 70 || h.Group != 6 || h.Leader != 5 || h.LeaderStart != 50 || h.TTY != "/dev/pts/1" {
		t.Errorf("%+v", h)
	}
}

// A container's pseudo terminals and tmux panes are numbered anew: the same name is another window here.
func TestDescribeContained(t *testing.T) {
	procs := agenttest.Procs{All: []agent.Proc{{PID: 7, Start: 70, Group: 7, Leader: 5, TTY: "/dev/pts/1"}}, Inner: map[int]int{7: 3},
		Vars: map[int][]string{7: {"TMUX=/tmp/tmux-1000/default,812,0", "TMUX_PANE=%3"}}}
	h := detect.Holder{PID: 7, Liveness: detect.Alive, Kind: detect.Interactive}
	Describe(procs, &h, procs.All[0])
	if !h.Foreign || h.TTY != "" || h.Tmux != "" || h.Pane != "" {
		t.Errorf("%+v", h)
	}
}
