package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// pages reads the file of a store without bbolt, and trusts no byte of it: bbolt panics on damaged
// pages, also in goroutines of its own, or follows them for ever. What this reader finds sound bbolt can
// open, and of a damaged file it gives what is left.
type pages struct {
	f      io.ReaderAt
	page   int64 // size of a page
	high   uint64
	seen   map[uint64]bool
	record func(bucket string, key, value []byte)
	bucket func(name string, sequence uint64)
	// first is the first damage that was found; nil: none.
	first error
}

// meta is one of the two pages that name the tree's root.
type meta struct{ page, root, freelist, high, tx uint64 }

const (
	pageHeader  = 16
	pageElement = 16
	branchPage  = 1
	leafPage    = 2
	freePage    = 0x10
	noFreelist  = ^uint64(0)
	// deepest: bbolt's trees have at least two keys a page.
	deepest = 64
)

var order = binary.NativeEndian

// openPlain opens a file that must be a regular one, whatever stands at its path, and makes sure that no
// clawd has it open as its store. It never waits for the other end of a pipe.
func openPlain(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = notPlain(path, fi.Mode())
	}
	for end := time.Now().Add(time.Second); err == nil; {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			err = &os.PathError{Op: "lock", Path: path, Err: err}
			break
		}
		if err = nil; time.Now().After(end) {
			err = fmt.Errorf("%w: %s", ErrLocked, path)
		} else {
			time.Sleep(10 * time.Millisecond)
		}
	}
	f.Close()
	return nil, err
}

func notPlain(path string, mode os.FileMode) error {
	what := "not a regular file"
	switch {
	case mode.IsDir():
		what = "a folder"
	case mode&os.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&os.ModeSocket != 0:
		what = "a socket"
	case mode&os.ModeDevice != 0:
		what = "a device"
	}
	return fmt.Errorf("%s is %s where clawd keeps its store; move it away and start clawd again", path, what)
}

// Known is what Peek finds besides the sessions.
type Known struct {
	Alive time.Time // the last sign of life
	Stats Stats
}

// Peek reads the sessions in the store's file as it is now, without a lock: also beside a clawd that has it
// open, and whatever is in it. The error is the first damage; what could be read was given before.
func Peek(path string, f func(Session)) (known Known, err error) {
	known.Stats.Stops = map[detect.Reason]int{}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return known, err
	}
	defer file.Close()
	fi, err := file.Stat()
	if err != nil {
		return known, err
	}
	if !fi.Mode().IsRegular() {
		return known, notPlain(path, fi.Mode())
	}
	all := metas(file)
	if len(all) == 0 {
		return known, fmt.Errorf("%s does not begin as a store does", path)
	}
	err = walk(file, fi.Size(), all[len(all)-1], func(string, uint64) {}, func(bucket string, key, value []byte) {
		var rec Session
		switch {
		case bucket == string(bucketMeta) && string(key) == string(keyAlive):
			_ = unpack(bucketMeta, key, value, &known.Alive)
		case bucket == string(bucketStats) && string(key) == keyTotal:
			_ = unpack(bucketStats, key, value, &known.Stats)
		case bucket == string(bucketSessions) && unpack(bucketSessions, key, value, &rec) == nil && Key(rec.Session) == string(key):
			f(rec)
		}
	})
	return known, err
}

// metas gives the sound ones of the two meta pages, the newer one last.
func metas(f io.ReaderAt) []meta {
	var all []meta
	places := []int64{0}
	for n := range 15 { // the first may be gone, and then the size of a page is not known
		places = append(places, 1024<<n)
	}
	for _, at := range places {
		b := make([]byte, pageHeader+64)
		if _, err := f.ReadAt(b, at); err != nil {
			break
		}
		b = b[pageHeader:]
		sum := fnv.New64a()
		sum.Write(b[:56])
		m := meta{uint64(order.Uint32(b[8:])), order.Uint64(b[16:]), order.Uint64(b[32:]), order.Uint64(b[40:]), order.Uint64(b[48:])}
		if order.Uint32(b) != 0xED0CDAED || order.Uint32(b[4:]) != 2 || order.Uint64(b[56:]) != sum.Sum64() {
			continue
		}
		if m.page < 1024 || m.page > 1<<24 || m.page&(m.page-1) != 0 || at != 0 && uint64(at) != m.page {
			continue
		}
		if all = append(all, m); len(all) == 2 && all[0].tx > all[1].tx {
			all[0], all[1] = all[1], all[0]
		}
		if len(all) == 2 {
			break
		}
	}
	return all
}

