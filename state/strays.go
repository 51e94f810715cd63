package state

import (
	"encoding/binary"
	"io"
	"slices"
)

// strays reads the pages that nothing leads to any more, because a page above them is damaged. The list of
// free pages tells them from those that only hold old records. A store of schema 1 has no such list: of
// its sessions the newest records in the whole file count, and of the rest none.
func (c content) strays(f io.ReaderAt, size int64, m meta) {
	p := &pages{f: f, page: int64(m.page), high: min(m.high, uint64(size)/m.page), seen: map[uint64]bool{}}
	p.bucket = func(string, uint64) {}
	p.record = func(string, []byte, []byte) {}
	p.tree(m.root, 0, span{}, p.root)
	take := c.newest
	if m.freelist != noFreelist {
		if !p.free(m.freelist) {
			return
		}
		take = c.own
	}
	for id := uint64(2); id < p.high; id++ {
		if p.seen[id] {
			continue
		}
		b := p.read(id)
		if b == nil || order.Uint16(b[8:]) != leafPage {
			continue
		}
		p.elements(b, "a stray page", span{}, func(flags uint32, key, value []byte) {
			switch {
			case flags == 0:
				take(key, value)
			case len(value) > 2*pageHeader && order.Uint64(value) == 0: // a small bucket in a page of the root
				p.elements(value[pageHeader:], "a stray bucket", span{}, func(_ uint32, key, value []byte) { take(key, value) })
			}
		})
	}
}

// own takes a record into the bucket that its checksum was made for.
func (c content) own(key, value []byte) {
	for _, bucket := range buckets {
		if len(value) < 4 || binary.BigEndian.Uint32(value) != checksum(bucket, key, value[4:]) || !readable(string(bucket), string(key), value) {
			continue
		}
		c.put(string(bucket), key, value)
		return
	}
}

// newest takes the record of a session, unless c has a later one.
func (c content) newest(key, value []byte) {
	var is, was Session
	if unpack(bucketSessions, key, value, &is) != nil || is.ID == "" || Key(is.Session) != string(key) {
		return
	}
	old := c.records[string(bucketSessions)][string(key)]
	if old != nil && unpack(bucketSessions, key, old, &was) == nil && was.Updated.After(is.Updated) {
		return
	}
	c.put(string(bucketSessions), key, value)
}

func (c content) put(bucket string, key, value []byte) {
	if c.records[bucket] == nil {
		c.records[bucket] = map[string][]byte{}
	}
	c.records[bucket][string(key)] = slices.Clone(value)
}
