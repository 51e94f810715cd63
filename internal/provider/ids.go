package provider

import (
	"crypto/rand"
	"encoding/json"
	"strings"
)

// newID makes an id in the manner of the providers: a prefix and 24 letters or digits.
func newID(prefix string) string {
	return prefix + strings.ToLower(rand.Text())[:24]
}

func jsonText(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // an Input that is no JSON is a defect of the script
	}
	return string(data)
}
