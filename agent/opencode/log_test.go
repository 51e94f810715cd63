package opencode

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

// oldRetry is a line of 1.1.53 about a failed try, with the conversation in it.
func oldRetry(id string, at time.Time, conversation string) string {
	return "ERROR " + at.UTC().Format("2006-01-02T15:04:05") + ` +4ms service=llm providerID=fake modelID=demo-1 sessionID=` + id +
		` small=false agent=build mode=primary error={"error":{"name":"AI_APICallError","url":"http://127.0.0.1:1/v1/chat/completions","requestBodyValues":{"model":"demo-1","messages":[{"role":"user","content":"` +
		conversation + `"}]},"statusCode":429,"responseHeaders":{"content-type":"application/json","retry-after":"3600"},"responseBody":"{}","isRetryable":true,"data":{}}} stream error` + "\n"
}

// A long conversation stands in the line of a log that tells of a failed try, and the line names no part of its second.
func TestOldRetry(t *testing.T) {
	o, dir := open(t, &testProcs{})
	root := filepath.Join(dir, "storage")
	s := detect.Session{Agent: Name, ID: testID, Path: filepath.Join(root, "session", "p", testID+".json")}
	writeFile(t, s.Path, `{"id":"`+testID+`","directory":"/home/dev/work/demo"}`)
	writeFile(t, filepath.Join(root, "message", testID, "msg_1.json"), fmt.Sprintf(begun, "msg_0", at0+400))
	at := time.UnixMilli(at0)
	writeFile(t, filepath.Join(dir, "log", "2026-11-21T003110.log"), "INFO  "+at.UTC().Format("2006-01-02T15:04:05")+" +1ms service=llm stream\n"+
		oldRetry(testID, at, strings.Repeat("long ", 100_000))+
		strings.Repeat("INFO  2026-11-21T00:31:12 +1ms service=bus type=session.status publishing\n", 20))
	b := read(t, o, s, "")
	if len(b.Events) != 2 || b.Events[1].Kind != detect.KindRetry || b.Events[1].Next.Sub(at).Round(time.Minute) != time.Hour {
		t.Errorf("%+v, want a retry in an hour", b.Events)
	}
}

// Nothing but the log is written when opencode begins to wait, and yet the session is to be read anew.
func TestScanTellsOfRetries(t *testing.T) {
	t.Run("files", func(t *testing.T) {
		o, dir := open(t, &testProcs{})
		writeFile(t, filepath.Join(dir, "storage", "session", "p", testID+".json"), `{"id":"`+testID+`"}`)
		stampsChange(t, o, filepath.Join(dir, "log", "2026-11-21T003110.log"), func(n int) string {
			return oldRetry(testID, time.UnixMilli(at0).Add(time.Duration(n)*time.Minute), "hello")
		})
	})
	t.Run("database", func(t *testing.T) {
		o, db, s := newStore(t)
		insert(t, db, "msg_1", at0, fmt.Sprintf(begun, "msg_0", at0))
		stampsChange(t, o, filepath.Join(o.data, "log", newLog), func(n int) string {
			return fmt.Sprintf("timestamp=2026-11-21T00:%02d:00.000Z level=ERROR run=1 message=\"stream error\" session.id=%s small=false error.error=\"x\"\n", n, s.ID)
		})
	})
}

// stampsChange: each new line of a log gives the one session another stamp, also for a look at a part of the store, and nothing else does.
func stampsChange(t *testing.T, o *OpenCode, log string, line func(n int) string) {
	t.Helper()
	stamp := func(hint string) string {
		t.Helper()
		all, err := o.Scan(t.Context(), hint)
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		if hint == "" {
			hint = all[0].Session.Path
		}
		if again, err := o.Scan(t.Context(), hint); err != nil || len(again) != 1 || again[0].Stamp != all[0].Stamp {
			t.Errorf("%+v, then %+v, %v", all, again, err)
		}
		return all[0].Stamp
	}
	seen := map[string]bool{stamp(""): true}
	text := ""
	for n := range 3 {
		text += line(n)
		writeFile(t, log, text)
		now := stamp("")
		if seen[now] {
			t.Errorf("line %d: the stamp is %q as before", n, now)
		}
		seen[now] = true
		writeFile(t, log, text+"INFO another\n")
		if again := stamp(""); again != now {
			t.Errorf("line %d: the stamp is %q, then %q", n, now, again)
		}
	}
}
