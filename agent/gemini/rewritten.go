package gemini

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/tail"
)

// Old versions (0.34, 0.20) keep a session as one JSON object and rewrite the file at each change,
// in place: for a moment it is empty or torn.

// What of such a file is read: so many bytes, so many messages, so many bytes of each.
const (
	maxWhole    = 64 << 20
	maxMessages = 50_000
)

// A write takes less than a millisecond, and is waited for so many times.
const (
	tornTries = 3
	tornWait  = 10 * time.Millisecond
)

// errTorn: it is not the object that the agent writes, at least not now.
var errTorn = errors.New("the file is not the JSON object that the agent writes")

// tooLarge says in which way a file is.
type tooLarge string

func (e tooLarge) Error() string { return string(e) }

// short is a file of which no more than tail.MaxLine bytes are read for one value.
type short struct {
	f    io.Reader
	left int
}

func (s *short) Read(b []byte) (int, error) {
	if s.left <= 0 {
		return 0, tooLarge(fmt.Sprintf("a message is longer than %d MB", tail.MaxLine>>20))
	}
	n, err := s.f.Read(b)
	s.left -= n
	return n, err
}

// eachMessage gives the messages of such a file, of which it holds one at a time, until f gives false.
func eachMessage(path string, f func(*message) (more bool)) error {
	fi, err := agent.Own(path)
	if err != nil {
		return err
	}
	if fi.Size() > maxWhole {
		return tooLarge(fmt.Sprintf("the file is larger than %d MB", maxWhole>>20))
	}
	file, err := agent.OpenRegular(path)
	if err != nil {
		return err
	}
	defer file.Close()
	err = walkMessages(&short{f: io.LimitReader(file, maxWhole), left: tail.MaxLine}, f)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errTorn
	}
	return err
}

func walkMessages(r *short, f func(*message) (more bool)) error {
	d := json.NewDecoder(r)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return cmp.Or(err, errTorn)
	}
	n := 0
	for d.More() {
		r.left = tail.MaxLine
		key, err := d.Token()
		if err != nil {
			return err
		}
		if key != "messages" {
			if err := d.Decode(new(passed)); err != nil {
				return err
			}
			continue
		}
		if t, err := d.Token(); err != nil || t == nil {
			if err != nil {
				return err
			}
			continue
		} else if t != json.Delim('[') {
			return errTorn
		}
		for d.More() {
			r.left = tail.MaxLine
			var m message
			var other *json.UnmarshalTypeError
			if err := d.Decode(&m); err != nil && !errors.As(err, &other) {
				return err
			}
			if n++; n > maxMessages {
				return tooLarge(fmt.Sprintf("the file holds more than %d messages", maxMessages))
			}
			if !f(&m) {
				return nil
			}
		}
		if _, err := d.Token(); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return cmp.Or(err, errTorn)
	}
	return nil
}

// passed takes any JSON and keeps nothing of it.
type passed struct{}

func (*passed) UnmarshalJSON([]byte) error { return nil }

// place is how far such a file was read: up to a message, and what that message said. Only the last
// message changes; the ones before it stay, whatever is appended.
type place struct {
	Inode uint64 `json:"n"`
	Stat  string `json:"t"` // size and time of the last write: equal ones spare the reading
	ID    string `json:"i,omitempty"`
	Said  string `json:"d,omitempty"`
	State state  `json:"s"`
}

// carriedOver takes the cursor of an old file whose session a newer version has written on in this one: it begins with all messages
// that the old one holds, each under its id. False: it is no such cursor, or the old file has more than was read.
func carriedOver(path string, from agent.Cursor) (was place, ok bool) {
	if json.Unmarshal([]byte(from), &was) != nil || was.Inode == 0 || was.ID == "" {
		return was, false
	}
	fi, err := agent.Own(strings.TrimSuffix(path, "l"))
	return was, err == nil && strings.HasPrefix(was.Stat, fmt.Sprintf("%d:", fi.Size()))
}

