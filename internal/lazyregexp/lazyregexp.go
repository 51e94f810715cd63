// Package lazyregexp compiles regular expressions when they are first used: most runs of clawd (a shim, a
// check of the store, a wrapped agent) meet few texts, and all of clawd's patterns take longer to compile than
// such a run lasts.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regexp.Regexp to be.
type Regexp struct{ compiled func() *regexp.Regexp }

// inTest: the patterns of a program under test are compiled at once, so that none is wrong but in an error's path.
var inTest = len(os.Args) > 0 && strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New is regexp.MustCompile, later.
func New(pattern string) *Regexp {
	r := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
	if inTest {
		r.compiled()
	}
	return r
}

// FindAllString is as [regexp.Regexp.FindAllString].
func (r *Regexp) FindAllString(s string, n int) []string {
	return r.compiled().FindAllString(s, n)
}

// Find is as [regexp.Regexp.Find].
func (r *Regexp) Find(b []byte) []byte {
	return r.compiled().Find(b)
}

// FindString is as [regexp.Regexp.FindString].
func (r *Regexp) FindString(s string) string {
	return r.compiled().FindString(s)
}

// FindStringIndex is as [regexp.Regexp.FindStringIndex].
func (r *Regexp) FindStringIndex(s string) []int {
	return r.compiled().FindStringIndex(s)
}

// FindStringSubmatch is as [regexp.Regexp.FindStringSubmatch].
func (r *Regexp) FindStringSubmatch(s string) []string {
	return r.compiled().FindStringSubmatch(s)
}

// MatchString is as [regexp.Regexp.MatchString].
func (r *Regexp) MatchString(s string) bool {
	return r.compiled().MatchString(s)
}

// ReplaceAllString is as [regexp.Regexp.ReplaceAllString].
func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.compiled().ReplaceAllString(s, with)
}

// FindStringSubmatchIndex is as [regexp.Regexp.FindStringSubmatchIndex].
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

// ReplaceAllStringFunc is as [regexp.Regexp.ReplaceAllStringFunc].
func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, with)
}

// FindAllStringSubmatchIndex is as [regexp.Regexp.FindAllStringSubmatchIndex].
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// FindAllStringSubmatch is as [regexp.Regexp.FindAllStringSubmatch].
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}
