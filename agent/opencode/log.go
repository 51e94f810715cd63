package opencode

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

// logTail is how much of a log is read. The lines of a retry are the newest of a session that
// waits, but other sessions write to the same file.
const logTail = 64 << 10

// retry adds the newest failed try of the pending message, which only the log knows; a part that
// was written later shows that the next try got an answer. opencode writes neither the time of
// the next try nor, from 1.3 on, what the provider asked for.
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
	for _, name := range logs(dir) {
		for line := range bytes.Lines(tailOf(filepath.Join(dir, name))) {
			if l, ok := parseRetry(string(line), session); ok && l.at.After(best.at) {
				best = l
			}
		}
	}
	return best, !best.at.IsZero()
}

// logs are opencode.log, or for old versions the newest few of the logs that each process had to
// itself, which are named by their time.
func logs(dir string) []string {
	names, err := agent.ReadDir(filepath.Dir(dir), dir)
	if err != nil {
		return nil
	}
	var old []string
	for _, n := range names {
		if n.Name() == "opencode.log" {
			return []string{n.Name()}
		}
		if strings.HasPrefix(n.Name(), "20") && strings.HasSuffix(n.Name(), ".log") {
			old = append(old, n.Name())
		}
	}
	return old[max(0, len(old)-4):]
}

func tailOf(path string) []byte {
	if _, err := agent.Own(path); err != nil {
		return nil
	}
	f, err := agent.OpenRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil
	}
	b, err := io.ReadAll(io.NewSectionReader(f, max(0, fi.Size()-logTail), logTail))
	if err != nil {
		return nil
	}
	return b
}

// parseRetry reads a line about a failed try. Only what stands before the error counts: behind it
// there are texts of the provider and, in old versions, the whole prompt.
//
//	timestamp=2026-11-21T00:09:20.757Z level=ERROR run=… message="stream error" … session.id=ses_… small=false … error.error="…"
//	ERROR 2026-11-21T00:39:30 +36ms service=llm … sessionID=ses_… small=false … error={"error":{"statusCode":429,"responseHeaders":{…
func parseRetry(line, session string) (retryLine, bool) {
	if head, _, ok := strings.Cut(line, " error.error="); ok {
		stamp, rest, _ := strings.Cut(strings.TrimPrefix(head, "timestamp="), " ")
		at, err := time.Parse(time.RFC3339, stamp)
		rest = " " + rest + " "
		return retryLine{at: detect.Clamp(at)}, err == nil && strings.Contains(rest, ` message="stream error" `) &&
			strings.Contains(rest, " session.id="+session+" ") && strings.Contains(rest, " small=false ")
	}
	head, failed, ok := strings.Cut(line, " error={")
	f := strings.Fields(head)
	if !ok || len(f) < 4 || f[0] != "ERROR" || f[3] != "service=llm" ||
		!strings.Contains(head+" ", " sessionID="+session+" ") || !strings.Contains(head+" ", " small=false ") {
		return retryLine{}, false
	}
	at, err := time.Parse("2006-01-02T15:04:05", f[1])
	if err != nil {
		return retryLine{}, false
	}
	l := retryLine{at: detect.Clamp(at)}
	var e struct {
		Error struct {
			Headers map[string]string `json:"responseHeaders"`
		} `json:"error"`
	}
	if json.NewDecoder(strings.NewReader("{"+failed)).Decode(&e) == nil {
		if d := retryAfter(header(e.Error.Headers), l.at); d != nil {
			l.next = l.at.Add(*d)
		}
	}
	return l, true
}
