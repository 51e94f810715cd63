package main

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/detect"
)

// seedsOfUnknown is how many unknown versions each recorded run is judged in; CLAWD_REHEARSAL=1000 judges it in more, and
// CLAWD_REHEARSAL_RUN=claude/lim_ only the runs whose names begin so.
const seedsOfUnknown = 5

// exceptions are what files cannot tell in principle: a sentence was reworded, and it alone said more than what stands
// beside it. Each has the reason why it is none of clawd's faults.
var exceptions = []struct {
	name, why string
	is        func(want session, got verdict, all []change) bool
}{
	{"status", "the words are new, and the status of the answer is what it was: that is a fact, and clawd goes by it", func(want session, got verdict, all []change) bool {
		finer := []detect.Reason{detect.UsageLimit, detect.Billing, detect.ContextFull, detect.Overloaded}
		return touched(all, rephrase) && slices.Contains(finer, want.Reason) && got.stop.Status != 0 && got.stop.Reason == detect.FromStatus(got.stop.Status)
	}},
	{"word", "the words are new, and the agent's own word for its kind, which is one for several reasons, is what it was", func(want session, got verdict, all []change) bool {
		kinds := map[detect.Reason][]detect.Reason{
			detect.UsageLimit:  {detect.RateLimit, detect.InvalidRequest},
			detect.ContextFull: {detect.InvalidRequest},
			detect.Billing:     {detect.InvalidRequest},
		}
		return touched(all, rephrase) && got.stop.Status == 0 && slices.Contains(kinds[want.Reason], got.stop.Reason)
	}},
	{"another sentence", "what is left of the words is a sentence of another limit, word for word", func(want session, got verdict, all []change) bool {
		limits := []detect.Reason{detect.RateLimit, detect.UsageLimit}
		return touched(all, rephrase) && slices.Contains(limits, want.Reason) && (slices.Contains(limits, got.stop.Reason) || !got.resumable)
	}},
	{"code", "copilot's sentence is one for a throttle and for a limit, and the code that tells them apart is gone", func(want session, got verdict, all []change) bool {
		return want.Reason == detect.RateLimit && got.stop.Reason == detect.UsageLimit && slices.ContainsFunc(all, func(c change) bool { return c.key == "errorCode" })
	}},
}

func touched(all []change, what string) bool {
	return slices.ContainsFunc(all, func(c change) bool { return c.what == what })
}

// TestUnknownVersion judges every recorded run as versions would have written it that nobody has seen. The verdict is the
// truth, or unknown, or one that leaves the session alone: never another reason, and never a resume that should not be.
func TestUnknownVersion(t *testing.T) {
	seeds := seedsOfUnknown
	if n, err := strconv.Atoi(os.Getenv("CLAWD_REHEARSAL")); err == nil {
		seeds = n
	}
	judged, excused, agents := 0, map[string]int{}, map[string]bool{}
	for _, r := range recordedRuns(t) {
		if !strings.HasPrefix(r.Agent+"/"+r.name, os.Getenv("CLAWD_REHEARSAL_RUN")) {
			continue
		}
		agents[r.Agent] = true
		rehearsed(t, r, func(h *rehearsal) {
			spots := survey(h.records)
			for seed := range uint64(seeds) {
				told, changes, got := h.unknown(t, seed, spots)
				for _, want := range r.Sessions {
					v, ok := got[want.ID]
					v.missing = !ok
					judged++
					bad := harm(want, v)
					if bad == "" {
						continue
					}
					if name := excuse(want, v, changes); name != "" {
						excused[name]++
						continue
					}
					t.Errorf("%s/%s, seed %d: %s: truth %s, verdict %s: %s", r.Agent, r.name, seed, bad,
						label(want.State, want.Reason), label(v.stop.State, v.stop.Reason), told)
				}
			}
		})
	}
	t.Logf("%d judged, excused: %v", judged, excused)
	if os.Getenv("CLAWD_REHEARSAL_RUN") == "" && len(agents) != len(all.Names()) {
		t.Errorf("runs of %v alone", slices.Sorted(maps.Keys(agents)))
	}
}

