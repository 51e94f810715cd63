package all

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/clawd-project/clawd/detect"
	"github.com/clawd-project/clawd/internal/lazyregexp"
)

// leads are words of other languages for the end of a limit, and for another try. Agents and editors are translated; what they
// write into their own records is not, so that no session is read this way.
var leads = lazyregexp.New(`(?i)redefin|reinici|renova|renuev|tente (?:novamente|de novo)|tentando novamente|tentar novamente|aguarde|` + // pt
	`restable|int[ée]ntelo|inténtalo|volver a intentar|vuelve a intentar|reintent|espera\b|esperar\b|tornant a provar|` + // es, ca
	`réinitialis|renouvel|réessay|nouvelle tentative|patient(?:ez|er)|` + // fr
	`zurückgesetzt|zurücksetz|erneut|versuche? es|warte|` + // de
	`reimpost|ripristin|azzera|riprova|nuovo tentativo|attend[ie]|` + // it
	`opnieuw|gereset|probeer|wacht\b|` + // nl
	`zresetowan|odnowi|odnawia|spróbuj|ponawia|ponown|poczekaj|` + // pl
	`återställ|nulstill|tilbakestill|nollst|försök|prøv|vent\b|vänta|royna|reynir|` + // the North
	`obnov|zkus|opakov|opakuj|ponovn|počkejte|ponastav|` + // cs, sk, the Balkans
	`sıfırlan|yenilen|tekrar dene|yeniden|yenidən|bekle|gaýtadan|qayta|` + // tr and its kin
	`reîncear|reset[ăa]|újrapróbál|visszaáll|yrite|nollaut|uuesti|lähtesta|iš naujo|atkārto|atjauno|përpjek|` +
	`đặt lại|thử lại|làm mới|direset|disetel ulang|coba lagi|mencoba ulang|cuba semula|` +
	`сбро|обнов|повтор|попроб|подожд|спроб|скин|зачек|опит|обид|поновн|кӯшиш|дахин|` +
	`επαναπροσπ|επαναφ|δοκιμάστε|փորձ|ცდ|מתאפס|יתאפס|נסה|נסו|` +
	`إعادة|حاول|المحاولة|انتظر|تلاش|بازنشانی|کوشش|प्रयास|रीसेट|चेष्टा|চেষ্টা|รีเซ็ต|ลอง|` +
	`重置|重設|重设|刷新|恢复|恢復|重试|重試|再试|再試|稍后|稍候|リセット|更新され|お待ち|もう一度|초기화|재설정|재시도|다시 시도`)

// attemptLine is opencode's word on its own retry, in any language: a wait in seconds, and which try it is.
var attemptLine = lazyregexp.New(`(?m)^[^\d\n]{0,60}?(\d{1,8})[^\d\n]{0,25} [-–—] [^\d\n]{0,40}\d{1,3}[^\d\n]{0,25}$`)

// zeros are those of the scripts that have digits of their own; the other nine follow.
const zeros = "٠۰०০੦૦୦௦౦೦൦๐໐༠၀០０"

// western writes all digits as 0 to 9.
func western(text string) string {
	return strings.Map(func(r rune) rune {
		for _, zero := range zeros {
			if r >= zero && r <= zero+9 {
				return '0' + r - zero
			}
		}
		return r
	}, text)
}

