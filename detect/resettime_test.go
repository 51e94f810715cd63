package detect

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func utc(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestParseResetCorpus takes the texts of all agents whose own words give a time or no time.
func TestParseResetCorpus(t *testing.T) {
	b, err := os.ReadFile("../testdata/messages.tsv")
	if err != nil {
		t.Fatal(err)
	}
	at, rome := utc(t, "2026-11-20T12:00:00Z"), zone(t, "Europe/Rome")
	tried := 0
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
		if strings.HasPrefix(line, "#") || f[1] == "none" || strings.HasPrefix(f[4], "{") || strings.Contains(f[4], "headers: ") {
			continue // records and headers have fields
		}
		tried++
		r, ok := ParseReset(strings.ReplaceAll(f[4], `\n`, "\n"), at, rome)
		got := ""
		if ok {
			// Some texts count fractions of a second; the corpus does not.
			got = r.At.Truncate(time.Second).Format(time.RFC3339)
		}
		if got != f[3] && (f[3] != "" || f[1] == "usage_limit") { // what is no limit may name a time
			t.Errorf("%s\n\tgot  %s %q\n\twant %s", f[4], got, r.Notes, f[3])
		}
	}
	if tried < 100 {
		t.Errorf("only %d texts", tried)
	}
}

func TestParseReset(t *testing.T) {
	for _, c := range []struct {
		name, at, zone, text string
		want                 string // RFC 3339; a trailing ~ says that a whole minute is meant; empty: none
	}{
		{"own minute has just passed", "2026-11-20T15:45:02Z", "UTC", "resets 3:45pm", "2026-11-20T15:45:00Z~"},
		{"the next minute", "2026-11-20T15:44:59Z", "UTC", "resets 3:45pm", "2026-11-20T15:45:00Z~"},
		{"ten minutes ago has just passed", "2026-11-20T15:55:59Z", "UTC", "resets 3:45pm", "2026-11-20T15:45:00Z~"},
		{"eleven minutes ago is tomorrow", "2026-11-20T15:56:00Z", "UTC", "resets 3:45pm", "2026-11-21T15:45:00Z~"},
		{"over midnight, yesterday's just passed", "2026-11-21T00:05:00Z", "UTC", "resets 11:58pm", "2026-11-20T23:58:00Z~"},
		{"over midnight, tomorrow's", "2026-11-20T23:58:00Z", "UTC", "resets 12:05am", "2026-11-21T00:05:00Z~"},
		{"end of the year", "2026-12-31T23:30:00Z", "UTC", "resets 1am", "2027-01-01T01:00:00Z~"},
		{"local day differs from UTC's", "2026-11-20T23:30:00Z", "Asia/Tokyo", "resets 9am", "2026-11-21T00:00:00Z~"},
		{"noon", "2026-11-20T10:00:00Z", "UTC", "resets 12pm", "2026-11-20T12:00:00Z~"},
		{"midnight", "2026-11-20T10:00:00Z", "UTC", "resets 12am", "2026-11-21T00:00:00Z~"},
		{"named zone wins", "2026-11-20T10:00:00Z", "Asia/Tokyo", "resets 3pm (Europe/Rome)", "2026-11-20T14:00:00Z~"},
		{"narrow blank", "2026-11-20T10:00:00Z", "UTC", "resets 3:45\u202fPM", "2026-11-20T15:45:00Z~"},
		{"an offset with minutes", "2026-11-20T12:00:00Z", "Europe/Rome", "5-hour limit reached ∙ resets 9pm (GMT+5:30)", "2026-11-20T15:30:00Z~"},
		{"z.ai, in Beijing", "2026-11-20T12:00:00Z", "Europe/Rome", "[1308][Usage limit reached for 5 hour. Your limit will reset at 2026-11-20 22:16:09][2026]", "2026-11-20T14:16:09Z"},
		{"z.ai, at the end", "2026-11-20T12:00:00Z", "Europe/Rome", "Your limit will reset at 2026-11-20 22:16:09", "2026-11-20T14:16:09Z"},
		{"z.ai, in Chinese", "2026-11-20T12:00:00Z", "Europe/Rome", "已达到 5 小时的使用上限。您的限额将在 2026-11-21 07:41:44 重置。", "2026-11-20T23:41:44Z"},
		{"the same words with a zone", "2026-11-20T12:00:00Z", "Europe/Rome", "Your limit will reset at 2026-11-20 22:16:09 UTC", "2026-11-20T22:16:09Z"},
		{"the same words with an offset", "2026-11-20T12:00:00Z", "Europe/Rome", "Your limit will reset at 2026-11-20 22:16:09+01:00", "2026-11-20T21:16:09Z"},
		{"a day that Beijing has not", "2026-11-20T12:00:00Z", "Europe/Rome", "Your limit will reset at 2026-11-31 22:16:09", ""},
		{"Copilot's date", "2026-11-20T12:00:00Z", "Europe/Rome", "Please wait for your limit to reset on November 23, 2026 at 2:00 AM or switch to auto model", "2026-11-23T01:00:00Z~"},
		{"a field of JSON", "2026-11-20T12:00:00Z", "UTC", `{"error":{"message":"slow down","retry_after":30}}`, "2026-11-20T12:00:30Z"},
		{"a field of JSON in JSON", "2026-11-20T12:00:00Z", "UTC", `{\"retry_after\": \"2.5\"}`, "2026-11-20T12:00:02Z"},
		{"a field in milliseconds", "2026-11-20T12:00:00Z", "UTC", `{"retryAfterMs":90000}`, "2026-11-20T12:01:30Z"},
		{"a field of another name", "2026-11-20T12:00:00Z", "UTC", `{"retry_after_policy":30}`, ""},
		{"a field with a date", "2026-11-20T12:00:00Z", "UTC", `{"retry_after":"2026-11-21"}`, ""},
		{"a time that nobody can read", "2026-11-20T12:00:00Z", "UTC", "5-hour limit reached ∙ resets NaNam", ""},
		{"24 hours", "2026-11-20T10:00:00Z", "UTC", "resets at 15:00", "2026-11-20T15:00:00Z~"},
		{"24 hours with a zone", "2026-11-20T10:00:00Z", "UTC", "resets 00:00 (Europe/Rome)", "2026-11-20T23:00:00Z~"},
		{"bare UTC", "2026-11-20T12:00:00Z", "Europe/Rome", "will reset at 00:00 UTC", "2026-11-21T00:00:00Z~"},
		{"bare abbreviation", "2026-11-20T12:00:00Z", "Europe/Rome", "resets at 3:40 PM PST", "2026-11-20T23:40:00Z~"},
		{"abbreviation", "2026-07-20T12:00:00Z", "Europe/Rome", "resets 3pm (ET)", "2026-07-20T19:00:00Z~"},
		{"zone Local", "2026-11-20T12:00:00Z", "Europe/Rome", "resets 3pm (Local)", "2026-11-20T14:00:00Z~"},
		{"unknown zone", "2026-11-20T12:00:00Z", "Europe/Rome", "resets 3pm (Not/AZone)", ""},
		{"zone as a path", "2026-11-20T12:00:00Z", "Europe/Rome", "resets 3pm (../../etc/passwd)", ""},
		{"hour 13 pm", "2026-11-20T12:00:00Z", "UTC", "resets 13pm", ""},
		{"hour 0 am", "2026-11-20T12:00:00Z", "UTC", "resets 0am", ""},
		{"minute 60", "2026-11-20T12:00:00Z", "UTC", "resets 3:60pm", ""},
		{"hour 25", "2026-11-20T12:00:00Z", "UTC", "resets 25:00", ""},
		{"date", "2026-05-20T12:00:00Z", "UTC", "weekly limit · resets May 28 at 7pm (Europe/Madrid)", "2026-05-28T17:00:00Z~"},
		{"date with year", "2026-12-30T12:00:00Z", "UTC", "resets Jan 2, 2027, 7pm", "2027-01-02T19:00:00Z~"},
		{"date without year, next year's", "2026-12-30T12:00:00Z", "UTC", "resets Jan 2 at 7pm", "2027-01-02T19:00:00Z~"},
		{"date without year, passed", "2027-01-02T12:00:00Z", "UTC", "resets Dec 30 at 7pm", "2027-01-02T12:00:00Z~"},
		{"Feb 31", "2026-02-20T12:00:00Z", "UTC", "resets Feb 31, 2026 at 2pm", ""},
		{"Feb 31 without year", "2026-02-20T12:00:00Z", "UTC", "resets Feb 31 at 2pm", ""},
		{"Feb 29 of another year", "2028-02-20T12:00:00Z", "UTC", "resets Feb 29 at 2pm", "2028-02-29T14:00:00Z~"},
		{"no such month", "2026-02-20T12:00:00Z", "UTC", "resets Foo 12 at 2pm", ""},
		{"date out of all windows", "2026-02-20T12:00:00Z", "UTC", "resets Feb 20, 2031 at 2pm", "2026-03-24T12:00:00Z~"},
		{"weekday", "2026-11-20T12:00:00Z", "Europe/Rome", "weekly limit\n· resets Tuesday 9am", "2026-11-24T08:00:00Z~"},
		{"weekday, today", "2026-11-20T12:00:00Z", "UTC", "resets Fri at 3pm", "2026-11-20T15:00:00Z~"},
		{"weekday, today's has passed", "2026-11-20T12:00:00Z", "UTC", "resets Friday 9am", "2026-11-27T09:00:00Z~"},
		{"no weekday", "2026-11-20T12:00:00Z", "UTC", "resets Friyay 9am", ""},
		{"newline before the time", "2026-11-20T12:00:00Z", "UTC", "Your limit will reset\nat 3pm.", "2026-11-20T15:00:00Z~"},
		{"epoch", "2026-11-20T12:00:00Z", "UTC", "usage limit reached|1795190400", "2026-11-20T16:00:00Z"},
		{"epoch in ms", "2026-11-20T12:00:00Z", "UTC", "usage limit reached|1795190400000", "2026-11-20T16:00:00Z"},
		{"epoch in the middle of a text", "2026-11-20T12:00:00Z", "UTC", "|1795190400 and on", ""},
		{"ISO", "2026-11-20T12:00:00Z", "UTC", "resets 2026-11-20T16:30:07.5+01:00", "2026-11-20T15:30:07Z"},
		{"ISO in words", "2026-11-20T12:00:00Z", "UTC", "You will regain access on 2026-12-01 at 00:00 UTC.", "2026-12-01T00:00:00Z~"},
		{"ISO, impossible", "2026-11-20T12:00:00Z", "UTC", "resets 2026-02-31T16:30:00Z", ""},
		{"ISO, absurdly late", "2026-11-20T12:00:00Z", "UTC", "resets 2031-02-01T16:30:00Z", "2026-12-22T12:00:00Z"},
		{"ISO, long passed", "2026-11-20T12:00:00Z", "UTC", "resets 2026-11-01T16:30:00Z", "2026-11-20T12:00:00Z"},
		{"span", "2026-11-20T12:00:00Z", "UTC", "reset in 2 days 21 hours, 5 minutes and 3 seconds", "2026-11-23T09:05:03Z"},
		{"span without blanks", "2026-11-20T12:00:00Z", "UTC", "resets in 4h51m", "2026-11-20T16:51:00Z~"},
		{"span with a colon", "2026-11-20T12:00:00Z", "UTC", "resets in: 3 hours", "2026-11-20T15:00:00Z~"},
		{"span alone", "2026-11-20T12:00:00Z", "UTC", "Limit reached (resets 120m)", "2026-11-20T14:00:00Z~"},
		{"less than a minute", "2026-11-20T12:00:00Z", "UTC", "try again in less than a minute", "2026-11-20T12:01:00Z~"},
		{"zero", "2026-11-20T12:00:00Z", "UTC", "try again in 0 minutes", "2026-11-20T12:00:00Z"},
		{"400 days", "2026-11-20T12:00:00Z", "UTC", "resets in 400 days", ""},
		{"more days than a duration holds", "2026-11-20T12:00:00Z", "UTC", "resets in 999999999999999 days", ""},
		{"months are not minutes", "2026-11-20T12:00:00Z", "UTC", "resets in 5 months", ""},
		{"a number alone", "2026-11-20T12:00:00Z", "UTC", "resets 30", ""},
		{"the record's very instant", "2026-11-20T12:00:00Z", "UTC", "resets 12pm", "2026-11-21T12:00:00Z~"},
		{"offset", "2026-11-20T12:00:00Z", "Europe/Rome", "resets 4 PM UTC+2", "2026-11-20T14:00:00Z~"},
		{"offset with minutes", "2026-11-20T12:00:00Z", "Europe/Rome", "resets 20:00 (GMT-05:30)", "2026-11-21T01:30:00Z~"},
		{"impossible offset", "2026-11-20T12:00:00Z", "Europe/Rome", "resets 4 PM UTC+99", ""},
		{"daylight saving time by its name", "2026-11-20T12:00:00Z", "Europe/Rome", "resets 4 PM PDT", "2026-11-20T23:00:00Z~"},
		{"zone of a place, bare", "2026-11-20T12:00:00Z", "UTC", "resets 3pm Europe/Rome.", "2026-11-20T14:00:00Z~"},
		{"no zone, a remark", "2026-11-20T12:00:00Z", "Europe/Rome", "resets 3pm (in a while)", "2026-11-20T14:00:00Z~"},
		{"a date in Portuguese", "2026-11-20T12:00:00Z", "UTC", "try again at 10 de dez. de 2026, 11:52.", "2026-12-10T11:52:00Z~"},
		{"in Spanish", "2026-11-20T12:00:00Z", "UTC", "try again at 4 de dic de 2026, 9:05.", "2026-12-04T09:05:00Z~"},
		{"in German", "2026-11-20T12:00:00Z", "UTC", "try again at 10. Dez. 2026, 11:52", ""},
		{"no month", "2026-11-20T12:00:00Z", "UTC", "Resets on the 24th out of five days", ""},
		{"a zone twice", "2026-11-20T12:00:00Z", "UTC", "It will reset at 2026-11-29 23:59:59 +0800 CST. We recommend", "2026-11-29T15:59:59Z"},
		{"a.m.", "2026-11-20T12:00:00Z", "UTC", "Resets at 3:09 a.m. tomorrow.", "2026-11-21T03:09:00Z~"},
		{"noon", "2026-11-20T10:00:00Z", "UTC", "resets at noon", "2026-11-20T12:00:00Z~"},
		{"midnight PT", "2026-11-20T10:00:00Z", "UTC", "quota resets at midnight PT", "2026-11-21T08:00:00Z~"},
		{"time before its date", "2026-04-20T12:00:00Z", "UTC", "Resets by 4:00 AM Friday Apr 24", "2026-04-24T04:00:00Z~"},
		{"date in full", "2026-11-20T12:00:00Z", "UTC", "resets on November 24 at 1:09am", "2026-11-24T01:09:00Z~"},
		{"ordinal", "2026-11-20T12:00:00Z", "UTC", "or try again at Nov 25th, 2026 1:13 AM.", "2026-11-25T01:13:00Z~"},
		{"day first", "2026-11-20T12:00:00Z", "UTC", "resets 24 Nov 2026, 15:00", "2026-11-24T15:00:00Z~"},
		{"date alone", "2026-11-20T12:00:00Z", "UTC", "Your limit resets on Nov 24.", "2026-11-24T00:00:00Z~"},
		{"weekday alone", "2026-11-20T12:00:00Z", "UTC", "resets Tuesday", "2026-11-24T00:00:00Z~"},
		{"weekday with a date", "2026-11-20T12:00:00Z", "UTC", "resets Tue, Nov 24, 9:00 AM", "2026-11-24T09:00:00Z~"},
		{"date and time of ISO in another zone", "2026-11-20T12:00:00Z", "Europe/Rome", "resets at 2026-11-24 09:30", "2026-11-24T08:30:00Z~"},
		{"epoch behind a word", "2026-11-20T12:00:00Z", "UTC", "resets 1795190400", "2026-11-20T16:00:00Z"},
		{"reset before try again", "2026-11-20T12:00:00Z", "UTC", "Try again in 5 minutes. Your limit resets 3pm", "2026-11-20T15:00:00Z~"},
		{"two windows", "2026-11-20T12:00:00Z", "UTC", "session limit resets 3pm, weekly limit resets Sun 9am, see what else resets 1pm", "2026-11-20T15:00:00Z~"},
		{"hours and bare minutes", "2026-11-20T12:00:00Z", "UTC", "resets in 1h30", "2026-11-20T13:30:00Z~"},
		{"a span with a colon between", "2026-11-20T12:00:00Z", "UTC", "resets in 2:13", "2026-11-20T14:13:00Z~"},
		{"a time of day all the same", "2026-11-20T12:00:00Z", "UTC", "resets 2:13pm", "2026-11-20T14:13:00Z~"},
		{"15h as a time of day", "2026-11-20T12:00:00Z", "UTC", "resets at 15h", "2026-11-20T15:00:00Z~"},
		{"15h as a span", "2026-11-20T12:00:00Z", "UTC", "resets in 15h", "2026-11-21T03:00:00Z~"},
		{"24:00", "2026-11-20T12:00:00Z", "UTC", "resets 24:00", "2026-11-21T00:00:00Z~"},
		{"24:00 of a day", "2026-11-20T12:00:00Z", "UTC", "resets Nov 24 at 24:00", "2026-11-25T00:00:00Z~"},
		{"24:01", "2026-11-20T12:00:00Z", "UTC", "resets 24:01", ""},
		{"in so long", "2026-11-20T12:00:00Z", "UTC", "going on in 5m", "2026-11-20T12:05:00Z~"},
		{"in a place", "2026-11-20T12:00:00Z", "UTC", "limit reached in 3pm", ""},
		{"an unusable one is passed over", "2026-11-20T12:00:00Z", "UTC", "resets soon, try again in 20s", "2026-11-20T12:00:20Z"},
		{"milliseconds", "2026-11-20T12:00:00Z", "UTC", "Please try again in 1028ms", "2026-11-20T12:00:01Z"},
		{"fraction", "2026-11-20T12:00:00Z", "UTC", "Please try again in 11.054s.", "2026-11-20T12:00:11Z"},
		{"half hours", "2026-11-20T12:00:00Z", "UTC", "available again in 1.5 hours", "2026-11-20T13:30:00Z"},
		{"an hour", "2026-11-20T12:00:00Z", "UTC", "wait an hour", "2026-11-20T13:00:00Z~"},
		{"the agent's count of tries", "2026-11-20T12:00:00Z", "UTC", "retrying sampling request (1/5 in 1799.9s)", "2026-11-20T12:29:59Z"},
		{"Go duration", "2026-11-20T12:00:00Z", "UTC", "Resets in 157h20m8s.", "2026-11-27T01:20:08Z"},
		{"negative", "2026-11-20T12:00:00Z", "UTC", "resets in -5 minutes", ""},
		{"NaN", "2026-11-20T12:00:00Z", "UTC", "resets in NaN minutes", ""},
		{"year 9999", "2026-11-20T12:00:00Z", "UTC", "resets Jan 2, 9999, 1am", "2026-12-22T12:00:00Z~"},
		{"no time", "2026-11-20T12:00:00Z", "UTC", "usage limit reached", ""},
		{"words that only end so", "2026-11-20T12:00:00Z", "UTC", "presets 3pm, within 5 minutes", ""},
		// Clocks that are put forward or back: the later instant.
		{"Rome gap", "2026-03-29T00:00:00Z", "Europe/Rome", "resets 2:30am", "2026-03-29T01:30:00Z~"},
		{"Rome fold", "2026-10-24T22:00:00Z", "Europe/Rome", "resets 2:30am", "2026-10-25T01:30:00Z~"},
		{"New York gap", "2026-03-08T05:00:00Z", "America/New_York", "resets 2:30am", "2026-03-08T07:30:00Z~"},
		{"New York fold", "2026-11-01T04:00:00Z", "America/New_York", "resets 1:30am", "2026-11-01T06:30:00Z~"},
		{"Santiago gap at midnight", "2026-09-05T20:00:00Z", "America/Santiago", "resets 12:30am", "2026-09-06T04:30:00Z~"},
		{"Santiago fold at midnight", "2026-04-04T20:00:00Z", "America/Santiago", "resets 11:30pm", "2026-04-05T03:30:00Z~"},
		{"the day after the change", "2026-03-29T12:00:00Z", "Europe/Rome", "resets 2:30am", "2026-03-30T00:30:00Z~"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, ok := ParseReset(c.text, utc(t, c.at), zone(t, c.zone))
			got := ""
			if ok {
				got = r.At.Format(time.RFC3339)
				if r.Minute {
					got += "~"
				}
			}
			if got != c.want {
				t.Errorf("got %q %q, want %q", got, r.Notes, c.want)
			}
			if ok && r.At.Location() != time.UTC {
				t.Errorf("in zone %s", r.At.Location())
			}
		})
	}
}

