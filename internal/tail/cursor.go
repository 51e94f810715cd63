package tail

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/clawd-project/clawd/internal/regular"
)

const (
	headLen = 256 // bytes at the beginning of the file that name it
	tailLen = 64  // bytes before the offset that must still be there
)

// cursor says how far a file was read, and by what to know the file again.
//
// An inode number alone is given to a new file at once, the first bytes alone are shared by
// copies, and a size alone does not show a rewrite: so all of them must fit. The device number is
// left out, since it changes over a reboot on some file systems while the file does not.
type cursor struct {
	offset     int64
	skip       bool // offset lies inside a line that is too long
	inode      uint64
	head, tail string // hashes of the first <= 256 bytes and the <= 64 bytes before offset
}

// String is the form that is kept: "1:OFFSET:INODE:HEAD:TAIL", with "s" behind the offset for skip.
func (c cursor) String() string {
	mark := ""
	if c.skip {
		mark = "s"
	}
	return fmt.Sprintf("1:%d%s:%d:%s:%s", c.offset, mark, c.inode, c.head, c.tail)
}

func parseCursor(s string) (cursor, bool) {
	f := strings.Split(s, ":")
	if len(f) != 5 || f[0] != "1" {
		return cursor{}, false
	}
	var c cursor
	f[1], c.skip = strings.CutSuffix(f[1], "s")
	var errs [2]error
	c.offset, errs[0] = strconv.ParseInt(f[1], 10, 64)
	c.inode, errs[1] = strconv.ParseUint(f[2], 10, 64)
	c.head, c.tail = f[3], f[4]
	return c, errs[0] == nil && errs[1] == nil && c.offset >= 0 && isHash(c.head) && isHash(c.tail) && c.String() == s
}

func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 8
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// edges reads the bytes by which a cursor at offset knows its file.
func edges(f *regular.File, offset int64) (head, tail []byte, err error) {
	head = make([]byte, min(offset, headLen))
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, nil, err
	}
	tail = make([]byte, min(offset, tailLen))
	if _, err := f.ReadAt(tail, offset-int64(len(tail))); err != nil {
		return nil, nil, err
	}
	return head, tail, nil
}
