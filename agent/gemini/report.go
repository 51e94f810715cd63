package gemini

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// When a request of a turn fails for good, the agent writes a report into the temporary folder: the
// error and the whole conversation, but not whose it is. It is the only file that tells why a
// headless run failed.

// reportForm: reports on the small requests beside a turn have other names.
var reportForm = lazyregexp.New(`^gemini-client-error-Turn\.run-\w+-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d)-(\d{3})Z\.json$`)

const (
	// reportSlack is how far the times of a report and of the roll-back may lie apart (seen: 28 ms).
	reportSlack = 2 * time.Second
	// longestRequest bounds the time from a request to its failure: ten attempts, 300 s apart.
	longestRequest = 2 * time.Hour
	maxReport      = 32 << 20
	maxNames       = 20000 // entries of the temporary folder that are looked at
	maxCandidates  = 16
)

type found int

const (
	reportNone   found = iota
	reportUnsure       // there are some, and none is surely of this session
	reportSure
)

// failureReport is what a report says.
type failureReport struct {
	at      time.Time
	class   string // of the error, the agent's own
	message string
}

// names lists the reports and their times.
func (g *Gemini) names() map[string]time.Time {
	d, err := os.OpenFile(g.reports, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil // there is none, or none for us
	}
	defer d.Close()
	list, err := d.Readdirnames(maxNames)
	if err != nil {
		return nil
	}
	all := map[string]time.Time{}
	for _, n := range list {
		m := reportForm.FindStringSubmatch(n)
		if m == nil {
			continue
		}
		if t, err := time.Parse("2006-01-02T15-04-05.000", m[1]+"."+m[2]); err == nil {
			all[n] = t
		}
	}
	return all
}

// reportTimes gives their times, sorted.
func (g *Gemini) reportTimes() []time.Time {
	return slices.SortedFunc(maps.Values(g.names()), time.Time.Compare)
}

// report looks for the report on the failure of a request. It is surely that one when it came at the
// right time and its conversation ends with this request, which must be told from the same prompt in
// another session:
//
//   - by the id of a tool call, which no other session has; else
//   - as the only such report, in this project, while no other session of it was written.
//
// call is the newest tool call of the session; empty: it has none.
func (g *Gemini) report(s detect.Session, a *ask, call string) (failureReport, found) {
	first, last := a.At, a.At.Add(longestRequest)
	if !a.Back.IsZero() {
		first, last = a.Back.Add(-reportSlack), a.Back.Add(reportSlack)
	}
	var sure, like []failureReport
	n := 0
	for name, t := range g.names() {
		if t.Before(first) || t.After(last) {
			continue
		}
		if n++; n > maxCandidates {
			return failureReport{}, reportUnsure
		}
		r, ok := readReport(filepath.Join(g.reports, name))
		if !ok || !r.endsWith(a) {
			continue
		}
		x := failureReport{at: t, class: r.class(), message: r.Error.Message}
		switch {
		case len(a.Calls) > 0 || call != "" && r.hasCall(call):
			sure = append(sure, x)
		case call == "" && r.of(s) && !g.busy(s, t):
			like = append(like, x)
		}
	}
	switch {
	case len(sure) > 0: // the same request, asked again by its user
		return slices.MaxFunc(sure, func(x, y failureReport) int { return x.at.Compare(y.at) }), reportSure
	case len(like) == 1:
		return like[0], reportSure
	case n > 0:
		return failureReport{}, reportUnsure
	}
	return failureReport{}, reportNone
}

type reportFile struct {
	Error struct {
		Message string `json:"message"`
		Stack   string `json:"stack"`
	} `json:"error"`
	Context []struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	} `json:"context"`
}

// readReport reads a report: the temporary folder is everybody's, so only a regular file of this
// user that others cannot write.
func readReport(path string) (reportFile, bool) {
	var r reportFile
	b, err := agent.ReadFile(path, maxReport)
	return r, err == nil && agent.Unmarshal(b, &r) == nil && len(r.Context) > 0
}

// endsWith tells whether the last thing that was sent is the request.
func (r *reportFile) endsWith(a *ask) bool {
	last := r.Context[len(r.Context)-1]
	if last.Role != "user" || len(last.Parts) == 0 {
		return false
	}
	if len(a.Calls) > 0 {
		ids := responses(last.Parts)
		return slices.Contains(ids, a.Calls[len(a.Calls)-1])
	}
	// What was asked stands behind what the agent put before it, and before what a hook has added.
	return slices.ContainsFunc(last.Parts, func(p part) bool { return detect.HashText(p.Text) == a.Hash })
}

// hasCall tells whether the conversation has the result of a tool call.
func (r *reportFile) hasCall(id string) bool {
	for _, c := range r.Context {
		if slices.Contains(responses(c.Parts), id) {
			return true
		}
	}
	return false
}

// of tells whether the conversation is one of the session's project: the agent begins each with a
// description that names the project's folder in its own.
func (r *reportFile) of(s detect.Session) bool {
	project := filepath.Base(filepath.Dir(filepath.Dir(s.Path)))
	for line := range strings.Lines(textOf(r.Context[0].Parts)) {
		if strings.HasSuffix(strings.TrimSpace(line), filepath.Join(string(filepath.Separator), "tmp", project)) {
			return true
		}
	}
	return false
}

// folder gives the folder that the conversation's description of the machine names and that is the project's; empty: none is.
func (r *reportFile) folder(hash string) string {
	for line := range strings.Lines(textOf(r.Context[0].Parts)) {
		if at := strings.IndexByte(line, filepath.Separator); at >= 0 {
			if dir := strings.TrimRight(line[at:], "\r\n"); fits(dir, hash) {
				return dir
			}
		}
	}
	return ""
}

// busy tells whether another session of the project was written when the report was: it may be that
// one's.
func (g *Gemini) busy(s detect.Session, t time.Time) bool {
	all, err := g.find(filepath.Dir(s.Path), "")
	for _, o := range all {
		if o.Session.ID != s.ID && o.ModTime.Sub(t).Abs() <= reportSlack {
			return true
		}
	}
	return err != nil
}

// class is the first word of the stack, e.g. TerminalQuotaError.
func (r *reportFile) class() string {
	name, _, ok := strings.Cut(r.Error.Stack, ":")
	if !ok || len(name) > 40 || strings.ContainsAny(name, " \n{") {
		return ""
	}
	return strings.TrimPrefix(name, "_")
}
