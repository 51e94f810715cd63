package sim

import (
	"context"
	"fmt"
	"syscall"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/agent/claude"
	"github.com/clawd-project/clawd/agent/codex"
	"github.com/clawd-project/clawd/agent/copilot"
	"github.com/clawd-project/clawd/agent/gemini"
	"github.com/clawd-project/clawd/agent/opencode"
	"github.com/clawd-project/clawd/agent/pi"
	"github.com/clawd-project/clawd/agent/qwen"
	"github.com/clawd-project/clawd/detect"
)

// faulty is an agent whose files cannot always be read.
func (r *run) faulty(a agent.Agent) agent.Agent {
	switch a := a.(type) {
	case *claude.Claude:
		return faultyClaude{a, r}
	case *codex.Codex:
		return faultyCodex{a, r}
	case *copilot.Copilot:
		return faultyCopilot{a, r}
	case *gemini.Gemini:
		return faultyGemini{a, r}
	case *opencode.OpenCode:
		return faultyOpenCode{a, r}
	case *pi.Pi:
		return faultyPi{a, r}
	case *qwen.Qwen:
		return faultyQwen{a, r}
	}
	return a
}

// broken is the error of a disk, now and then while it has it, or always.
func (r *run) broken() error {
	if !r.is(blinds) || !r.blind && r.chance.IntN(2) == 0 {
		return nil
	}
	return fmt.Errorf("read: %w", syscall.EIO)
}

// Embedding keeps what an agent can do beside agent.Agent.
type (
	faultyClaude struct {
		*claude.Claude
		r *run
	}
	faultyCodex struct {
		*codex.Codex
		r *run
	}
	faultyCopilot struct {
		*copilot.Copilot
		r *run
	}
	faultyGemini struct {
		*gemini.Gemini
		r *run
	}
	faultyOpenCode struct {
		*opencode.OpenCode
		r *run
	}
	faultyPi struct {
		*pi.Pi
		r *run
	}
	faultyQwen struct {
		*qwen.Qwen
		r *run
	}
)

func (r *run) reads(ctx context.Context, a agent.Agent, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	b, err := a.Read(ctx, s, from, each)
	if broken := r.broken(); broken != nil {
		return agent.Batch{}, broken
	}
	return b, err
}

func (r *run) lives(ctx context.Context, a agent.Agent, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	if broken := r.broken(); broken != nil {
		return nil, broken
	}
	return a.Live(ctx, s, i)
}

// Read may fail.
func (f faultyClaude) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	return f.r.reads(ctx, f.Claude, s, from, each)
}

// Live may fail.
func (f faultyClaude) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	return f.r.lives(ctx, f.Claude, s, i)
}

// Read may fail.
func (f faultyCodex) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	return f.r.reads(ctx, f.Codex, s, from, each)
}

// Live may fail.
func (f faultyCodex) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	return f.r.lives(ctx, f.Codex, s, i)
}

// Read may fail.
func (f faultyCopilot) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	return f.r.reads(ctx, f.Copilot, s, from, each)
}

// Live may fail.
func (f faultyCopilot) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	return f.r.lives(ctx, f.Copilot, s, i)
}

// Read may fail.
func (f faultyGemini) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	return f.r.reads(ctx, f.Gemini, s, from, each)
}

// Live may fail.
func (f faultyGemini) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	return f.r.lives(ctx, f.Gemini, s, i)
}

// Read may fail.
func (f faultyOpenCode) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	return f.r.reads(ctx, f.OpenCode, s, from, each)
}

// Live may fail.
func (f faultyOpenCode) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	return f.r.lives(ctx, f.OpenCode, s, i)
}

// Read may fail.
func (f faultyPi) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	return f.r.reads(ctx, f.Pi, s, from, each)
}

// Live may fail.
func (f faultyPi) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	return f.r.lives(ctx, f.Pi, s, i)
}

// Read may fail.
func (f faultyQwen) Read(ctx context.Context, s detect.Session, from agent.Cursor, each func(detect.Event)) (agent.Batch, error) {
	return f.r.reads(ctx, f.Qwen, s, from, each)
}

// Live may fail.
func (f faultyQwen) Live(ctx context.Context, s detect.Session, i detect.Info) ([]detect.Holder, error) {
	return f.r.lives(ctx, f.Qwen, s, i)
}
