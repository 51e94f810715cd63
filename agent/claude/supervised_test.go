package claude

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// roster is that of 2.1.332, shortened.
func roster(id string) string {
	return `{"proto":1,"supervisorPid":31,"updatedAt":1795973795628,"workers":{"0840e06f":{"pid":38,"procStart":"5835536","sessionId":"` + id +
		`","attempt":1,"cwd":"/home/dev/work/demo","dispatch":{"short":"0840e06f","respawnFlags":["say done"]},"replPid":51}}}`
}

// Claude Code's own supervisor starts a background session again that was killed, and has it go on: a run of clawd's would be the second one.
func TestPlanBesideTheSupervisor(t *testing.T) {
	for name, c := range map[string]struct {
		roster string
		left   bool // to the supervisor
		broken bool
	}{
		"no background session ever":    {},
		"it is one":                     {roster: roster(sid), left: true},
		"another one is":                {roster: roster(id(7))},
		"it was one, and was stopped":   {roster: `{"proto":1,"workers":{}}`},
		"a roster of another shape":     {roster: `{"proto":2,"workers":[]}`},
		"it is being written, or worse": {roster: roster(sid)[:90], broken: true},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if c.roster != "" {
				put(t, filepath.Join(root, "daemon", "roster.json"), c.roster)
			}
			a, r := over(root, table{}, agent.Config{}), request(t, root)
			_, plan := a.Plan(r)
			_, fresh := a.Fresh(r)
			for _, err := range []error{plan, fresh} {
				unfit := (*agent.Unfit)(nil)
				switch is := errors.As(err, &unfit); {
				case is != c.left, (err != nil) != (c.left || c.broken):
					t.Errorf("%v", err)
				case is && (!strings.HasSuffix(unfit.Command, "claude attach 0840e06f") || unfit.Key != ""):
					t.Errorf("%+v", unfit)
				}
			}
		})
	}
}

// The entry of a background session of 2.1.332.
func TestLiveInTheBackground(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "sessions", "71.json"), strings.Replace(entryText(71, sid, "500", `,"entrypoint":"cli","jobId":"0840e06f","status":"idle"`), `"interactive"`, `"bg"`, 1))
	procs := table{All: []agent.Proc{{PID: 71, Start: 500, Comm: "claude", TTY: "/dev/pts/3"}}}
	got, err := over(root, procs, agent.Config{}).Live(t.Context(), session(root, sid), detect.Info{Dir: demo})
	if err != nil || len(got) != 1 || got[0].Liveness != detect.Alive || got[0].Kind != detect.Interactive || !strings.HasSuffix(got[0].Attach, "claude attach 0840e06f") {
		t.Errorf("%+v, %v", got, err)
	}
}
