package lazyregexp

import "testing"

// TestNew: under test a pattern is compiled at once; elsewhere when it is asked for.
func TestNew(t *testing.T) {
	panics := func(f func()) (did bool) {
		defer func() { did = recover() != nil }()
		f()
		return
	}
	if !panics(func() { New(`(`) }) {
		t.Error("a wrong pattern was not found")
	}
	defer func() { inTest = true }()
	inTest = false
	var r *Regexp
	if panics(func() { r = New(`(`) }) || !panics(func() { r.MatchString("") }) {
		t.Error("a pattern was compiled before its use")
	}
}
