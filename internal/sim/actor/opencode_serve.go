package actor

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Server plays opencode serve: one process that works in many sessions, for whoever asks it.
type Server struct {
	o      *OpenCode
	proc   *Proc
	guests []*opencode // sessions that it has worked in
}

// Serve starts opencode serve.
func (o *OpenCode) Serve(s Start, port int, now time.Time) *Server {
	argv := []string{"opencode", "serve", "--port", strconv.Itoa(port)}
	v := &Server{o: o, proc: o.w.Procs.Spawn("opencode", argv, o.w.Env, s.Dir, "", now)}
	v.proc.Open, v.proc.Listen = []string{o.log()}, []int{port}
	return v
}

// PID is the process's.
func (v *Server) PID() int { return v.proc.PID }

// Up tells whether it runs.
func (v *Server) Up() bool { return v.o.w.Procs.Proc(v.proc.PID) == v.proc }

// Listens tells whether it answers on a port.
func (v *Server) Listens(port int) bool { return v.Up() && slices.Contains(v.proc.Listen, port) }

// Begin gives a new session, which comes with its first prompt.
func (v *Server) Begin(s Start, now time.Time) (Session, error) {
	return v.guest(v.o.fresh(s, now), s), nil
}

// Open gives a session that lies on the disk.
func (v *Server) Open(id string, s Start) (Session, error) {
	if i := slices.IndexFunc(v.guests, func(p *opencode) bool { return p.id == id }); i >= 0 {
		return v.guests[i], nil
	}
	f := v.o.files[id]
	if f == nil || !there(f.path) {
		return nil, ErrCannot
	}
	return v.guest(f, s), nil
}

func (v *Server) guest(f *ocFile, s Start) *opencode {
	p := v.o.process(f, s)
	p.proc, p.server = v.proc, v
	v.guests = append(v.guests, p)
	return p
}

// end ends the process, and with it every turn.
func (v *Server) end(now time.Time, code int) error {
	var errs []error
	for _, p := range v.guests {
		errs = append(errs, p.exit(now, code, true))
	}
	return errors.Join(errs...)
}

// Status is what /session/status answers: sessions at rest are not in it.
func (v *Server) Status() []byte {
	all := map[string]map[string]any{}
	for _, p := range v.guests {
		switch {
		case p.Idle():
		case p.phase == retrying:
			all[p.id] = map[string]any{"type": "retry", "attempt": p.try + 1, "message": "Rate Limited", "next": p.due.UnixMilli()}
		default:
			all[p.id] = map[string]any{"type": "busy"}
		}
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return b
}

// Newest is what /session/ID/message?limit=1 answers.
func (v *Server) Newest(id string) []byte {
	at := `{"created":1,"completed":2}`
	for _, p := range v.guests {
		if p.id == id && !p.Idle() {
			at = `{"created":1}`
		}
	}
	return []byte(`[{"info":{"role":"assistant","time":` + at + `}}]`)
}

// Agents is what /agent answers.
func (v *Server) Agents() []byte {
	all := []map[string]string{}
	for _, r := range v.o.Roles {
		all = append(all, map[string]string{"name": r, "mode": "primary"})
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return b
}

// Asks takes the body of a prompt_async.
func (v *Server) Asks(s Session, body []byte, now time.Time) error {
	var q struct {
		MessageID, Agent string
		Parts            []struct{ Text string }
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return err
	}
	var text strings.Builder
	for _, p := range q.Parts {
		text.WriteString(p.Text)
	}
	p := s.(*opencode)
	p.role, p.wish = q.Agent, q.MessageID
	return p.Prompt(text.String(), Clawd, now)
}

// Own tells whether the process works in this session alone.
func (p *opencode) Own() bool { return p.server == nil }
