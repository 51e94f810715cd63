// Package provider is a scriptable stand-in for the HTTP APIs that coding agents talk to: the
// Anthropic Messages API (POST /v1/messages, with and without streaming, and count_tokens), the
// OpenAI-compatible chat completions (POST /v1/chat/completions), the OpenAI Responses API (POST
// /v1/responses) and the Gemini API (POST /v1beta/models/<model>:generateContent and
// :streamGenerateContent). Tests and the demo run the real agents against it on loopback.
//
// An Answer says what one request gets: a text, a tool call, a limit, an error, a stream that is
// cut, a closed connection. Answers wait in a queue for everybody (Queue) or for one conversation
// (QueueFor); a rule (SetRule) comes before both, and an empty queue answers "All done.".
//
// Only main requests take answers. Agents also send side requests: titles, topic checks, quota
// probes, warm-ups. They get a short constant text, so that their number, which differs between
// versions and machines, never shifts a script. A main request offers tools; a side request does
// not, or it is one of the few known by their words (see Request.Main).
//
// Every request is logged before it is answered; Requests returns the log, Wait blocks until it
// looks as expected.
package provider
