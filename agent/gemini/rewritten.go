package gemini

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/clawd-project/clawd/agent"
)

// Old versions (0.34, 0.20) keep a session as one JSON object and rewrite the file at each change,
// in place: for a moment it is empty or torn.

// maxWhole bounds such a file.
const maxWhole = 64 << 20

type whole struct {
	Messages []message `json:"messages"`
}

func readWhole(path string) (whole, error) {
	b, err := readSmall(path, maxWhole)
	if err != nil {
		return whole{}, err
	}
	var w whole
	err = agent.Unmarshal(b, &w)
	return w, err
}

// place is how far such a file was read: up to a message, and what that message said. Only the last
// message changes; the ones before it stay, whatever is appended.
type place struct {
	Inode uint64 `json:"n"`
	Stat  string `json:"t"` // size and time of the last write: equal ones spare the reading
	ID    string `json:"i,omitempty"`
	Said  string `json:"d,omitempty"`
	State state  `json:"s"`
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
	if from != "" && (json.Unmarshal([]byte(from), &was) != nil || was.Inode == 0 || was.Inode != inodeOf(fi)) {
		was, f.b.Anew, f.b.Problem = place{}, true, "the file was replaced"
	}
	now := place{Inode: inodeOf(fi), Stat: fmt.Sprintf("%d:%d", fi.Size(), fi.ModTime().UnixNano())}
	if was.Stat == now.Stat {
		f.state = was.State
		f.end()
		was.State = f.state
		return f.at(was)
	}
	w, err := readWhole(path)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && f.fresh(fi):
		return fmt.Errorf("%s: it is being written", path)
	case errors.As(err, &syntax):
		return f.unreadable(was, now, "the file is not the JSON object that the agent writes")
	case err != nil && fi.Size() > maxWhole:
		return f.unreadable(was, now, fmt.Sprintf("the file is larger than %d MB", maxWhole>>20))
	case err != nil:
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f.messages(w.Messages, was, &now)
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

// messages folds all messages and keeps the events behind the cursor.
func (f *fold) messages(list []message, was place, now *place) {
	known := was.ID == ""
	for i := range list {
		known = known || list[i].ID == was.ID
	}
	if !known {
		was.ID, f.b.Anew = "", true
		f.b.Problem = "the session was compressed or rewound"
	}
	behind := was.ID == ""
	for i := range list {
		m, n, skipped, problem := &list[i], len(f.b.Events), f.b.Skipped, f.b.Problem
		f.message(m, int64(i)+1)
		sum := sha256.New()
		if json.NewEncoder(sum).Encode(f.b.Events[n:]) != nil {
			continue // events always have a JSON form
		}
		said := hex.EncodeToString(sum.Sum(nil)[:8])
		if !behind && (m.ID != was.ID || said == was.Said) {
			f.b.Events = f.b.Events[:n]
			f.b.Skipped, f.b.Problem = skipped, problem
		}
		behind = behind || m.ID == was.ID
		now.ID, now.Said = m.ID, said
	}
}
