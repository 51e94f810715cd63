package daemon

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// No line of the log says nothing: no field is empty, null, of the year 1 or of twenty digits, and a finished
// turn is no news.
func TestLogFields(t *testing.T) {
	in(t, func(r *rig) {
		r.start()
		id, _ := r.stopped("plan")
		r.pass(2 * time.Hour)
		r.wantStarts(1)
		c := r.children.started()[0]
		r.add(id, r.line(id, "answer"))
		r.pass(time.Minute)
		c.end()
		r.pass(time.Minute)
		other, _ := r.stopped("limit")
		r.pass(7*time.Second + 123456789)
		r.add(other, r.line(other, "go on"), r.line(other, "answer"))
		r.pass(time.Minute)
		r.down()
		digits := regexp.MustCompile(`\.\d{4,}`)
		for line := range strings.Lines(r.log.String()) {
			for _, bad := range []string{`:""`, ":null", "0001-01-01", ":[]"} {
				if strings.Contains(line, bad) {
					t.Errorf("%s in %s", bad, line)
				}
			}
			if strings.Contains(line, "_s\":") && digits.MatchString(strings.Split(line, "_s\":")[1][:12]) {
				t.Errorf("too many digits: %s", line)
			}
		}
		for _, e := range r.log.events("session_left") {
			if e["level"] != "debug" {
				t.Errorf("an alarm: %v", e)
			}
		}
	})
}

// What stopped before clawd came is named at the start with the command, if it would have been resumed.
func TestOldStopsAreNamed(t *testing.T) {
	in(t, func(r *rig) {
		old, done, ancient := uuid.NewString(), uuid.NewString(), uuid.NewString()
		put(t, r.session(ancient).Path, r.line(ancient, "user")+r.line(ancient, "limit"))
		r.pass(8 * 24 * time.Hour)
		put(t, r.session(old).Path, r.line(old, "user")+r.line(old, "limit"))
		put(t, r.session(done).Path, r.line(done, "user")+r.line(done, "answer"))
		r.pass(3 * time.Hour)
		for range 2 {
			r.start()
			r.pass(time.Minute)
			if e := r.log.events("sessions_found"); e[len(e)-1]["sessions"] != float64(3) {
				t.Errorf("%v", e)
			}
			e := r.log.events("session_too_old")
			if len(e) == 0 || e[len(e)-1]["session"] != old || e[len(e)-1]["command"] != "clawd resume "+old {
				t.Errorf("%v", e)
			}
			r.down()
		}
		if n := len(r.log.events("session_too_old")); n != 2 {
			t.Errorf("named %d times in two starts: %v", n, r.log.events("session_left"))
		}
	})
}

func TestOrderTooLarge(t *testing.T) {
	r, _ := listening(t)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", r.o.Socket) }}}
	for _, body := range []string{`{"session":"` + strings.Repeat("x", 5000) + `"}`, "nonsense"} {
		resp, err := client.Post("http://clawd/v1/resume", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%d bytes: %s", len(body), resp.Status)
		}
	}
}

// Every line of a quotation is marked as one, whatever ends it.
func TestQuoteLines(t *testing.T) {
	for _, br := range []string{"\n", "\r\n", "\r", "\v", "\f", "\x1c", "\u0085", "\u2028", "\u2029"} {
		if got := quote("a" + br + "b"); got != "> a\n> b" {
			t.Errorf("%q: %q", br, got)
		}
	}
}
