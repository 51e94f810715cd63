package detect

import (
	"maps"
	"slices"
	"strings"
)

// ByAgent is the entry of a session in which another agent had this one work as its tool.
const ByAgent = "agent"

// Options is what the records tell of the options that the last run had. Lists are in the order of names.
type Options struct {
	Entry string   `json:"entry,omitempty"` // how it was driven, in the agent's words, or ByAgent
	Named string   `json:"named,omitempty"` // the agent's own name for the agent that the session is given to
	Shape string   `json:"shape,omitempty"` // names what the last request offered; Offered tells of that if it begins so
	Offer string   `json:"offer,omitempty"` // shape:tool,tool
	Later []string `json:"later,omitempty"` // tools that it may load; -tool: no more
	Used  []string `json:"used,omitempty"`  // tools that it has used
	Roots []string `json:"roots,omitempty"` // folders beside Dir that it may write to
}

func (o *Options) merge(newer Options) {
	for _, f := range []struct {
		dst   *string
		value string
	}{{&o.Entry, newer.Entry}, {&o.Named, newer.Named}, {&o.Shape, newer.Shape}, {&o.Offer, newer.Offer}} {
		if f.value != "" {
			*f.dst = f.value
		}
	}
	o.Change(newer.Later...)
	o.Use(newer.Used...)
	if newer.Roots != nil {
		o.Roots = newer.Roots
	}
}

// maxTools bounds the names that a file can make clawd keep.
const maxTools = 500

// Use adds tools that were used.
func (o *Options) Use(names ...string) {
	for _, n := range names {
		if i, found := slices.BinarySearch(o.Used, n); !found && len(o.Used) < maxTools {
			o.Used = slices.Insert(slices.Clone(o.Used), i, n)
		}
	}
}

// Change adds tools that may be loaded, and takes away those with a "-".
func (o *Options) Change(names ...string) {
	if len(names) == 0 {
		return
	}
	set := map[string]string{}
	for _, n := range slices.Concat(o.Later, names) {
		set[strings.TrimPrefix(n, "-")] = n
	}
	o.Later = nil
	for _, n := range slices.Sorted(maps.Keys(set)) {
		if len(o.Later) < maxTools {
			o.Later = append(o.Later, set[n])
		}
	}
}

// Offered gives the tools of the last request; false: the records do not tell.
func (o Options) Offered() ([]string, bool) {
	list, ok := strings.CutPrefix(o.Offer, o.Shape+":")
	if o.Shape == "" || !ok {
		return nil, false
	}
	all := strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
	for _, n := range o.Later {
		if !strings.HasPrefix(n, "-") {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), true
}
