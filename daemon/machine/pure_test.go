package machine

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// pure carries Step out twice: the same must come of it, and nothing of what it was given may be written to. So every
// test of this package shows that Step is a function.
func (k *kit) pure(s Session, e Event) (Session, []Effect) {
	if k.steps++; k.lax || k.steps > 100 && k.steps%32 != 0 { // long waits are much of the same
		return Step(&k.w, s, e)
	}
	before := dump(&k.w) + dump(&s) + dump(e)
	now, effects := Step(&k.w, s, e)
	first := dump(&now) + dump(effects)
	again, twice := Step(&k.w, s, e)
	if second := dump(&again) + dump(twice); first != second {
		k.t.Fatalf("%T gives one thing now and another one then:\n%s", e, difference(first, second))
	}
	if after := dump(&k.w) + dump(&s) + dump(e); before != after {
		k.t.Fatalf("%T writes to what it was given:\n%s", e, difference(before, after))
	}
	return now, effects
}

func difference(a, b string) string {
	return gocmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n"))
}

var (
	timeType  = reflect.TypeFor[time.Time]()
	booksType = reflect.TypeFor[memory]()
)

// dump writes down a value with everything that hangs on it, also what slices have room for.
func dump(v any) string {
	var b strings.Builder
	write(&b, "", reflect.ValueOf(v))
	return b.String()
}

func write(b *strings.Builder, path string, v reflect.Value) {
	switch {
	case !v.IsValid():
		fmt.Fprintf(b, "%s nil\n", path)
		return
	case v.Type() == booksType:
		return
	case v.Type() == timeType:
		fmt.Fprintf(b, "%s time %d %d %x\n", path, v.Field(0).Uint(), v.Field(1).Int(), v.Field(2).Pointer())
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if v.Kind() == reflect.Interface {
			path += "(" + v.Elem().Type().String() + ")"
		}
		write(b, path, v.Elem())
	case reflect.Struct:
		fmt.Fprintf(b, "%s {\n", path)
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				write(b, path+"."+v.Type().Field(i).Name, f)
			}
		}
	case reflect.Slice:
		fmt.Fprintf(b, "%s %d\n", path, v.Len())
		room := v.Slice(0, v.Cap())
		for i := range room.Len() {
			write(b, fmt.Sprintf("%s[%d]", path, i), room.Index(i))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			write(b, fmt.Sprintf("%s[%s]", path, key), v.MapIndex(key))
		}
	case reflect.Func:
		fmt.Fprintf(b, "%s func %x\n", path, v.Pointer())
	case reflect.String:
		fmt.Fprintf(b, "%s %s\n", path, v.String())
	case reflect.Bool:
		fmt.Fprintf(b, "%s %t\n", path, v.Bool())
	case reflect.Float64:
		fmt.Fprintf(b, "%s %v\n", path, v.Float())
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64:
		fmt.Fprintf(b, "%s %d\n", path, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		fmt.Fprintf(b, "%s %d\n", path, v.Uint())
	default:
		panic("dump: " + v.Kind().String())
	}
}
