package gemini

import (
	"strings"
	"testing"
	"time"

	"github.com/clawd-project/clawd/detect"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// TestTable: each row is the first that matches its own example.
func TestTable(t *testing.T) {
	for i, m := range messages() {
		text := bare(detect.Plain(m.Example))
		for j, other := range messages()[:i+1] {
			if hit := other.Pattern.MatchString(text); hit != (i == j) {
				t.Errorf("row %d (%s %s): row %d matches %v: %q", i, m.State, m.Reason, j, hit, m.Example)
			}
		}
	}
}

// The columns: reason (retrying, asking: that state; none: no stop), window, wait until the reset in
// seconds (-: none), text. The time counts only where detect can read the form at all.
const texts = `
billing	-	-	[API Error: Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.]
billing	-	-	{"error":{"code":429,"message":"Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.","status":"RESOURCE_EXHAUSTED"}}
usage_limit	-	69287	You have exhausted your capacity on this model. Your quota will reset after 19h14m47s.
usage_limit	-	600	You have exhausted your capacity on this model. Your quota will reset after 10m.
rate_limit	-	0	You have exhausted your capacity on this model. Your quota will reset after 0s.
rate_limit	-	2	✕ [API Error: You have exhausted your capacity on this model. Your quota will reset after 2s.]
usage_limit	-	-	You have exhausted your capacity on this model.
usage_limit	model	-	Usage limit reached for gemini-2.5-pro.\nAccess resets at 3:40 PM PST.\n/stats model for usage details
usage_limit	model	-	│ Usage limit reached for gemini-2.5-pro.  │\n│ Access resets at 2:00 PM.  │
usage_limit	model	-	Usage limit reached for all Pro models.
usage_limit	model	-	Usage limit reached for gemini-2.5-flash.
overloaded	-	-	We are currently experiencing high demand for all Pro models.\nWe apologize and appreciate your patience.
overloaded	-	-	We are currently experiencing high demand.
rate_limit	-	-	[API Error: Rate limit exceeded (Status: RESOURCE_EXHAUSTED)]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method
rate_limit	-	56	You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 2\nPlease retry in 56.185908122s.
usage_limit	-	400	Resource exhausted. Please retry in 400s
rate_limit	-	300	Resource exhausted. Please retry in 300s
rate_limit	-	-	Resource has been exhausted (e.g. check quota).
billing	-	-	Quota exceeded for metric: ...\nlimit: 0. Please retry in 59s.
usage_limit	daily	-	Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro Requests per day per user per tier' of service 'cloudcode-pa.googleapis.com' for consumer 'project_number:1'.
usage_limit	weekly	566408	RESOURCE_EXHAUSTED (code 429): Individual quota reached. Contact your administrator to enable overages. Resets in 157h20m8s.
usage_limit	-	10800	Model quota limit exceeded\nRefreshes in 3 hours
overloaded	-	-	HTTP 503 MODEL_CAPACITY_EXHAUSTED on claude-opus-4-6
usage_limit	-	-	Error: 429 RESOURCE_EXHAUSTED: quota exceeded for model gemini-3.1-pro
usage_limit	-	-	You have reached your Antigravity limit
usage_limit	daily	-	You've reached your daily Gemini 2.5 Pro limit. Resets at midnight PT.
usage_limit	weekly	566408	Weekly quota reached. Resets in 157h20m8s.
usage_limit	-	18000	Your quota has been exhausted. Resets in 5h.
usage_limit	daily	-	Your daily quota has been exhausted.
rate_limit	-	20	Your quota has been exhausted. Resets in 20s.
usage_limit	daily	-	You've used all of your daily requests.
usage_limit	-	-	You've used all of your requests.
auth	-	-	Validation required to continue.
usage_limit	daily	-	[API Error: You have exhausted your daily quota on this model.]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method
usage_limit	weekly	-	You've exhausted your weekly quota for gemini-4-pro.
usage_limit	-	17542	[API Error: You have used all of your requests for this model. Your quota will reset after 4h52m22s.]\nPlease wait and try again later.
usage_limit	-	3600	[API Error: You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\nSuggested retry after 3600s.]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method
rate_limit	-	45	[API Error: You exceeded your current quota, please check your plan and billing details.\nPlease retry in 3.2s.\nSuggested retry after 45s.]\nPlease wait and try again later.
billing	-	-	[API Error: You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0, model: gemini-2.5-pro\nPlease retry in 21.3s.]\nPlease wait and try again later.
billing	-	-	[API Error: Insufficient AI credits balance.]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method
overloaded	-	-	[API Error: No capacity available for model gemini-2.5-pro on the server]\nPlease wait and try again later.
overloaded	-	-	[API Error: The model is overloaded. Please try again later.]
network	-	-	[API Error: terminated]
network	-	-	[API Error: Incomplete JSON segment at the end]
network	-	-	[API Error: exception TypeError: fetch failed sending request]
invalid_request	-	-	[API Error: models/gemini-2.5-pro is not found for API version v1beta, or is not supported for generateContent.]
auth	-	-	[API Error: Verify your account to continue.]
rate_limit	-	-	[API Error: Slow down a little]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio
context_full	-	-	[API Error: {"error":{"code":400,"message":"The input token count (1250034) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]
auth	-	-	[API Error: {"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}]
auth	-	-	[API Error: {"error":{"code":401,"message":"Request had invalid authentication credentials.","status":"UNAUTHENTICATED"}}]
auth	-	-	{"error":{"code":403,"message":"Generative Language API has not been used in project 1 before or it is disabled.","details":[{"reason":"SERVICE_DISABLED"}]}}
billing	-	-	[API Error: {"error":{"code":403,"message":"This API method requires billing to be enabled. Please enable billing on project #1 then retry.","status":"PERMISSION_DENIED","details":[{"reason":"BILLING_DISABLED"}]}}]
invalid_request	-	-	{"error":{"code":400,"message":"Invalid value at 'tools'","status":"INVALID_ARGUMENT"}}
usage_limit	daily	51723	{"error":{"code":429,"message":"You exceeded your current quota","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"51723s"}]}}
rate_limit	-	3	{"error":{"code":429,"message":"You exceeded your current quota","details":[{"violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel"}]},{"retryDelay":"3.2s"}]}}
usage_limit	-	39600	{"error":{"code":429,"message":"x","details":[{"reason":"QUOTA_EXHAUSTED","domain":"cloudcode-pa.googleapis.com"},{"retryDelay":"39600s"}]}}
rate_limit	-	-	{"error":{"code":429,"message":"something new"}}
overloaded	-	-	{"error":{"code":503,"message":"something new"}}
server_error	-	-	{"error":{"code":500,"message":"An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting","status":"INTERNAL"}}
usage_limit	daily	-	{"session_id":"a7fcbe73-b37e-4d66-9a9e-3ccbe9a602a3","error":{"type":"Error","message":"You have exhausted your daily quota on this model.","code":429}}
usage_limit	daily	-	{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: You have exhausted your daily quota on this model.]"}}
usage_limit	daily	-	Error: You have exhausted your daily quota on this model.
usage_limit	daily	-	Error when talking to Gemini API Full report available at: /tmp/gemini-client-error-Turn.run-sendMessageStream-2026-11-21T00-06-59-550Z.json TerminalQuotaError: You have exhausted your daily quota on this model.\n    at classifyGoogleError (file:///x.js:1:2)
auth	-	-	Error when talking to Gemini API Full report available at: /tmp/x.json _ApiError: {"error":{"code":401,"message":"x"}}
network	-	-	{"type":"error","severity":"error","message":"Model stream ended without a finish reason."}
network	-	-	[API Error: Model stream ended with empty response text.]
network	-	-	✕ [API Error: Model stream ended with empty response text.]
network	-	-	{"type":"error","severity":"error","message":"Model stream ended with empty response text."}
network	-	-	[API Error: Model stream ended with an invalid chunk or missing finish reason.]
network	-	-	[API Error: Model stream was invalid or completed without valid content.]
none	-	-	[API Error: Model stream ended due to safety settings (SAFETY) with empty response text.]
none	-	-	[API Error: Model stream ended due to recitation settings (RECITATION) with empty response text.]
none	-	-	[API Error: Model stream ended due to token limit exhaustion (MAX_TOKENS) with empty response text.]
none	-	-	[API Error: Model stream ended with unexpected tool call.]
none	-	-	Model stream ended with empty response text in the second test, so I changed it.
network	-	-	[API Error: request to https://cloudcode-pa.googleapis.com/v1internal:streamGenerateContent?alt=sse failed, reason: read ECONNRESET]
network	-	-	✕ [API Error: request to https://cloudcode-pa.googleapis.com/v1internal:countTokens failed, reason: read\n  ECONNRESET]
network	-	-	[API Error: request to https://oauth2.googleapis.com/token failed, reason: connect ETIMEDOUT 142.250.1.95:443]
network	-	-	[API Error: request to https://cloudcode-pa.googleapis.com/v1internal:generateContent failed, reason: getaddrinfo ENOTFOUND cloudcode-pa.googleapis.com]
network	-	-	[API Error: request to https://cloudcode-pa.googleapis.com/v1internal:generateContent failed, reason: ]
network	-	-	[API Error: request to https://oauth2.googleapis.com/token failed, reason: Client network socket disconnected before secure TLS connection was established]
network	-	-	[API Error: exception TypeError: fetch failed sending request (read EPIPE)]
network	-	-	[API Error: getaddrinfo EAI_AGAIN cloudcode-pa.googleapis.com]
network	-	-	[API Error: socket hang up]
network	-	-	[API Error: other side closed]
network	-	-	[API Error: Client network socket disconnected before secure TLS connection was established]
network	-	-	[API Error: Invalid response body while trying to fetch https://cloudcode-pa.googleapis.com/v1internal:streamGenerateContent?alt=sse: Premature close]
network	-	-	{"error":{"type":"FetchError","message":"request to https://cloudcode-pa.googleapis.com/v1internal:streamGenerateContent failed, reason: socket hang up","code":1}}
network	-	-	Error when talking to Gemini API Full report available at: /tmp/x.json FetchError: request to https://cloudcode-pa.googleapis.com/v1internal:streamGenerateContent?alt=sse failed, reason: write EPIPE
billing	-	-	[API Error: Insufficient AI credits (Status: RESOURCE_EXHAUSTED)]
billing	-	-	[API Error: You do not have enough AI credits to continue this request.]
billing	-	-	[API Error: Insufficient Google One AI credits.]
auth	-	-	[API Error: invalid_grant]
auth	-	-	[API Error: {"error":"invalid_grant","error_description":"Token has been expired or revoked."}]
auth	-	-	[API Error: No refresh token is set.]
auth	-	-	[API Error: Something new (Status: UNAUTHENTICATED)]
overloaded	-	-	[API Error: got status: UNAVAILABLE. {"error":{"code":503,"message":"Something new","status":"UNAVAILABLE"}}]
overloaded	-	11400	We are currently experiencing high demand for gemini-3-pro-preview.\nWe apologize and appreciate your patience.\nAccess resets at 4:10 PM GMT+1.\n/model to switch models.
rate_limit	-	60	[API Error: RATE_LIMIT_EXCEEDED\nSuggested retry after 60s.]
usage_limit	-	3600	[API Error: QUOTA_EXHAUSTED\nSuggested retry after 3600s.]
context_full	-	-	Context window will overflow (estimated: 1200000, remaining: 5000)
interrupted	-	-	Request cancelled.
retrying	-	40794.980	Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 11h1m17s.. Retrying after 40794980ms...
retrying	-	46.373	Attempt 1 failed: You exceeded your current quota\nPlease retry in 3.2s.\nSuggested retry after 45s.. Retrying after 46373ms...
retrying	-	-	Attempt 2 failed with status 503. Retrying with backoff... _ApiError: {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}
asking	-	-	│ Apply this change?  │
none	-	-	This request failed. Press F12 for diagnostics, or run /settings and change "Error Verbosity" to full for full details.
none	-	-	The CLI prints "You have exhausted your daily quota on this model." when that happens.
none	-	-	fix: retry when You have exhausted your daily quota on this model.
none	-	-	"You have exhausted your daily quota on this model."
none	-	-	You have exhausted your daily quota of jokes, my friend
none	-	-	if err.Error() == "Resource has been exhausted (e.g. check quota)." {
none	-	-	Resource exhausted errors should be retried by the client
none	-	-	Usage limit reached for the day is what users see, so the test checks for it
none	-	-	Rate limit exceeded errors are retried ten times
none	-	-	+You have reached your monthly limit
none	-	-	The process terminated
none	-	-	Weekly quota reached its peak in March
none	-	-	Your quota has been exhausted by the nightly job, so I stopped the tests
none	-	-	You have reached your daily limit of jokes
none	-	-	You've used all of your daily requests for help well
none	-	-	You've used all of your requests in the wrong order
none	-	-	{"type":"message","role":"assistant","content":"You have exhausted your daily quota on this model."}
none	-	-	{"type":"tool_result","status":"error","error":{"type":"x"},"output":"429"}
none	-	-	{"type":"tool_result","status":"error","error":"socket hang up"}
none	-	-	{"type":"tool_result","status":"error","error":{"message":"You have exhausted your daily quota on this model."}}
none	-	-	{"type":"result","status":"success"}
none	-	-	socket hang up errors are retried by the client
none	-	-	The test says request to https://example.org failed, reason: read ECONNRESET
none	-	-	ECONNRESET is what Node calls it
none	-	-	Insufficient credits are shown in the footer
none	-	-	invalid_grant_test.go passes
none	-	-	it was done (Status: UNAVAILABLE)
none	-	-
`

func TestMessage(t *testing.T) {
	rome, err := time.LoadLocation("Europe/Rome")
	must(t, err)
	g := over(t.TempDir(), procs{})
	for line := range strings.Lines(strings.TrimPrefix(texts, "\n")) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n")+"\t", "\t", 5)
		text := strings.ReplaceAll(f[3], `\n`, "\n")
		s, ok := g.Message(text, noon, rome)
		got := string(s.Reason)
		switch {
		case !ok:
			got = "none"
		case s.State != detect.Stopped:
			got = string(s.State)
		}
		if window := strings.TrimPrefix(f[1], "-"); got != f[0] || string(s.Window) != window {
			t.Errorf("%s\n\tgot  %s %s\n\twant %s %s", text, got, s.Window, f[0], window)
		}
		until := s.ResetAt
		if s.State == detect.Retrying {
			until = s.SelfResumeAt
		}
		if f[2] == "-" {
			continue
		}
		want, err := time.ParseDuration(f[2] + "s")
		must(t, err)
		if d := until.Sub(noon) - want; d < 0 || d >= time.Second {
			t.Errorf("%s\n\tuntil %s, want %s after noon", text, until, want)
		}
	}
}
