package provider

import (
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	pathMessages  = "/v1/messages"
	pathChat      = "/v1/chat/completions"
	pathResponses = "/v1/responses"
	pathGemini    = "/v1beta/models/"

	// sideText answers titles and the like.
	sideText = "Demo task"
	// maxBody bounds a request; the largest seen from an agent is below 1 MB.
	maxBody = 64 << 20
)

// Provider is the stand-in. It is an http.Handler and safe for concurrent use.
type Provider struct {
	mu      sync.Mutex
	log     []Request
	changed chan struct{} // closed and replaced when log changes
	queue   []Answer
	own     map[string][]Answer // by conversation
	rule    func(Request) *Answer
	aside   time.Duration // before the answer to a title and the like
}

// New returns a Provider that answers "All done." to everything.
func New() *Provider {
	return &Provider{changed: make(chan struct{}), own: map[string][]Answer{}}
}

// Queue appends answers for main requests of any conversation.
func (p *Provider) Queue(answers ...Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, answers...)
}

// QueueFor appends answers for the main requests of one conversation. They come before Queue's.
func (p *Provider) QueueFor(session string, answers ...Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.own[session] = append(p.own[session], answers...)
}

// SetRule puts a function before the queues. It is asked for each main request, in the order of
// their arrival, with one request at a time; nil leaves the request to the queues. It must not
// call the Provider.
func (p *Provider) SetRule(rule func(Request) *Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule = rule
}

// DelayAside has the answers to titles and the like come later, as they do from a real model.
func (p *Provider) DelayAside(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aside = d
}

// Requests returns a copy of the log, in the order of arrival.
func (p *Provider) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.log)
}

// Main returns the main requests of the log.
func (p *Provider) Main() []Request {
	return slices.DeleteFunc(p.Requests(), func(r Request) bool { return !r.Main })
}

// Wait blocks until done says yes to the main requests of the log, or ctx ends: then it returns
// the context's error.
func (p *Provider) Wait(ctx context.Context, done func(main []Request) bool) error {
	for {
		p.mu.Lock()
		changed := p.changed
		p.mu.Unlock()
		if done(p.Main()) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ServeHTTP answers a request. Unknown routes get 404 with an empty body; HEAD gets 200 anywhere,
// since agents probe the connection with it.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "body", http.StatusRequestEntityTooLarge)
		return
	}
	req := describe(r, raw, time.Now())
	switch {
	case req.Method == http.MethodHead:
		p.quiet(w, req, http.StatusOK, "")
	case req.Method == http.MethodPost && apiOf(req.Path) != nil:
		index, answer := p.take(req)
		defer p.finish(index)
		p.answer(w, r, req, answer)
	case req.Method == http.MethodPost && req.Path == pathMessages+"/count_tokens":
		p.quiet(w, req, http.StatusOK, `{"input_tokens":100}`)
	default:
		p.quiet(w, req, http.StatusNotFound, "")
	}
}

// take logs a request and picks its answer, in one step, so that the log's order is the script's.
func (p *Provider) take(req Request) (index int, a Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a = p.pick(req)
	req.Status = a.Status
	if req.Status == 0 && !a.Refuse && !a.Cut {
		req.Status = http.StatusOK
	}
	p.log = append(p.log, req)
	p.notify()
	return len(p.log) - 1, a
}

// pick needs p.mu.
func (p *Provider) pick(req Request) Answer {
	if !req.Main {
		a := Text(apiOf(req.Path).side())
		a.Delay = p.aside
		return a
	}
	if p.rule != nil {
		if a := p.rule(req); a != nil {
			return *a
		}
	}
	if own := p.own[req.Session]; len(own) > 0 {
		p.own[req.Session] = own[1:]
		return own[0]
	}
	if len(p.queue) > 0 {
		a := p.queue[0]
		p.queue = p.queue[1:]
		return a
	}
	return Text("All done.")
}

func (p *Provider) finish(index int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log[index].End = time.Now()
	p.notify()
}

// notify needs p.mu.
func (p *Provider) notify() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// answer waits as told and then speaks the API of the request's path.
func (p *Provider) answer(w http.ResponseWriter, r *http.Request, req Request, a Answer) {
	if !waited(r.Context(), a) {
		return
	}
	if a.Refuse {
		panic(http.ErrAbortHandler)
	}
	now := time.Now()
	maps.Copy(w.Header(), a.headers(now))
	api := apiOf(req.Path)
	switch {
	case a.Status != 0:
		f := api.failure(a, now)
		maps.Copy(w.Header(), f.header)
		writeJSON(w, f.status, f.body)
	case req.Stream:
		stream(w, api.events(req, a), a.Cut)
	case a.Cut:
		w.Header().Set("Content-Length", "100000")
		w.WriteHeader(http.StatusOK)
		panic(http.ErrAbortHandler)
	default:
		writeJSON(w, http.StatusOK, api.whole(req, a))
	}
}

// apiOf gives the API of a path that asks a model; nil: it does not.
func apiOf(path string) renderer {
	switch {
	case path == pathMessages:
		return anthropic{}
	case path == pathChat:
		return openAI{}
	case path == pathResponses:
		return responses{}
	case isGemini(path):
		return gemini{}
	}
	return nil
}

// waited keeps the delay and the gate of an answer; false: the client has gone.
func waited(ctx context.Context, a Answer) bool {
	if a.Delay > 0 {
		t := time.NewTimer(a.Delay)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return false
		}
	}
	if a.Gate == nil {
		return true
	}
	select {
	case <-a.Gate:
		return true
	case <-ctx.Done():
		return false
	}
}

func (a Answer) headers(now time.Time) http.Header {
	if a.Header == nil {
		return nil
	}
	return a.Header(now)
}

// quiet logs and answers a request that takes no answer from the script.
func (p *Provider) quiet(w http.ResponseWriter, req Request, status int, body string) {
	p.mu.Lock()
	req.Main, req.Status, req.End = false, status, req.At
	p.log = append(p.log, req)
	p.notify()
	p.mu.Unlock()
	if body != "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_, _ = io.Copy(w, strings.NewReader(body)) // the client may be gone; nothing depends on it
}

func closeOnce(c chan struct{}) func() {
	return sync.OnceFunc(func() { close(c) })
}
