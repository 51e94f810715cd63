package sim

import "slices"

// Minimise takes out of a plan what it still fails without: items, spells of weather, conversations, one at a time, until
// nothing more can be taken.
func Minimise(p Plan, fails func(Plan) bool) Plan {
	for again := true; again; {
		again = false
		for i := len(p.Items) - 1; i >= 0; i-- {
			if q := p.without(i, -1, -1); fails(q) {
				p, again = q, true
			}
		}
		for i := len(p.Weather) - 1; i >= 0; i-- {
			if q := p.without(-1, i, -1); fails(q) {
				p, again = q, true
			}
		}
		for i := len(p.Talks) - 1; i >= 0 && len(p.Talks) > 1; i-- {
			if q := p.without(-1, -1, i); fails(q) {
				p, again = q, true
			}
		}
		if q := p; p.Deaf {
			if q.Deaf = false; fails(q) {
				p, again = q, true
			}
		}
		if q := p; p.Slow {
			if q.Slow = false; fails(q) {
				p, again = q, true
			}
		}
	}
	return p
}

// without an item, a spell or a conversation; -1: none is taken out.
func (p Plan) without(item, spell, talk int) Plan {
	p.Items, p.Weather, p.Talks = slices.Clone(p.Items), slices.Clone(p.Weather), slices.Clone(p.Talks)
	if item >= 0 {
		p.Items = slices.Delete(p.Items, item, item+1)
	}
	if spell >= 0 {
		p.Weather = slices.Delete(p.Weather, spell, spell+1)
	}
	if talk < 0 {
		return p
	}
	p.Talks = slices.Delete(p.Talks, talk, talk+1)
	p.Items = slices.DeleteFunc(p.Items, func(it Item) bool { return it.Who == talk })
	for i := range p.Items {
		if p.Items[i].Who > talk {
			p.Items[i].Who--
		}
	}
	return p
}