func TestParseResetSaysWhy(t *testing.T) {
	at := utc(t, "2026-11-20T12:00:00Z")
	for text, want := range map[string]string{
		"resets Feb 31, 2026 at 2pm":    "impossible",
		"resets in 400 days":            "absurdly long",
		"resets 45:99":                  "impossible",
		"resets 3pm (MARS)":             "MARS",
		"resets 3pm (Not/AZone)":        "not known",
		"resets 2031-02-01T16:30:00Z":   "absurdly late",
		"resets 2026-11-01T16:30:00Z":   "before the stop",
		"limit reached|99999999999":     "absurdly late",
		"resets 2026-02-31T16:30:00Z":   "impossible",
		"resets 3pm (bob/Ann@example)":  "not known",
		"resets Feb 20, 2031 at 2:00pm": "absurdly late",
	} {
		r, _ := ParseReset(text, at, time.UTC)
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], want) {
			t.Errorf("%s: notes %q, want one with %q", text, r.Notes, want)
		}
	}
}

func TestEpochReset(t *testing.T) {
	at := utc(t, "2026-11-20T12:00:00Z")
	for _, c := range []struct {
		epoch  float64
		window Window
		want   string // empty: none
		noted  bool
	}{
		{1795190400, FiveHour, "2026-11-20T16:00:00Z", false},
		{1795190400000, FiveHour, "2026-11-20T16:00:00Z", false},
		{1795190400999, "", "2026-11-20T16:00:00Z", false},
		{1795176000 - 600, "", "2026-11-20T11:50:00Z", false},
		{1795176000 - 601, "", "2026-11-20T12:00:00Z", true},
		{1795176000 + 8*86400, Weekly, "2026-11-28T12:00:00Z", false},
		{1795176000 + 8*86400 + 1, Weekly, "2026-11-28T12:00:00Z", true},
		{1795176000 + 9*86400, Monthly, "2026-11-29T12:00:00Z", false},
		{1e300, FiveHour, "2026-11-28T12:00:00Z", true},
		{1, "", "2026-11-20T12:00:00Z", true},
		{0, "", "", false},
		{-1795190400, "", "", false},
		{math.NaN(), "", "", false},
		{math.Inf(1), "", "", false},
	} {
		r, ok := EpochReset(c.epoch, at, c.window)
		got := ""
		if ok {
			got = r.At.Format(time.RFC3339)
		}
		if got != c.want || (len(r.Notes) > 0) != c.noted || r.Minute {
			t.Errorf("EpochReset(%v, %q) = %q %q, want %q", c.epoch, c.window, got, r.Notes, c.want)
		}
	}
}

