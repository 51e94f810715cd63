package wrap

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/internal/peer"
)

// TypeRequest is what Info.Type types: a text or one key, never both.
type TypeRequest struct {
	Keys uint64 `json:"keys"`           // as counted when the screen was judged
	Text string `json:"text,omitempty"` // printable runes alone, at most maxText bytes
	Key  Key    `json:"key,omitempty"`
}

// order is a TypeRequest on its way. A suspended wrapper finds it when its user comes back; by then
// nobody wants it any more.
type order struct {
	TypeRequest
	By time.Time `json:"by"`
}

// Key is a key that may be typed by itself.
type Key string

// The keys that submit a prompt, and close what lies over it.
const (
	Enter  Key = "enter"
	Escape Key = "escape"
)

const maxText = 4096

// bytes gives what is to be written.
func (r TypeRequest) bytes() ([]byte, error) {
	switch {
	case (r.Text == "") == (r.Key == ""):
		return nil, errors.New("a text or a key is needed, and not both")
	case r.Key == Enter:
		return []byte{'\r'}, nil
	case r.Key == Escape:
		return []byte{0x1b}, nil
	case r.Key != "":
		return nil, fmt.Errorf("no such key: %q", r.Key)
	case len(r.Text) > maxText || !utf8.ValidString(r.Text):
		return nil, fmt.Errorf("the text is not UTF-8 or has more than %d bytes", maxText)
	}
	for _, c := range r.Text {
		if !unicode.IsPrint(c) {
			return nil, fmt.Errorf("the text has the control character %U", c)
		}
	}
	return []byte(r.Text), nil
}

// ErrPerson says that a person typed since the screen was judged, or types now. Nothing was written.
var ErrPerson = errors.New("a person typed into the terminal")

// view answers GET /v1/screen.
type view struct {
	Screen agent.Screen `json:"screen"`
	Keys   uint64       `json:"keys"`
}

// serve opens the wrapper's socket.
func (h *host) serve() error {
	_ = os.Remove(h.info.Socket) // of a dead wrapper whose program had the same pid
	l, err := net.Listen("unix", h.info.Socket)
	if err != nil {
		return err
	}
	if err := os.Chmod(h.info.Socket, 0o600); err != nil { // in a folder of 0700
		l.Close()
		return err
	}
	size, err := unix.IoctlGetWinsize(h.tty.fd, unix.TIOCGWINSZ)
	if err != nil {
		l.Close()
		return err
	}
	h.listener, h.emu = l, newEmulator(int(size.Col), int(size.Row))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/screen", h.ours(h.getScreen))
	mux.HandleFunc("POST /v1/type", h.ours(h.postType))
	srv := &http.Server{Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: 10 * time.Second}
	h.goes(func() { _ = srv.Serve(peer.Where(l, h.isDaemon)) }) // until the listener closes
	return nil
}

// isDaemon lets the daemon alone look at the screen and press keys: a tool of the agent whose sandbox
// lets it reach sockets could give itself the answers that its user is asked for.
func (h *host) isDaemon(c net.Conn) bool {
	uid, err := peer.UID(c)
	if err != nil || uid != os.Getuid() && uid != 0 {
		return false
	}
	pid, err := peer.PID(c)
	d, ok := peer.Running(h.o.Lock)
	return err == nil && ok && pid == d.PID && !agent.Below(h.o.Procs, pid, os.Getpid())
}

// ours refuses a question about an older program with the same pid.
func (h *host) ours(f http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("start") != strconv.FormatUint(h.info.Child.Start, 10) {
			http.Error(w, "another program runs here now", http.StatusNotFound)
			return
		}
		f(w, r)
	}
}

func (h *host) getScreen(w http.ResponseWriter, r *http.Request) {
	select {
	case h.input <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	keys := h.in.keys
	<-h.input
	s, ok := h.emu.screen()
	if !ok {
		http.Error(w, "the screen is not known", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(view{s, keys})
}

func (h *host) postType(w http.ResponseWriter, r *http.Request) {
	var req order
	err := json.NewDecoder(io.LimitReader(r.Body, 8*maxText)).Decode(&req)
	var b []byte
	if err == nil {
		b, err = req.bytes()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	select {
	case h.input <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	defer func() { <-h.input }()
	switch {
	case r.Context().Err() != nil || !time.Now().Before(req.By):
		http.Error(w, "it came too late", http.StatusGone)
	case h.in.keys != req.Keys || h.in.pasting || readable(h.tty.fd, 0):
		http.Error(w, ErrPerson.Error(), http.StatusConflict)
	case h.stopped.Load():
		http.Error(w, "the program is suspended", http.StatusServiceUnavailable)
	default:
		if err := write(h.master, b, time.Now().Add(time.Second)); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// Screen gives what the program's terminal shows now, and how often a person typed until now.
func (i Info) Screen(ctx context.Context) (agent.Screen, uint64, error) {
	var v view
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	err := i.ask(ctx, "/v1/screen", nil, &v)
	return v.Screen, v.Keys, err
}

// askPatience bounds a question whose context does not.
const askPatience = 5 * time.Second

// Type types into the program's terminal, before ctx ends or never. It gives ErrPerson, and has written nothing, when a person
// typed after the screen was judged. After any other error a part of the text may stand there.
func (i Info) Type(ctx context.Context, r TypeRequest) error {
	if _, err := r.bytes(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	by, _ := ctx.Deadline()
	return i.ask(ctx, "/v1/type", order{r, by}, nil)
}

func (i Info) ask(ctx context.Context, path string, body, answer any) error {
	return request(ctx, i.Socket, path+"?start="+strconv.FormatUint(i.Child.Start, 10), body, answer)
}

// request puts one question to a unix socket; with a body it is a POST.
func request(ctx context.Context, socket, path string, body, answer any) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	method, b := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		if b, err = json.Marshal(body); err != nil {
			return err
		}
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://clawd"+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusConflict:
		return ErrPerson
	case resp.StatusCode >= 300:
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1024))
		return fmt.Errorf("the wrapper answers: %s", bytes.TrimSpace(text))
	case answer == nil:
		return nil
	}
	return json.NewDecoder(io.LimitReader(resp.Body, 16<<20)).Decode(answer)
}
