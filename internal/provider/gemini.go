package provider

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	streamMethod = "streamGenerateContent"
	wholeMethod  = "generateContent"
)

func isGemini(path string) bool {
	rest, ok := strings.CutPrefix(path, pathGemini)
	_, method, _ := strings.Cut(rest, ":")
	return ok && (method == streamMethod || method == wholeMethod)
}

// gemini speaks the Gemini API.
type gemini struct{}

// side answers the agent's question which model a prompt needs, in the forms of several versions.
func (gemini) side() string {
	return `{"reasoning":"demo","model_choice":"flash","complexity_reasoning":"demo","complexity_score":10}`
}

// googleStatus is Google's name of an HTTP status.
var googleStatus = map[int]string{
	http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusUnauthorized: "UNAUTHENTICATED", http.StatusForbidden: "PERMISSION_DENIED",
	http.StatusTooManyRequests: "RESOURCE_EXHAUSTED", http.StatusInternalServerError: "INTERNAL", http.StatusServiceUnavailable: "UNAVAILABLE",
}

// failure has no Retry-After: Google tells the delay in the body, and the agent looks there alone.
func (gemini) failure(a Answer, now time.Time) refusal {
	message, status, retry := a.Message, a.Status, a.retry
	var details []any
	switch a.kind {
	case throttled:
		message = "Resource has been exhausted (e.g. check quota)."
	case usedUp:
		message, retry = "You exceeded your current quota, please check your plan and billing details.", max(0, a.reset(now).Sub(now))
		details = append(details, object{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []any{object{
			"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
			"quotaId":     "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}}})
	case overloaded:
		message, status = "The model is overloaded. Please try again later.", http.StatusServiceUnavailable
	case broken:
		message = "An internal error has occurred. Please retry."
	case unauthorized:
		message = "Request had invalid authentication credentials."
	case noCredit:
		message, status = "This API method requires billing to be enabled.", http.StatusForbidden
		details = append(details, object{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "BILLING_DISABLED", "domain": "googleapis.com"})
	case tooLong:
		message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
	}
	if retry > 0 {
		details = append(details, object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%gs", retry.Seconds())})
	}
	body := object{"code": status, "message": message, "status": googleStatus[status]}
	if len(details) > 0 {
		body["details"] = details
	}
	return refusal{status: status, body: object{"error": body}}
}

func (gemini) chunk(req Request, a Answer, parts []any, finish string) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return object{"candidates": []any{candidate}, "modelVersion": req.Model, "responseId": newID(""),
		"usageMetadata": object{"promptTokenCount": a.tokens(), "candidatesTokenCount": 10, "totalTokenCount": a.tokens() + 10}}
}

func (gemini) parts(a Answer) []any {
	var parts []any
	if a.Text != "" || a.Tool == "" {
		parts = append(parts, object{"text": a.Text})
	}
	if a.Tool != "" {
		parts = append(parts, object{"functionCall": object{"name": a.Tool, "args": a.Input}})
	}
	return parts
}

func (api gemini) whole(req Request, a Answer) any {
	return api.chunk(req, a, api.parts(a), "STOP")
}

func (api gemini) events(req Request, a Answer) []event {
	if a.Cut {
		return []event{{"", api.chunk(req, a, []any{object{"text": a.Text}}, "")}}
	}
	return []event{{"", api.chunk(req, a, api.parts(a), "STOP")}}
}
