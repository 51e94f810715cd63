package opencode

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
	"github.com/clawd-project/clawd/detect"
)

// Of the JSON files: the session's own one, and the folder of its project.
func TestTraps(t *testing.T) {
	const badID = "ses_e0490bdf4ffetoGb2yI1badIDs"
	session := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"directory":"/home/dev/work/demo","version":"1.1.53","time":{"created":%d}}`, id, int64(at0))
	}
	agenttest.Traps(t, func(t *testing.T) (agent.Agent, agenttest.Trap) {
		o, dir := open(t, &testProcs{})
		root := filepath.Join(dir, "storage")
		good := detect.Session{Agent: Name, ID: testID, Path: filepath.Join(root, "session", "good", testID+".json")}
		writeFile(t, good.Path, session(testID))
		writeFile(t, filepath.Join(root, "message", testID, "msg_1.json"), fmt.Sprintf(user, at0))
		writeFile(t, filepath.Join(root, "message", badID, "msg_1.json"), fmt.Sprintf(user, at0))
		folder := filepath.Join(root, "session", "bad")
		return o, agenttest.Trap{
			Good: good, Folder: folder,
			Bad:     detect.Session{Agent: Name, ID: badID, Path: filepath.Join(folder, badID+".json")},
			Content: session(badID),
			Plant: func(t *testing.T, id string) detect.Session {
				s := detect.Session{Agent: Name, ID: id, Path: filepath.Join(folder, id+".json")}
				if name := id + ".json"; len(name) <= 255 && filepath.Base(s.Path) == name && !strings.Contains(name, "\x00") {
					writeFile(t, s.Path, session(id))
				}
				return s
			},
			Roots: []string{dir, root, filepath.Join(root, "session"), filepath.Dir(good.Path), filepath.Join(root, "message")},
		}
	})
}

// Of a database: rows of sessions under ids of no session.
func TestTrapRows(t *testing.T) {
	o, db, s := newStore(t)
	insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
	for i, id := range []string{"--help", "../x", "ses_\x1b[2J", strings.Repeat("ses_", 100_000), "ses_e0490bdf4ffetoGb2yI1hytQK\n"} {
		exec(t, db, "insert into message values (?, ?, ?, ?, '{}')", fmt.Sprintf("msg_9%d", i), id, at0, at0)
		if b, err := agenttest.Read(t.Context(), o, detect.Session{Agent: Name, ID: id, Path: s.Path}, ""); err == nil {
			t.Errorf("%.20q: %d events", id, len(b.Events))
		}
	}
	all, err := o.Scan(t.Context(), "")
	if told := agenttest.Refused(t, err); len(told) != 5 || len(all) != 1 || all[0].Session != s {
		t.Errorf("told of %q, listed %+v", told, all)
	}
}

// Folders of messages and parts may be links, and their files anything.
func TestTrapMessages(t *testing.T) {
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "msg_1.json"), fmt.Sprintf(user, at0))
	writeFile(t, filepath.Join(outside, "prt_1.json"), `{"type":"text","text":"secret"}`)
	for _, link := range []string{"message", "message/" + testID, "part", "part/msg_1", "part/msg_1/prt_1.json", "../opencode/log"} {
		o, dir := open(t, &testProcs{})
		root := filepath.Join(dir, "storage")
		s := detect.Session{Agent: Name, ID: testID, Path: filepath.Join(root, "session", "p", testID+".json")}
		writeFile(t, s.Path, `{"id":"`+testID+`"}`)
		if !strings.HasPrefix(link, "message") {
			writeFile(t, filepath.Join(root, "message", testID, "msg_1.json"), fmt.Sprintf(user, at0))
		}
		to := outside
		if strings.HasSuffix(link, ".json") {
			to = filepath.Join(outside, filepath.Base(link))
		}
		mkLink(t, to, filepath.Join(root, link))
		b, err := agenttest.Read(t.Context(), o, s, "")
		if log := strings.HasSuffix(link, "log"); (err == nil) != log {
			t.Errorf("%s: %+v, %v", link, b, err)
		}
		if text, _ := o.LastPrompt(t.Context(), s); text != "" {
			t.Errorf("%s: prompt %q", link, text)
		}
	}
}

func TestStrangeRecords(t *testing.T) {
	failure, end := fmt.Sprintf(fail, "msg_1", at0+1, at0+2), fmt.Sprintf(stop, "msg_1", at0+9000, at0+9001)
	t.Run("database", func(t *testing.T) {
		agenttest.Records(t, func(t *testing.T) (agent.Agent, agenttest.Sink) {
			o, db, s := newStore(t)
			insert(t, db, "msg_1", at0, fmt.Sprintf(user, at0))
			n := int64(1)
			return o, agenttest.Sink{Session: s, Failure: failure, End: end, Huge: 100 << 20, Put: func(t *testing.T, record []byte) {
				n++
				id := fmt.Sprint("msg_", n)
				insert(t, db, id, at0+n, string(record))
				if len(record) < 1<<20 {
					insertPart(t, db, fmt.Sprint("prt_", n), id, at0+n, string(record))
				}
			}}
		})
	})
	t.Run("files", func(t *testing.T) {
		agenttest.Records(t, func(t *testing.T) (agent.Agent, agenttest.Sink) {
			o, dir := open(t, &testProcs{})
			root := filepath.Join(dir, "storage")
			s := detect.Session{Agent: Name, ID: testID, Path: filepath.Join(root, "session", "p", testID+".json")}
			writeFile(t, s.Path, `{"id":"`+testID+`"}`)
			n, old := int64(0), time.UnixMilli(at0+5)
			put := func(t *testing.T, record []byte) {
				n++
				path := filepath.Join(root, "message", testID, fmt.Sprint("msg_", n, ".json"))
				writeFile(t, path, string(record))
				if err := os.Chtimes(path, old, old); err != nil {
					t.Fatal(err)
				}
			}
			put(t, []byte(fmt.Sprintf(user, at0)))
			return o, agenttest.Sink{Session: s, Failure: failure, End: end, Put: put, ByTime: true}
		})
	})
}
