package agent

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/detect"
)

func TestParse(t *testing.T) {
	options := map[string]Option{
		"--tools": {"--tools", Many, Any}, "--allowedTools": {"--allowedTools", Many, Any}, "--allowed-tools": {"--allowedTools", Many, Any},
		"--model": {"--model", One, Word}, "-m": {"--model", One, Word}, "--strict": {"--strict", Nothing, Any},
		"-p": {"-p", Nothing, Drop}, "-y": {"-y", Nothing, Drop}, "--debug": {"--debug", Perhaps, Drop},
		"--mcp": {"--mcp", Many, File}, "--prompt": {"--prompt", One, Any},
	}
	flag := func(name string, values ...string) detect.Flag { return detect.Flag{Name: name, Values: values} }
	for _, c := range []struct {
		argv  string // words, "␣" a blank within one
		flags []detect.Flag
		lost  []string
	}{
		{"-p say␣done", nil, nil},
		{"say --model opus", []detect.Flag{flag("--model", "opus")}, nil},
		{"--model=opus -p", []detect.Flag{flag("--model", "opus")}, nil},
		{"-mopus -m=haiku -m sonnet", []detect.Flag{flag("--model", "opus"), flag("--model", "haiku"), flag("--model", "sonnet")}, nil},
		{"-pym opus", []detect.Flag{flag("--model", "opus")}, nil},
		{"--tools Read Grep --strict", []detect.Flag{flag("--tools", "Read", "Grep"), flag("--strict")}, nil},
		{"--tools=Read say", []detect.Flag{flag("--tools", "Read")}, nil},
		{"--tools= say", []detect.Flag{flag("--tools", "")}, nil},
		{"--allowed-tools Bash(git␣*) -p", []detect.Flag{flag("--allowedTools", "Bash(git *)")}, nil},
		{"--prompt --strict", []detect.Flag{flag("--prompt", "--strict")}, nil},
		{"--prompt two\nlines", []detect.Flag{flag("--prompt", "two\nlines")}, nil},
		{"--debug -p", nil, nil},
		{"--debug api -- --model opus", nil, nil},
		{"--new thing", nil, []string{"--new"}},
		{"--new=sk-abcdefghijk", nil, []string{"--new"}},
		{"-x", nil, []string{"-x"}},
		{"--sk_SECRET", nil, []string{"an option"}},
		{"--strict=yes", nil, []string{"--strict"}},
		{"--model", nil, []string{"--model"}},
		{"--model opus;rm", nil, []string{"--model"}},
		{"--mcp a.json", []detect.Flag{flag("--mcp", "a.json")}, nil},
		{`--mcp a.json {"mcpServers":{}}`, nil, []string{"--mcp"}},
		{"--mcp /dev/fd/63", nil, []string{"--mcp"}},
		{"--mcp -", nil, []string{"--mcp"}},
		{"--prompt use␣sk-ant-REDACTED", nil, []string{"--prompt"}},
		{"--prompt API_TOKEN=abcdefgh", nil, []string{"--prompt"}},
		{"--prompt never␣print␣a␣token", []detect.Flag{flag("--prompt", "never print a token")}, nil},
		{"--prompt " + strings.Repeat("x", maxValue+1), nil, []string{"--prompt"}},
	} {
		argv := strings.Split(c.argv, " ")
		for i := range argv {
			argv[i] = strings.ReplaceAll(argv[i], "␣", " ")
		}
		flags, lost := Parse(argv, options)
		if d := cmp.Diff(c.flags, flags) + cmp.Diff(c.lost, lost); d != "" {
			t.Errorf("%.60q (-want +got):\n%s", c.argv, d)
		}
		// Whatever is passed again reads the same.
		var again []string
		for _, f := range flags {
			again = append(again, f.Args()...)
		}
		twice, _ := Parse(again, options)
		if got, want := flatten(twice), flatten(flags); got != want {
			t.Errorf("%.60q passed again: %q, want %q", c.argv, got, want)
		}
	}
}

func flatten(flags []detect.Flag) string {
	var b strings.Builder
	for _, f := range flags {
		b.WriteString(strings.Join(f.Args(), "|") + "|")
	}
	return b.String()
}
