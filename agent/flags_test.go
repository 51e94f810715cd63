package agent

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/clawd-project/clawd/detect"
)

func TestParse(t *testing.T) {
	options := Options{}
	options.Add(Many, Any, "--tools", "--allowedTools --allowed-tools")
	options.AddSetting(Many, Any, AddsUp, "--deny")
	options.AddSetting(One, File, func(v string) string { return "--set " + v[:min(1, len(v))] }, "--set -s")
	options.Add(One, Word, "--model -m")
	options.Add(Nothing, Any, "--strict")
	options.Add(Switch, Any, "--trust -t")
	options.Add(Nothing, Drop, "-p", "-y")
	options.Add(Perhaps, Drop, "--debug")
	options.Add(Many, File, "--mcp")
	options.Add(One, Any, "--prompt")
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
		{"--tools -p", nil, []string{"--tools"}},
		{"-p --tools", []detect.Flag{flag("--tools", "")}, nil}, // --tools "": none
		{"--mcp", nil, []string{"--mcp"}},
		{"--model opus;rm", nil, []string{"--model"}},
		{"--mcp a.json", []detect.Flag{flag("--mcp", "a.json")}, nil},
		{`--mcp a.json {"mcpServers":{}}`, nil, []string{"--mcp"}},
		{"--mcp /dev/fd/63", nil, []string{"--mcp"}},
		{"--mcp /dev/shm/x", []detect.Flag{flag("--mcp", "/dev/shm/x")}, nil},
		{"--mcp -", nil, []string{"--mcp"}},
		{"--prompt use␣sk-ant-REDACTED", nil, []string{"--prompt"}},
		{"--prompt API_TOKEN=abcdefgh", nil, []string{"--prompt"}},
		{"--prompt never␣print␣a␣token", []detect.Flag{flag("--prompt", "never print a token")}, nil},
		{"--prompt " + strings.Repeat("x", maxValue+1), nil, []string{"--prompt"}},
		{"--trust false say", []detect.Flag{flag("--trust", "false")}, nil},
		{"--trust=false", []detect.Flag{flag("--trust", "false")}, nil},
		{"-pt false", []detect.Flag{flag("--trust", "false")}, nil},
		{"--trust say -pt", []detect.Flag{flag("--trust"), flag("--trust")}, nil},
		{"--set {} --deny sk-abcdefghijk", nil, []string{"--set {", "--deny"}},
		{"-é -p", nil, []string{"an option"}},
	} {
		argv := strings.Split(c.argv, " ")
		for i := range argv {
			argv[i] = strings.ReplaceAll(argv[i], "␣", " ")
		}
		flags, lost := options.Parse(argv)
		if d := cmp.Diff(c.flags, flags) + cmp.Diff(c.lost, lost); d != "" {
			t.Errorf("%.60q (-want +got):\n%s", c.argv, d)
		}
		// Whatever is passed again reads the same.
		var again []string
		for _, f := range flags {
			again = append(again, f.Args()...)
		}
		twice, _ := options.Parse(again)
		if got, want := flatten(twice), flatten(flags); got != want {
			t.Errorf("%.60q passed again: %q, want %q", c.argv, got, want)
		}
	}
}

// What looks like a key is not kept, and what only speaks of one is. (The keys are cut in two, so that no scanner
// takes them for real ones.)
func TestSecrets(t *testing.T) {
	options := Options{}
	options.Add(One, Any, "--prompt")
	for _, parts := range [][2]string{
		{"sk-ant-", "abcdefghij"}, {"sk_live_", "51HxYzAbCdEf"}, {"ghr_", "abcdefghijklmnop"}, {"xapp-", "1-ABCDEF"}, {"AKIA", "IOSFODNN7EXAMPLE"},
		{"pypi-", "AgEIcHlwaS5vcmcC"}, {"dop_v1_", "abcdefabcdefabcdef"}, {"shpat_", "abcdefabcdefabcdef"}, {"SG.", "abcdefghijklmnop.qrstuv"},
		{"ya29.", "a0AfH6SMB"}, {"tskey-", "auth-abc123"}, {"AGE-SECRET-", "KEY-1ABC"}, {"DB_PASSWORD", "=hunter22"}, {`{"apiKey"`, `:"abcdefgh"}`},
		{"https://u:p", "@host/x"}, {"https://0123456789abcdef", "@host/x"}, {"Authorization", ": Basic abc"}, {"-----BEGIN RSA PRIVATE", " KEY-----"},
		{`{\"api_key\"`, `:\"hunter22\"}`}, {`{\\\"token\\\"`, `:\\\"hunter22\\\"}`}, {"gsk_", "abcdefghijklmnop1234"}, {"xai-", "abcdefghijklmnop1234"}, {"pplx-", "abcdefghijklmnop1234"}, {"nvapi-", "abcdefghijklmnop1234"},
		{"r8_", "abcdefghijklmnop1234"}, {"csk-", "abcdefghijklmnop1234"}, {"tgp_v1_", "abcdefghijklmnop1234"}, {"pwd", "=hunter22"}, {"DB_PASS", "=hunter22"}, {"passphrase", ": hunter22"}, {"credentials", "=hunter22"},
		{"--password", " hunter22"}, {"--token", " hunter22"}, {"--api-key", " hunter22"}, {"curl -u dev", ":hunter22 x"}, {"Cookie", ": session=hunter22"}, {"x-goog-api-key", " hunter22"}, {"api_key%3D", "hunter22"},
		{"x?sig=", "hunter22"}, {"dev:hunter22", "@host/x"}, {"dev:hunter22", "@10.0.0.1"}, {"hooks.slack.com/services/", "T0/B0/abc"}, {"discord.com/api/webhooks/", "12/abc"},
	} {
		if flags, lost := options.Parse([]string{"--prompt=use " + parts[0] + parts[1] + " here"}); len(flags) > 0 || len(lost) != 1 || lost[0] != "--prompt" {
			t.Errorf("%s...: kept %v, lost %q", parts[0], flags, lost)
		}
	}
	for _, text := range []string{"ask for the password", "use token buckets", "clone ssh://git@github.com/a/b", "the primary key is pk_customer_address_id",
		"see https://example.com/x?page=12345678", "Read(src/**), Bash(git log:*) and mail dev@example.com", "a token: no", "use the --token option of deploy", "pass: everything", "credentials: described in the docs", "if pass == expected",
		"--password-file f", "the compass=north123", "run at 10:30 @ home", "desk-lamp-controller", "never print keys: they are secret", "tests live in sk_test.py", "Bash(docker run -u 1000:1000 *)",
		"Bash(deno run npm:prettier@3 *)"} {
		if flags, _ := options.Parse([]string{"--prompt", text}); len(flags) != 1 {
			t.Errorf("not kept: %s", text)
		}
	}
}

