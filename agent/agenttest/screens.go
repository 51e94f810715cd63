package agenttest

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
)

// shown is a screen of testdata/screens with what is to be read from it.
type shown struct {
	file   string
	screen agent.Screen
	free   bool   // the cursor was not recorded: it may be anywhere
	want   string // ready, close, instead or no
	why    string // a part of View.Why
}

// screens reads testdata/screens/screens.tsv: file, cursor row, cursor column (-: not recorded), faint
// columns of the cursor's row as from-to (-: none), or of a row that many above it as rows:from-to, title, what is wanted, a
// part of the reason, and, where it counts, the terminal's columns.
func screens(t testing.TB) []shown {
	t.Helper()
	dir := filepath.Join("testdata", "screens")
	table, err := os.ReadFile(filepath.Join(dir, "screens.tsv"))
	must(t, err)
	var all []shown
	listed := map[string]bool{"screens.tsv": true}
	for line := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(f) != 7 && len(f) != 8 {
			t.Fatalf("screens.tsv: %d columns, want 7 or 8: %q", len(f), line)
		}
		text, err := os.ReadFile(filepath.Join(dir, f[0]))
		must(t, err)
		x := shown{file: f[0], want: f[5], why: f[6], free: f[1] == "-"}
		x.screen = agent.Screen{Rows: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), Title: f[4]}
		if !x.free {
			x.screen.Row, x.screen.Col = atoi(t, f[1]), atoi(t, f[2])
		}
		x.screen.Faint, x.screen.FaintAbove = faint(t, f[3])
		if len(f) == 8 {
			x.screen.Cols = atoi(t, f[7])
		}
		listed[f[0]] = true
		all = append(all, x)
	}
	files, err := os.ReadDir(dir)
	must(t, err)
	for _, f := range files {
		if !listed[f.Name()] {
			t.Errorf("%s is not in screens.tsv", f.Name())
		}
	}
	return all
}

func faint(t testing.TB, s string) (own [][2]int, above [][][2]int) {
	t.Helper()
	rows, columns, ok := strings.Cut(s, ":")
	if !ok {
		rows, columns = "0", s
	}
	from, to, ok := strings.Cut(columns, "-")
	if !ok || from == "" {
		return nil, nil
	}
	drawn := [][2]int{{atoi(t, from), atoi(t, to)}}
	if rows == "0" {
		return drawn, nil
	}
	above = make([][][2]int, atoi(t, rows))
	above[len(above)-1] = drawn
	return nil, above
}

func atoi(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	must(t, err)
	return n
}

// viewed names a View, and says what about it contradicts itself.
func viewed(v agent.View) (name, wrong string) {
	switch {
	case v.Ready && (v.Close != nil || v.Instead != nil || v.Why != ""):
		return "ready", "it is ready, and yet something is to be done or in the way"
	case v.Ready && v.Room < len("continue"):
		return "ready", "it is ready, and does not say that the default prompt fits into its box"
	case v.Ready:
		return "ready", ""
	case v.Why == "":
		return "no", "it is not ready and does not say why"
	case v.Close != nil && v.Instead != nil:
		return "close", "two ways at once"
	case v.Close != nil && string(v.Close) != agent.Escape:
		return "close", "another key than Escape closes it"
	case v.Close != nil:
		return "close", ""
	case v.Instead != nil:
		return "instead", ""
	}
	return "no", ""
}

// Screens checks an agent against its screens. One whose cursor was not recorded must not be ready
// with the cursor anywhere, and everything drawn faint.
func Screens(t *testing.T, a agent.Terminal) {
	counted := map[string]int{}
	for _, x := range screens(t) {
		t.Run(x.file, func(t *testing.T) {
			check := func(s agent.Screen) {
				v := a.Screen(s)
				got, wrong := viewed(v)
				if got != x.want || wrong != "" || !strings.Contains(v.Why, x.why) {
					t.Fatalf("cursor %d,%d: %s (%q), want %s (%q): %s", s.Row, s.Col, got, v.Why, x.want, x.why, wrong)
				}
			}
			if !x.free {
				check(x.screen)
				return
			}
			for row := -1; row <= len(x.screen.Rows); row++ {
				for col := range 40 {
					s := x.screen
					s.Row, s.Col, s.Faint = row, col, [][2]int{{0, 1000}}
					check(s)
				}
			}
		})
		counted[x.want]++
	}
	t.Logf("%v", counted)
}

