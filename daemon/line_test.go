package daemon

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/uuid"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/rules"
	"github.com/clawd-project/clawd/resume"
	"github.com/clawd-project/clawd/state"
)

// TestFreshLineGivesUp: attempts count on in the sessions that take over from one another, each of which
// fails in its first turn.
func TestFreshLineGivesUp(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.gemini()
		r.o.Config.Budget.MaxResumesPerDay, r.o.Config.Budget.MaxResumesPerDayTotal = 1000, 1000
		r.children.act = func(c *child) {
			fresh, handOff := r.chat(c.claim.Plan.Session, "12"), string(c.claim.Plan.Stdin)
			r.chatReport(fmt.Sprintf(`{"text":%q}`, handOff))
			put(t, fresh.Path, r.chatHead(fresh.ID)+chatPrompt(handOff)+chatContext())
			c.end()
		}
		r.seldom()
		r.start()
		r.chatStopped(true)
		r.pass(26 * time.Hour)
		all := r.children.started()
		// Five by backoff within a quarter of an hour, then after 15, 30, 60, 60 ... min.
		if n := len(all); n < 20 || n > 32 {
			t.Errorf("%d starts in a day", n)
		}
		for i, c := range all {
			if c.claim.N != i+1 {
				t.Fatalf("start %d is attempt %d", i+1, c.claim.N)
			}
		}
		if n := len(r.log.events("resume_given_up")); n != 1 {
			t.Errorf("given up %d times", n)
		}
	})
}

// TestRefusedOnce: that the agent refused a session once says nothing about its next stop.
func TestRefusedOnce(t *testing.T) {
	in(t, func(r *rig) {
		r.seldom()
		r.children.act = func(c *child) {
			switch {
			case len(r.children.started()) == 1:
				put(t, c.claim.Output, "No conversation found with session ID: "+c.claim.Session.ID+"\n")
			case c.claim.Plan.Form == resume.FormFresh:
				f := c.claim.Plan.Session
				put(t, r.session(f).Path, r.record(f, string(c.claim.Plan.Stdin), "", "sdk-cli")+r.line(f, "answer"))
			default:
				c.ask()
				c.say("answer")
			}
			c.end()
		}
		r.start()
		id, _ := r.stopped("limit")
		r.pass(10 * time.Minute)
		r.wantStarts(2)
		r.pass(24 * time.Hour)
		r.add(id, r.line(id, "user"), r.line(id, "answer")) // its user goes on in the old session
		r.pass(time.Hour)
		r.add(id, r.line(id, "user"), r.line(id, "limit"))
		r.pass(10 * time.Minute)
		r.wantStarts(3)
		if c := r.children.started()[2].claim; c.Plan.Form == resume.FormFresh || c.At.Sub(c.Stop.At) < 20*time.Second {
			t.Errorf("form %s, %s after the stop: %s", c.Plan.Form, c.At.Sub(c.Stop.At), r.rec(id).Decision.Why)
		}
	})
}

// TestStartsOfEarlierStop: starts that failed count for their own stop.
func TestStartsOfEarlierStop(t *testing.T) {
	in(t, func(r *rig) {
		fail := func(err error) { r.children.mu.Lock(); r.children.fail = err; r.children.mu.Unlock() }
		again := errors.New("resource temporarily unavailable")
		r.children.act = func(c *child) { c.opened(); c.ask(); c.say("limit"); c.end() }
		fail(again)
		r.start()
		id, _ := r.stopped("limit")
		for r.rec(id).Starts < 2 {
			r.pass(time.Second)
		}
		fail(nil)
		for len(r.children.started()) == 0 {
			r.pass(time.Second)
		}
		r.pass(time.Second)
		fail(again)
		for rec := r.rec(id); rec.Starts != 1 && rec.Phase != state.Held; rec = r.rec(id) {
			r.pass(time.Second)
		}
		fail(nil)
		r.pass(20 * time.Minute)
		if n := len(r.log.events("session_held")); n != 0 || len(r.children.started()) < 2 {
			t.Errorf("held %d times, %d starts", n, len(r.children.started()))
		}
	})
}

// TestTailAtClosedStop: the files end in a stop again that was dealt with, for a power cut or a restored copy
// took the last of them. They may be in the middle of being written back, so that shows when the wait is over.
func TestTailAtClosedStop(t *testing.T) {
	in(t, func(r *rig) {
		r.children.act = func(c *child) { c.opened(); c.ask(); c.say("plan"); c.end() }
		r.start()
		id, key := uuid.NewString(), uuid.NewString()
		text := r.line(id, "user") + r.record(id, "limit", key, "sdk-cli")
		r.add(id, text)
		r.pass(2 * time.Minute)
		r.wantStarts(1)
		if rec := r.wantPhase(id, state.Waiting); rec.Stop.Key == key {
			t.Fatal("it waits for the first stop")
		}
		remove(t, r.session(id).Path)
		put(t, r.session(id).Path, text)
		r.pass(3 * time.Hour)
		r.wantStarts(1)
		r.wantPhase(id, state.Following)
		left, stopped := r.log.events("session_left"), len(r.log.events("session_stopped"))
		if len(left) != 1 || left[0]["why"] != rules.Rewritten || stopped != 1 {
			t.Errorf("told %v that it is left, %d times that it stopped", left, stopped)
		}
	})
}