// walk reads everything that a meta page leads to. record is called for every record, whatever its
// checksum says, and bucket before those of a bucket. The error is the first damage.
func walk(f io.ReaderAt, size int64, m meta, bucket func(string, uint64), record func(string, []byte, []byte)) error {
	p := &pages{f: f, page: int64(m.page), high: m.high, seen: map[uint64]bool{}, record: record, bucket: bucket}
	if m.high > uint64(size)/m.page {
		p.damaged("it has %d bytes and should have at least %d pages of %d", size, m.high, m.page)
		p.high = uint64(size) / m.page
	}
	p.tree(m.root, 0, span{}, p.root)
	if m.freelist != noFreelist {
		p.free(m.freelist)
	}
	return p.first
}

// free compares the list of free pages with those that nothing leads to. False: the list is damaged.
func (p *pages) free(id uint64) bool {
	b := p.read(id)
	if b == nil {
		return false
	}
	if flags := order.Uint16(b[8:]); flags != freePage {
		p.damaged("the list of free pages, page %d, is something else (%#x)", id, flags)
		return false
	}
	count, at := uint64(order.Uint16(b[10:])), uint64(pageHeader)
	if count == 0xFFFF {
		count, at = order.Uint64(b[at:]), at+8
	}
	if count > (uint64(len(b))-at)/8 {
		p.damaged("the list of free pages says that it has %d", count)
		return false
	}
	for ; count > 0; count, at = count-1, at+8 {
		free := order.Uint64(b[at:])
		if free < 2 || free >= p.high || p.seen[free] {
			p.damaged("page %d is in use, or outside of the file, and in the list of free pages", free)
			return false
		}
		p.seen[free] = true
	}
	if lost := p.high - 2 - uint64(len(p.seen)); lost != 0 {
		p.damaged("%d pages are neither in use nor free", lost)
	}
	return true
}

func (p *pages) damaged(format string, args ...any) {
	if p.first == nil {
		p.first = fmt.Errorf(format, args...)
	}
}

// root is called for what stands in the root: one element for every bucket.
func (p *pages) root(flags uint32, key, value []byte) {
	if flags != 1 || len(value) < pageHeader {
		p.damaged("the root holds %q, which is no bucket", clip(key))
		return
	}
	name := string(key)
	id, sequence := order.Uint64(value), order.Uint64(value[8:])
	p.bucket(name, sequence)
	leaf := func(flags uint32, key, value []byte) {
		if flags != 0 {
			p.damaged("a record of %q has flags %#x", clip([]byte(name)), flags)
			return
		}
		p.record(name, key, value)
	}
	if id != 0 {
		p.tree(id, 0, span{}, leaf)
		return
	}
	// A small bucket stands in the root's own page.
	if b := value[16:]; len(b) < pageHeader || order.Uint16(b[8:]) != leafPage {
		p.damaged("the small bucket %q has no leaf", clip(key))
	} else {
		p.elements(b, name, span{}, leaf)
	}
}

// span is which keys a page may have.
type span struct{ from, to []byte } // to is outside; nil: no bound

func (s span) has(key []byte) bool {
	return bytes.Compare(key, s.from) >= 0 && (s.to == nil || bytes.Compare(key, s.to) < 0)
}

