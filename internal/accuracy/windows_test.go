package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent/all"
	"github.com/clawd-project/clawd/detect"
)

// spanWords are how a text says that its limit lasts a day or longer.
var spanWords = regexp.MustCompile(`(?i)\b(?:weekly|monthly|daily|(?:this|per)[ -](?:week|month|day)|billing cycle)\b|每[日天周月]`)

// A limit that names its span and no end is read with its window: without one clawd gives up before it is over.
func TestSpansNamed(t *testing.T) {
	zone, err := time.LoadLocation(writtenZone)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := loadCorpora(filepath.Join(repo, "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	met := 0
	err = inScratch(func(dir string) error {
		for _, m := range rows {
			if !slices.Contains(all.Names(), m.agent) || !spanWords.MatchString(m.text) {
				continue
			}
			a, err := openAgent(m.agent, dir, zone, table{})
			if err != nil {
				return err
			}
			s, ok := all.Message(a, m.text, written, zone)
			if !ok || s.State != detect.Stopped || s.Reason != detect.UsageLimit || !s.ResetAt.IsZero() {
				continue
			}
			met++
			if s.Window == "" {
				t.Errorf("%s: no window: %s", m.agent, m.text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if met < 5 {
		t.Errorf("only %d texts", met)
	}
}