// unitWords are those of other languages for a unit of time. Some write no blank around them.
var unitWords = []struct{ english, spaced, tight string }{
	{"ms", `millisekund\w*|milissegundos?|milisegundos?|millisecondes?|millisecondi|мс|миллисекунд\pL*`, `毫秒|ミリ秒|밀리초`},
	{"seconds", `segundos?|secondes?|secondi|secondo|secs?|sekund\pL*|sek|seconden|saniye\pL*|sn|dtk|detik|giây|секунд\pL*|сек|с|ثوان\pL*|ثانية|ثانیه|ث|שניות|δευτερόλεπτα|δευτ|सेकंड|সেকেন্ড\pL*|secunde|másodperc\pL*`, `秒|초|วินาที`},
	{"minutes", `minutos?|minuti|minuto|minuut|minuten|minuter|minutter|minuty?|minút\pL*|perc\pL*|dakika\pL*|dk|menit|phút|минут\pL*|мин|хвилин\pL*|хв|دقائق|دقيقة|دقیقه|דקות|λεπτά|मिनट|মিনিট|minute`, `分钟|分鐘|分間|分|분|นาที`},
	{"hours", `horas?|heures?|ore|ora|stunden?|std|uur|uren|timer?|timmar|timme|tim|godzin\pL*|godz|hodin\pL*|saat\pL*|sa|jam|giờ|час\pL*|ч|годин\pL*|год|ساعات|ساعة|ساعت|שעות|ώρες|घंटे|ঘন্টা`, `个小时|小时|小時|時間|시간|ชั่วโมง`},
	{"days", `d[ií]as?|jours?|giorn[oi]|tage?n?|dagen|dager|dagar|dage|dag|dni|dní|gün\pL*|hari|ngày|дн\pL*|день|أيام|يوم|روز|ימים|ημέρες|दिन|zile|nap\pL*`, `天|日間|일|วัน`},
	{"weeks", `semanas?|semaines?|settiman[ae]|wochen?|weken|недел\pL*|тижн\pL*|tygodni\pL*`, `周|週間|주`},
}

// monthWords are months by the beginnings of their names, where no English one is meant.
var monthWords = []struct{ english, abroad string }{
	{"Jan", `janv\w*|janeiro|ene\w*|genn?\w*|januar\w*|янв\pL*|січ\pL*|sty\w*|oca\w*|leden|ledna`},
	{"Feb", `fév\w*|f[eé]vr?\w*|febr?\w*|фев\pL*|лют\pL*|lut\w*|şub\w*`},
	{"Mar", `mars|març?\w*|marz\w*|märz?|mär|mrt|maart|мар\pL*|бер\pL*`},
	{"Apr", `abr\w*|avr\w*|apr\w*|апр\pL*|квіт\pL*|kwi\w*|nis\w*`},
	{"May", `mai\w*|mayo|mag\w*|mei|май|мая|трав\pL*|maj\w*`},
	{"Jun", `juin|junho|junio|giu\w*|juni|июн\pL*|черв\pL*|cze\w*|haz\w*`},
	{"Jul", `juil\w*|julho|julio|lug\w*|juli|июл\pL*|лип\pL*|lip\w*|tem\w*`},
	{"Aug", `août|aout|ago\w*|aug\w*|авг\pL*|серп\pL*|sie\w*|ağu\w*`},
	{"Sep", `set|sett?\w*|sept\w*|сен\pL*|верес\pL*|wrz\w*|eyl\w*`},
	{"Oct", `out\w*|oct\w*|ott\w*|okt\w*|окт\pL*|жовт\pL*|paź\w*|eki\w*`},
	{"Nov", `nov\w*|ноя\pL*|лист\pL*|lis\w*|kas\w*`},
	{"Dec", `dez\w*|déc\w*|dic\w*|dec\w*|дек\pL*|груд\pL*|gru\w*|ara\w*`},
}

// rewrite is one step into English.
type rewrite struct {
	of *regexp.Regexp
	to string
}

