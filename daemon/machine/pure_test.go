package machine

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// pure carries Step out twice: the same must come of it, and nothing of what it was given may be written to. So every
// test of this package shows that Step is a function.
func (k *kit) pure(s Session, e Event) (Session, []Effect) {
	if k.steps++; k.lax || k.steps > 100 && k.steps%32 != 0 { // long waits are much of the same
		return Step(&k.w, s, e)
	}
	before := dump(&k.w, &s, e)
	now, effects := Step(&k.w, s, e)
	first := dump(&now, effects)
	again, twice := Step(&k.w, s, e)
	if second := dump(&again, twice); !bytes.Equal(first, second) {
		k.t.Fatalf("%T gives one thing now and another one then:\n%s", e, difference(first, second))
	}
	if after := dump(&k.w, &s, e); !bytes.Equal(before, after) {
		k.t.Fatalf("%T writes to what it was given:\n%s", e, difference(before, after))
	}
	return now, effects
}

func difference(a, b []byte) string {
	return gocmp.Diff(strings.Split(string(a), "\n"), strings.Split(string(b), "\n"))
}

var (
	timeType  = reflect.TypeFor[time.Time]()
	booksType = reflect.TypeFor[memory]()
)

// dump writes down values with everything that hangs on them, also what slices have room for. Most of this package's time is
// spent here.
func dump(all ...any) []byte {
	d := dumper{text: make([]byte, 0, 8<<10)}
	for _, v := range all {
		d.write(reflect.ValueOf(v))
	}
	return d.text
}

type dumper struct{ text, path []byte }

// names are those of a struct's fields.
func names(t reflect.Type) (all []string) {
	if known, ok := named.Load(t); ok {
		return known.([]string)
	}
	for i := range t.NumField() {
		all = append(all, "."+t.Field(i).Name)
	}
	named.Store(t, all)
	return all
}

var named sync.Map

// line begins a line with where the value is, and ends one with what it is.
func (d *dumper) line(kind string) { d.text = append(append(append(d.text, d.path...), ' '), kind...) }
func (d *dumper) ends()            { d.text = append(d.text, '\n') }

func (d *dumper) said(text string) { d.line(text); d.ends() }
func (d *dumper) int(n int64) {
	d.line("")
	d.text = strconv.AppendInt(d.text, n, 10)
	d.ends()
}

// below writes what hangs on the value.
func (d *dumper) below(v reflect.Value, by ...string) {
	was := len(d.path)
	for _, b := range by {
		d.path = append(d.path, b...)
	}
	d.write(v)
	d.path = d.path[:was]
}

func (d *dumper) write(v reflect.Value) {
	switch {
	case !v.IsValid():
		d.said("nil")
		return
	case v.Type() == booksType:
		return
	case v.Type() == timeType:
		d.line("time ")
		d.text = strconv.AppendUint(d.text, v.Field(0).Uint(), 10)
		d.text = strconv.AppendInt(append(d.text, ' '), v.Field(1).Int(), 10)
		d.text = strconv.AppendUint(append(d.text, ' '), uint64(v.Field(2).Pointer()), 16)
		d.ends()
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			d.write(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			d.below(v.Elem(), "(", v.Elem().Type().String(), ")")
		}
	case reflect.Struct:
		d.said("{")
		for i, name := range names(v.Type()) {
			if f := v.Field(i); !f.IsZero() {
				d.below(f, name)
			}
		}
	case reflect.Slice:
		d.int(int64(v.Len()))
		room := v.Slice(0, v.Cap())
		for i := range room.Len() {
			d.below(room.Index(i), "[", strconv.Itoa(i), "]")
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			d.below(v.MapIndex(key), "[", key.String(), "]")
		}
	case reflect.Func:
		d.said(fmt.Sprintf("func %x", v.Pointer()))
	case reflect.String:
		d.said(v.String())
	case reflect.Bool:
		d.said(strconv.FormatBool(v.Bool()))
	case reflect.Float64:
		d.said(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64:
		d.int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		d.said(strconv.FormatUint(v.Uint(), 10))
	default:
		panic("dump: " + v.Kind().String())
	}
}