func excuse(want session, got verdict, all []change) string {
	for _, e := range exceptions {
		if e.is(want, got, all) {
			return e.name
		}
	}
	return ""
}

// unknown judges the run as one unknown version wrote it, or as that one wrote its newest records alone.
func (h *rehearsal) unknown(t *testing.T, seed uint64, spots []spot) (told string, changes []change, got map[string]verdict) {
	t.Helper()
	rng := chance(seed, h.run)
	changes, last := version(spots, rng), 0
	if rng.IntN(3) == 0 {
		last = 1 + rng.IntN(newest)
	}
	var columns func(context.Context, *sql.Tx) error
	if rng.IntN(12) == 0 { // columns have names, too
		columns = func(ctx context.Context, tx *sql.Tx) error { return renameColumn(ctx, tx, rng) }
	}
	err := h.write(t.Context(), func(n *node, left int) {
		if last == 0 || left <= last {
			n.apply(changes, rng)
		}
	}, columns)
	if err != nil {
		t.Fatalf("%s/%s, seed %d: %v", h.Agent, h.name, seed, err)
	}
	if got, err = h.verdicts(t.Context()); err != nil {
		t.Fatalf("%s/%s, seed %d: %v", h.Agent, h.name, seed, err)
	}
	told = fmt.Sprint(changes)
	return fmt.Sprintf("the newest %d (0: all) records, %.600s", last, told), changes, got
}

func renameColumn(ctx context.Context, tx *sql.Tx, rng *rand.Rand) error {
	table := rowsOf[rng.IntN(len(rowsOf))].table
	columns, _, err := tableRows(ctx, tx, table)
	if err != nil || len(columns) == 0 {
		return err
	}
	c := columns[rng.IntN(len(columns))]
	_, err = tx.ExecContext(ctx, "alter table "+table+` rename column "`+c+`" to "`+c+`_v2"`)
	return err
}

func recordedRuns(t *testing.T) []run {
	t.Helper()
	runs, _, err := loadRuns(filepath.Join(repo, "testdata"), all.Names())
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(runs, func(r run) bool { return len(r.Sessions) == 0 })
}

