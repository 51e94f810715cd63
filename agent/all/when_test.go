package all

import (
	"testing"
	"time"

	"github.com/clawd-project/clawd/agent"
	"github.com/clawd-project/clawd/detect"
)

func words(t testing.TB) copied {
	t.Helper()
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	return copied{at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), zone: rome}
}

// TestAbroad: what agents and editors say in the language of their user.
func TestAbroad(t *testing.T) {
	m := words(t)
	for text, want := range map[string]string{
		// Spans, in all scripts and spellings:
		"Aguarde 2 minutos antes de tentar novamente.":  "2026-11-20T12:02:00Z",
		"tentando novamente em 45s - tentativa #2":      "2026-11-20T12:00:45Z",
		"Vuelve a intentarlo en 3 horas.":               "2026-11-20T15:00:00Z",
		"Réessayez dans 1 heure.":                       "2026-11-20T13:00:00Z",
		"nouvelle tentative dans 12 s - tentative n°3":  "2026-11-20T12:00:12Z",
		"Erneuter Versuch in 90s – Versuch #1":          "2026-11-20T12:01:30Z",
		"Bitte warte 2,5 Stunden.":                      "2026-11-20T14:30:00Z",
		"Riprova tra 20 minuti.":                        "2026-11-20T12:20:00Z",
		"Opnieuw proberen over 15 s - poging #2":        "2026-11-20T12:00:15Z",
		"ponawianie za 30 s - próba nr 4":               "2026-11-20T12:00:30Z",
		"Попробуйте снова через 3 часа.":                "2026-11-20T15:00:00Z",
		"повтор через 62056 с - попытка №1":             "2026-11-21T05:14:16Z",
		"повторна спроба через 15 с — спроба № 2":       "2026-11-20T12:00:15Z",
		"yeniden deneniyor 40 sn içinde - deneme #1":    "2026-11-20T12:00:40Z",
		"újrapróbálkozás 25-ben – #1 kísérlet":          "2026-11-20T12:00:25Z",
		"重试中 120 秒后 - 第 3 次尝试":                          "2026-11-20T12:02:00Z",
		"請於 3 小時後重試。":                                   "2026-11-20T15:00:00Z",
		"5時間後にもう一度お試しください。":                             "2026-11-20T17:00:00Z",
		"再試行中 9秒後 - 2回目":                                "2026-11-20T12:00:09Z",
		"재시도 중 30초 후 - 2번째 시도":                          "2026-11-20T12:00:30Z",
		"กำลังลองใหม่ ใน 8 วินาที - ครั้งที่ 1":         "2026-11-20T12:00:08Z",
		"thử lại sau 10 giây - lần thử #1":              "2026-11-20T12:00:10Z",
		"إعادة المحاولة خلال ٤٥ ثانية - المحاولة رقم ٢": "2026-11-20T12:00:45Z",
		"تلاش مجدد در 45s - تلاش #2":                    "2026-11-20T12:00:45Z",
		"दोबारा प्रयास हो रहा है 30s में - प्रयास #1":   "2026-11-20T12:00:30Z",
		"レート制限は 4200 ミリ秒後にリセット":                         "2026-11-20T12:00:04Z",
		"[2026-11-20 23:59:30] повтор через 9 мин":      "2026-11-20T12:09:00Z",
		// Dates and times of day, in the zone of the machine:
		"Seu limite será redefinido em 3 de jan. de 2027, 08:05.":      "2026-12-22T12:00:00Z", // later than any window
		"Tu límite se restablecerá el 4 dic 2026, 9:05.":               "2026-12-04T08:05:00Z",
		"Votre limite sera réinitialisée le 2 déc. 2026 à 18:30.":      "2026-12-02T17:30:00Z",
		"Votre limite sera réinitialisée à 18 h 30.":                   "2026-11-20T17:30:00Z",
		"Dein Limit wird am 10. Dez. 2026 um 11:52 Uhr zurückgesetzt.": "2026-12-10T10:52:00Z",
		"Dein Limit wird am 01.12.2026, 11:52 zurückgesetzt.":          "2026-12-01T10:52:00Z",
		"Il limite verrà reimpostato il 24 nov 2026, 15:00.":           "2026-11-24T14:00:00Z",
		"Je limiet wordt op 24 nov. 2026 om 15:00 gereset.":            "2026-11-24T14:00:00Z",
		"Лимит сбросится 24 нояб. 2026 г., 15:00.":                     "2026-11-24T14:00:00Z",
		"您的用量限制将于2026年11月24日 15:00重置。":                                 "2026-11-24T14:00:00Z",
		"您的限制将在下午 3:30 重置。":                                            "2026-11-20T14:30:00Z",
		"制限は2026年11月24日 15:00にリセットされます。":                               "2026-11-24T14:00:00Z",
		"制限は午後9時にリセットされます。":                                            "2026-11-20T20:00:00Z",
		"한도는 2026. 11. 24. 오후 3:00에 재설정됩니다.":                           "2026-11-24T14:00:00Z",
		"한도는 오전 9:05에 초기화됩니다.":                                         "2026-11-21T08:05:00Z",
		// No end of a limit:
		"Você usou 90% do limite em 2 horas.":                "",
		"Denkt seit 12 Sekunden nach (Esc zum Unterbrechen)": "",
		"用了 35 秒":                                          "",
		"Le serveur a répondu en 4523 ms.":                 "",
		"重试 3 次后失败":                                        "",
		"Reset nach Fehler 429":                            "",
		"2026-11-20 11:59:30 повтор":                       "",
		"2026-11-20T23:59:30.123Z 重试":                      "",
		"23:59:30 Erneuter Versuch":                        "",
		"Versuche es erneut. Letzter Fehler um 11:52 Uhr.": "",
		"Повтор 5 из 10":                                   "",
		"再試行してください。":                                       "",
		"":                                                 "",
	} {
		got := ""
		if r := m.abroad(text); !r.IsZero() {
			got = r.Truncate(time.Second).Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%s\n\tgot  %s\n\twant %s", text, got, want)
		}
	}
}

