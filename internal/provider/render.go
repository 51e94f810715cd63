package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// renderer speaks one API.
type renderer interface {
	failure(a Answer, now time.Time) refusal
	whole(req Request, a Answer) any
	events(req Request, a Answer) []event
	side() string // what a side request is told
}

// refusal is an error in the words of one API.
type refusal struct {
	status int
	header http.Header // on top of the Answer's own
	body   any
}

// event is one server-sent event. Empty name: a data line alone.
type event struct {
	name string
	data any // a string is written as it is
}

type object = map[string]any

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone; nothing depends on it
}

// stream writes events. With cut the connection breaks before the closing ones: the renderer
// has left them out.
func stream(w http.ResponseWriter, events []event, cut bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	for _, e := range events {
		if e.name != "" {
			fmt.Fprintf(w, "event: %s\n", e.name)
		}
		if s, ok := e.data.(string); ok {
			fmt.Fprintf(w, "data: %s\n\n", s)
			continue
		}
		data, err := json.Marshal(e.data)
		if err != nil {
			panic(err) // an Input that is no JSON is a defect of the script
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	if cut {
		panic(http.ErrAbortHandler)
	}
}

func (a Answer) tokens() int {
	if a.InputTokens > 0 {
		return a.InputTokens
	}
	return 100
}

// anthropic speaks the Messages API.
type anthropic struct{}

func (anthropic) side() string { return sideText }

func (anthropic) failure(a Answer, _ time.Time) refusal {
	return refusal{status: a.Status,
		body: object{"type": "error", "error": object{"type": a.Type, "message": a.Message}, "request_id": newID("req_")}}
}

func (anthropic) message(req Request, a Answer) object {
	return object{"id": newID("msg_"), "type": "message", "role": "assistant", "model": req.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": a.tokens(), "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}}
}

func (anthropic) stopReason(a Answer) string {
	if a.Tool != "" {
		return "tool_use"
	}
	return "end_turn"
}

func (api anthropic) whole(req Request, a Answer) any {
	content := []any{object{"type": "text", "text": a.Text}}
	if a.Tool != "" {
		content = append(content, object{"type": "tool_use", "id": newID("toolu_"), "name": a.Tool, "input": a.Input})
	}
	m := api.message(req, a)
	m["content"], m["stop_reason"] = content, api.stopReason(a)
	return m
}

func (api anthropic) events(req Request, a Answer) []event {
	events := []event{
		{"message_start", object{"type": "message_start", "message": api.message(req, a)}},
		{"content_block_start", object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}}},
		{"content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": object{"type": "text_delta", "text": a.Text}}},
	}
	if a.Cut {
		return events
	}
	events = append(events, event{"content_block_stop", object{"type": "content_block_stop", "index": 0}})
	if a.Tool != "" {
		events = append(events,
			event{"content_block_start", object{"type": "content_block_start", "index": 1,
				"content_block": object{"type": "tool_use", "id": newID("toolu_"), "name": a.Tool, "input": object{}}}},
			event{"content_block_delta", object{"type": "content_block_delta", "index": 1,
				"delta": object{"type": "input_json_delta", "partial_json": jsonText(a.Input)}}},
			event{"content_block_stop", object{"type": "content_block_stop", "index": 1}})
	}
	return append(events,
		event{"message_delta", object{"type": "message_delta", "delta": object{"stop_reason": api.stopReason(a), "stop_sequence": nil},
			"usage": object{"output_tokens": 10}}},
		event{"message_stop", object{"type": "message_stop"}})
}

// openAI speaks chat completions.
type openAI struct{}

func (openAI) side() string { return sideText }

func (openAI) failure(a Answer, _ time.Time) refusal {
	return refusal{status: a.Status, body: object{"error": object{"message": a.Message, "type": a.Type, "param": nil, "code": a.Type}}}
}

func (openAI) finish(a Answer) string {
	if a.Tool != "" {
		return "tool_calls"
	}
	return "stop"
}

func (openAI) toolCalls(a Answer) []any {
	return []any{object{"index": 0, "id": newID("call_"), "type": "function",
		"function": object{"name": a.Tool, "arguments": jsonText(a.Input)}}}
}

func (openAI) usage(a Answer) object {
	return object{"prompt_tokens": a.tokens(), "completion_tokens": 10, "total_tokens": a.tokens() + 10}
}

func (api openAI) whole(req Request, a Answer) any {
	message := object{"role": "assistant", "content": a.Text}
	if a.Tool != "" {
		message["tool_calls"] = api.toolCalls(a)
	}
	return object{"id": newID("chatcmpl-"), "object": "chat.completion", "created": 1, "model": req.Model,
		"choices": []any{object{"index": 0, "message": message, "finish_reason": api.finish(a)}}, "usage": api.usage(a)}
}

func (api openAI) events(req Request, a Answer) []event {
	id := newID("chatcmpl-")
	chunk := func(delta object, finish any) event {
		return event{"", object{"id": id, "object": "chat.completion.chunk", "created": 1, "model": req.Model,
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}}}
	}
	events := []event{chunk(object{"role": "assistant", "content": a.Text}, nil)}
	if a.Cut {
		return events
	}
	if a.Tool != "" {
		events = append(events, chunk(object{"tool_calls": api.toolCalls(a)}, nil))
	}
	last := chunk(object{}, api.finish(a))
	last.data.(object)["usage"] = api.usage(a)
	return append(events, last, event{"", "[DONE]"})
}
