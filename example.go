// Package clawd holds what the program carries with it.
package clawd

import _ "embed"

// ExampleConfig is config.example.toml: every key, with its default and what it means.
//
//go:embed config.example.toml
var ExampleConfig string
