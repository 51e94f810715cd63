// Package marks keeps the marks of attempts: a file that can be made only once says that an attempt was made.
package marks

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/crash"
	"github.com/clawd-project/clawd/resume"
)

// Mark is what stands in a mark: the claim, so that an attempt can be settled even when the store
// is lost, and how its exec failed, if it did.
type Mark struct {
	Claim    resume.Claim
	ExecFail string
}

// Path is the mark of attempt n for a stop, in the mark folder dir.
func Path(dir string, s detect.Session, key string, n int) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%d", hashOf(s, key), n))
}

func hashOf(s detect.Session, key string) string {
	sum := sha256.Sum256([]byte(s.Agent + "\x00" + s.ID + "\x00" + key))
	return hex.EncodeToString(sum[:16])
}

// ErrMade says that the mark is there already.
var ErrMade = errors.New("this attempt was made before")

// ErrStays says that a mark was made in part, and could not be taken away again: the attempt counts as made.
var ErrStays = errors.New("the mark stays")

// half ends the name of a mark that is still being written. Whoever is killed over it leaves it behind, and it counts for nothing.
const half = ".half"

// Make makes the mark and makes it last. It can be made once and, where there are hard links, is whole as soon as it is there. After
// any error but ErrMade and ErrStays there is none.
func Make(path string, c resume.Claim) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	body = append(body, '\n')
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil { // somebody may have removed it
		return err
	}
	f, err := os.CreateTemp(dir, filepath.Base(path)+".*"+half)
	if err != nil {
		return err
	}
	if err = write(f, body); err == nil {
		crash.At("mark.half")
		err = place(f.Name(), path, body)
	}
	_ = os.Remove(f.Name()) // else Prune does
	switch {
	case errors.Is(err, fs.ErrExist):
		return ErrMade
	case err != nil:
		return err
	}
	return unmade(path, syncDir(dir))
}

// place gives what was written the name of the mark.
func place(written, path string, body []byte) error {
	err := os.Link(written, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// Not every file system has hard links. What is torn here says that the attempt was made, and no more.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return unmade(path, write(f, body))
}

func write(f *os.File, body []byte) error {
	_, err := f.Write(body)
	return errors.Join(err, f.Sync(), f.Close())
}

// unmade takes away a mark that err kept from being made to last. Nothing ran, so nothing is to be settled.
func unmade(path string, err error) error {
	if err == nil {
		return nil
	}
	if gone := os.Remove(path); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		return errors.Join(ErrStays, err, gone)
	}
	return err
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

const execFailed = "exec-failed "

// Fail adds to a mark that what it announces was not done.
func Fail(path string, cause error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(execFailed + cause.Error() + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

// Read reads a mark. A mark that is there but not whole (damaged, or made where there are no hard links and cut off) gives an empty
// claim: it still says that the attempt was made.
func Read(path string) (Mark, bool, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Mark{}, false, nil
	}
	if err != nil {
		return Mark{}, false, err
	}
	var m Mark
	body, rest, _ := bytes.Cut(b, []byte("\n"))
	if json.Unmarshal(body, &m.Claim) != nil {
		m.Claim = resume.Claim{}
	}
	if fail, ok := strings.CutPrefix(string(rest), execFailed); ok {
		m.ExecFail = strings.TrimSpace(fail)
	}
	return m, true, nil
}

// Last gives the number and content of the newest attempt that was made for a stop; 0: none.
func Last(dir string, s detect.Session, key string) (int, Mark, error) {
	found, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, Mark{}, nil
	}
	if err != nil {
		return 0, Mark{}, err
	}
	last, hash := 0, hashOf(s, key)+"."
	for _, e := range found {
		if number, ok := strings.CutPrefix(e.Name(), hash); ok {
			if n, err := strconv.Atoi(number); err == nil && n > last {
				last = n
			}
		}
	}
	if last == 0 {
		return 0, Mark{}, nil
	}
	m, _, err := Read(Path(dir, s, key, last))
	return last, m, err
}

// Since gives the claims of all attempts that were marked since a time. Those whose marks are torn are not
// among them.
func Since(dir string, since time.Time) (claims []resume.Claim, err error) {
	found, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range found {
		fi, e2 := e.Info()
		if e2 != nil || !fi.Mode().IsRegular() || fi.ModTime().Before(since) || isHalf(e) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		m, ok, e2 := Read(path)
		if err = errors.Join(err, e2); ok && m.Claim.Token != "" {
			m.Claim.Mark = path // wherever it was made
			claims = append(claims, m.Claim)
		}
	}
	return claims, err
}

// Prune removes marks that were made before a time and whose session gone says the agent no longer
// has. One that is torn stays: it does not tell whose it is. One that was never made goes.
func Prune(dir string, before time.Time, gone func(detect.Session) bool) error {
	found, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range found {
		fi, err := e.Info()
		if err != nil || !fi.ModTime().Before(before) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		m, ok, err := Read(path)
		if isHalf(e) || err == nil && ok && m.Claim.Session.Path != "" && gone(m.Claim.Session) {
			errs = append(errs, os.Remove(path))
		}
	}
	return errors.Join(errs...)
}

func isHalf(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), half) }
