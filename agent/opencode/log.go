package opencode

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// How much of the logs is read. The lines of a retry are the newest of a session that waits, but other sessions write to
// the same file, and before 1.17 each such line holds the whole conversation.
const (
	logTail    = 64 << 10
	oldLogTail = 8 << 20
)

// retry adds the newest failed try of the pending message, which only the log knows; a part that
// was written later shows that the next try got an answer. opencode writes neither the time of
// the next try nor, from 1.17 on, what the provider asked for.
func (r *reader) retry(dir string) {
	line, ok := newestRetry(dir, r.session.ID)
	if !ok || line.at.Before(r.wrote) || line.at.UnixMilli() <= r.from.Retry {
		return
	}
	r.to.Retry = line.at.UnixMilli()
	r.events = append(r.events, detect.Event{Kind: detect.KindRetry, ID: r.to.ID, At: line.at, Next: line.next})
}

type retryLine struct {
	at   time.Time
	next time.Time // zero: not told
}

func newestRetry(dir, session string) (retryLine, bool) {
	var best retryLine
	eachRetry(dir, func(id string, at time.Time, whole func() string) {
		if id == session && at.After(best.at) {
			best = retryLine{at: at, next: nextTry(whole(), at)}
		}
	})
	return best, !best.at.IsZero()
}

// maxRetried is of how many sessions the newest line about a failed try is known.
const maxRetried = 1000

// noteRetries looks which sessions had a failed try. Nothing else is written when opencode begins to wait, so a scan tells of it.
func (o *OpenCode) noteRetries() {
	dir, stamp := filepath.Join(o.data, "log"), ""
	for _, name := range logs(dir) {
		if fi, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			stamp += agent.Stamp(fi) + " "
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if stamp == o.logged {
		return
	}
	o.logged = stamp
	eachRetry(dir, func(id string, at time.Time, _ func() string) {
		if len(o.retried) >= maxRetried {
			clear(o.retried)
		}
		o.retried[id] = later(o.retried[id], at)
	})
}

// retriedStamp is what a session's stamp says of its newest failed try; empty: there was none.
func (o *OpenCode) retriedStamp(id string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if at, ok := o.retried[id]; ok {
		return " r" + at.Format(time.RFC3339Nano)
	}
	return ""
}

// eachRetry gives the lines about failed tries at the end of the logs. whole gives all of a line, while each runs.
func eachRetry(dir string, each func(session string, at time.Time, whole func() string)) {
	left := int64(oldLogTail)
	for _, name := range slices.Backward(logs(dir)) {
		if name == newLog {
			left = logTail
		}
		left -= retriesOf(filepath.Join(dir, name), left, each)
	}
}

// newLog is the one log of all processes, from 1.17 on.
const newLog = "opencode.log"

// logs are opencode.log, or for old versions the newest few of the logs that each process had to
// itself, which are named by their time.
func logs(dir string) []string {
	names, err := agent.ReadDir(filepath.Dir(dir), dir)
	if err != nil {
		return nil
	}
	var old []string
	for _, n := range names {
		if n.Name() == newLog {
			return []string{n.Name()}
		}
		if strings.HasPrefix(n.Name(), "20") && strings.HasSuffix(n.Name(), ".log") {
			old = append(old, n.Name())
		}
	}
	return old[max(0, len(old)-4):]
}

// retriesOf reads at most so much of a log, from its end, and says how much that was.
func retriesOf(path string, most int64, each func(session string, at time.Time, whole func() string)) int64 {
	if _, err := agent.Own(path); err != nil {
		return 0
	}
	f, err := agent.OpenRegular(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return 0
	}
	from := max(0, fi.Size()-most)
	r := bufio.NewReaderSize(io.NewSectionReader(f, from, fi.Size()-from), 16<<10)
	begins := from == 0 // else the first line is the end of one
	for at := from; err == nil || errors.Is(err, bufio.ErrBufferFull); {
		var text []byte
		text, err = r.ReadSlice('\n')
		if begins {
			if session, stamp, ok := parseRetry(string(text)); ok {
				line := io.NewSectionReader(f, at, fi.Size()-at)
				each(session, stamp, func() string {
					b, err := bufio.NewReader(line).ReadString('\n')
					if err != nil && !errors.Is(err, io.EOF) {
						return ""
					}
					return b
				})
			}
		}
		begins = err == nil
		at += int64(len(text))
	}
	return fi.Size() - from
}

// parseRetry reads the head of a line about a failed try. Only what stands before the error counts: behind it
// there are texts of the provider and, in old versions, the whole prompt.
//
//	timestamp=2026-11-21T00:09:20.757Z level=ERROR run=… message="stream error" … session.id=ses_… small=false … error.error="…"
//	ERROR 2026-11-21T00:39:30 +36ms service=llm … sessionID=ses_… small=false … error={"error":{"statusCode":429,"responseHeaders":{…
func parseRetry(line string) (session string, at time.Time, ok bool) {
	old := strings.HasPrefix(line, oldLine)
	form, begins := time.RFC3339, " error.error="
	if old {
		form, begins = "2006-01-02T15:04:05", oldError
	}
	head, failed, ok := strings.Cut(line, begins)
	fields := strings.Fields(head)
	for _, f := range fields {
		if key, value, _ := strings.Cut(f, "="); key == "session.id" || key == "sessionID" { // 1.3 and before
			session = value
		}
	}
	if !ok || session == "" {
		return "", time.Time{}, false
	}
	stamp := strings.TrimPrefix(fields[0], "timestamp=")
	if ok = slices.Contains(fields, "small=false") && strings.Contains(head, ` message="stream error" `); old {
		stamp, ok = fields[1], slices.Contains(fields, "service=llm") && !strings.HasPrefix(failed, titleError)
	}
	at, err := time.Parse(form, stamp)
	if old { // whole seconds: it was before the next one, and not before what was written in this one
		at = at.Add(time.Second - time.Millisecond)
	}
	return session, detect.Clamp(at), ok && err == nil
}

// How a log before 1.17 begins the line of an error, and the error in it. What stands between is of the request that the process
// began last, such as the one for the title: so it does not tell whose error this is, and may name another session.
const (
	oldLine  = "ERROR "
	oldError = " error={"
	// titleError is that of the request for a title, which alone is repeated by the library.
	titleError = `"error":{"name":"AI_RetryError"`
)

// nextTry is when the provider wants the next try, by a whole line of an old log; zero: it does not say.
func nextTry(line string, at time.Time) time.Time {
	_, failed, ok := strings.Cut(line, oldError)
	var e struct {
		Error struct {
			Headers map[string]string `json:"responseHeaders"`
		} `json:"error"`
	}
	if !ok || !strings.HasPrefix(line, oldLine) || json.NewDecoder(strings.NewReader("{"+failed)).Decode(&e) != nil {
		return time.Time{}
	}
	if d := retryAfter(header(e.Error.Headers), at); d != nil {
		return at.Add(*d)
	}
	return time.Time{}
}