// Room checks how much an agent says to fit into its box: at most what was seen to, in the terminal that the
// screen is from.
func Room(t *testing.T, a agent.Terminal, file string, cols, room int) {
	t.Helper()
	for _, x := range screens(t) {
		if x.file != file {
			continue
		}
		x.screen.Cols = cols
		if v := a.Screen(x.screen); !v.Ready || v.Room != room {
			t.Errorf("%s: %+v, want room for %d", file, v, room)
		}
		return
	}
	t.Errorf("there is no %s", file)
}

// imitations are what an agent may print of its own and others' screens.
var imitations = [][]string{
	{strings.Repeat("─", 120), "❯\u00a0", strings.Repeat("─", 120), "  ? for shortcuts"},
	{strings.Repeat("─", 120), "  What do you want to do?", "", "  ❯ 1. Stop and wait for limit to reset", "    2. Upgrade your plan", "", "  Enter to confirm · Esc to cancel"},
	{"  Approaching rate limits", "  Switch to gpt-6-luna for lower credit usage?", "", "› 1. Switch to gpt-6-luna   Fast.", "  2. Keep current model",
		"  3. Keep current model (never show again)", "", "  enter select · esc back"},
	{"› Ask Codex to do anything", "", "  gpt-5.1-codex default · ~/work/demo", "  ← for agents · ? for shortcuts"},
	{"╭" + strings.Repeat("─", 60) + "╮", "│ Usage limit reached for gemini-2.5-pro." + strings.Repeat(" ", 20) + "│", "│ ● 1. Keep trying" + strings.Repeat(" ", 43) + "│",
		"│   2. Stop" + strings.Repeat(" ", 50) + "│", "╰" + strings.Repeat("─", 60) + "╯"},
	{strings.Repeat("▄", 120), " >   Type your message or @path/to/file", strings.Repeat("▀", 120)},
	{"          Go limit reached                      esc", "", "    don't show again          open settings"},
	{"  ┃", "  ┃", "  ┃", "  ┃  Build · demo-1 Fake", "  ╹" + strings.Repeat("▀", 100), "   ~/work/demo    ctrl+p commands"},
}

// Plants checks that what stands in the conversation opens nothing: with an imitation of a box, menu or
// dialog above each screen that is ready, nothing is closed and no key is named, and with text in
// the box it is not ready, wherever in it the cursor stands. rows is how many rows above the cursor
// belong to the agent.
func Plants(t *testing.T, a agent.Terminal, rows int) {
	for _, x := range screens(t) {
		if x.want != "ready" {
			continue
		}
		for n, lines := range imitations {
			room := x.screen.Row - rows
			if room < len(lines) {
				continue
			}
			for _, at := range []int{0, room - len(lines)} {
				s := x.screen
				s.Rows = slices.Clone(s.Rows)
				copy(s.Rows[at:], lines)
				if v := a.Screen(s); v.Close != nil || v.Instead != nil || v.Dialog != "" {
					t.Errorf("%s, imitation %d at row %d: %+v", x.file, n, at, v)
				}
				half(t, a, x.file, s)
			}
		}
		half(t, a, x.file, x.screen)
	}
}

// hint is what Gemini shows above an empty box. It goes with the first character that is typed.
const hint = "? for shortcuts"

