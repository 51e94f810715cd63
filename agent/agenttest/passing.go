package agenttest

import (
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// state is what one process shows at a moment.
type state struct {
	agent.Proc
	argv  []string
	cwd   string
	opens []string
}

// passing is a table with one process, which goes over to its next state each time it is looked at: once it
// was listed, and once its state was asked for. The last state stays.
type passing struct{ states []state }

func (p *passing) next() (agent.Proc, bool) {
	now := p.states[0]
	if len(p.states) > 1 {
		p.states = p.states[1:]
	}
	return now.Proc, now.PID != 0
}

func (p *passing) Get(pid int) (agent.Proc, bool) {
	if pid != aPID {
		return agent.Proc{}, false
	}
	return p.next()
}

func (p *passing) List() ([]agent.Proc, error) {
	now, _ := p.next()
	return []agent.Proc{now}, nil
}

func (*passing) Boot() string           { return "boot" }
func (*passing) Machine() string        { return "" }
func (*passing) PIDNamespace() string   { return "" }
func (*passing) InnerPID(pid int) int   { return pid }
func (p *passing) Argv(int) []string    { return p.states[0].argv }
func (p *passing) Cwd(int) string       { return p.states[0].cwd }
func (p *passing) Opens(int) []string   { return p.states[0].opens }
func (p *passing) Environ(int) []string { return nil }
func (p *passing) Listens(int) []int    { return nil }

const aPID = 4711

// Passing shows an agent a process of its own in the moments between two programs: what it shows then says nothing.
// open gives the agent over a process table. argv is of a process in the folder dir that may have session s open
// and does not name it, named of one that surely has it (nil: no arguments tell that); comm is what the system calls them. early: in exec already, by
// its name alone, one may have the session; else it has it as soon as it shows its arguments.
func Passing(t *testing.T, open func(agent.Procs) agent.Agent, s detect.Session, dir string, argv, named []string, comm string, early bool) {
	live := agent.Proc{PID: aPID, Start: 7, Group: aPID, Leader: aPID, Comm: comm}
	with := func(change func(*agent.Proc)) agent.Proc { p := live; change(&p); return p }
	ending := with(func(p *agent.Proc) { p.Zombie = true })
	forked := with(func(p *agent.Proc) { p.Starting = true })
	shell := with(func(p *agent.Proc) { p.Comm = "sh" })
	other := state{shell, []string{"sh", "-c", "make"}, dir, []string{"/dev/null"}}
	begins := detect.Alive
	if !early {
		begins = detect.Gone
	}
	files := []string{"/dev/null", "/dev/pts/3"}
	tells := named != nil
	if !tells {
		named = argv
	}
	for name, c := range map[string]struct {
		states []state
		want   detect.Liveness
		sure   bool
	}{
		"ends, its folder is still shown": {[]state{{live, argv, dir, files}, {ending, nil, dir, files}}, detect.Gone, false},
		"ends, its files are still shown": {[]state{{live, argv, dir, files}, {ending, nil, "", files}}, detect.Gone, false},
		"ends, nothing is shown":          {[]state{{live, argv, dir, files}, {ending, nil, "", nil}}, detect.Gone, false},
		"ends while it is read":           {[]state{{live, argv, dir, files}, {ending, argv, "", nil}}, detect.Gone, false},
		"has ended":                       {[]state{{live, argv, dir, files}, {}}, detect.Gone, false},
		"its pid is another's":            {[]state{{live, argv, dir, files}, {with(func(p *agent.Proc) { p.Start++ }), argv, dir, files}}, detect.Gone, false},
		"starts another program":          {[]state{{live, nil, dir, files}, {live, nil, dir, files}, other}, detect.Gone, false},
		"starts for the session":          {[]state{{live, nil, dir, files}, {live, nil, dir, files}, {live, named, dir, files}}, begins, tells && begins == detect.Alive},
		"a child that starts a tool":      {[]state{{forked, argv, dir, files}, {forked, argv, dir, files}, other}, detect.Gone, false},
		"a child that stays":              {[]state{{forked, argv, dir, nil}}, detect.Alive, false},
		"shows no folder and no files":    {[]state{{live, argv, "", nil}}, detect.Alive, false},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := open(&passing{c.states}).Live(t.Context(), s, detect.Info{Dir: dir})
			if len(h) == 1 && h[0].Liveness == detect.HolderUnknown && !c.sure && c.want == detect.Alive {
				return // it keeps clawd from starting a second one, too
			}
			if err != nil || len(h) != 1 || h[0].Liveness != c.want || h[0].Sure != c.sure {
				t.Errorf("%+v, %v; want one that is %s, sure %v", h, err, c.want, c.sure)
			}
		})
	}
}
