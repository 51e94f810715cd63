package inner

import "io"

// Thing is made without keys, and closed through an interface.
type Thing struct{ Key int }

func (Thing) Close() error { return nil }

func (Thing) Open() error { return nil } // dead

var _ io.Closer = Thing{}

// Loop is dead, and what it calls with it.
func Loop() { back() }

func back() { Loop() }

// ForTests is dead: only a test calls it.
func ForTests() { Shared() }

// Shared lives.
func Shared() {}

type gone struct{ dead int } // both

const (
	One = iota + 1
	Two // dead
)

var (
	Table = []int{One}
	other = 1 // dead
)

// Elsewhere is needed on darwin alone.
func Elsewhere() {}

type list[E any] struct{ all []E }

func (l *list[E]) add(e E) { l.all = append(l.all, e) }

func (l *list[E]) drop() { l.all = nil } // dead

// Fill lives.
func Fill() {
	var l list[int]
	l.add(len(Table))
}
