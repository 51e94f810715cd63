package provider

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// responses speaks the OpenAI Responses API, with the limits of a ChatGPT plan.
type responses struct{}

func (responses) side() string { return sideText }

// usedPercent of the window that is not used up.
const usedPercent = "30"

func (responses) failure(a Answer, now time.Time) refusal {
	code, message, status := a.Type, a.Message, a.Status
	switch a.kind {
	case usedUp:
		return planLimit(a, now)
	case throttled:
		code, message = "rate_limit_exceeded", "Rate limit reached for this model on requests per min."
	case overloaded:
		code, message, status = "server_is_overloaded", "Our servers are currently overloaded. Please try again later.", http.StatusServiceUnavailable
	case noCredit:
		code, message, status = "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.", http.StatusTooManyRequests
	case tooLong:
		code, message = "context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again."
	case unauthorized:
		code, message = "invalid_api_key", "Incorrect API key provided: sk-dummy."
	}
	return refusal{status: status, body: object{"error": object{"message": message, "type": code, "param": nil, "code": code}}}
}

// planLimit is the 429 of a plan whose window is used up, with the headers that tell both windows.
func planLimit(a Answer, now time.Time) refusal {
	reset := a.reset(now)
	epoch := strconv.FormatInt(reset.Unix(), 10)
	primary, secondary, primaryReset, secondaryReset := "100", usedPercent, epoch, strconv.FormatInt(now.Add(96*time.Hour).Unix(), 10)
	if a.window == SevenDay {
		primary, secondary, primaryReset, secondaryReset = usedPercent, "100", strconv.FormatInt(now.Add(5*time.Hour).Unix(), 10), epoch
	}
	h := http.Header{}
	const p = "X-Codex-"
	h.Set(p+"Primary-Used-Percent", primary)
	h.Set(p+"Primary-Window-Minutes", "300")
	h.Set(p+"Primary-Reset-At", primaryReset)
	h.Set(p+"Secondary-Used-Percent", secondary)
	h.Set(p+"Secondary-Window-Minutes", "10080")
	h.Set(p+"Secondary-Reset-At", secondaryReset)
	return refusal{status: a.Status, header: h, body: object{"error": object{
		"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus",
		"resets_at": reset.Unix(), "resets_in_seconds": max(0, int64(reset.Sub(now).Seconds())),
	}}}
}

func (responses) output(a Answer) []any {
	list := []any{object{"type": "message", "id": newID("msg_"), "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": a.Text, "annotations": []any{}}}}}
	if a.Tool != "" {
		call := object{"type": "function_call", "id": newID("fc_"), "call_id": newID("call_"), "status": "completed",
			"name": a.Tool, "arguments": jsonText(a.Input)}
		if space, name, ok := strings.Cut(a.Tool, "."); ok {
			call["namespace"], call["name"] = space, name
		}
		list = append(list, call)
	}
	return list
}

func (api responses) response(req Request, a Answer, id string, output []any) object {
	return object{"id": id, "object": "response", "status": "completed", "model": req.Model, "output": output,
		"usage": object{"input_tokens": a.tokens(), "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 10,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": a.tokens() + 10}}
}

func (api responses) whole(req Request, a Answer) any {
	return api.response(req, a, newID("resp_"), api.output(a))
}

func (api responses) events(req Request, a Answer) []event {
	id, output := newID("resp_"), api.output(a)
	typed := func(name string, fields object) event {
		fields["type"] = name
		return event{name, fields}
	}
	message := output[0].(object)
	events := []event{
		typed("response.created", object{"response": object{"id": id, "object": "response", "status": "in_progress", "model": req.Model}}),
		typed("response.output_item.added", object{"output_index": 0,
			"item": object{"type": "message", "id": message["id"], "role": "assistant", "status": "in_progress", "content": []any{}}}),
		typed("response.output_text.delta", object{"output_index": 0, "content_index": 0, "item_id": message["id"], "delta": a.Text}),
	}
	if a.Cut {
		return events
	}
	for i, item := range output {
		events = append(events, typed("response.output_item.done", object{"output_index": i, "item": item}))
	}
	return append(events, typed("response.completed", object{"response": api.response(req, a, id, output)}))
}
