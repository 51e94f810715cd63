package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// jsonText is a string of JSON, as a group.
const jsonText = `"((?:[^"\\]|\\.)*)"`

// failures are where each agent writes down why a turn ended.
var failures = map[string]*regexp.Regexp{
	"claude":   regexp.MustCompile(`"type":"text","text":` + jsonText + `.*"isApiErrorMessage":true`),
	"codex":    regexp.MustCompile(`"error":\{"message":` + jsonText),
	"copilot":  regexp.MustCompile(`"type":"session\.error","data":\{.*?"message":` + jsonText),
	"gemini":   regexp.MustCompile(`"type": ?"error",\s*"content": ?` + jsonText),
	"opencode": regexp.MustCompile(`"error":\{"name":"\w+","data":\{"message":` + jsonText),
	"pi":       regexp.MustCompile(`"errorMessage":` + jsonText),
	"qwen":     regexp.MustCompile(`"error_message":` + jsonText),
}

// unlisted are failures that are no string of the agent, and why.
var unlisted = []struct {
	agent, why string
	text       *regexp.Regexp
	used       bool
}{
	{agent: "claude", why: "the provider's answer", text: regexp.MustCompile(`^(?:Failed to authenticate\. )?API Error: \d{3} `)},
	{agent: "claude", why: "made of pieces that are no sentences", text: regexp.MustCompile(`^API Error: Connection dropped \(ECONNRESET\)\. Check the gateway set in ANTHROPIC_BASE_URL`)},
	{agent: "codex", why: "the provider's answer", text: regexp.MustCompile(`^(?:Invalid prompt: |The model |\{"error":)`)},
	{agent: "codex", why: "the library's for HTTP", text: regexp.MustCompile(`^error sending request for url`)},
	{agent: "copilot", why: "GitHub's answer", text: regexp.MustCompile(`^(?:4\d\d |You have exceeded your premium request allowance\.)`)},
	{agent: "opencode", why: "the provider's answer", text: regexp.MustCompile(`^(?:Rate limit reached|Incorrect API key|This request would exceed|You exceeded your current quota|Overloaded|Insufficient|Quota exceeded|input length and|` +
		`Your input exceeds|Forbidden|Internal Server Error|Service Unavailable|The server had an error|This model's maximum|Payment Required|\{|Your account does not have access|This request requires more credits|prompt is too long|invalid x-api-key|\w+ usage limit reached)`)},
	{agent: "opencode", why: "its user ended the turn", text: regexp.MustCompile(`^Aborted$`)},
	{agent: "pi", why: "its user ended the turn", text: regexp.MustCompile(`^(?:Operation aborted|Request was aborted|This operation was aborted)$`)},
	{agent: "pi", why: "the provider's answer", text: regexp.MustCompile(`^(?:[45]\d\d[: ]|\{|OpenAI API error \(\d{3}\): |Rate limit reached for )`)},
	{agent: "pi", why: "the libraries' for HTTP", text: regexp.MustCompile(`^(?:Connection error\.|terminated)`)},
	{agent: "qwen", why: "the provider's answer", text: regexp.MustCompile(`^[45]\d\d `)},
	{agent: "qwen", why: "the libraries' for HTTP", text: regexp.MustCompile(`^(?:Connection error\.|terminated)`)},
}

// Each sentence with which a recorded run of a pinned version ended its turn is in the list of that version, or is none of
// the agent's: a filter that drops sentences that end turns shows here.
func TestSentencesOfRuns(t *testing.T) {
	met := map[string]int{}
	for _, p := range pinned(t) {
		l, err := readList(listFile(repo, p))
		if err != nil {
			t.Fatal(err)
		}
		for text, run := range endings(t, p) {
			met[p.agent]++
			if !l.has(text) && !excused(p.agent, text) {
				t.Errorf("%s says this in %s, and its list does not have it: %q", p.name(), run, text)
			}
		}
	}
	for agent := range failures {
		if met[agent] == 0 {
			t.Errorf("%s: no run of a pinned version fails", agent)
		}
	}
	for _, u := range unlisted {
		if !u.used {
			t.Errorf("%s: nothing begins so any more: %s", u.agent, u.text)
		}
	}
}

func excused(agent, text string) bool {
	for i, u := range unlisted {
		if u.agent == agent && u.text.MatchString(text) {
			unlisted[i].used = true
			return true
		}
	}
	return false
}

// has tells whether a string that ends a turn stands in a text.
func (l list) has(text string) bool {
	return slices.ContainsFunc(l, func(e entry) bool {
		if e.class != ends || len(strings.ReplaceAll(e.text, hole, "")) < shortest {
			return false
		}
		parts := strings.Split(e.text, hole)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		return regexp.MustCompile(`(?s)` + strings.Join(parts, `.*?`)).MatchString(text)
	})
}

// endings are the texts with which turns of a version failed, each with one run where it did.
func endings(t *testing.T, p pin) map[string]string {
	t.Helper()
	all := map[string]string{}
	wants, err := filepath.Glob(filepath.Join(repo, "testdata", p.agent, "*", "want.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range wants {
		var about struct {
			Version string `json:"version"`
		}
		if b := read(t, want); json.Unmarshal(b, &about) != nil || about.Version != p.version {
			continue
		}
		dir := filepath.Dir(want)
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !slices.Contains([]string{".jsonl", ".json", ".sql"}, filepath.Ext(path)) {
				return err
			}
			for _, m := range failures[p.agent].FindAllStringSubmatch(string(read(t, path)), -1) {
				var text string
				said := m[1]
				if filepath.Ext(path) == ".sql" {
					said = strings.ReplaceAll(said, "''", "'")
				}
				if json.Unmarshal([]byte(`"`+said+`"`), &text) == nil && text != "" {
					all[text] = filepath.Base(dir)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
