package claude

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// want is one row of testdata/want.tsv.
type want struct {
	row, file, upto, live string
	stop                  row
}

type row struct {
	State, Reason, Window string
	Status                int
	Reset                 string
	Minute                bool
	Key, SelfResume       string
}

func wants(t testing.TB) []want {
	t.Helper()
	b, err := os.ReadFile("testdata/want.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var all []want
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 12 {
			t.Fatalf("want.tsv: %d fields in %q", len(f), line)
		}
		status, _ := strconv.Atoi(f[7])
		all = append(all, want{
			row:  strings.Join([]string{f[0], filepath.Base(f[1])[:8], f[2][:min(8, len(f[2]))], f[3]}, "/"),
			file: filepath.Join(cases, f[0], f[1]), upto: f[2], live: f[3],
			stop: row{State: f[4], Reason: f[5], Window: f[6], Status: status, Reset: f[8], Minute: f[9] == "m", Key: f[10], SelfResume: f[11]},
		})
	}
	return all
}

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

func TestRecordings(t *testing.T) {
	for _, w := range wants(t) {
		t.Run(w.row, func(t *testing.T) {
			root := t.TempDir()
			c := over(root, table{}, agent.Config{})
			s := recorded(t, root, w.file, w.upto)
			var h *detect.Holder
			if live, status, _ := strings.Cut(w.live, ":"); live != "unknown" {
				h = &detect.Holder{Liveness: detect.Liveness(live), Status: detect.Activity(status), Sure: true, Why: "recorded"}
			}
			stop, b := verdict(t, c, s, h)
			got := row{
				State: string(stop.State), Reason: string(stop.Reason), Window: string(stop.Window), Status: stop.Status,
				Reset: when(stop.ResetAt), Minute: stop.ResetMinute, Key: stop.Key, SelfResume: when(stop.SelfResumeAt),
			}
			if d := cmp.Diff(w.stop, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if b.Skipped != 0 {
				t.Errorf("skipped %d lines: %s", b.Skipped, b.Problem)
			}
			if stop.Reason != "" && stop.RetryAfter != nil {
				t.Error("the agent records no Retry-After")
			}
			maybe, _, err := c.Tail(t.Context(), s)
			if wantMaybe := w.stop.Reason != "completed"; err != nil || maybe != wantMaybe {
				t.Errorf("Tail = %v, want %v, err %v", maybe, wantMaybe, err)
			}
		})
	}
}

// TestEvidenceOffset: the offset is that of the line which says it.
func TestEvidenceOffset(t *testing.T) {
	root := t.TempDir()
	c := over(root, table{}, agent.Config{})
	s := recorded(t, root, filepath.Join(cases, "lim_5h_max/projects/-home-dev-work-demo", only(t, "lim_5h_max")), "-")
	stop, _ := verdict(t, c, s, nil)
	all, err := os.ReadFile(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := bytes.Cut(all[stop.Evidence.Offset:], []byte("\n"))
	if !bytes.Contains(line, []byte(`"uuid":"`+stop.Key+`"`)) || !bytes.HasPrefix(line, []byte("{")) {
		t.Errorf("at offset %d stands %.80s", stop.Evidence.Offset, line)
	}
	if stop.Evidence.Source != "transcript" || stop.Evidence.Field != "isApiErrorMessage" {
		t.Errorf("evidence %+v", stop.Evidence)
	}
}

// only gives the name of the one transcript of a case.
func only(t testing.TB, name string) string {
	t.Helper()
	m, err := filepath.Glob(filepath.Join(cases, name, "projects/-home-dev-work-demo/[0-9a-f]*-*-*-*-*.jsonl"))
	if err != nil || len(m) != 1 {
		t.Fatalf("%s has %d transcripts, err %v", name, len(m), err)
	}
	return filepath.Base(m[0])
}

// TestConformance runs the suite of all agents over recordings of several kinds.
func TestConformance(t *testing.T) {
	for _, name := range []string{"tui_lim_5h", "tui_lim_auto-v2.1.329", "resume_auto_limit", "tui_kill", "sigint_tool", "e529", "lim_5h_max-v1.0.100", "r429_max1-v2.1.329"} {
		t.Run(name, func(t *testing.T) {
			file := only(t, name)
			source := filepath.Join(cases, name, "projects/-home-dev-work-demo", file)
			agenttest.Run(t, func(t *testing.T) (agent.Agent, agenttest.Fixture) {
				root := t.TempDir()
				c := over(root, table{}, agent.Config{})
				s := session(root, strings.TrimSuffix(file, ".jsonl"))
				f := agenttest.Fixture{Session: s, Changed: s.Path, Position: position}
				all := lines(t, source, "-")
				for _, line := range all {
					f.Steps = append(f.Steps, func(t *testing.T) { put(t, s.Path, line) })
				}
				f.Unknown = func(t *testing.T) { put(t, s.Path, `{"type":"tea-break","sessionId":"`+s.ID+`","minutes":5}`+"\n") }
				f.Broken = func(t *testing.T) { put(t, s.Path, "{\"type\":\"user\",\"uuid\":\x00\x00\n") }
				f.Replace = func(t *testing.T) {
					put(t, s.Path+".new", strings.Join(all, ""))
					if err := os.Rename(s.Path+".new", s.Path); err != nil {
						t.Fatal(err)
					}
				}
				f.Want = wantStop(t, all, name)
				return c, f
			})
		})
	}
}

// wantStop is the verdict that want.tsv gives for the whole recording, with nobody known to hold it.
func wantStop(t *testing.T, all []string, name string) detect.Stop {
	t.Helper()
	for _, w := range wants(t) {
		if !strings.HasPrefix(w.row, name+"/") || w.upto != "-" || w.live != "unknown" {
			continue
		}
		s := detect.Stop{
			State: detect.State(w.stop.State), Reason: detect.Reason(w.stop.Reason), Window: detect.Window(w.stop.Window),
			Status: w.stop.Status, ResetMinute: w.stop.Minute, Key: w.stop.Key,
		}
		if w.stop.Reset != "" {
			at, err := time.Parse(time.RFC3339, w.stop.Reset)
			if err != nil {
				t.Fatal(err)
			}
			s.ResetAt = at
		}
		for _, line := range all {
			if strings.Contains(line, `"uuid":"`+s.Key+`"`) && !strings.Contains(line, `"leafUuid"`) {
				r, err := parse([]byte(line))
				if err != nil {
					t.Fatal(err)
				}
				s.At = r.at
				s.Evidence.Field = "answer"
				if r.IsAPIError {
					s.Evidence.Source, s.Evidence.Field = "transcript", "isApiErrorMessage"
				} else if r.Type == "user" {
					s.Evidence.Field = "interrupt"
				}
				return s
			}
			s.Evidence.Offset += int64(len(line))
		}
	}
	t.Fatalf("want.tsv says nothing of the whole of %s", name)
	return detect.Stop{}
}

func position(c agent.Cursor) int64 {
	f := strings.Split(string(c), ":")
	if len(f) < 2 {
		return -1
	}
	n, _ := strconv.ParseInt(strings.TrimSuffix(f[1], "s"), 10, 64)
	return n
}

// TestPieces reads every recorded transcript as it grows.
func TestPieces(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(cases, "*/projects/*/*.jsonl"))
	if err != nil || len(paths) < 100 {
		t.Fatalf("%d recordings, err %v", len(paths), err)
	}
	var all []func(t *testing.T) agenttest.Recording
	for _, path := range paths {
		if !agent.IsUUID(strings.TrimSuffix(filepath.Base(path), ".jsonl")) {
			continue // a sub-agent's
		}
		all = append(all, func(t *testing.T) agenttest.Recording {
			root := t.TempDir()
			id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
			s := detect.Session{Agent: "claude", ID: id, Path: filepath.Join(root, "projects", filepath.Base(filepath.Dir(path)), id+".jsonl")}
			return agenttest.Recording{Name: path, Session: s,
				Open:  func() agent.Agent { return over(root, table{}, agent.Config{}) },
				Steps: agenttest.Growth(s.Path, strings.Join(lines(t, path, "-"), ""), 1)}
		})
	}
	agenttest.Pieces(t, 3, all)
}