// rewritten reads what is new in a file that is rewritten whole.
//
// The messages are folded from the first one on each time; events are given from the one at the
// cursor on. When that one is gone, the agent compressed or rewound the session: then all of them
// are given anew, under the keys they had.
func (f *fold) rewritten(ctx context.Context, path string, from agent.Cursor) error {
	f.whole = true
	fi, err := agent.Own(path)
	if err != nil {
		return err
	}
	var was place
	if from != "" && (json.Unmarshal([]byte(from), &was) != nil || was.Inode == 0 || was.Inode != agent.Inode(fi)) {
		was, f.b.Anew, f.b.Problem = place{}, true, "the file was replaced"
	}
	now := place{Inode: agent.Inode(fi), Stat: fmt.Sprintf("%d:%d", fi.Size(), fi.ModTime().UnixNano())}
	if was.Stat == now.Stat {
		f.state = was.State
		f.end()
		was.State = f.state
		return f.at(was)
	}
	again := func() error {
		return f.messages(ctx, func(each func(*message) bool) error { return eachMessage(path, each) }, was, &now)
	}
	err = again()
	for tries := 0; tries < tornTries && errors.Is(err, errTorn) && f.fresh(fi) && ctx.Err() == nil; tries++ {
		time.Sleep(tornWait)
		err = again()
	}
	var large tooLarge
	switch {
	case errors.Is(err, errTorn) && f.fresh(fi):
		return fmt.Errorf("%s: it is being written", path)
	case errors.Is(err, errTorn), errors.As(err, &large):
		return f.unreadable(was, now, err.Error())
	case err != nil:
		return err
	}
	if a := f.Ask; a != nil && was.State.Ask != nil && was.State.Ask.ID == a.ID {
		a.Said = was.State.Ask.Said
	}
	f.end()
	now.State = f.state
	return f.at(now)
}

// fresh: a file that is torn now will be whole in a moment.
func (f *fold) fresh(fi os.FileInfo) bool {
	age := f.g.now().Sub(fi.ModTime())
	return age >= 0 && age < settle
}

// unreadable stays where it was and says why; the next write is read again.
func (f *fold) unreadable(was, now place, why string) error {
	f.b.Skip(why, 1)
	f.state = was.State
	was.Inode, was.Stat = now.Inode, now.Stat
	return f.at(was)
}

func (f *fold) at(p place) error {
	b, err := json.Marshal(p)
	f.b.Cursor = agent.Cursor(b)
	return err
}

// messages folds all messages and gives the events behind the cursor. The file is read twice: first
// whether it is whole, and still holds the message at the cursor.
func (f *fold) messages(ctx context.Context, read func(each func(*message) (more bool)) error, was place, now *place) error {
	known := was.ID == ""
	err := read(func(m *message) bool {
		known = known || m.ID == was.ID
		return ctx.Err() == nil
	})
	if err != nil {
		return err
	}
	if !known {
		was.ID, f.b.Anew = "", true
		f.b.Problem = "the session was compressed or rewound"
	}
	each := f.each
	defer func() { f.each = each }()
	behind := was.ID == ""
	i := int64(0)
	err = read(func(m *message) bool {
		events := []detect.Event{}
		f.each = func(e detect.Event) { events = append(events, e) }
		skipped, problem := f.b.Skipped, f.b.Problem
		i++
		f.message(m, i)
		sum := sha256.New()
		if json.NewEncoder(sum).Encode(events) != nil {
			return true // events always have a JSON form
		}
		said := hex.EncodeToString(sum.Sum(nil)[:8])
		if !behind && (m.ID != was.ID || said == was.Said) {
			events = nil
			f.b.Skipped, f.b.Problem = skipped, problem
		}
		for _, e := range events {
			each(e)
		}
		behind = behind || m.ID == was.ID
		now.ID, now.Said = m.ID, said
		return ctx.Err() == nil
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return errors.New("it changed while it was read: " + err.Error()) // no errTorn: events were given
	}
	return nil
}
