package config

import (
	"strings"
	"testing"
)

// What would be more than a prompt when it is typed or handed to a program is refused, by key.
func TestPromptIsText(t *testing.T) {
	for _, bad := range []string{"", " ", " continue", "continue ", "-c", "--help", "/clear", "!rm -rf .", "#remember", "@file", "$x", "?", "go; on", "go on!", "see @file", "go\ton",
		"go\non", "go\ron", "go\x1b[2Jon", "go\x00on", "go\u009b2Jon"} {
		text := "[resume]\nprompt = " + tomlText(bad) + "\n"
		if _, err := Parse(text, []string{"claude"}); err == nil || !strings.Contains(err.Error(), "prompt") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, good := range []string{"continue", "please go on.", "weiter, bitte", "続けて", "it's fine"} {
		if c, err := Parse("[resume]\nprompt = "+tomlText(good)+"\n", []string{"claude"}); err != nil || c.Resume.Prompt != good {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func tomlText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case control(r):
			b.WriteString("\\u00" + string("0123456789abcdef"[r>>4&15]) + string("0123456789abcdef"[r&15]))
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

func TestTmuxServer(t *testing.T) {
	for _, bad := range []string{"-S", "a\nb"} {
		if _, err := Parse("[terminal]\ntmux_server = "+tomlText(bad)+"\n", nil); err == nil || !strings.Contains(err.Error(), "tmux_server") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestWhenLimited(t *testing.T) {
	known := []string{"claude", "codex"}
	for text, want := range map[string]string{
		`when_limited = "handoff"`:        `must be "wait" or "handoff:AGENT"`,
		`when_limited = "codex"`:          `must be "wait" or "handoff:AGENT"`,
		`when_limited = ""`:               `must be "wait" or "handoff:AGENT"`,
		`when_limited = "handoff:"`:       `"" is not an agent; known are claude, codex`,
		`when_limited = "handoff:cursor"`: `"cursor" is not an agent; known are claude, codex`,
		"when_limited = \"handoff:codex\"\n[watch]\nagents=[\"claude\"]": "codex must be watched",
		"when_limited = \"handoff:codex\"\n[agent.codex]\nenabled=false": "codex must be watched",
	} {
		if _, err := Parse("[resume]\n"+text+"\n", known); err == nil || !strings.Contains(err.Error(), "resume.when_limited") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{"": "", `when_limited = "wait"`: "", `when_limited = "handoff:codex"`: "codex"} {
		if c, err := Parse("[resume]\n"+text+"\n", known); err != nil || c.Policy().WhenLimited != want {
			t.Errorf("%s: %q, %v", text, c.Policy().WhenLimited, err)
		}
	}
}

// A fresh session is told something: an agent ends at once without a prompt.
func TestFreshPrompt(t *testing.T) {
	for text, want := range map[string]string{"": "must not be empty", " \n": "must not be empty", "{{.Foo}}": "Foo", "go on in {{.Project}}": ""} {
		_, err := Parse("[resume.fresh]\nprompt = "+tomlText(text)+"\n", nil)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "resume.fresh.prompt: ")) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
