package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
)

// template is a JSON value that was taken apart once, for a thousand seeds are planted into each: the pieces between the places
// that hold quoted text, each but the first behind such a place.
type template []piece

type piece struct {
	slot  slot // before text
	plain []byte
}

// slot is what stands in a place; 0: nothing.
type slot int

const (
	_        slot = iota
	aText         // the seed's text
	aValue        // the seed's value, as the only member of an object
	oneMore       // the seed's value, behind the other members
	bareText      // the seed's text, not as JSON
)

// add puts plain text behind the template.
func (t *template) add(plain ...byte) {
	if len(*t) == 0 {
		*t = template{{}}
	}
	last := &(*t)[len(*t)-1]
	last.plain = append(last.plain, plain...)
}

// fill gives the value with the seed in its places.
func (t template) fill(s seed) []byte {
	var out []byte
	quoted, value := text(s.text), `"quoted":`+text(s.value)
	for _, p := range t {
		switch p.slot {
		case aText:
			out = append(out, quoted...)
		case aValue:
			out = append(out, value...)
		case oneMore:
			out = append(append(out, ','), value...)
		case bareText:
			out = append(out, s.text...)
		}
		out = append(out, p.plain...)
	}
	return out
}

// plant finds all places of a JSON value that hold quoted text. spots, where given, takes note of them.
func (t *template) plant(raw json.RawMessage, spots map[string]bool) error {
	raw = bytes.TrimSpace(raw)
	switch {
	case bytes.HasPrefix(raw, []byte("[")):
		return t.plantArray(raw, spots)
	case bytes.HasPrefix(raw, []byte("{")):
		_, err := t.plantObject(raw, spots)
		return err
	}
	t.add(raw...)
	return nil
}

func (t *template) plantArray(raw json.RawMessage, spots map[string]bool) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	t.add('[')
	for i, item := range items {
		if i > 0 {
			t.add(',')
		}
		if err := t.plant(item, spots); err != nil {
			return err
		}
	}
	t.add(']')
	return nil
}

// plantObject says whether the object has members.
func (t *template) plantObject(raw json.RawMessage, spots map[string]bool) (full bool, err error) {
	all, err := members(raw)
	if err != nil {
		return false, err
	}
	if own(all) {
		t.add(raw...)
		return len(raw) > len("{}"), nil
	}
	speaks(spots, all)
	t.add('{')
	for i, p := range all {
		if i > 0 {
			t.add(',')
		}
		t.add([]byte(text(p.key))...)
		t.add(':')
		switch {
		case bytes.HasPrefix(p.value, []byte(`"`)) && slices.Contains(textKeys, p.key):
			*t = append(*t, piece{slot: aText})
			note(spots, all, p.key)
		case bytes.HasPrefix(p.value, []byte("{")) && slices.Contains(objectKeys, p.key):
			full, err := t.plantObject(p.value, spots)
			if err != nil {
				return false, err
			}
			t.quote(full)
			note(spots, all, p.key)
		default:
			if err := t.plant(p.value, spots); err != nil {
				return false, err
			}
		}
	}
	t.add('}')
	return len(all) > 0, nil
}

// quote adds the seed's value to the object at the template's end.
func (t *template) quote(full bool) {
	last := &(*t)[len(*t)-1]
	last.plain = last.plain[:len(last.plain)-1]
	slot := aValue
	if full {
		slot = oneMore
	}
	*t = append(*t, piece{slot: slot, plain: []byte("}")})
}

// templateOf plants into a file of JSON lines, or into one that is a single JSON value. A file of
// another kind stays as it is.
func templateOf(path string, b []byte, spots map[string]bool) (all template) {
	records := [][]byte{b}
	switch filepath.Ext(path) {
	case ".jsonl":
		records = slices.Collect(bytes.Lines(b))
	case ".json":
	default:
		records = nil
		all.add(b...)
	}
	for _, r := range records {
		var t template
		if err := t.plant(r, spots); err != nil {
			all.add(r...)
			continue
		}
		t.add('\n')
		all.add(t[0].plain...)
		all = append(all, t[1:]...)
	}
	return all
}