// A record without a time gives a reset time nothing to be measured against: there is none then, in
// any form (fuzzing found one in the year 1).
func TestResetWithoutAnAnchor(t *testing.T) {
	for _, text := range []string{"limit reached|1795190400", "resets 2026-11-24T01:09:00Z", "resets Nov 24, 1:09am", "resets 3am", "try again in 2h 13m"} {
		if r, ok := ParseReset(text, time.Time{}, time.UTC); ok || !r.At.IsZero() || len(r.Notes) != 1 {
			t.Errorf("%s: %+v, %v", text, r, ok)
		}
	}
	if r, ok := EpochReset(1795190400, time.Time{}, FiveHour); ok || !r.At.IsZero() || len(r.Notes) != 1 {
		t.Errorf("EpochReset: %+v, %v", r, ok)
	}
	f := Failure{ResetAt: time.Unix(1, 0)}
	if f.ResetIn(time.Time{}, time.Minute); !f.ResetAt.IsZero() {
		t.Errorf("ResetIn: %v", f.ResetAt)
	}
}

func TestParseRetryAfter(t *testing.T) {
	at := utc(t, "2026-11-20T12:00:00Z")
	none := time.Duration(-1)
	for value, want := range map[string]time.Duration{
		"0":                               0,
		"120":                             2 * time.Minute,
		" 7 ":                             7 * time.Second,
		"1.5":                             1500 * time.Millisecond,
		"0.001":                           time.Millisecond,
		"2560914":                         2560914 * time.Second,
		"2764800":                         32 * 24 * time.Hour,
		"2764801":                         32 * 24 * time.Hour,
		"1e300":                           32 * 24 * time.Hour,
		"Inf":                             none,
		"Fri, 20 Nov 2026 12:00:30 GMT":   30 * time.Second,
		"Friday, 20-Nov-26 12:00:30 GMT":  30 * time.Second,
		"Fri Nov 20 12:00:30 2026":        30 * time.Second,
		"Fri, 20 Nov 2099 12:00:30 GMT":   32 * 24 * time.Hour,
		"Fri, 20 Nov 2026 11:59:59 GMT":   none,
		"Fri, 20 Nov 2026 12:00:00 GMT":   none,
		"-1":                              none,
		"-0.5":                            none,
		"-Inf":                            none,
		"NaN":                             none,
		"":                                none,
		"not-a-number":                    none,
		"Fri, 20 Nov 2026 12:00:30 +0000": none,
		"Fri, 20 Nov 2026 12:00:30 PST":   none,
	} {
		d, ok := ParseRetryAfter(value, at)
		if !ok {
			d = none
		}
		if d != want {
			t.Errorf("ParseRetryAfter(%q) = %s, want %s", value, d, want)
		}
	}
}