// tree calls leaf for every element below a page.
func (p *pages) tree(id uint64, depth int, keys span, leaf func(uint32, []byte, []byte)) {
	b := p.read(id)
	switch {
	case b == nil:
	case depth > deepest:
		p.damaged("page %d lies too deep", id)
	case order.Uint16(b[8:]) == leafPage:
		p.elements(b, fmt.Sprint("page ", id), keys, leaf)
	case order.Uint16(b[8:]) == branchPage:
		p.branch(b, id, depth, keys, leaf)
	default:
		p.damaged("page %d is neither a branch nor a leaf (%#x)", id, order.Uint16(b[8:]))
	}
}

// read gives a page with those that it flows over into; nil: it is damaged.
func (p *pages) read(id uint64) []byte {
	if id < 2 || id >= p.high {
		p.damaged("page %d is outside of the file", id)
		return nil
	}
	head := make([]byte, pageHeader)
	if _, err := p.f.ReadAt(head, int64(id)*p.page); err != nil {
		p.damaged("page %d cannot be read: %w", id, err)
		return nil
	}
	over := uint64(order.Uint32(head[12:]))
	if is := order.Uint64(head); is != id || over >= p.high-id {
		p.damaged("page %d says that it is page %d with %d more", id, is, over)
		return nil
	}
	for n := id; n <= id+over; n++ {
		if p.seen[n] {
			p.damaged("page %d stands in two places", n)
			return nil
		}
	}
	for n := id; n <= id+over; n++ {
		p.seen[n] = true
	}
	b := make([]byte, int64(over+1)*p.page)
	if _, err := p.f.ReadAt(b, int64(id)*p.page); err != nil {
		p.damaged("page %d cannot be read: %w", id, err)
		return nil
	}
	return b
}

func (p *pages) branch(b []byte, id uint64, depth int, keys span, leaf func(uint32, []byte, []byte)) {
	count := int(order.Uint16(b[10:]))
	if count == 0 {
		p.damaged("branch %d is empty", id)
	}
	if pageHeader+count*pageElement > len(b) {
		p.damaged("branch %d says that it has %d elements", id, count)
		count = (len(b) - pageHeader) / pageElement
	}
	key := func(n int) []byte {
		if n >= count {
			return keys.to
		}
		at := pageHeader + n*pageElement
		k, ok := part(b, at, count, order.Uint32(b[at:]), order.Uint32(b[at+4:]), 0)
		if !ok {
			p.damaged("element %d of branch %d lies outside of it", n, id)
		}
		return k
	}
	for n := range count {
		below := span{key(n), key(n + 1)}
		if !keys.has(below.from) || below.to != nil && bytes.Compare(below.from, below.to) >= 0 {
			p.damaged("the keys of branch %d are out of order", id)
		}
		p.tree(order.Uint64(b[pageHeader+n*pageElement+8:]), depth+1, below, leaf)
	}
}

func (p *pages) elements(b []byte, where string, keys span, leaf func(uint32, []byte, []byte)) {
	count := int(order.Uint16(b[10:]))
	var last []byte
	for n := range count {
		at := pageHeader + n*pageElement
		if at+pageElement > len(b) {
			p.damaged("%s says that it has %d elements", where, count)
			return
		}
		e := b[at:]
		pos, size := order.Uint32(e[4:]), order.Uint32(e[8:])
		both, ok := part(b, at, count, pos, size, order.Uint32(e[12:]))
		if !ok || size == 0 {
			p.damaged("element %d of %s lies outside of it", n, where)
			continue
		}
		key := both[:size:size]
		if n > 0 && string(key) <= string(last) || !keys.has(key) {
			p.damaged("the keys of %s are out of order", where)
		}
		last = key
		leaf(order.Uint32(e), key, both[size:])
	}
}

// part gives key and value of the element at a place; false: they do not lie where they can.
func part(b []byte, at, count int, pos, key, value uint32) ([]byte, bool) {
	from := uint64(at) + uint64(pos)
	to := from + uint64(key) + uint64(value)
	if from < uint64(pageHeader+count*pageElement) || to > uint64(len(b)) {
		return nil, false
	}
	return b[from:to:to], true
}

func clip(b []byte) []byte { return b[:min(len(b), 40)] }
