package codex

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

const (
	asked  = `{"timestamp":"2026-11-21T00:22:10Z","type":"event_msg","payload":{"type":"task_started","turn_id":"` + turn + `"}}` + "\n" + `{"timestamp":"2026-11-21T00:22:11Z","type":"event_msg","payload":{"type":"user_message","message":"x"}}` + "\n"
	ending = `{"timestamp":"2026-11-21T00:22:13Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"` + turn + `","last_agent_message":"y"}}`
)

func TestTraps(t *testing.T) {
	const badID = "01a1fb7b-6333-7ac0-a72a-77777777bad0"
	text := meta + asked + ending + "\n"
	for name, place := range map[string]struct{ folder, ext string }{
		"day":    {"sessions/2026/11/22", plainExt},
		"month":  {"sessions/2026/12", plainExt},
		"packed": {"sessions/2026/11/22", packedExt},
	} {
		t.Run(name, func(t *testing.T) {
			agenttest.Traps(t, func(t *testing.T) (agent.Agent, agenttest.Trap) {
				root := t.TempDir()
				good := rolloutOf(root, sid)
				put(t, good.Path, text)
				folder := filepath.Join(root, place.folder)
				dir := folder
				if name == "month" {
					dir = filepath.Join(folder, "01")
				}
				content := func(id string) string {
					plain := strings.ReplaceAll(text, sid, id)
					if place.ext == packedExt {
						return packedText(t, []byte(plain))
					}
					return plain
				}
				at := func(id string) detect.Session {
					return detect.Session{Agent: "codex", ID: id, Path: filepath.Join(dir, "rollout-2026-11-22T00-22-09-"+id+place.ext)}
				}
				return over(root, procTable{}, agent.Config{}), agenttest.Trap{
					Good: good, Folder: folder, Bad: at(badID), Content: content(badID),
					Plant: func(t *testing.T, id string) detect.Session {
						s := at(id)
						if base := filepath.Base(s.Path); len(base) <= 255 && strings.HasSuffix(base, "-"+id+place.ext) && !strings.Contains(base, "\x00") {
							put(t, s.Path, content(id))
						}
						return s
					},
					Roots: []string{root, filepath.Join(root, "sessions"), filepath.Join(root, "sessions/2026"), filepath.Dir(good.Path),
						filepath.Join(root, "archived_sessions"), filepath.Join(root, "thread-writer-locks")},
				}
			})
		})
	}
}

// TestTrapFolders: the agent's own folders may be links, too; what a hint names is looked at likewise.
func TestTrapFolders(t *testing.T) {
	for _, linked := range []string{"sessions", "sessions/2026", "archived_sessions"} {
		t.Run(linked, func(t *testing.T) {
			root, outside := t.TempDir(), t.TempDir()
			name := filepath.Base(rolloutOf(root, sid).Path)
			s := detect.Session{Agent: "codex", ID: sid, Path: filepath.Join(root, day, name)}
			if linked == "archived_sessions" {
				s.Path = filepath.Join(root, linked, name)
			}
			rel, err := filepath.Rel(filepath.Join(root, linked), s.Path)
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(outside, rel), meta+asked+ending+"\n")
			link(t, outside, filepath.Join(root, linked))
			c := over(root, procTable{}, agent.Config{})
			for _, hint := range []string{"", filepath.Join(root, linked), filepath.Dir(s.Path), s.Path} {
				all, err := c.Scan(t.Context(), hint)
				if told := agenttest.Refused(t, err); len(all) != 0 || !slices.Equal(told, []string{filepath.Join(root, linked)}) {
					t.Errorf("hint %q: listed %+v, told of %q", hint, all, told)
				}
			}
			put(t, filepath.Join(root, "thread-writer-locks", sid+".lock"), "")
			if all, err := c.Scan(t.Context(), filepath.Join(root, "thread-writer-locks", sid+".lock")); err != nil || len(all) != 0 {
				t.Errorf("for its lock, listed %+v, %v", all, err)
			}
			if b, err := agenttest.Read(t.Context(), c, s, ""); err == nil {
				t.Errorf("%d events", len(b.Events))
			}
		})
	}
}

