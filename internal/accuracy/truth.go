package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// run is one recorded run and what is true of it. testdata/README.md describes its fields.
type run struct {
	Agent    string    `json:"agent"`
	Version  string    `json:"version"`
	Zone     string    `json:"zone"`
	At       time.Time `json:"at"`
	About    string    `json:"about"`
	Note     string    `json:"note"`
	Procs    []process `json:"procs"`
	Sessions []session `json:"sessions"`

	name string // of the case, e.g. lim_5h_max
	dir  string
}

type process struct {
	PID   int      `json:"pid"`
	Start uint64   `json:"start"`
	Argv  []string `json:"argv"`
	Cwd   string   `json:"cwd"`
	Opens []string `json:"opens"`
}

// session is the truth about one session of a run.
type session struct {
	ID           string         `json:"session"`
	Path         string         `json:"path"`
	State        detect.State   `json:"state"`
	CouldBe      []detect.State `json:"could_be"`
	Reason       detect.Reason  `json:"reason"`
	Window       detect.Window  `json:"window"`
	ResetAt      time.Time      `json:"reset_at"`
	Minute       bool           `json:"minute"`
	RetryAfterS  *float64       `json:"retry_after_s"`
	SelfResumeAt time.Time      `json:"self_resume_at"`
	Resumable    bool           `json:"resumable"`
	Parent       bool           `json:"parent"`
	SubStops     []subStop      `json:"sub_stops"`
	CannotTell   string         `json:"cannot_tell"`
	TruthReason  detect.Reason  `json:"truth_reason"`
}

// subStop is a sub-agent of a session that stopped before it was done.
type subStop struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Reason  detect.Reason `json:"reason"`
	Window  detect.Window `json:"window"`
	ResetAt time.Time     `json:"reset_at"`
	Minute  bool          `json:"minute"`
}

// inWords are stops of sub-agents, sorted, their times as precise as the truth about them.
func inWords(stops, truth []subStop) string {
	var all []string
	for _, s := range stops {
		minute := slices.ContainsFunc(truth, func(t subStop) bool { return t.ID == s.ID && t.Minute })
		all = append(all, strings.Join(strings.Fields(fmt.Sprint(s.ID, " ", s.Name, " ", s.Reason, " ", s.Window, " ", cutTo(s.ResetAt, minute))), " "))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// loadRuns reads every want.json below folder. left says which runs are left out: those of agents
// that are not among known, and those whose recorded files are not there.
func loadRuns(folder string, known []string) (runs []run, left []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "*", "want.json"))
	if err != nil {
		return nil, nil, err
	}
	unknown := map[string]int{}
	var errs []error
	for _, f := range files {
		name := filepath.Base(filepath.Dir(filepath.Dir(f)))
		if !slices.Contains(known, name) {
			unknown[name]++
			continue
		}
		r, err := loadRun(f)
		if err == nil && r.Agent != name {
			err = fmt.Errorf("agent is %q, but it lies in the folder of %q", r.Agent, name)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f, err))
			continue
		}
		if missing := r.missing(); missing != "" {
			left = append(left, fmt.Sprintf("%s: %s is not there", f, missing))
			continue
		}
		runs = append(runs, r)
	}
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		left = append(left, fmt.Sprintf("%d runs of %s: this clawd does not know the agent", unknown[name], name))
	}
	if len(files) == 0 {
		errs = append(errs, fmt.Errorf("no want.json below %s: run it at the top of the repository, or give -repo", folder))
	}
	return runs, left, errors.Join(errs...)
}

// missing names a file that tells of a session and is not there.
func (r run) missing() string {
	for _, s := range r.Sessions {
		if _, err := os.Stat(filepath.Join(r.dir, s.Path)); err != nil {
			return s.Path
		}
	}
	return ""
}

func loadRun(file string) (run, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return run{}, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields() // a misspelt field would be a truth that is never compared
	var r run
	if err := d.Decode(&r); err != nil {
		return run{}, err
	}
	r.dir = filepath.Dir(file)
	r.name = filepath.Base(r.dir)
	return r, r.check()
}

func (r run) check() error {
	if _, err := time.LoadLocation(r.Zone); err != nil || r.Zone == "" {
		return fmt.Errorf("zone %q is not a time zone", r.Zone)
	}
	if r.Version == "" || r.At.IsZero() || r.About == "" {
		return errors.New("version, at and about must be given")
	}
	if len(r.Sessions) == 0 && r.Note == "" {
		return errors.New("without sessions a note must say why")
	}
	for _, s := range r.Sessions {
		if err := s.check(); err != nil {
			return fmt.Errorf("session %s: %w", s.ID, err)
		}
	}
	return nil
}

func (s session) check() error {
	states := []detect.State{detect.Running, detect.Retrying, detect.Asking, detect.Stopped}
	switch {
	case s.ID == "" || s.Path == "":
		return errors.New("session and path must be given")
	case !slices.Contains(states, s.State):
		return fmt.Errorf("state %q is none", s.State)
	case s.State == detect.Stopped && !slices.Contains(detect.Reasons, s.Reason):
		return fmt.Errorf("reason %q is none", s.Reason)
	case s.TruthReason != "" && !slices.Contains(detect.Reasons, s.TruthReason):
		return fmt.Errorf("truth_reason %q is none", s.TruthReason)
	case (s.CannotTell == "") != (s.TruthReason == ""):
		return errors.New("cannot_tell and truth_reason belong together")
	}
	return nil
}

// label names a verdict in the confusion table.
func label(state detect.State, reason detect.Reason) string {
	if state == detect.Stopped {
		return string(reason)
	}
	return string(state)
}
