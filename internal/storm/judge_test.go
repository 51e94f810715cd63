package main

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

const session = "5f0f6f0e-0000-4000-8000-000000000001"

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// did is a row of process pid, which was born at second 100*pid and does what it does at a second.
func did(pid int, by, ev string, up float64, more ...func(*row)) row {
	r := row{At: noon.Add(time.Duration(up * float64(time.Second))), Up: up, Ev: ev, By: by, PID: pid, Born: float64(100 * pid), Session: session}
	if by == byClawd {
		r.Token = strings.Repeat("t", pid)
	}
	for _, m := range more {
		m(&r)
	}
	return r
}

// start is the first row of a process that finds the session's tail to be so.
func start(pid int, by, stands, tail string, more ...func(*row)) row {
	return did(pid, by, evStart, float64(100*pid)+1, append(more, func(r *row) { r.Stands, r.Tail = stands, tail })...)
}

// whole is a start that asks and answers.
func whole(pid int, by, stands, tail string) []row {
	up := float64(100 * pid)
	return []row{start(pid, by, stands, tail), did(pid, by, evInit, up+2), did(pid, by, evAsked, up+3), did(pid, by, evPrompted, up+4),
		did(pid, by, evAnswer, up+5), did(pid, by, evAnswered, up+6), did(pid, by, evEnd, up+7)}
}

func rowsOf(parts ...any) (rows []row) {
	for _, p := range parts {
		switch p := p.(type) {
		case row:
			rows = append(rows, p)
		case []row:
			rows = append(rows, p...)
		}
	}
	return rows
}