func TestFromStatus(t *testing.T) {
	want := map[int]Reason{
		0: Unknown, 200: Unknown, 302: Unknown, 600: Unknown, -1: Unknown,
		400: InvalidRequest, 404: InvalidRequest, 413: InvalidRequest, 422: InvalidRequest,
		401: Auth, 403: Auth, 402: Billing, 408: Network, 429: RateLimit,
		500: ServerError, 502: ServerError, 504: ServerError, 520: ServerError, 599: ServerError,
		503: Overloaded, 529: Overloaded,
	}
	got := map[int]Reason{}
	for status := range want {
		got[status] = FromStatus(status)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseReset(f *testing.F) {
	for _, s := range []string{"resets 3:45pm (Europe/Rome)", "resets Tuesday 9am", "resets in 4h51m", "reached|1795190400",
		"resets Feb 29 at 2pm", "2026-12-01 at 00:00 UTC", "resets 00:00", "resets in 99999999999999999999 days"} {
		f.Add(s, int64(1795176000), "America/Santiago")
	}
	f.Fuzz(func(t *testing.T, text string, sec int64, name string) {
		at := time.Unix(((sec%4e9)+4e9)%4e9, 0)
		z, err := time.LoadLocation(name)
		if err != nil {
			z = time.UTC
		}
		r, ok := ParseReset(text, at, z)
		if !ok {
			return
		}
		if oldest := at.Truncate(time.Minute).Add(-justPassed); r.At.Before(oldest) {
			t.Errorf("%s is before %s", r.At, oldest)
		}
		if latest := at.Add(longestWindow); r.At.After(latest) {
			t.Errorf("%s is after %s", r.At, latest)
		}
		if again, ok := ParseReset(text, at, z); !ok || !again.At.Equal(r.At) {
			t.Errorf("another answer: %v", again)
		}
	})
}