func rehearsed(t *testing.T, r run, do func(*rehearsal)) {
	t.Helper()
	err := inScratch(func(dir string) error {
		h, err := rehearse(t.Context(), r, dir)
		if err == nil {
			do(h)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%s/%s: %v", r.Agent, r.name, err)
	}
}

// What must not come out of a rehearsal, and what may.
func TestHarm(t *testing.T) {
	limit := session{State: detect.Stopped, Reason: detect.UsageLimit, Resumable: true}
	money := session{State: detect.Stopped, Reason: detect.Billing}
	user := session{State: detect.Stopped, Reason: detect.Interrupted}
	armed := session{State: detect.Retrying}
	stop := func(r detect.Reason) detect.Stop { return detect.Stop{State: detect.Stopped, Reason: r} }
	for _, c := range []struct {
		name string
		want session
		got  verdict
		harm string
	}{
		{"the truth", limit, verdict{stop: stop(detect.UsageLimit), resumable: true}, ""},
		{"not found", limit, verdict{missing: true}, ""},
		{"unknown", money, verdict{stop: stop(detect.Unknown)}, ""},
		{"lost", limit, verdict{stop: detect.Stop{State: detect.Running}}, ""},
		{"left alone", limit, verdict{stop: stop(detect.Interrupted)}, ""},
		{"another reason that waits", limit, verdict{stop: stop(detect.RateLimit), resumable: true}, "another reason"},
		{"another reason that is left", money, verdict{stop: stop(detect.Auth)}, "another reason"},
		{"money", money, verdict{stop: stop(detect.RateLimit), resumable: true}, "it would be resumed"},
		{"its user's will", user, verdict{stop: stop(detect.UsageLimit), resumable: true}, "it would be resumed"},
		{"the agent's own continue", armed, verdict{stop: stop(detect.UsageLimit), resumable: true}, "it would be resumed"},
		{"a wait for nothing", user, verdict{stop: detect.Stop{State: detect.Retrying, SelfResumeAt: written}}, "it would be waited for"},
		{"a sub-agent's", session{State: detect.Stopped, Reason: detect.RateLimit}, verdict{stop: stop(detect.RateLimit), resumable: true}, "it would be resumed"},
	} {
		if got := harm(c.want, c.got); got != c.harm {
			t.Errorf("%s: %q, want %q", c.name, got, c.harm)
		}
	}
}

var (
	versionNumber = regexp.MustCompile(`^\d+\.\d+\.\d+`)
	place         = regexp.MustCompile(`/\d+$`) // of a record, in its name
)

// newer raises the numbers of versions in a record.
func (n *node) newer() (raised int) {
	for _, p := range n.pairs {
		switch p.key {
		case "version", "cli_version", "copilotVersion":
			if versionNumber.MatchString(unquoted(p.value.raw)) {
				p.value.raw, raised = []byte(`"9.9.9"`), raised+1
			}
		}
		raised += p.value.newer()
	}
	for _, item := range n.items {
		raised += item.newer()
	}
	return raised
}

// TestNewerVersion: a version above all that are pinned is read as the newest of them, by the second.
func TestNewerVersion(t *testing.T) {
	runs, top := recordedRuns(t), map[string]string{}
	for _, r := range runs {
		if top[r.Agent] == "" || compareNames(r.Version, top[r.Agent]) > 0 {
			top[r.Agent] = r.Version
		}
	}
	raised := map[string]int{}
	for _, r := range runs {
		if r.Version != top[r.Agent] {
			continue
		}
		rehearsed(t, r, func(h *rehearsal) {
			was, err := h.verdicts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			err = h.write(t.Context(), func(n *node, _ int) { raised[r.Agent] += n.newer() }, func(ctx context.Context, tx *sql.Tx) error {
				raised[r.Agent]++
				_, err := tx.ExecContext(ctx, "update session set version = '9.9.9'")
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			now, err := h.verdicts(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for id := range was {
				a, b := was[id], now[id]
				for _, stop := range []*detect.Stop{&a.stop, &b.stop} { // the lines have other lengths
					stop.Evidence.Offset, stop.Key = 0, place.ReplaceAllString(stop.Key, "")
				}
				if d := cmp.Diff(a.stop, b.stop); d != "" || a.resumable != b.resumable || len(was) != len(now) {
					t.Errorf("%s/%s: %v, %v (-%s +9.9.9):\n%s", r.Agent, r.name, a.resumable, b.resumable, r.Version, d)
				}
			}
		})
	}
	for _, a := range []string{"claude", "codex", "copilot", "opencode", "qwen"} { // the others record none
		if raised[a] == 0 {
			t.Errorf("%s: no version was raised", a)
		}
	}
}

// TestPlacesOfEachAgent: the newest version of each agent has a session to plant into where its user, the model and a tool
// speak, where files are named, and where a branch is, if the agent records one at all.
func TestPlacesOfEachAgent(t *testing.T) {
	picked, err := bases(recordedRuns(t))
	if err != nil {
		t.Fatal(err)
	}
	version, spots := map[string]string{}, map[string]map[string]bool{}
	for _, r := range picked { // oldest version first
		if version[r.Agent] != r.Version {
			version[r.Agent], spots[r.Agent] = r.Version, map[string]bool{}
		}
		s, err := r.spots()
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(spots[r.Agent], s)
	}
	for name, wanted := range map[string][]string{ // prompt, answer, tool result, what a tool is given with its files, branch
		"claude":   {"user content", "text text", "tool_result content", "tool_use input", "user gitBranch"},
		"codex":    {"input_text text", "output_text text", "function_call_output output", "function_call arguments", "branch"},
		"copilot":  {"content", "message", "args", "branch"},
		"gemini":   {"text", "gemini content", "output", "file_path"},
		"opencode": {"text text", "output", "input", "file"},
		"pi":       {"as user", "as assistant", "as toolResult", "text text", "toolCall arguments"},
		"qwen":     {"text", "output", "args", "user gitBranch"},
	} {
		for _, w := range wanted {
			if !spots[name][w] {
				t.Errorf("%s %s: no %q among %v", name, version[name], w, slices.Sorted(maps.Keys(spots[name])))
			}
		}
	}
}
