package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// gemini makes the rig one of Gemini's.
func (r *rig) gemini() {
	home := filepath.Join(r.root, ".gemini")
	program := filepath.Join(r.root, "gemini")
	put(r.t, program, "#!/bin/sh\necho 0.61.0\n")
	put(r.t, filepath.Join(home, "tmp", "demo", ".project_root"), r.project)
	for _, dir := range []string{filepath.Join(r.root, "tmp"), filepath.Dir(r.chat(strings.Repeat("x", 36), "").Path)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := os.Chmod(program, 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.o.Config.Watch.Agents = []any{"gemini"}
	r.o.Config.Agent = map[string]agent.Config{"gemini": {Command: program, ConfigDir: home, Env: map[string]string{"TMPDIR": filepath.Join(r.root, "tmp")}}}
}

// chat is a session of Gemini's; minute is part of the file's name.
func (r *rig) chat(id, minute string) detect.Session {
	return detect.Session{Agent: "gemini", ID: id, Path: filepath.Join(r.root, ".gemini", "tmp", "demo", "chats", "session-2026-11-21T00-"+minute+"-"+id[:8]+".jsonl")}
}

func stamped(d time.Duration) string {
	return time.Now().Add(d).UTC().Format("2006-01-02T15:04:05.000Z")
}

// chatHead begins a file, as each process of the agent does: a header, and its view of the machine.
func (r *rig) chatHead(id string) string {
	sum := sha256.Sum256([]byte(r.project))
	return fmt.Sprintf(`{"sessionId":%q,"projectHash":%q,"startTime":%q,"lastUpdated":%[3]q,"kind":"main"}`+"\n", id, hex.EncodeToString(sum[:]), stamped(0)) + chatContext()
}

func chatContext() string {
	return fmt.Sprintf(`{"$set":{"messages":[{"id":"ctx","timestamp":%q,"type":"user","content":[{"text":"<session_context>"}]}],"lastUpdated":%[1]q}}`+"\n", stamped(0))
}

func chatPrompt(text string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":%q,"type":"user","content":[{"text":%q}]}`+"\n", uuid.NewString(), stamped(0), text)
}

func chatAnswer() string {
	return fmt.Sprintf(`{"id":%q,"timestamp":%q,"type":"gemini","content":"done"}`+"\n", uuid.NewString(), stamped(0))
}

// chatStopped writes a headless session that has just stopped at a 429: behind a tool's result, or in
// its first turn.
func (r *rig) chatStopped(first bool) detect.Session {
	r.t.Helper()
	s := r.chat(uuid.NewString(), "10")
	text, asked := r.chatHead(s.ID)+chatPrompt("count the frogs"), `{"text":"count the frogs"}`
	if first {
		text += chatContext() // the agent takes the prompt back
	} else {
		asked = `{"functionResponse":{"id":"call_1"}}`
		text += fmt.Sprintf(`{"id":"g1","timestamp":%q,"type":"gemini","content":"","toolCalls":[{"id":"call_1","status":"success"}]}`+"\n"+
			`{"id":"f1","timestamp":%[1]q,"type":"user","content":[%s]}`+"\n", stamped(0), asked)
	}
	r.chatReport(asked)
	put(r.t, s.Path, text)
	r.watch.send(fsnotify.Event{Name: s.Path, Op: fsnotify.Write})
	r.pass(5 * time.Second)
	return s
}

// chatReport is what the agent leaves in its temporary folder when a request fails.
func (r *rig) chatReport(asked string) {
	r.t.Helper()
	put(r.t, filepath.Join(r.root, "tmp", "gemini-client-error-Turn.run-sendMessageStream-"+time.Now().Add(10*time.Millisecond).UTC().Format("2006-01-02T15-04-05-000")+"Z.json"),
		fmt.Sprintf(`{"error":{"message":"Resource has been exhausted (e.g. check quota).","stack":"RetryableQuotaError: x\n"},"context":[{"role":"user","parts":[{"text":"The project's temporary directory is: %s\n"}]},{"role":"user","parts":[%s]}]}`,
			filepath.Join(r.root, ".gemini", "tmp", "demo"), asked))
}

func (r *rig) chatRec(s detect.Session) state.Session {
	r.t.Helper()
	rec, ok, err := r.d.store.Session(s)
	if err != nil || !ok {
		r.t.Fatalf("%s in the store: %v %v; log:\n%s", s.ID, ok, err, r.log)
	}
	return rec
}

func remove(t *testing.T, paths ...string) {
	t.Helper()
	for _, p := range paths {
		if err := os.Remove(p); err != nil {
			t.Error(err)
		}
	}
}

func files(t *testing.T, dir string) string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// TestSessionIsKept: what a resume of Gemini's leaves behind, which would delete the session, goes with
// the end of the run; and a session that was deleted during the run is put back.
func TestSessionIsKept(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		in(t, func(r *rig) {
			r.gemini()
			r.start()
			s := r.chatStopped(false)
			before, err := os.ReadFile(s.Path)
			if err != nil {
				t.Fatal(err)
			}
			stub := r.chat(s.ID, "11").Path
			r.children.mu.Lock()
			r.children.act = func(c *child) {
				put(t, stub, r.chatHead(s.ID))
				put(t, s.Path, chatPrompt(c.r.o.Config.Resume.Prompt)+chatAnswer())
				go func() {
					<-time.After(time.Minute)
					if deleted { // another process of the agent was started
						remove(t, s.Path, stub)
					}
					c.end()
				}()
			}
			r.children.mu.Unlock()
			r.pass(10 * time.Minute)
			if n := len(r.children.started()); n != 1 || r.resumes() != 1 {
				t.Fatalf("%d starts, %d resumes; want 1, 1; log:\n%s", n, r.resumes(), r.log)
			}
			if got := files(t, filepath.Dir(s.Path)); got != filepath.Base(s.Path) {
				t.Errorf("deleted %v: left are %s", deleted, got)
			}
			after, err := os.ReadFile(s.Path)
			if err != nil || !strings.HasPrefix(string(after), string(before)) || deleted != (len(after) == len(before)) {
				t.Errorf("deleted %v: %d bytes, before the run %d, err %v", deleted, len(after), len(before), err)
			}
			if n := len(r.log.events("session_restored")); deleted != (n == 1) {
				t.Errorf("deleted %v: %d entries session_restored", deleted, n)
			}
		})
	}
}

// TestPromptIsKept: a session that stopped in its first turn goes on in a fresh one with its prompt,
// though the agent has deleted it, and though clawd was started anew since.
func TestPromptIsKept(t *testing.T) {
	for _, restarted := range []bool{false, true} {
		in(t, func(r *rig) {
			r.gemini()
			r.start()
			s := r.chatStopped(true)
			rec := r.chatRec(s)
			if rec.Phase != state.Waiting || !rec.Stop.NotResumable || rec.Prompt != "count the frogs" || rec.Decision.Strategy != resume.FreshSession {
				t.Fatalf("phase %s, %+v, prompt %q; log:\n%s", rec.Phase, rec.Decision, rec.Prompt, r.log)
			}
			remove(t, s.Path)
			if restarted {
				r.down()
				r.start()
			} else {
				r.watch.send(fsnotify.Event{Name: s.Path, Op: fsnotify.Remove})
			}
			r.children.mu.Lock()
			r.children.act = func(c *child) {
				fresh := r.chat(c.claim.Plan.Session, "12")
				put(t, fresh.Path, r.chatHead(fresh.ID)+chatPrompt(string(c.claim.Plan.Stdin))+chatAnswer())
				c.end()
			}
			r.children.mu.Unlock()
			r.pass(10 * time.Minute)
			all := r.children.started()
			if len(all) != 1 || r.resumes() != 1 {
				t.Fatalf("restarted %v: %d starts, %d resumes; want 1, 1; log:\n%s", restarted, len(all), r.resumes(), r.log)
			}
			if rec := r.chatRec(s); rec.Prompt != "" {
				t.Errorf("restarted %v: the prompt is still stored with the old session", restarted)
			}
			if text := string(all[0].claim.Plan.Stdin); !strings.Contains(text, "> count the frogs") {
				t.Errorf("restarted %v: the hand-off is\n%s", restarted, text)
			}
			if strings.Contains(r.log.String(), "frogs") {
				t.Error("the prompt is in the log")
			}
		})
	}
}

// TestPromptIsHandedOn: a fresh session that stops in its first turn, too, hands on the prompt, not a
// hand-off in a hand-off.
func TestPromptIsHandedOn(t *testing.T) {
	in(t, func(r *rig) {
		r.gemini()
		r.start()
		r.children.mu.Lock()
		r.children.act = func(c *child) {
			fresh := r.chat(c.claim.Plan.Session, "12")
			handOff := string(c.claim.Plan.Stdin)
			if len(r.children.started()) < 3 {
				r.chatReport(fmt.Sprintf(`{"text":%q}`, handOff))
				put(t, fresh.Path, r.chatHead(fresh.ID)+chatPrompt(handOff)+chatContext())
			} else {
				put(t, fresh.Path, r.chatHead(fresh.ID)+chatPrompt(handOff)+chatAnswer())
			}
			c.end()
		}
		r.children.mu.Unlock()
		r.chatStopped(true)
		r.pass(time.Hour)
		all := r.children.started()
		if len(all) != 3 || r.resumes() != 1 {
			t.Fatalf("%d starts, %d resumes; want 3, 1; log:\n%s", len(all), r.resumes(), r.log)
		}
		for i, c := range all {
			if text := string(c.claim.Plan.Stdin); strings.Count(text, "> count the frogs") != 1 || strings.Contains(text, "> >") {
				t.Errorf("hand-off %d is\n%s", i, text)
			}
		}
	})
}

// TestCopyOfARunAtWorkIsKept: the session may have to be put back from it, however many copies of others
// were made since.
func TestCopyOfARunAtWorkIsKept(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { c.opened(); c.ask(); c.say("open") }
		r.start()
		id, _ := r.stopped("limit")
		r.pass(time.Minute)
		r.wantStarts(1)
		working := r.d.session(r.d.agents[0], r.session(id))
		copied := func(s *session) {
			t.Helper()
			r.pass(time.Minute)
			if err := s.backUp(); err != nil {
				t.Fatal(err)
			}
		}
		copied(working)
		copied(working)
		others := func() {
			t.Helper()
			for range r.o.Config.Resume.Fresh.Backups {
				other, _ := r.stopped("auth")
				copied(r.d.session(r.d.agents[0], r.session(other)))
			}
		}
		others()
		if working.newestCopy() == "" {
			t.Error("the copy of the session that a run works in is gone")
		}
		if n := len(strings.Fields(files(t, r.d.backups()))); n != r.o.Config.Resume.Fresh.Backups+1 {
			t.Errorf("%d copies: %s", n, files(t, r.d.backups()))
		}
		r.children.started()[0].end()
		others()
		if from := working.newestCopy(); from != "" {
			t.Errorf("nothing runs in the session any more, and its copy is kept: %s", from)
		}
	})
}
