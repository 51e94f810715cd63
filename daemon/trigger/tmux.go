package trigger

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// tmuxTime bounds one call of tmux.
const tmuxTime = 2 * time.Second

// pane is the tmux pane that shows a process.
type pane struct {
	holder holder
	server []string // arguments that name the server
	id     string
	old    bool // the server is older than 3.0
}

var paneID = lazyregexp.New(`^%[0-9]+$`)

// pane finds the pane by what the process itself was told of it, else by its terminal.
func (t *Trigger) pane(ctx context.Context, h detect.Holder) (Terminal, error) {
	p := &pane{holder: t.holder(h)}
	configured := t.Tmux()
	switch {
	case h.Tmux != "":
		p.server, p.id = []string{"-S", h.Tmux}, h.Pane
		if err := ownSocket(h.Tmux); err != nil {
			return nil, err
		}
	case filepath.IsAbs(configured):
		p.server = []string{"-S", configured}
	default:
		p.server = []string{"-L", configured}
	}
	if p.id == "" {
		out, err := p.run(ctx, "list-panes", "-a", "-F", "#{pane_id} #{pane_tty}")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(out) {
			if id, tty, _ := strings.Cut(strings.TrimSpace(line), " "); tty == h.TTY {
				p.id = id
			}
		}
	}
	if !paneID.MatchString(p.id) {
		return nil, errors.New("no tmux pane shows its terminal")
	}
	return p, nil
}

// ownSocket: only a server of this user is asked.
func ownSocket(path string) error {
	fi, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("its tmux server is gone: %w", err)
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); fi.Mode()&os.ModeSocket == 0 || !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a tmux server of this user", path)
	}
	return nil
}

// what tmux is asked for, in one call with the screen, so that both are of one moment. Which program
// is in the foreground the kernel knows better: tmux only has its name.
const paneFormat = "#{pane_id} #{pane_dead} #{pane_in_mode} #{pane_input_off} #{pane_synchronized} #{cursor_y} #{cursor_x} #{pane_width} #{pane_tty} v#{version}"

// oldServer fits the versions that do not take keys as bytes. Up to 2.3 tmux does not tell its version.
var oldServer = lazyregexp.New(`^v(?:$|[12]\.)`)

func (p *pane) Look(ctx context.Context) (agent.Screen, error) {
	out, err := p.run(ctx, "display-message", "-p", "-t", p.id, paneFormat, ";",
		"display-message", "-p", "-t", p.id, "#{pane_title}", ";", "capture-pane", "-p", "-e", "-t", p.id)
	if err != nil {
		return agent.Screen{}, err
	}
	state, rest, _ := strings.Cut(out, "\n")
	title, screen, _ := strings.Cut(rest, "\n")
	f := strings.Fields(state)
	switch {
	case len(f) == 0 || f[0] != p.id:
		return agent.Screen{}, errors.New("its tmux pane is gone")
	case len(f) < 10: // a format that it does not know is empty
		return agent.Screen{}, &ElsewhereError{"its tmux is too old, clawd needs 2.2 or later: clawd cannot reach its terminal"}
	}
	p.old = oldServer.MatchString(f[9])
	if err := p.shows(f); err != nil {
		return agent.Screen{}, err
	}
	row, errR := strconv.Atoi(f[5])
	col, errC := strconv.Atoi(f[6])
	cols, errW := strconv.Atoi(f[7])
	if err := errors.Join(errR, errC, errW); err != nil {
		return agent.Screen{}, err
	}
	s := agent.ParseScreen(screen, row, col, title)
	s.Cols = cols
	return s, nil
}

// shows checks that the pane still shows the process, and that keys would reach it.
func (p *pane) shows(f []string) error {
	proc, ok := p.holder.procs.Get(p.holder.pid)
	switch {
	case !ok || proc.Zombie || proc.Start != p.holder.start:
		return errors.New("the process that had the session open is gone")
	case f[8] != proc.TTY:
		return &ElsewhereError{"it runs outside of the tmux pane that its environment names: clawd cannot reach its terminal"}
	case f[1] != "0":
		return errors.New("its tmux pane is dead")
	case proc.Foreground != proc.Group:
		return &BlockedError{"another program is in the foreground of its terminal"}
	case f[2] != "0":
		return &BlockedError{"its tmux pane is in copy mode"}
	case f[3] != "0":
		return &BlockedError{"input to its tmux pane is turned off"}
	case f[4] != "0":
		return &BlockedError{"its tmux pane is synchronized with others"}
	}
	return nil
}

// Press types bytes as hex, which no key name and no setting of tmux can change the meaning of; before 3.0, characters.
func (p *pane) Press(ctx context.Context, keys []byte) error {
	if _, err := p.Look(ctx); err != nil {
		return err
	}
	args := []string{"send-keys", "-t", p.id}
	if p.old {
		for _, r := range string(keys) {
			args = append(args, fmt.Sprintf("%#x", r))
		}
	} else {
		args = append(args, "-H")
		for _, b := range keys {
			args = append(args, hex.EncodeToString([]byte{b}))
		}
	}
	_, err := p.run(ctx, args...)
	return err
}

func (p *pane) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, tmuxTime)
	defer cancel()
	var out, problem bytes.Buffer
	cmd := exec.CommandContext(ctx, "tmux", append(append([]string{"-u"}, p.server...), args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMUX_TMPDIR=" + os.Getenv("TMUX_TMPDIR"), "TERM=dumb", "LC_ALL=C.UTF-8"}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &problem, time.Second
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("tmux: %w: %s", err, strings.TrimSpace(problem.String()))
	}
	return out.String(), nil
}