// chatTurn is a turn of Gemini that works for a while and fails behind a tool's result; its error report says how.
func chatTurn(prompt string, n int) (text, asked string) {
	asked = fmt.Sprintf(`{"functionResponse":{"id":"call_%d"}}`, n)
	return chatPrompt(prompt) + fmt.Sprintf(`{"id":"g%d","timestamp":%q,"type":"gemini","content":"","toolCalls":[{"id":"call_%[1]d","status":"success"}]}`+"\n"+
		`{"id":"f%[1]d","timestamp":%[2]q,"type":"user","content":[%[3]s]}`+"\n", n, stamped(0), asked), asked
}

// TestLoopBreakerWithoutAuthors: Gemini's records do not tell who prompted.
func TestLoopBreakerWithoutAuthors(t *testing.T) {
	in(t, func(r *rig) {
		r.gemini()
		r.children.act = func(c *child) {
			n := len(r.children.started()) + 100
			r.d.wg.Go(func() {
				<-time.After(3 * time.Second) // the agent starts
				text, asked := chatTurn(c.r.o.Config.Resume.Prompt, n)
				put(t, c.claim.Session.Path, text)
				r.chatReport(asked)
				<-time.After(time.Second)
				c.end()
			})
		}
		r.start()
		s := r.chatStopped(false)
		r.pass(6 * time.Hour)
		rec := r.chatRec(s)
		if n := r.resumes(); n != 3 || rec.Phase != state.GivenUp {
			t.Errorf("%d resumes in a row without a turn that ended well; %s", n, rec.Phase)
		}
		text, asked := chatTurn(r.o.Config.Resume.Prompt, 200) // a person goes on, in the same words
		put(t, s.Path, text)
		r.chatReport(asked)
		r.watch.send(fsnotify.Event{Name: s.Path, Op: fsnotify.Write})
		r.pass(time.Minute)
		if n := r.resumes(); n != 4 {
			t.Errorf("%d resumes after a person went on, want 4", n)
		}
	})
}

// chatFull writes the error report of a full context.
func (r *rig) chatFull(asked string) {
	put(r.t, filepath.Join(r.root, "tmp", "gemini-client-error-Turn.run-sendMessageStream-"+time.Now().Add(10*time.Millisecond).UTC().Format("2006-01-02T15-04-05-000")+"Z.json"),
		fmt.Sprintf(`{"error":{"message":"The input token count (1250034) exceeds the maximum number of tokens allowed (1048576).","stack":"ApiError: x\n"},"context":[{"role":"user","parts":[{"text":"The project's temporary directory is: %s\n"}]},{"role":"user","parts":[%s]}]}`,
			filepath.Join(r.root, ".gemini", "tmp", "demo"), asked))
}

// TestOneFreshSessionWithoutAuthors: a full context is handed on once, whether it fills up again at once or after a
// while.
func TestOneFreshSessionWithoutAuthors(t *testing.T) {
	for _, works := range []time.Duration{0, 20 * time.Minute} {
		t.Run(works.String(), func(t *testing.T) {
			in(t, func(r *rig) {
				r.gemini()
				r.children.act = func(c *child) {
					fresh, n := r.chat(c.claim.Plan.Session, fmt.Sprint(10+len(r.children.started()))), len(r.children.started())
					put(t, fresh.Path, r.chatHead(fresh.ID))
					r.d.wg.Go(func() {
						<-time.After(3 * time.Second)
						if works > 0 {
							put(t, fresh.Path, chatPrompt(string(c.claim.Plan.Stdin))+fmt.Sprintf(`{"id":"w%d","timestamp":%q,"type":"gemini","content":"","toolCalls":[{"id":"cw_%[1]d","status":"success"}]}`+"\n", n, stamped(0)))
							<-time.After(works)
						}
						text, asked := chatTurn(string(c.claim.Plan.Stdin), 50+n)
						if works > 0 {
							_, text, _ = strings.Cut(text, "\n") // the prompt stands there
						}
						put(t, fresh.Path, text)
						r.chatFull(asked)
						r.watch.send(fsnotify.Event{Name: fresh.Path, Op: fsnotify.Write}) // its own stop is seen before the attempt's verdict
						<-time.After(time.Second)
						c.end()
					})
				}
				r.start()
				s := r.chat(uuid.NewString(), "10")
				text, asked := chatTurn("count the frogs", 1)
				put(t, s.Path, r.chatHead(s.ID)+text)
				r.chatFull(asked)
				r.watch.send(fsnotify.Event{Name: s.Path, Op: fsnotify.Write})
				r.pass(5 * time.Second)
				if rec := r.chatRec(s); rec.Stop.Reason != detect.ContextFull {
					t.Fatalf("it stopped by %s", rec.Stop.Reason)
				}
				r.pass(6 * time.Hour)
				r.wantStarts(1)
				if n := len(r.log.events("resume_given_up")); n != 1 {
					t.Errorf("given up %d times", n)
				}
			})
		})
	}
}
