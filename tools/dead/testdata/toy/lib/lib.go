// Package lib has users elsewhere.
package lib

import "example.com/toy/inner"

// Do is for them.
func Do() { step(inner.Thing{2}) }

// T is for them.
type T struct {
	Named   int `json:"named"`
	Nowhere int `json:"nowhere"` // dead
}

// Get is for them.
func (t T) Get() int { return t.Named }

func (t T) unused() int { return t.Named } // dead

func step(any) {}
