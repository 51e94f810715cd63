package sim

import (
	"slices"
	"testing"
)

// What a plan does not fail by is taken out, and whose an item is stays right.
func TestMinimise(t *testing.T) {
	p := Draw(7)
	p.Talks = append(p.Talks, Talk{Dir: 9})
	p.Items = append(p.Items, Item{What: kills, Who: len(p.Talks) - 1, N: 77})
	q := Minimise(p, func(p Plan) bool {
		return slices.ContainsFunc(p.Items, func(it Item) bool { return it.N == 77 && p.Talks[it.Who].Dir == 9 })
	})
	if len(q.Items) != 1 || len(q.Talks) != 1 || len(q.Weather) != 0 {
		t.Errorf("%d items, %d conversations and %d spells are left", len(q.Items), len(q.Talks), len(q.Weather))
	}
}