// TestTrapLocks: a lock that strangers may have made proves neither a holder nor a crash.
func TestTrapLocks(t *testing.T) {
	for _, name := range []string{"thread-writer-locks", "thread-writer-locks/" + sid + ".lock"} {
		root, outside := t.TempDir(), t.TempDir()
		s := rolloutOf(root, sid)
		put(t, s.Path, meta+asked)
		put(t, filepath.Join(outside, sid+".lock"), "")
		to := outside
		if strings.HasSuffix(name, ".lock") {
			to = filepath.Join(outside, sid+".lock")
		}
		link(t, to, filepath.Join(root, name))
		c := over(root, procTable{}, agent.Config{})
		if h, err := c.Live(t.Context(), s, detect.Info{}); err != nil || h[0].Liveness != detect.HolderUnknown {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
		all, err := c.Scan(t.Context(), "")
		if told := agenttest.Refused(t, err); len(all) != 1 || strings.HasSuffix(name, ".lock") != (len(told) == 0) {
			t.Errorf("%s: listed %+v, told of %q", name, all, told)
		}
	}
}

// TestNames: a session is read only by its own id, and from the rollout that is named for it.
func TestNames(t *testing.T) {
	root := t.TempDir()
	c := over(root, procTable{}, agent.Config{})
	s := rolloutOf(root, sid)
	put(t, s.Path, meta)
	outside := filepath.Join(t.TempDir(), filepath.Base(s.Path))
	put(t, outside, meta)
	for what, s := range map[string]detect.Session{
		"another id": {ID: other, Path: s.Path}, "no id": {ID: "../x", Path: s.Path}, "outside": {ID: sid, Path: outside},
	} {
		if _, err := agenttest.Read(t.Context(), c, s, ""); err == nil {
			t.Errorf("%s was read", what)
		}
	}
	if _, err := c.Live(t.Context(), detect.Session{ID: "../../x"}, detect.Info{}); err == nil {
		t.Error("a lock was looked for by a name that is no id")
	}
}

func TestStrangeRecords(t *testing.T) {
	for kind, failure := range map[string]string{
		"end": `{"timestamp":"2026-11-21T00:22:12Z","ordinal":7,"type":"event_msg","payload":{"type":"task_complete","turn_id":"` + turn +
			`","last_agent_message":null,"error":{"message":"You’ve hit your usage limit. Try again at 1:04 AM.","codex_error_info":{"http_connection_failed":{"http_status_code":429}}}}}`,
		"limits": `{"timestamp":"2026-11-21T00:22:12Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"total_tokens":5}},` +
			`"rate_limits":{"limit_id":"codex","primary":{"used_percent":100,"window_minutes":300,"resets_at":1795224392},"credits":{"has_credits":false}}}}`,
		"meta": `{"timestamp":"2026-11-21T00:22:12Z","type":"session_meta","payload":{"id":"` + sid + `","timestamp":"2026-11-21T00:22:09Z","cwd":"/w","cli_version":"0.169.0","source":"cli"}}`,
	} {
		t.Run(kind, func(t *testing.T) {
			agenttest.Records(t, func(t *testing.T) (agent.Agent, agenttest.Sink) {
				root := t.TempDir()
				s := rolloutOf(root, sid)
				put(t, s.Path, meta+asked)
				return over(root, procTable{}, agent.Config{}), agenttest.Sink{Session: s, Huge: map[string]int{"end": 100 << 20}[kind],
					Put:     func(t *testing.T, record []byte) { put(t, s.Path, string(record)+"\n") },
					Failure: failure, End: ending}
			})
		})
	}
}

// TestFarTimes: times of the first line and of the agent's log that cannot be stored.
func TestFarTimes(t *testing.T) {
	root := t.TempDir()
	s := rolloutOf(root, sid)
	put(t, s.Path, strings.Replace(meta, `"id":`, `"timestamp":"9999-12-31T23:59:59-23:59","id":`, 1)+asked)
	openLog(t, root)(logged{TS: 1 << 40, Target: "codex_core::responses_retry", Thread: sid,
		Body: "stream disconnected - retrying sampling request (1/5 in 2s)... turn_id=" + turn})
	b, err := agenttest.Read(t.Context(), over(root, procTable{}, agent.Config{}), s, "")
	if err != nil || len(b.Events) != 2 || b.Events[1].Kind != detect.KindRetry {
		t.Fatalf("%+v, %v", b.Events, err)
	}
	agenttest.CheckEvents(t, b.Events)
	if y := b.Info.Created.Year(); y != 2199 {
		t.Errorf("begun in %d", y)
	}
}

// TestPieces reads every recorded rollout as it grows.
func TestPieces(t *testing.T) {
	var all []func(t *testing.T) agenttest.Recording
	for _, name := range cases(t) {
		paths, err := filepath.Glob(filepath.Join(recordings, name, "home/sessions/*/*/*/rollout-*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for i, path := range paths {
			all = append(all, func(t *testing.T) agenttest.Recording {
				root := t.TempDir()
				s := sessionAt(t, filepath.Join(root, day, filepath.Base(path)))
				return agenttest.Recording{Name: fmt.Sprintf("%s %d", name, i), Session: s,
					Open:  func() agent.Agent { return over(root, procTable{}, agent.Config{}) },
					Steps: agenttest.Growth(s.Path, strings.Join(linesOf(t, path), ""), 1)}
			})
		}
	}
	if len(all) < 100 {
		t.Fatalf("only %d recordings", len(all))
	}
	agenttest.Pieces(t, 3, all)
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}
