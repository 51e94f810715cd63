package gemini

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// Before a session gets as old as the agent lets one get, its records say that it is younger.
func TestRemember(t *testing.T) {
	now := time.Now()
	for _, x := range []struct {
		name, settings, project string
		age, want               time.Duration
	}{
		{"young", "", "", 19 * day, 19 * day},
		{"old", "", "", 21 * day, 10 * day},
		{"beyond the period", "", "", 40 * day, 10 * day},
		{"a shorter period", `{"general":{"sessionRetention":{"maxAge":"72h"}}}`, "", 2*day + time.Hour, day},
		{"a longer period", `{"general":{"sessionRetention":{"maxAge":"3m"}}}`, "", 40 * day, 40 * day},
		{"weeks", `{"general":{"sessionRetention":{"maxAge":"3w"}}}`, "", 20 * day, 7 * day},
		{"off", `{"general":{"sessionRetention":{"enabled":false}}}`, "", 40 * day, 40 * day},
		{"a period that the agent does not take", `{"general":{"sessionRetention":{"maxAge":"1 month"}}}`, "", 40 * day, 40 * day},
		{"the project's", `{"general":{"sessionRetention":{"enabled":false}}}`, `{"general":{"sessionRetention":{"enabled":true,"maxAge":"9d"}}}`, 8 * day, 3 * day},
		{"with a comment", `{"general":{"sessionRetention":{"enabled":false}} // mine` + "\n}", "", 40 * day, 40 * day},
		{"settings that cannot be read", `{"general":`, "", 21 * day, 10 * day},
	} {
		t.Run(x.name, func(t *testing.T) {
			g, home := recorded(t, "resume-00-quota-stop")
			s := named(t, g, "df27f882")
			if x.settings != "" {
				agenttest.Linked(t, filepath.Join(home, "settings.json"), x.settings)
			}
			if x.project != "" {
				dir := t.TempDir()
				put(t, filepath.Join(dir, ".gemini", "settings.json"), x.project)
				put(t, filepath.Join(filepath.Dir(filepath.Dir(s.Path)), ".project_root"), dir)
				b, err := os.ReadFile(s.Path)
				must(t, err)
				h, err := readHead(s.Path)
				must(t, err)
				must(t, os.WriteFile(s.Path, []byte(strings.ReplaceAll(string(b), h.ProjectHash, hashOf(dir))), 0o600))
			}
			add(t, s.Path, updatedLine(now.Add(-x.age)))
			done, err := g.Remember(s, now)
			must(t, err)
			at, whole, err := lastUpdated(s.Path)
			must(t, err)
			if got := now.Sub(at).Round(time.Second); got != x.want || done != (x.age != x.want) || !whole {
				t.Errorf("%s old, done %v; want %s", got, done, x.want)
			}
		})
	}
}

func updatedLine(at time.Time) string {
	return fmt.Sprintf(`{"$set":{"lastUpdated":%q}}`+"\n", at.UTC().Format(time.RFC3339Nano))
}

// What is being written, and what is not there, is left as it is.
func TestRememberLeaves(t *testing.T) {
	g, _ := recorded(t, "resume-00-quota-stop")
	s := named(t, g, "df27f882")
	add(t, s.Path, updatedLine(time.Now().Add(-40*day))+`{"id":"half`)
	before, err := os.ReadFile(s.Path)
	must(t, err)
	if done, err := g.Remember(s, time.Now()); done || err != nil {
		t.Errorf("half a line: %v, %v", done, err)
	}
	after, err := os.ReadFile(s.Path)
	must(t, err)
	if string(after) != string(before) {
		t.Error("it was written behind half a line")
	}
	must(t, os.Remove(s.Path))
	if done, err := g.Remember(s, time.Now()); done || err != nil {
		t.Errorf("a file that is gone: %v, %v", done, err)
	}
	if _, err := g.Remember(detect.Session{ID: s.ID, Path: "/etc/passwd"}, time.Now()); err == nil {
		t.Error("a file of somebody else")
	}
}

// The line changes nothing about why a session stopped.
func TestRememberedIsTheSameStop(t *testing.T) {
	for line := range strings.Lines(wants) {
		f := strings.Fields(line)
		if len(f) == 0 || f[2] != "gone" {
			continue
		}
		g, _ := recorded(t, f[0])
		s := named(t, g, f[1])
		if !strings.HasSuffix(s.Path, ".jsonl") {
			continue
		}
		want, _ := verdict(t, g, s, detect.Gone)
		done, err := g.Remember(s, time.Now().Add(60*day))
		if !done || err != nil {
			t.Fatalf("%s: %v, %v", f[0], done, err)
		}
		got, b := verdict(t, g, s, detect.Gone)
		if d := cmp.Diff(want, got); d != "" || b.Skipped != 0 {
			t.Errorf("%s: (-want +got):\n%s", f[0], d)
		}
	}
}
