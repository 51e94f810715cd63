package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/clawd-project/clawd/daemon/machine"
	"github.com/clawd-project/clawd/internal/peer"
	"github.com/clawd-project/clawd/internal/plain"
)

type control struct {
	d    *Daemon
	path string // of the socket

	mu sync.Mutex // guards what follows
	l  net.Listener
	u  *net.UnixListener // below l
}

// DrySocket is where a dry run answers questions, beside the socket of the real daemon.
func DrySocket(socket string) string { return filepath.Join(filepath.Dir(socket), "dry-run.sock") }

// listen opens the socket. A socket that a dead daemon left is replaced; the user's lock says that
// it is dead.
func (d *Daemon) listen() (*control, error) {
	c := &control{d: d, path: d.o.Socket}
	if c.path == "" {
		return c, nil
	}
	if d.dry() {
		c.path = DrySocket(c.path)
		if other, err := net.Dial("unix", c.path); err == nil { // a second dry run is not asked
			return c, other.Close()
		}
	}
	if err := ownDir(filepath.Dir(c.path)); err != nil {
		return nil, err
	}
	switch fi, err := os.Lstat(c.path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case fi.Mode()&fs.ModeSocket == 0:
		return nil, fmt.Errorf("%s is there and is no socket; move it away", c.path)
	default:
		if err := os.Remove(c.path); err != nil {
			return nil, err
		}
	}
	return c, c.bind()
}

// bind makes the socket.
func (c *control) bind() error {
	l, err := net.Listen("unix", c.path)
	if errors.Is(err, syscall.EINVAL) { // sun_path is 108 bytes, 104 on macOS, and the name ends with a zero
		return fmt.Errorf("the control socket cannot be opened: its path is too long (%d bytes): %s; set XDG_RUNTIME_DIR or XDG_STATE_HOME to a folder with a shorter one", len(c.path), c.path)
	}
	if err != nil {
		return fmt.Errorf("the control socket cannot be opened: %w", err)
	}
	// The folder is 0700, so nobody else got in between.
	if err := os.Chmod(c.path, 0o600); err != nil {
		l.Close()
		return err
	}
	c.u, _ = l.(*net.UnixListener)
	c.l = peer.Only(l)
	return nil
}

// renew makes the socket again where somebody removed it.
func (c *control) renew() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.l == nil {
		return nil
	}
	if _, err := os.Lstat(c.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := ownDir(filepath.Dir(c.path)); err != nil {
		return err
	}
	c.u.SetUnlinkOnClose(false) // it would take the new one away
	old := c.l
	if err := c.bind(); err != nil {
		return err
	}
	c.d.log.Warn().Str("event", "socket_made_again").Str("path", c.path).Msg("the control socket was gone; it is there again")
	return old.Close()
}

// serve answers until ctx ends.
func (c *control) serve(ctx context.Context) {
	if c.l == nil {
		return
	}
	srv := &http.Server{Handler: c.handler(), ConnContext: asker, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	for {
		l := c.listener()
		err := srv.Serve(l)
		if ctx.Err() != nil {
			return
		}
		if l == c.listener() {
			c.d.log.Error().Str("event", "control_error").Err(err).Msg("the control socket is closed")
			return
		}
	}
}

// handler answers questions, and takes orders where this is no rehearsal: what it would write down holds for the real one.
func (c *control) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", func(w http.ResponseWriter, _ *http.Request) { answer(w, c.d.Status) })
	mux.HandleFunc("GET /v1/unknown", func(w http.ResponseWriter, _ *http.Request) { answer(w, c.d.store.Unknown) })
	mux.HandleFunc("POST /v1/wraps/ended", func(http.ResponseWriter, *http.Request) { c.d.revisit() }) // its file says what
	mux.HandleFunc("GET /v1/why", func(w http.ResponseWriter, r *http.Request) {
		answer(w, func() (Why, error) { return c.d.Why(r.Context(), r.URL.Query().Get("session")) })
	})
	if c.d.dry() {
		return mux
	}
	for _, kind := range []machine.OrderKind{machine.Resume, machine.Cancel, machine.Ignore} {
		mux.HandleFunc("POST /v1/"+string(kind), func(w http.ResponseWriter, r *http.Request) {
			answer(w, func() (Done, error) { return c.ordered(w, r, kind) })
		})
	}
	return mux
}

// ordered takes an order from a person.
func (c *control) ordered(w http.ResponseWriter, r *http.Request, kind machine.OrderKind) (Done, error) {
	if err := c.d.person(r); err != nil {
		return Done{}, err
	}
	var o Order
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096)).Decode(&o); err != nil {
		return Done{}, &askError{fmt.Errorf("the order cannot be read: %w", err), http.StatusBadRequest, nil}
	}
	return c.d.Obey(r.Context(), kind, o)
}

func (c *control) listener() net.Listener {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.l
}

func answer[T any](w http.ResponseWriter, ask func() (T, error)) {
	v, err := ask()
	w.Header().Set("Content-Type", "application/json")
	if err == nil {
		_ = json.NewEncoder(plain.JSON(w)).Encode(v) // the asker may be gone
		return
	}
	code, p := http.StatusInternalServerError, Problem{Error: err.Error()}
	var asked *askError
	var no *machine.OrderError
	switch {
	case errors.As(err, &asked):
		code, p.Sessions = asked.code, asked.sessions
	case errors.As(err, &no):
		code, p.Command = http.StatusConflict, no.Command
	}
	w.WriteHeader(code)
	_ = json.NewEncoder(plain.JSON(w)).Encode(p)
}