// TestNextTry: when the agent goes on by itself. Of several times that one is meant.
func TestNextTry(t *testing.T) {
	m := words(t)
	for text, want := range map[string]string{
		"Rate limit is exceeded. Try again in 40 seconds.; retrying 2/5 in 750ms…":                  "12:00:00.75",
		"Your quota will reset after 0s.. Retrying after 90000ms...":                                "12:01:30",
		"Retrying in 5s\nRetrying in 20s (attempt 3/10)":                                            "12:00:20",
		"503 Overloaded · Retrying in 1 minute… (attempt 2/10)":                                     "12:01:00",
		"Reconnecting... 2/5 (31s • esc to interrupt) stream error: 429. Please try again in 4.5s.": "12:00:04.5",
		"stream error; reconnecting in ~8s":                                                         "12:00:08",
		"Reconnecting... 2/5 (31s • esc to interrupt)":                                              "",
		"Retrying... (elapsed 45s)":                                                                 "",
		"[12:30:15] request took 4523ms, retrying":                                                  "",
	} {
		got := ""
		if r := m.times(detect.Stop{State: detect.Retrying}, text).SelfResumeAt; !r.IsZero() {
			got = r.Format("15:04:05.999")
		}
		if got != want {
			t.Errorf("%s\n\tgot  %s\n\twant %s", text, got, want)
		}
	}
}

// TestCopiedTimes: the text around an error names the time and the window of a limit.
func TestCopiedTimes(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		agent, text string
		state       detect.State
		reason      detect.Reason
		window      detect.Window
		reset       string
	}{
		{"codex", "• Reconnecting... 3/5 (1m 02s • esc to interrupt)\n  └ Stream disconnected before completion: Too Many Requests. Please try again in 7s.", detect.Retrying, "", "", "12:00:07"},
		{"codex", `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_in_seconds":3600}}`, detect.Stopped, detect.UsageLimit, "", "13:00:00"},
		{"gemini", "Attempt 1 failed with status 429. Retrying with backoff...\nAttempt 2 failed: Rate limit exceeded. Retrying after 2000ms...", detect.Retrying, "", "", "12:00:02"},
		{"gemini", "Attempt 9 failed with status 429. Retrying with backoff...\nNo capacity available for model gemini-2.5-pro on the server", detect.Stopped, detect.Overloaded, "", ""},
		{"gemini", "ℹ Your weekly quota is nearly used\n✕ [API Error: You have exhausted your quota on this model.]", detect.Stopped, detect.UsageLimit, detect.Weekly, ""},
		{"claude", "You've hit your monthly spend limit · raise it at claude.ai/settings/usage", detect.Stopped, detect.Billing, detect.Monthly, ""},
		{"copilot", "Sorry, you have been rate-limited. Please wait 5 minutes before trying again.\nServerfehler: Sorry, you've exceeded your weekly rate limit.\nFehlercode: user_weekly_rate_limited", detect.Stopped, detect.UsageLimit, detect.Weekly, "12:05:00"},
		{"opencode", "Error: 503 Upstream is busy (reset after 40s)", detect.Stopped, detect.Overloaded, "", "12:00:40"},
		{"opencode", "Error: 429 - {'error': {'message': 'Your account org-x / proj-x <ak-x> request rea\nched organization TPD rate limit, current: 1'}}", detect.Stopped, detect.UsageLimit, detect.Daily, ""},
		{"opencode", "Free usage exceeded, subscribe to Go\nnuovo tentativo in corso in 30s - tentativo #1", detect.Stopped, detect.UsageLimit, "", "12:00:30"},
		// A time that is none of a limit's end:
		{"opencode", "Error: 429 Too Many Requests\nrequest took 4523 ms at 2026-11-20 11:58:02", detect.Stopped, detect.RateLimit, "", ""},
		{"claude", "API Error: 529 Overloaded (12s • esc to interrupt)", detect.Stopped, detect.Overloaded, "", ""},
		{"copilot", "✗ Execution failed: 429 Too many requests (total retry wait time: 92.7 seconds)", detect.Stopped, detect.RateLimit, "", ""},
	} {
		k, err := Kind(c.agent)
		if err != nil {
			t.Fatal(err)
		}
		stop, ok := Message(k.Open(agent.Env{}, agent.Config{}), c.text, at, time.UTC)
		reset := stop.ResetAt
		if stop.State == detect.Retrying {
			reset = stop.SelfResumeAt
		}
		got := ""
		if !reset.IsZero() {
			got = reset.Format("15:04:05")
		}
		if !ok || stop.State != c.state || stop.Reason != c.reason || stop.Window != c.window || got != c.reset {
			t.Errorf("%s, %q:\n\tgot  %v %s %s %q %s", c.agent, c.text, ok, stop.State, stop.Reason, stop.Window, got)
		}
	}
}
