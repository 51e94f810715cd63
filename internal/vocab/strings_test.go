package main

import (
	"slices"
	"strings"
	"testing"
)

func TestJSLiterals(t *testing.T) {
	for src, want := range map[string][]string{
		`f("You've hit","a 'b' c")`:                        {"You've hit", "a 'b' c"},
		"x=`resets ${at(`in ${n} s`,{a:1})}. Soon`":        {"in {} s", "resets {}. Soon"},
		`"a \xB7 b\n\u00b7 \u{b7}"`:                        {"a · b\n· ·"},
		`return/["'` + "`" + `]/.test(x)?"yes it is":1`:    {"yes it is"},
		`a=b/c;d="text";e=f/g`:                             {"text"},
		`/* it's */x="one"; // it's` + "\n" + `y="two"`:    {"one", "two"},
		`garbage' }}} more("well then", 'found it')`:       {"well then", "found it"},
		"if(a)/it's/.test(b);c=\"after a regexp\";d=\"e\"": {"after a regexp", "e"},
		"`never closed ${":                                 nil,
		`"never closed`:                                    nil,
		`case"a b c":return"d e f"`:                        {"a b c", "d e f"},
		`"key"in x`:                                        {"key"},
	} {
		var got []string
		jsLiterals([]byte(src), func(s string) { got = append(got, s) })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

func TestBundled(t *testing.T) {
	program := "\x7fELF\x00noise \"is no script\"\x00" + strings.Repeat(" ", script) + `function(){"in a script"}` + "\x00\x01"
	var got []string
	bundled([]byte(program), func(s string) { got = append(got, s) })
	if want := []string{"in a script"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCompiled(t *testing.T) {
	long := strings.Repeat("A text of more than a byte's length. ", 4)[:0x86]
	program := "\x00\x23exceeded retry limit, last status: \xc0\xc0\x00\x01" +
		"GITHUB_ORG_IDGITHUB_USER_IDLong context2Failed to get response from the AI model; retried \xc0\x1f times (total retry wait time: \xc5 \x00\x00p\x02\x00\x09 seconds)\x00" +
		"\x80\x86\x00" + long + "\xc1 \x00\x00p\x01.\x00" +
		"Retrying...model_retrySome words to continue.quota_exceeded\x01" +
		"\x02Working directory tree:Error running remote compact taskevent core/src/x.rs:117\x01" +
		"\x02spawn failedSelected model is at capacity. Please try a different model.You’ve hit it.internal error; died\x00"
	var got []string
	compiled([]byte(program), func(s string) {
		if s != "" {
			got = append(got, s)
		}
	})
	want := []string{"exceeded retry limit, last status: {}{}",
		"GITHUB_ORG_IDGITHUB_USER_ID", "Long context", "Failed to get response from the AI model; retried {} times (total retry wait time: {} seconds)", long + "{}.",
		"Retrying...", "model_retry", "Some words to continue.", "quota_exceeded", "Working directory tree:", "Error running remote compact task", "event core/src/x.rs:117", "spawn failed", "Selected model is at capacity. Please try a different model.", "You’ve hit it.", "internal error; died"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestErrorPath(t *testing.T) {
	for s, want := range map[string]bool{
		"You've hit your {}": true,
		"5-hour limit":       true,
		"{}: Connection lost mid-response. Try again.":               true,
		"Your access token could not be refreshed.":                  true,
		"exceeded retry limit, last status: {}{}":                    true,
		"Execution failed: {}":                                       true,
		"Tool execution failed: {}":                                  false,
		"Error running remote compact task":                          true,
		"You are not licensed to use Copilot.":                       true,
		"Provider finish_reason: content_filter":                     true,
		"User OAuth refresh failed (HTTP {}): {}":                    false, // of another login
		"Cannot connect to API: {}":                                  true,
		"Failed to get response from the AI model; retried {} times": true,
		"You've run out of your included AI credits for the month. Manage budget: https://github.com/settings/copilot/features": true,
		"The rate limit of https://github.com/ was exceeded":                                                                    false,
		"SELECT * FROM usage limit reached":                                                                                     false,
		"<div>Usage limit reached for you</div>":                                                                                false,
		"the usage limit reached by now":                                                                                        false, // the middle of a sentence
		"The plugin's rate limit was reached":                                                                                   false,
		"The connection of your printer timed out":                                                                              false,
		"Usage limit " + strings.Repeat("reached ", tallest/8):                                                                  false,
	} {
		if got := errorPath(s); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

func TestPrevious(t *testing.T) {
	pins := []pin{{"a", "2.1.99"}, {"a", "2.1.330"}, {"b", "2.1.300"}, {"a", "2.1.197"}}
	for version, want := range map[string]string{"2.1.331": "2.1.330", "2.1.330": "2.1.197", "2.1.100": "2.1.99", "2.1.99": ""} {
		if got, _ := previous(pins, pin{"a", version}); got.version != want {
			t.Errorf("before %s: %q, want %q", version, got.version, want)
		}
	}
}

// A new version's strings come with what older lists say of them; what no list has is shown as new.
func TestCompare(t *testing.T) {
	old, now := pin{"claude", "1.0"}, pin{"claude", "1.1"}
	known := map[pin]list{old: {{class: notice, text: "Usage limit reset"}, {class: foreign, text: "gone"}}}
	said := classified([]string{"Usage limit reset", "You've hit your session limit"}, known, "claude")
	var out strings.Builder
	if err := compare(&out, repo, now, []pin{old}, said, known); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 strings; 1 are new against the list of claude 1.0, 1 of that are gone", "new                    record usage_limit      text usage_limit      You've hit your session limit\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "Usage limit reset\n") || said[0].class != notice || said[1].class != unclassified {
		t.Errorf("%v:\n%s", said, out.String())
	}
}