// rewrites make English of the times of other languages. Tens of patterns are compiled only when a text needs them.
var rewrites = sync.OnceValue(func() (all []rewrite) {
	add := func(of, to string) { all = append(all, rewrite{regexp.MustCompile(`(?i)` + of), to}) }
	// Dates that are written the largest part first:
	add(`(\d{4}) ?[年년/.] ?(\d{1,2}) ?[月월/.] ?(\d{1,2})(?:[日일.])?`, "$1-0$2-0$3 ")
	add(`(\d{1,2})[月월] ?(\d{1,2})[日일]`, "--0$1-0$2 ")
	add(`-0(\d\d)\b`, "-$1") // one zero too many
	add(`-0(\d\d) `, "-$1 ")
	add(`(?:上午|午前|오전) ?(\d{1,2})(?:[:：时時点點시] ?(\d{2}))?(?:[时時点點시]|分|분)?`, "$1:${2}am ")
	add(`(?:下午|午後|오후|晚上) ?(\d{1,2})(?:[:：时時点點시] ?(\d{2}))?(?:[时時点點시]|分|분)?`, "$1:${2}pm ")
	add(`(\d{1,2})(?:时|時|点|點|시) ?(\d{1,2})(?:分|분)`, " $1:$2 ")
	add(`(\d{1,2})(?:点|點|時|시)([^間间]|$)`, " $1:00 $2")
	add(`(\d):(am|pm)`, "$1 $2")
	// and those that begin with the day:
	add(`\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b`, "$3-0$2-0$1 ")
	add(`-0(\d\d)\b`, "-$1")
	for _, m := range monthWords {
		add(`(\d{1,2})(?:\.|º|er)?(?: de)? (?:`+m.abroad+`)\.?(?: de)?([ ,]|$)`, "$1 "+m.english+" $2")
	}
	add(`(\d{4}) ?(?:г\.?|р\.?|r\.)([ ,])`, "$1$2")
	// A time of day behind a word that says so:
	add(`(?:^|[ ,])(?:à|às|a las|alle|um|kl\.?|klokken|klockan|om|o|в|о|saat) (\d{1,2})(?: ?[h:.] ?(\d{2}))(?: ?(?:h|uhr|uur))?(?:[ .,;]|$)`, " at $1:$2 ")
	add(`(?:^|[ ,])(?:à|às|a las|alle|um) (\d{1,2})(?: ?(?:h|uhr))(?:[ .,;]|$)`, " at $1:00 ")
	for _, u := range unitWords {
		add(`(\d+)(?:[.,](\d+))? ?(?:`+u.spaced+`)([^\pL]|$)`, "$1.0$2 "+u.english+"$3")
		add(`(\d+)(?:[.,](\d+))? ?(?:`+u.tight+`)`, "$1.0$2 "+u.english+" ")
	}
	add(`(\d+)\.0(\d+) `, "$1.$2 ")
	add(`(\d+)\.0 `, "$1 ")
	return all
})

// starts is where a time may stand.
var starts = lazyregexp.New(`(?:^|[^\w.,:/-])(\d)`)

// sentenceEnd ends a sentence; a dot behind a short word may be of an abbreviation.
var sentenceEnd = lazyregexp.New(`[。！？!?\n]|\pL{5,}\.(?:\s|$)|(?::\d\d|\d{4})\.(?:\s\p{Lu}|$)`)

// stamp is a log's own time before a line.
var stamp = lazyregexp.New(`(?m)^\s*\[?(?:\d{4}-\d{2}-\d{2}[T ])?\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?\]?(?:[\s:]|$)`)

// abroad is the end of a limit that a text names in another language: the first time in a sentence that speaks of an end or of
// another try.
func (m copied) abroad(text string) time.Time {
	text = stamp.ReplaceAllString(western(text), "")
	for len(text) > 0 {
		said, rest := text, ""
		if end := sentenceEnd.FindStringIndex(text); end != nil {
			said, rest = text[:end[1]], text[end[1]:]
		}
		text = rest
		if !leads.MatchString(said) {
			continue
		}
		said = strings.Join(strings.Fields(said), " ")
		if n := attemptLine.FindStringSubmatch(said); n != nil {
			said = n[1] + " s"
		}
		for _, r := range rewrites() {
			said = r.of.ReplaceAllString(said, r.to)
		}
		for _, at := range starts.FindAllStringSubmatchIndex(said, 20) {
			if r, ok := detect.ParseReset("resets "+said[at[2]:], m.at, m.zone); ok && r.At.After(m.at) {
				return r.At
			}
		}
	}
	return time.Time{}
}