// A command line that no person typed costs neither time nor room.
func TestParseHugeCommandLine(t *testing.T) {
	options := Options{}
	options.Add(Switch, Any, "--trust -t")
	options.Add(One, Any, "--prompt")
	const most = 2 << 20 // what a system takes
	var unknown []string
	for size := 0; size < most; size += len(unknown[len(unknown)-1]) {
		n := len(unknown)
		unknown = append(unknown, "--"+strings.Map(func(r rune) rune { return r - '0' + 'a' }, strconv.Itoa(n)))
	}
	for name, argv := range map[string][]string{
		"one option in a word": {"-" + strings.Repeat("t", 128<<10)},
		"one option":           slices.Repeat([]string{"-t"}, most/3),
		"long values":          slices.Repeat([]string{"--prompt=" + strings.Repeat("x", maxValue)}, most/maxValue),
		"unknown options":      unknown,
	} {
		flags, lost := options.Parse(argv)
		if got := len(flatten(flags)); got > 2*maxSize || len(lost) == 0 || len(lost) > maxLost+1 {
			t.Errorf("%s: %d bytes kept, %d options lost", name, got, len(lost))
		}
		if _, u := options.Kept(&detect.Launch{Lost: lost}, Env{}, Config{Args: unknown}, "agent.x"); u == nil {
			t.Errorf("%s: the config stands for what was not read", name)
		}
	}
}

func TestKept(t *testing.T) {
	options := Options{}
	options.Add(One, Word, "--model -m")
	options.Add(Many, File, "--mcp")
	options.AddSetting(Many, Any, AddsUp, "--deny")
	options.AddSetting(One, func(v string) Fate {
		if strings.HasPrefix(v, "x.") {
			return Lost
		}
		return Again
	}, func(v string) string {
		key, _, _ := strings.Cut(v, "=")
		return "--set " + key
	}, "--set -s")
	for _, c := range []struct {
		argv, args string
		want       string // flags, or "left" and the key
	}{
		{"--model a --deny B --set k=1", "", "--model=a|--deny=B|--set=k=1|"},
		{"--model a --deny B --set k=1", "-m=b", "--deny=B|--set=k=1|"},
		{"--deny B", "--deny C", "--deny=B|"},
		{"--set k=1", "--set l=1", "--set=k=1|"},
		{"--set k=1", "-sk=2", ""},
		{"--set x.y=1", "--set l=1", "left agent.x.args"},
		{"--set x.y=1", "--set x.y=2", ""},
		{"--mcp {}", "", "left agent.x.args"},
		{"--mcp {}", "--mcp a.json", ""},
		{"--mcp {}", "-- --mcp a.json", "left agent.x.args"},
		{"--deny sk-abcdefghijk", "--deny C", "left "},
		{"--new", "", "left agent.x.args"},
		{"--new", "--new=x", ""},
		{"--1", "--1", "left "},
	} {
		flags, lost := options.Parse(strings.Fields(c.argv))
		kept, u := options.Kept(&detect.Launch{Flags: flags, Lost: lost}, Env{}, Config{Args: strings.Fields(c.args)}, "agent.x")
		got := flatten(kept)
		if u != nil {
			got = "left " + u.Key
		}
		if got != c.want {
			t.Errorf("%q with %q: %q, want %q", c.argv, c.args, got, c.want)
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

// An option that limits does so with any value but the one that switches it off.
func TestLimits(t *testing.T) {
	options := Options{}
	options.Add(Switch, Any, "--sandbox -s")
	options.Add(Many, Any, "--exclude")
	options.Add(One, Any, "--model")
	options.Limit("--sandbox", "--exclude")
	for line, want := range map[string]bool{"-s": true, "--sandbox=true": true, "--sandbox=false": false, "--exclude a b": true, "--model x": false} {
		flags, lost := options.Parse(strings.Fields(line))
		if len(flags) != 1 || len(lost) > 0 || flags[0].Limits != want {
			t.Errorf("%s: %+v, lost %q", line, flags, lost)
		}
	}
}
