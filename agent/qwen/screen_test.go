package qwen

import (
	"strings"
	"testing"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/agenttest"
)

func TestScreens(t *testing.T) { agenttest.Screens(t, &Qwen{}) }

func TestScreenRoom(t *testing.T) {
	agenttest.Room(t, &Qwen{}, "429-gives-up-2-gave-up.txt", 120, 114)
	agenttest.Room(t, &Qwen{}, "old-yolo-failed.txt", 110, 91) // 93 were seen to fit: old-two-rows.txt
}

func TestScreenPlants(t *testing.T) { agenttest.Plants(t, &Qwen{}, 7) }

func FuzzScreen(f *testing.F) { agenttest.FuzzScreen(f, &Qwen{}, "") }

// The placeholder is drawn in a grey of its own (0.24 in its default theme, as tmux tells it), and a typed text is not. In some themes it
// is no grey, such as Dracula: there it has the color of the hint in the error above.
func TestPlaceholderIsGrey(t *testing.T) {
	rule := strings.Repeat("─", 100)
	const dracula, white = "\x1b[38;2;98;114;164m", "\x1b[38;2;163;175;183m"
	for name, c := range map[string]struct {
		hint, box string
		ready     bool
	}{
		"grey":                          {"", "> \x1b[39m\x1b[48;2;212;212;212m \x1b[38;2;108;112;134m\x1b[49m " + placeholder, true},
		"as a text":                     {"", "> \x1b[39m\x1b[48;2;212;212;212m \x1b[49m " + placeholder, false},
		"grey of 256 colors":            {"", "> \x1b[4m\x1b[39m \x1b[0m\x1b[38;5;103m\x1b[49m " + placeholder, true},
		"no grey of 256 colors":         {"", "> \x1b[4m\x1b[39m \x1b[0m\x1b[38;5;183m\x1b[49m " + placeholder, false},
		"as the hint":                   {dracula, "> \x1b[4m\x1b[39m \x1b[0m" + dracula + "\x1b[49m " + placeholder, true},
		"as the hint of 256 colors":     {"\x1b[38;5;61m", "> \x1b[4m\x1b[39m \x1b[0m\x1b[38;5;61m\x1b[49m " + placeholder, true},
		"typed":                         {dracula, "> " + white + " " + " Type your message or \x1b[38;2;255;121;198m@path/to/file", false},
		"typed, and a suggestion of it": {dracula, "> " + white + "  Type your\x1b[38;2;98;114;164m message or @path/to/file", false},
		"without colors":                {"\x1b[39m", "> \x1b[7m \x1b[0m " + placeholder, false},
	} {
		rows := []string{"", "  > x", "  \x1b[31m✕ [API Error: x] " + c.hint + "(Press Ctrl+Y to retry)\x1b[39m", "", rule, c.box, "\x1b[39m" + rule, "  demo", "  Auto mode (shift + tab to cycle)"}
		if v := (&Qwen{}).Screen(agent.ParseScreen(strings.Join(rows, "\n"), 5, 2, "Qwen - demo")); v.Ready != c.ready {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// 0.21 leaves the cursor above its box when what stood there has gone (0.21.2, as clawd wrap was sent it).
func TestStrayedCursor(t *testing.T) {
	rule := "\x1b[38;2;137;180;250m" + strings.Repeat("─", 110) + "\x1b[39m"
	const box, grey = "\x1b[38;2;137;180;250m> \x1b[39m\x1b[48;2;212;212;212m \x1b[49m", "\x1b[38;2;108;112;134m"
	for name, c := range map[string]struct {
		row, col int
		box      string
		want     agent.View
	}{
		"on the line above":        {5, 2, box + grey + " " + placeholder, agent.View{Ready: true, Room: 104}},
		"one row further up":       {4, 2, box + grey + " " + placeholder, agent.View{Ready: true, Room: 104}},
		"too far up":               {3, 2, box + grey + " " + placeholder, agent.View{Why: agent.WhyNoBox}},
		"below the box":            {7, 2, box + grey + " " + placeholder, agent.View{Why: agent.WhyNoBox}},
		"in another column":        {5, 3, box + grey + " " + placeholder, agent.View{Why: agent.WhyText, Input: placeholder}},
		"its words, typed":         {5, 2, box + " " + placeholder, agent.View{Why: agent.WhyText, Input: placeholder}},
		"a suggestion":             {5, 2, box + grey + "All done.", agent.View{Why: agent.WhyText, Input: "All done."}},
		"typed, with Home pressed": {5, 2, "\x1b[38;2;137;180;250m> \x1b[39mcontinue", agent.View{Why: agent.WhyText, Input: "continue"}},
	} {
		rows := []string{"  \x1b[38;2;243;139;168m✕\x1b[39m \x1b[38;2;243;139;168m[API Error: 429 This request would exceed your limit]" + grey + " \x1b[39m",
			"    " + grey + "(Press Ctrl+Y to retry)\x1b[39m", "", "", "", rule, c.box + "\x1b[39m", rule,
			"  \x1b[38;2;203;166;247m➜ demo · git:(main) · demo-1\x1b[39m", "  \x1b[38;2;137;180;250mAuto mode" + grey + " (shift + tab to cycle)\x1b[39m", ""}
		v := (&Qwen{}).Screen(agent.ParseScreen(strings.Join(rows, "\n"), c.row, c.col, "Qwen - demo"))
		if v.Ready != c.want.Ready || v.Room != c.want.Room || v.Why != c.want.Why || v.Input != c.want.Input {
			t.Errorf("%s: %+v, want %+v", name, v, c.want)
		}
	}
}

// 0.15 draws the cursor itself, and hides the terminal's, which waits below everything (as tmux tells it).
func TestOwnCursor(t *testing.T) {
	rule := "\x1b[38;2;137;180;250m" + strings.Repeat("─", 100)
	for box, want := range map[string]agent.View{
		"> \x1b[7m\x1b[39m \x1b[0m\x1b[38;2;108;112;134m\x1b[49m " + placeholder:                             {Ready: true, Room: 82},
		"> \x1b[7m\x1b[39m \x1b[0m\x1b[39m\x1b[49m Type your message or \x1b[38;2;203;166;247m@path/to/file": {Why: agent.WhyText, Input: placeholder},
		"> \x1b[7m\x1b[39m \x1b[0m\x1b[38;2;98;114;164m\x1b[49m " + placeholder:                              {Why: agent.WhyText, Input: placeholder},
		"> \x1b[39mhalf a thought\x1b[7m \u200b\x1b[0m":                                                      {Why: agent.WhyText, Input: "half a thought"},
		"> \x1b[39mcontinue\x1b[7m \u200b\x1b[0m":                                                            {Why: agent.WhyText, Input: "continue"},
	} {
		rows := []string{"", "  > x", "  ✕ [API Error: x]\x1b[38;2;108;112;134m (Press Ctrl+Y to retry)", "", rule, "\x1b[38;2;203;166;247m" + box, rule,
			"\x1b[39m  \x1b[38;2;108;112;134m? for shortcuts", "\x1b[39m"}
		if v := (&Qwen{}).Screen(agent.ParseScreen(strings.Join(rows, "\n"), 8, 0, "Qwen - demo")); v.Ready != want.Ready || v.Room != want.Room || v.Why != want.Why || v.Input != want.Input {
			t.Errorf("%q: %+v, want %+v", box, v, want)
		}
	}
}

// Each sign of 0.15 alone is enough.
func TestOldScreenSigns(t *testing.T) {
	rule := strings.Repeat("─", 100)
	for name, c := range map[string]agenttest.Sign{
		"none":                       {Ready: true},
		"in yolo mode":               {Rows: map[int]string{6: "*   " + placeholder, 8: "  YOLO mode (shift + tab to cycle)"}, Ready: true},
		"how full it is":             {Rows: map[int]string{8: "  ? for shortcuts" + strings.Repeat(" ", 60) + "1.2% context used"}, Ready: true},
		"how full it is, in German":  {Rows: map[int]string{8: "  ? for shortcuts" + strings.Repeat(" ", 60) + "1.2% Kontext verwendet"}, Ready: true},
		"how full it is, below":      {Set: func(s *agent.Screen) { below(s, "  1.2% 已用") }, Ready: true},
		"more, and how full it is":   {Rows: map[int]string{8: "  ? for shortcuts · 1 shell"}, Set: func(s *agent.Screen) { below(s, "  1.2% used") }},
		"busy":                       {Rows: map[int]string{4: "  ⠧ Working on it! (2s · esc to cancel)"}},
		"busy, with a queued prompt": {Rows: map[int]string{3: "  ⠧ Working on it! (2s · esc to cancel)", 4: "    more"}},
		"it asks again by itself":    {Rows: map[int]string{3: "    Requested 1.] (Retrying in 60s… (attempt 1/10))"}},
		"its words, typed":           {Set: func(s *agent.Screen) { s.FaintAbove = make([][][2]int, 3) }, Input: placeholder},
		"nothing of colors known":    {Set: func(s *agent.Screen) { s.FaintAbove = nil }, Input: placeholder},
		"grey in another row":        {Set: func(s *agent.Screen) { s.FaintAbove = [][][2]int{{{2, 50}}, {{2, 50}}} }, Input: placeholder},
		"grey where the cursor is":   {Set: func(s *agent.Screen) { s.FaintAbove, s.Faint = nil, [][2]int{{0, 50}} }, Input: placeholder},
		"a suggestion":               {Rows: map[int]string{6: "> All done."}, Set: func(s *agent.Screen) { s.FaintAbove[2] = [][2]int{{2, 50}} }, Input: "All done."},
		"text":                       {Rows: map[int]string{6: "> x"}, Input: "x"},
		"text elsewhere":             {Rows: map[int]string{2: "", 3: "  ✦ All done.", 6: "> x"}},
		"two rows":                   {Rows: map[int]string{5: "> x"}},
		"a shell":                    {Rows: map[int]string{6: "!   " + placeholder}},
		"a search":                   {Rows: map[int]string{6: "(r:)  " + placeholder}},
		"one Ctrl-C":                 {Rows: map[int]string{8: "  Press Ctrl+C again to exit."}},
		"vim's INSERT mode":          {Rows: map[int]string{6: ">   " + vimHint, 8: "  -- INSERT --"}, Set: func(s *agent.Screen) { s.FaintAbove[2] = [][2]int{{3, 60}} }, Ready: true},
		"vim's NORMAL mode":          {Rows: map[int]string{6: ">   " + vimHint, 8: "  -- NORMAL --"}, Set: func(s *agent.Screen) { s.FaintAbove[2] = [][2]int{{3, 60}} }},
		"no mode of vim's":           {Rows: map[int]string{6: ">   " + vimHint}, Set: func(s *agent.Screen) { s.FaintAbove[2] = [][2]int{{3, 60}} }, Input: vimHint},
		"another hint":               {Rows: map[int]string{8: "  -- INSERT --"}, Input: placeholder},
		"text in NORMAL mode":        {Rows: map[int]string{6: "> x", 8: "  -- NORMAL --"}},
		"a task in the background":   {Rows: map[int]string{8: "  ? for shortcuts · 1 shell"}},
		"a footer of two rows":       {Rows: map[int]string{9: "  demo-1"}, Set: func(s *agent.Screen) { s.Rows, s.Row = append(s.Rows, ""), 10 }},
		"no footer":                  {Set: func(s *agent.Screen) { s.Rows, s.Row = s.Rows[:8], 8 }},
		"text below the cursor":      {Rows: map[int]string{9: ""}, Set: func(s *agent.Screen) { s.Rows = append(s.Rows, "  more") }},
		"the cursor not in column 0": {Set: func(s *agent.Screen) { s.Col = 1 }},
		"the cursor further down":    {Set: func(s *agent.Screen) { s.Rows, s.Row = append(s.Rows, ""), 10 }},
		"the cursor in the box":      {Set: func(s *agent.Screen) { s.Row, s.Col = 6, 2 }, Input: placeholder},
		"the cursor not known":       {Set: func(s *agent.Screen) { s.Row = -1 }},
		"an answer":                  {Rows: map[int]string{2: "", 3: "  ✦ All done."}},
		"cancelled":                  {Rows: map[int]string{3: "  ● Request cancelled."}},
		"something attached":         {Rows: map[int]string{4: "  Attachments: [picture.png]"}},
		"a busy title, as in 0.24":   {Set: func(s *agent.Screen) { s.Title = "◐︎ Qwen - demo" }},
	} {
		s := agent.Screen{Rows: []string{"", "  > Say hello", "  ✕ [API Error: 429 Rate limit reached for demo-1, Used 3,", "    Requested 1. Please try again in 20s.] (Press Ctrl+Y to retry)", "",
			rule, ">   " + placeholder, rule, "  ? for shortcuts", ""},
			Row: 9, Cols: 100, Title: "Qwen - demo", FaintAbove: [][][2]int{{{2, 17}}, nil, {{3, 38}}, nil}}
		c.Check(t, name, &Qwen{}, s)
	}
}

// below puts a row below the mode, and the cursor of 0.15 below that.
func below(s *agent.Screen, row string) {
	s.Rows[s.Row] = row
	s.Rows, s.Row = append(s.Rows, ""), s.Row+1
	s.FaintAbove = append([][][2]int{nil}, s.FaintAbove...)
}

// What is typed is told without the blank of no width that stands behind it.
func TestTypedText(t *testing.T) {
	rule := strings.Repeat("─", 100)
	s := agent.Screen{Rows: []string{"", "  ✕ [API Error: x] (Press Ctrl+Y to retry)", "", rule, "> continue \u200b", rule, "  demo", "  Auto mode"}, Row: 4, Col: 10}
	if v := (&Qwen{}).Screen(s); v.Ready || v.Input != "continue" {
		t.Errorf("%+v", v)
	}
}

// Each sign alone is enough.
func TestScreenSigns(t *testing.T) {
	rule := strings.Repeat("─", 100)
	for name, c := range map[string]agenttest.Sign{
		"none":                 {Ready: true},
		"in yolo mode":         {Rows: map[int]string{6: "*   " + placeholder}, Ready: true},
		"busy":                 {Set: func(s *agent.Screen) { s.Title = "◐︎ Qwen - demo" }},
		"asking":               {Set: func(s *agent.Screen) { s.Title = "✳︎ Qwen - demo" }},
		"busy by its footer":   {Rows: map[int]string{9: "  Enter to steer · Ctrl+Q to queue · Auto mode (shift + tab to cycle)"}},
		"its words, typed":     {Set: func(s *agent.Screen) { s.Faint = nil }, Input: placeholder},
		"text":                 {Rows: map[int]string{6: "> x"}, Input: "x"},
		"text elsewhere":       {Rows: map[int]string{1: "  > Say hello", 2: "", 3: "  ◆ All done.", 6: "> x"}},
		"a suggestion":         {Rows: map[int]string{6: "> All done."}, Set: func(s *agent.Screen) { s.Faint = [][2]int{{2, 50}} }, Input: "All done."},
		"a blank typed":        {Set: func(s *agent.Screen) { s.Col = 3 }, Input: placeholder},
		"two rows":             {Rows: map[int]string{7: "  and more"}},
		"vim's INSERT mode":    {Rows: map[int]string{6: ">   " + vimHint, 9: "  -- INSERT --"}, Set: func(s *agent.Screen) { s.Faint = [][2]int{{3, 60}} }, Ready: true},
		"vim's NORMAL mode":    {Rows: map[int]string{6: ">   " + vimHint, 9: "  -- NORMAL --"}, Set: func(s *agent.Screen) { s.Faint = [][2]int{{3, 60}} }},
		"text in NORMAL mode":  {Rows: map[int]string{6: "> x", 9: "  -- NORMAL --"}},
		"one Escape":           {Rows: map[int]string{9: "  Press Esc again to rewind conversation."}},
		"a task in its back":   {Rows: map[int]string{9: "  ⏸ Ask permissions (shift + tab to cycle) · 1 shell"}, Ready: true},
		"how full it is":       {Set: func(s *agent.Screen) { s.Rows = append(s.Rows, "  1.2% used") }, Ready: true},
		"more beside that":     {Set: func(s *agent.Screen) { s.Rows = append(s.Rows, "  docker | Debug Mode | 1.2% used | ◎ /goal active") }, Ready: true},
		"two rows of that":     {Set: func(s *agent.Screen) { s.Rows = append(s.Rows, "  1.2% used", "  1.2% used") }},
		"NORMAL mode above it": {Rows: map[int]string{6: ">   " + vimHint, 9: "  -- NORMAL --"}, Set: func(s *agent.Screen) { s.Rows = append(s.Rows, "  1.2% used") }},
		"busy above it":        {Rows: map[int]string{9: "  Enter to steer · Ctrl+Q to queue"}, Set: func(s *agent.Screen) { s.Rows = append(s.Rows, "  1.2% used") }},
		"a menu":               {Set: func(s *agent.Screen) { s.Rows = append(s.Rows, "  (1/81)") }},
		"no footer":            {Set: func(s *agent.Screen) { s.Rows = s.Rows[:8] }},
		"an answer":            {Rows: map[int]string{1: "  > Say hello", 2: "", 3: "  ◆ All done."}},
		"an answer quotes":     {Rows: map[int]string{1: "", 2: "  ◆ All done.", 3: "  (Press Ctrl+Y to retry)"}},
		"cancelled":            {Rows: map[int]string{3: "  ● Request cancelled."}},
		"went on":              {Rows: map[int]string{3: "    Requested 1. Please try again in 20s.]"}},
		"a prompt that quotes": {Rows: map[int]string{1: "", 2: "  > ✕ [API Error: x]", 3: "    (Press Ctrl+Y to retry)"}},
		"its hint is broken":   {Rows: map[int]string{2: "  ✕ [API Error: x] (Press", 3: "    Ctrl+Y to retry)"}, Ready: true},
		"cursor elsewhere":     {Set: func(s *agent.Screen) { s.Row = 2 }},
		"cursor not known":     {Set: func(s *agent.Screen) { s.Row = -1 }},
	} {
		s := agent.Screen{Rows: []string{"", "  > Say hello", "  ✕ [API Error: 429 Rate limit reached for demo-1, Used 3,", "    Requested 1. Please try again in 20s.] (Press Ctrl+Y to retry)", "",
			rule, ">   " + placeholder, rule, "  ➜ demo · git:(master) · demo-1", "  ⏸ Ask permissions (shift + tab to cycle)"},
			Row: 6, Col: 2, Cols: 100, Title: "Qwen - demo", Faint: [][2]int{{3, 38}}}
		c.Check(t, name, &Qwen{}, s)
	}
}

// In 0.15 the end of a hint that is broken has the color of the error (Dracula in 60 columns, as tmux tells it).
func TestBrokenHint(t *testing.T) {
	rule := strings.Repeat("─", 60)
	const hint, failure = "\x1b[38;2;98;114;164m", "\x1b[38;2;255;85;85m"
	for color, ready := range map[string]bool{hint: true, failure: false, "\x1b[38;2;255;121;198m": false} {
		rows := []string{"  ✕ " + failure + "[API Error: x] " + hint + "(Press Ctrl+Y to", "\x1b[39m    " + failure + "retry)", "", "\x1b[39m" + rule,
			"> \x1b[7m\x1b[39m \x1b[0m" + color + "\x1b[49m " + placeholder, "\x1b[39m" + rule, "  ? for shortcuts", "  0.1% used", ""}
		s := agent.ParseScreen(strings.Join(rows, "\n")+"\n", 8, 0, "Qwen - demo")
		if v := (&Qwen{}).Screen(s); v.Ready != ready {
			t.Errorf("%q: %+v", color, v)
		}
	}
}
