package pi

import (
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// The agent asks again after 2, 4 and 8 s, by the text of an error alone. From 0.87 on it writes a
// context_edit for the error right before it waits, so an error without one is its last word. Before that only
// the number of errors in a row tells, and the kind of their text: an error that it may ask again after
// is no stop until it is the fourth.

// tries is how often older versions ask, at most, unless the settings say another number.
const tries = 4

// Both as of 1.5.2; older versions ask again after less.
var (
	final = lazyregexp.New(`(?i)GoUsageLimitError|FreeUsageLimitError|Monthly usage limit reached|available balance|insufficient_quota|out of budget|` +
		`quota exceeded|billing|subscription_sharing_usage_limit_exceeded|subscription_sharing_workplace_individual_usage_limit_exceeded|"code"\s*:\s*"?1308\b`)
	again = lazyregexp.New(`(?i)overloaded|server_busy|servers are currently busy|currently experiencing high demand|model is at capacity|rate.?limit|too many requests|` +
		`\b(?:429|500|502|503|504|520|524)\b|service.?(?:is.?)?(?:temporarily.?)?unavailable|server.?error|internal.?error|provider.?returned.?(?:an.?)?error|` +
		`exceeded request buffer limit|unable to forward upstream|upstream|stream was interrupted|stream failed|network.?error|connection.?(?:error|refused|lost)|` +
		`other side closed|fetch failed|request to \S+ failed, reason:|getaddrinfo|ENOTFOUND|EAI_AGAIN|reset before headers|socket hang up|socket connection was closed|` +
		`timed? out|timeout|terminated|websocket.?(?:closed|error)|ended without|stream ended before|http2 request did not get a response|stream disconnected|` +
		`cut short after|pending stream has been canceled|retry delay|you can retry your request`)
)

// asksAgain tells whether the agent may ask again by itself after an error.
func asksAgain(text string) bool { return again.MatchString(text) && !final.MatchString(text) }
