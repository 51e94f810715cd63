package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clawd-project/clawd/internal/transcript"
)

// shownLine is a line of the console log: its message, and its fields in order.
type shownLine struct {
	message string
	keys    []string
	fixed   map[string]string // values that are the same in every run
}

var (
	// stampAndLevel begin a line.
	stampAndLevel = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d INF `)
	field         = regexp.MustCompile(`(?:^| )([a-z_]+)=("(?:[^"\\]|\\.)*"|\{.*?\}|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\S*)`)
)

func shown(t *testing.T, line string) shownLine {
	t.Helper()
	if !stampAndLevel.MatchString(line) {
		t.Fatalf("no line of the console log: %q", line)
	}
	line = stampAndLevel.ReplaceAllString(line, "")
	at := strings.Index(line, " event=")
	if at < 0 {
		t.Fatalf("no event: %q", line)
	}
	s := shownLine{message: line[:at], fixed: map[string]string{}}
	for _, m := range field.FindAllStringSubmatch(line[at:], -1) {
		s.keys = append(s.keys, m[1])
		switch m[1] {
		case "event", "agent", "reason", "window", "state", "status", "strategy", "attempt", "plan", "auth", "total_resumes":
			s.fixed[m[1]] = m[2]
		}
	}
	return s
}

// sample gives the lines of README's first log, whose long lines go on indented.
func sample(t *testing.T) []string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, block := range strings.Split(string(readme), "```") {
		if !strings.Contains(block, "event=session_stopped") {
			continue
		}
		for l := range strings.Lines(strings.TrimSpace(block)) {
			if strings.HasPrefix(l, " ") {
				lines[len(lines)-1] += " " + strings.TrimSpace(l)
			} else {
				lines = append(lines, strings.TrimSpace(l))
			}
		}
		return lines
	}
	t.Fatal("README shows no log")
	return nil
}

// What README shows is what is printed: the same lines, with the same fields in the same order.
func TestReadmeShowsTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "succeed")
	config := filepath.Join(w.root, "clawd.toml")
	b, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	w.write(config, strings.Replace(string(b), `"json"`, `"console"`, 1)+"margin = \"1s\"\n")
	d := w.start()
	w.until("the start", func() bool { return strings.Contains(d.log.String(), "event=agent_found") })
	id := uuid.NewString()
	now := time.Now()
	prompt := transcript.Prompt("", id, w.project, "say done", false, now.Add(-2*time.Second))
	var u line
	if err := json.Unmarshal([]byte(prompt), &u); err != nil {
		t.Fatal(err)
	}
	limit := fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"You've hit your 5-hour limit · resets 1:00am (UTC)"}]},"error":"rate_limit","isApiErrorMessage":true,"apiErrorStatus":429,"apiError":"usage_limit_reached","quotaLimits":{"status":"rejected","resetsAt":%d,"rateLimitType":"five_hour"},%s}`+"\n",
		uuid.NewString(), now.Add(time.Second).Unix(), transcript.Common(u.UUID, id, w.project, now))
	w.write(w.transcript(id), prompt+transcript.Answer(u.UUID, id, w.project, now.Add(-time.Second))+limit)
	w.until("the end of the run", func() bool { return strings.Contains(d.log.String(), "event=run_ended") })
	printed := map[string]shownLine{}
	for l := range strings.Lines(d.log.String()) {
		if stampAndLevel.MatchString(l) {
			s := shown(t, strings.TrimSpace(l))
			printed[s.fixed["event"]] = s
		}
	}
	for _, l := range sample(t) {
		want := shown(t, l)
		got := printed[want.fixed["event"]]
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("printed: %s\nREADME:  %s", g, w)
		}
	}
	d.stop()
}