func TestJudge(t *testing.T) {
	t.Parallel()
	answer, failure, prompt := line{Type: "assistant", UUID: "a"}, line{Type: "assistant", UUID: "k", IsAPIError: true}, line{Type: "user", UUID: "p"}
	needs := status{Sessions: []sessionStatus{{Session: session, Phase: "held", Status: "needs_you", Why: "because"}}}
	waits := status{Sessions: []sessionStatus{{Session: session, Phase: "waiting", Status: "waiting"}}}
	log := func(event string, up float64) []said {
		return []said{{Time: noon.Add(time.Duration(up * float64(time.Second))), Event: event, Session: session}}
	}
	wipe := row{Ev: evWiped, At: noon.Add(150 * time.Second)}
	struck := row{Ev: evStruck, Session: session}
	whose := func(by string) func(*row) { return func(r *row) { r.Beside = by } }
	for _, c := range []struct {
		name    string
		rows    []row
		tail    line
		status  status
		log     []said
		resumed int
		want    kind   // empty: nothing is wrong
		counted string // what it is counted as, besides
		pending bool
	}{
		{name: "resumed", rows: whole(1, byClawd, "failure", "k"), tail: answer, resumed: 1, counted: "resumes"},
		{name: "resumed, and not counted", rows: whole(1, byClawd, "failure", "k"), tail: answer, want: miscounted},
		{name: "resumed, and counted twice", rows: whole(1, byClawd, "failure", "k"), tail: answer, resumed: 2, want: miscounted},
		{name: "killed with its answer on the way, not counted", rows: whole(1, byClawd, "failure", "k")[:5], tail: answer, counted: "starts"},
		{name: "killed with its answer on the way, counted", rows: whole(1, byClawd, "failure", "k")[:5], tail: answer, resumed: 1, counted: "starts"},
		{name: "again after a start that did not ask", rows: rowsOf(start(1, byClawd, "failure", "k"), whole(2, byClawd, "failure", "k")), tail: answer, resumed: 1, counted: "resumes"},

		{name: "asked twice for one stop", rows: rowsOf(whole(1, byClawd, "failure", "k")[:3], whole(2, byClawd, "failure", "k")), tail: answer, resumed: 1, want: double},
		{name: "started again for a stop that was asked for", rows: rowsOf(whole(1, byClawd, "failure", "k")[:3], start(2, byClawd, "failure", "k")),
			tail: failure, status: needs, log: log("session_held", 300), want: double},
		{name: "started below its own prompt", rows: rowsOf(whole(1, byClawd, "failure", "k")[:4], start(2, byClawd, "prompt", "p")),
			tail: prompt, status: needs, log: log("session_held", 300), want: double},
		{name: "started though it had gone on", rows: rowsOf(whole(1, byClawd, "failure", "k"), start(2, byClawd, "answer", "a")), tail: answer, resumed: 1, want: double},
		{name: "one attempt twice", rows: rowsOf(start(1, byClawd, "failure", "k"), start(2, byClawd, "failure", "k", func(r *row) { r.Token = "t" })),
			tail: answer, want: double},
		{name: "beside a run of its own", rows: rowsOf(start(1, byClawd, "failure", "k"), start(2, byClawd, "failure", "k", whose(byClawd))), tail: answer, want: double},
		{name: "beside a person who was there before", rows: rowsOf(start(1, byPerson, "failure", "k"), start(2, byClawd, "failure", "k", whose(byPerson))), tail: answer, want: double},
		{name: "beside a person who came after the shim", rows: rowsOf(
			did(2, byPerson, evStart, 300.5, func(r *row) { r.Stands, r.Tail = "failure", "k" }), start(3, byClawd, "failure", "k", whose(byPerson))), tail: answer, counted: "races"},
		{name: "after a person had gone on, while the shim waited at its gate", rows: rowsOf(
			did(3, byPerson, evStart, 300.2, func(r *row) { r.Stands, r.Tail = "failure", "k" }), did(3, byPerson, evPrompted, 300.3),
			row{Ev: evUnmarked, Session: session, Token: "ttt", Up: 300.5}, start(3, byClawd, "answer", "a", func(r *row) { r.PID = 4 })), tail: answer, want: double},
		{name: "after a person had gone on", rows: rowsOf(whole(1, byPerson, "failure", "k"), start(2, byClawd, "answer", "a")), tail: answer, want: double},
		{name: "a person went on", rows: whole(1, byPerson, "failure", "k"), tail: answer, counted: "by hand"},

		{name: "it waits", tail: failure, status: waits, pending: true},
		{name: "nobody knows of the stop", tail: failure, pending: true},
		{name: "held, and not told", rows: whole(1, byClawd, "failure", "k")[:3], tail: failure, status: needs, pending: true},
		{name: "unsure by law", rows: whole(1, byClawd, "failure", "k")[:2], tail: failure, status: needs, log: log("session_held", 300), counted: "unsure"},
		{name: "cut", rows: whole(1, byClawd, "failure", "k")[:4], tail: prompt, status: needs, log: log("session_held", 300), counted: "cut"},
		{name: "cut, and the store was lost", rows: append(whole(1, byClawd, "failure", "k")[:4], wipe), tail: prompt, log: log("session_stopped", 300), counted: "cut"},
		{name: "cut, the store was lost, and nobody was told since", rows: append(whole(1, byClawd, "failure", "k")[:4], wipe), tail: prompt, log: log("session_stopped", 50), pending: true},
		{name: "held though nothing was asked", rows: rowsOf(start(1, byClawd, "failure", "k")), tail: failure, status: needs, log: log("session_held", 300), want: held},
		{name: "held after three shims were killed", rows: rowsOf(struck, struck, struck), tail: failure, status: needs, log: log("session_held", 300), counted: "starts failed"},
		{name: "held though it works", rows: whole(1, byClawd, "failure", "k"), tail: answer, status: needs, log: log("session_held", 300), resumed: 1, want: held},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := judge(evidence{rows: c.rows, tails: map[string]line{session: c.tail}, status: c.status, sessions: []string{session}, now: noon,
				told: map[string][]said{session: c.log}, resumed: map[string]int{session: c.resumed}})
			if (len(v.pending) > 0) != c.pending {
				t.Errorf("pending: %q", v.pending)
			}
			if c.counted != "" && v.counts[c.counted] == 0 {
				t.Errorf("it is not counted as %q: %v", c.counted, v.counts)
			}
			switch {
			case c.want == "" && len(v.findings) > 0:
				t.Errorf("found %v, want nothing", v.findings)
			case c.want != "" && (len(v.findings) == 0 || v.findings[0].kind != c.want):
				t.Errorf("found %v, want %s", v.findings, c.want)
			}
		})
	}
}

func TestDraw(t *testing.T) {
	t.Parallel()
	a, b, c := draw(1, 20), draw(1, 20), draw(2, 20)
	if !reflect.DeepEqual(a, b) {
		t.Error("one seed gave two plans")
	}
	if reflect.DeepEqual(a, c) {
		t.Error("two seeds gave one plan")
	}
	drawn, at := map[act]int{}, map[moment]int{}
	for seed := range uint64(2000) {
		p := draw(seed, 20)
		if len(p.subjects) != 20 || len(p.strikes) == 0 {
			t.Fatalf("seed %d: %d sessions, %d strikes", seed, len(p.subjects), len(p.strikes))
		}
		for _, k := range p.strikes {
			drawn[k.do]++
			at[k.when]++
		}
	}
	for _, c := range acts {
		if drawn[c.is] == 0 {
			t.Errorf("it is never drawn: %s", c.is)
		}
	}
	for _, c := range moments {
		if at[c.is] == 0 {
			t.Errorf("it is never drawn: %s", c.is)
		}
	}
}

func TestRunName(t *testing.T) {
	t.Parallel()
	if s, token := runName("claude-" + session + "-12-abcdef01.out"); s != session || token != "abcdef01" {
		t.Errorf("got %q, %q", s, token)
	}
	for _, other := range []string{"claude-" + session + "-12-abcdef01.out.in", "clawd.db", "claude-x.out", ""} {
		if s, _ := runName(other); s != "" {
			t.Errorf("%q gave %q", other, s)
		}
	}
}
