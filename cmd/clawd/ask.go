package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/clawd-project/clawd/daemon"
)

// ask puts a question to the running daemon.
func ask(ctx context.Context, path string, answer any) error {
	return call(ctx, http.MethodGet, path, nil, answer)
}

// call asks the running daemon, or gives it an order.
func call(ctx context.Context, method, path string, order, answer any) error {
	var body io.Reader
	if order != nil {
		b, err := json.Marshal(order)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	real := userPaths().socket
	socket := real
	if method == http.MethodGet && !answers(ctx, real) && answers(ctx, daemon.DrySocket(real)) {
		socket = daemon.DrySocket(real)
	}
	client := &http.Client{Timeout: askPatience, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	req, err := http.NewRequestWithContext(ctx, method, "http://clawd"+path, body)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if absent(err) && answers(ctx, daemon.DrySocket(real)) {
		return &codeError{exitNoDaemon, errors.New("only a dry run is running, which takes no orders; start \"clawd run\" or the service")}
	}
	if err != nil {
		return unanswered(err, socket)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return problem(resp)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 64<<20)).Decode(answer); err != nil {
		return fmt.Errorf("the daemon's answer cannot be read: %w; %s", err, otherVersion)
	}
	return nil
}

// askPatience is how long the daemon has for its answer.
const askPatience = 10 * time.Second

// absent tells whether nobody listens at a socket.
func absent(err error) bool {
	op := (*net.OpError)(nil)
	return errors.As(err, &op) && op.Op == "dial" && !errors.Is(err, fs.ErrPermission)
}

// unanswered words why a question had no answer.
func unanswered(err error, socket string) error {
	req := (*url.Error)(nil)
	switch {
	case absent(err):
		return &codeError{exitNoDaemon, fmt.Errorf("no daemon is running (no answer at %s); start it with \"clawd run\" or your service manager", socket)}
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the daemon at %s belongs to another user; ask as that user", socket)
	case !errors.As(err, &req):
		return err
	case req.Timeout():
		return fmt.Errorf("the daemon at %s has not answered for %s: it is stopped, or its disk hangs; it may still do what it was asked", socket, askPatience)
	}
	return fmt.Errorf("the daemon at %s ended before it answered (%w); see its log", socket, req.Err)
}

// otherVersion is what to do about a daemon that does not speak as this command does.
const otherVersion = "it may be of another version than this command: restart it"

// answers tells whether somebody listens at a socket.
func answers(ctx context.Context, socket string) bool {
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "unix", socket)
	return err == nil && conn.Close() == nil
}

// problem words an answer that is none.
func problem(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	var p daemon.Problem
	switch unknown := json.Unmarshal(text, &p) != nil || p.Error == ""; {
	case unknown && resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("the daemon does not know this question; %s", otherVersion)
	case unknown:
		return fmt.Errorf("the daemon answers: %s: %s", resp.Status, tame(strings.TrimSpace(string(text))))
	}
	said := tame(p.Error)
	for _, s := range p.Sessions {
		said += "\n  " + tame(s)
	}
	if p.Command != "" {
		said += "\ntype: " + tame(p.Command)
	}
	code := exitFailed
	switch resp.StatusCode {
	case http.StatusNotFound:
		code = exitNoSession
	case http.StatusBadRequest:
		code = exitUsage
	}
	return &codeError{code, errors.New(said)}
}
