package opencode

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

func TestMessage(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	o, _ := open(t, nil)
	for _, w := range tsv(t, "testdata/messages.tsv") {
		reason, window, reset, text := w[0], w[1], w[2], w[3]
		f, ok := o.Message(text, at, time.UTC)
		got := [3]string{string(f.Reason), string(f.Window), "-"}
		if !ok {
			got[0] = "none"
		}
		if got[1] == "" {
			got[1] = "-"
		}
		if !f.ResetAt.IsZero() {
			got[2] = f.ResetAt.Format(time.RFC3339)
		}
		if want := [3]string{reason, window, reset}; got != want {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
		if ok && (f.Source != "message" || f.Field == "") {
			t.Errorf("%s: evidence %q %q", text, f.Source, f.Field)
		}
		if ok && f.Reason == detect.Unknown {
			t.Errorf("%s: a failure of no kind", text)
		}
	}
}
