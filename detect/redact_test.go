package detect

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// secrets must not be found again in what Redact gives back.
var secrets = []string{
	"bob@example.com", "bob.o'x+clawd@mail.example.co.uk", "bøb@exämple.com",
	"https://user:pw@example.com/x?token=abc", "/home/bob", "~/work/demo", "/home/rené/projekt", `C:\Users\bob\demo`,
	"sk-ant-api03-AbCdEf", "token abcdefgh", "req_011CQAbCdEf", "org-AbCdEfGh", "Bearer abcdef",
	"123e4567-e89b-12d3-a456-426614174000", "AKIAIOSFODNN7EXAMPLE", "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
	"ses_5a1b2c3d4e5fABCDEFGH", "password=hunter2", `"api_key": "hunter2"`, "X-Api-Key: hunter2",
}

func TestRedactTakesSecretsOut(t *testing.T) {
	for _, secret := range secrets {
		got := Redact("it failed for " + secret + " twice")
		for _, leak := range []string{"bob", "bøb", "example", "exämple", "pw@", "rené", "projekt", "work", "AbCdEf", "abcdef", "426614174000", "AKIA", "5a1b2c", "hunter2"} {
			if strings.Contains(secret, leak) && strings.Contains(got, leak) {
				t.Errorf("%s: %q is left in %q", secret, leak, got)
			}
		}
		if !strings.HasPrefix(got, "it failed for ") {
			t.Errorf("%s: too much is gone: %q", secret, got)
		}
	}
}

func TestRedactKeepsWords(t *testing.T) {
	for _, text := range []string{
		"Rate limit reached for the model, code 429", "overloaded_error: Overloaded",
		"the limit resets at 3:45pm", "Input exceeds the context window of this model",
	} {
		if got := Redact(text); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	for text, want := range map[string]string{
		"one\ntwo\tthree":        "one two three",
		"\x1b[31mred\x07\x00":    "[31mred",
		"left\u202eright\u200bx": "leftrightx",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if got := Redact(strings.Repeat("é ", 300)); utf8.RuneCountInString(got) != 400 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d characters: %q", utf8.RuneCountInString(got), got)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("before", "after", uint(0))
	f.Add("/a b", "key=", uint(3))
	f.Add("\x1b[31m\xff", "@example.com", uint(11))
	f.Fuzz(func(t *testing.T, before, after string, n uint) {
		secret := secrets[n%uint(len(secrets))]
		got := Redact(before + " " + secret + " " + after)
		// The rest of the text may repeat the secret as part of ordinary words.
		if strings.Contains(got, secret) && !strings.Contains(before+after, secret) {
			t.Errorf("%q is left in %q", secret, got)
		}
		if utf8.RuneCountInString(got) > 400 || !utf8.ValidString(got) || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("not fit for a log: %q", got)
		}
	})
}
