package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		not      string
		ok       bool
	}{
		{"pass", `{"Action":"output","Package":"a/b","Test":"TestX","Output":"noise\n"}
{"Action":"pass","Package":"a/b","Test":"TestX","Elapsed":1.25}
{"Action":"pass","Package":"a/b","Elapsed":2}`, []string{"ok    b.TestX (1.2 s)", "ok    a/b (2.0 s)", "1 passed, 0 failed, 0 skipped"}, "noise", true},
		{"skip", `{"Action":"output","Package":"a/b","Test":"TestX","Output":"    x_test.go:1: no agent\n"}
{"Action":"output","Package":"a/b","Test":"TestX","Output":"--- SKIP: TestX\n"}
{"Action":"skip","Package":"a/b","Test":"TestX"}`, []string{"skip  b.TestX: x_test.go:1: no agent", "1 skipped"}, "", true},
		{"fail", `{"Action":"output","Package":"a/b","Test":"TestX","Output":"it broke\n"}
{"Action":"fail","Package":"a/b","Test":"TestX"}
{"Action":"fail","Package":"a/b"}`, []string{"FAIL  b.TestX", "it broke", "1 failed"}, "", false},
		{"build", `{"Action":"build-output","ImportPath":"a/b","Output":"x.go:1: no\n"}
{"Action":"build-fail","ImportPath":"a/b"}
{"Action":"fail","Package":"a/b"}`, []string{"x.go:1: no", "1 failed"}, "", false},
		{"nothing ran", "go: no such thing\n", []string{"go: no such thing"}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			s := &summary{out: &out, cases: true, output: map[string][]string{}}
			if err := s.read(strings.NewReader(c.in)); err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, out.String())
				}
			}
			if c.not != "" && strings.Contains(out.String(), c.not) {
				t.Errorf("%q in\n%s", c.not, out.String())
			}
			if s.ok() != c.ok {
				t.Errorf("ok = %v, want %v", s.ok(), c.ok)
			}
		})
	}
}
