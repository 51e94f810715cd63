package detect

import (
	"encoding/json"
	"testing"
)

// What clawd stored, and what callers kept, from before the agent's "waiting" became "asking" is read as the same.
func TestReadsTheOldWord(t *testing.T) {
	var c struct {
		Stop       Stop       `json:"stop"`
		Classifier Classifier `json:"classifier"`
	}
	const old = `{"stop":{"state":"waiting","could_be":["running","waiting"]},` +
		`"classifier":{"last":{"kind":"answer","id":"r1"},"holder":{"liveness":"alive","status":"waiting","sure":true}}}`
	if err := json.Unmarshal([]byte(old), &c); err != nil {
		t.Fatal(err)
	}
	if c.Stop.State != Asking || len(c.Stop.CouldBe) != 2 || c.Stop.CouldBe[1] != Asking {
		t.Errorf("stop %+v", c.Stop)
	}
	if got := c.Classifier.Stop(); c.Classifier.Holder.Status != Asks || got.State != Asking {
		t.Errorf("classifier %+v: %+v", c.Classifier, got)
	}
	for word, want := range map[string]string{`"waiting"`: `"asking"`, `"running"`: `"running"`, `"new"`: `"new"`, `""`: `""`} {
		var s State
		var a Activity
		if err := json.Unmarshal([]byte(word), &s); err != nil {
			t.Error(err)
		}
		if err := json.Unmarshal([]byte(word), &a); err != nil {
			t.Error(err)
		}
		for _, v := range []any{s, a} {
			if b, err := json.Marshal(v); err != nil || string(b) != want {
				t.Errorf("%s is written as %s (%v), want %s", word, b, err, want)
			}
		}
	}
	m, err := ParseMessages("waiting\t\tPick one\tPick one\nasking\t\tPick two\tPick two\n")
	if err != nil || len(m) != 2 || m[0].State != Asking || m[1].State != Asking {
		t.Errorf("%+v, %v", m, err)
	}
}
