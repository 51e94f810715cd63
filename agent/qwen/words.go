package qwen

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// wordsFile has what the agent draws in its other languages, by the English text. It takes the language from its settings or the
// locale. Source: the locales of the packages in e2e/agents/pinned; e2e/TestQwenWords says when one has another text.
//
//go:embed words.json
var wordsFile []byte

var words = sync.OnceValue(func() (w map[string][]string) {
	if err := json.Unmarshal(wordsFile, &w); err != nil {
		panic("agent/qwen/words.json: " + err.Error())
	}
	return w
})

// draws tells whether a text is an English one, in any language.
func draws(text, english string) bool {
	return text == english || slices.Contains(words()[english], text)
}

// eitherOf is a pattern for English texts, in any language.
func eitherOf(english ...string) string {
	var all []string
	for _, e := range english {
		all = append(all, regexp.QuoteMeta(e))
		for _, w := range words()[e] {
			all = append(all, regexp.QuoteMeta(w))
		}
	}
	return "(?:" + strings.Join(all, "|") + ")"
}

// retries tells whether a text ends in the key that sends the request again. The text may have been broken into rows anywhere, so
// blanks do not count.
func retries(text string) bool {
	dense := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	text = dense(text)
	return slices.ContainsFunc(append([]string{retryHint}, words()[retryHint]...), func(hint string) bool {
		return strings.HasSuffix(text, "("+dense(hint)+")")
	})
}