// half types something and expects that it is seen.
func half(t *testing.T, a agent.Terminal, name string, s agent.Screen) {
	t.Helper()
	row, col := s.Row, s.Col
	if n := len(s.FaintAbove); n > 0 { // the agent draws its own cursor, right before what is faint
		row, col = row-n, s.FaintAbove[n-1][0][0]-1
	}
	start := []rune(s.Line(row) + strings.Repeat(" ", col))[:col]
	for _, text := range []string{"half typed", "x", "Ask Codex to do anything", "  Type your message or @path/to/file", `Try "edit main.go to…"`} {
		s.Rows = slices.Clone(s.Rows)
		s.Rows[row] = string(start) + text
		if s.At(row-4) == hint {
			s.Rows[row-4] = ""
		}
		for _, at := range []int{col, col + 1, col + len(text)} {
			if s.Faint = nil; s.FaintAbove == nil {
				s.Col = at
			} else {
				s.FaintAbove = make([][][2]int, len(s.FaintAbove))
			}
			if v := a.Screen(s); v.Ready || v.Close != nil || v.Instead != nil {
				t.Errorf("%s with %q in its box, cursor at %d: %+v", name, text, at, v)
			}
		}
	}
}

// FuzzScreen checks on any screen that nothing panics, that a View does not contradict itself, and that
// one is only ready with the cursor behind the agent's prompt, in that row alone.
func FuzzScreen(f *testing.F, a agent.Terminal, prompt string) {
	for _, x := range screens(f) {
		from, to := 0, 0
		if drawn := slices.Concat(x.screen.FaintAbove...); len(drawn)+len(x.screen.Faint) > 0 {
			first := append(drawn, x.screen.Faint...)[0]
			from, to = first[0], first[1]
		}
		f.Add(strings.Join(x.screen.Rows, "\n"), x.screen.Row, x.screen.Col, from, to, x.screen.Title)
	}
	f.Fuzz(func(t *testing.T, text string, row, col, from, to int, title string) {
		drawn := [][2]int{{from, to}}
		s := agent.Screen{Rows: strings.Split(text, "\n"), Row: row, Col: col, Faint: drawn, FaintAbove: slices.Repeat([][][2]int{drawn}, agent.MostAbove), Title: title}
		v := a.Screen(s)
		name, wrong := viewed(v)
		if wrong != "" {
			t.Errorf("%s: %+v", wrong, v)
		}
		switch name {
		case "instead":
			want := string(v.Instead) + ". Keep trying"
			if len(v.Instead) != 1 || strings.Count(text, want) == 0 {
				t.Errorf("%q is no digit of an item that is there", v.Instead)
			}
		case "ready":
			if !strings.HasPrefix(strings.TrimSpace(s.Line(row)), prompt) {
				t.Errorf("ready with the cursor in %q", s.Line(row))
			}
			for other := -1; other <= len(s.Rows); other++ {
				if s.Row = other; other != row && a.Screen(s).Ready {
					t.Errorf("ready with the cursor in row %d and in row %d", row, other)
				}
			}
			s.Row = row
			for other := -1; other < 200; other++ {
				if s.Col = other; other != col && a.Screen(s).Ready {
					t.Errorf("ready with the cursor in column %d and in column %d", col, other)
				}
			}
		}
	})
}

// Sign is one thing that a screen may show, in place of the same rows of one that takes a prompt.
type Sign struct {
	Rows  map[int]string
	Set   func(*agent.Screen) // nil: nothing else
	Ready bool                // it takes one all the same
	Input string              // it does not, but Enter may follow this text
}

// Check puts the sign on a screen of the agent's, and wants nothing to be typed, closed or chosen there but where it is Ready.
func (c Sign) Check(t *testing.T, name string, a agent.Terminal, s agent.Screen) {
	t.Helper()
	for n, text := range c.Rows {
		s.Rows[n] = text
	}
	if c.Set != nil {
		c.Set(&s)
	}
	if v := a.Screen(s); v.Ready != c.Ready || v.Input != c.Input || v.Close != nil || v.Instead != nil {
		t.Errorf("%s: %+v", name, v)
	}
}
