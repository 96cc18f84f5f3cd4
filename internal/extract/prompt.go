package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/rank"
)

// RecentChars bounds a request, in runes.
const RecentChars = 600 // of each

// PastedLength is the length, in bytes, from which a prompt counts as pasted and no
// more than its beginning as the person's words.
const PastedLength = 4000

// Request is what a prompt asks, in one line. A prompt laid out as a document asks for what its title names.
func Request(prompt string) string {
	prompt = strings.TrimSpace(strings.ReplaceAll(withoutImages(prompt), chars.Erased, ""))
	if title := PlanTitle(prompt); title != "" {
		lead := chars.FirstLine(prompt)
		if strings.HasPrefix(lead, "#") {
			lead = ""
		}
		return chars.Clip(chars.Line(lead+" "+title), 160)
	}
	if len(prompt) > PastedLength {
		return chars.Clip(chars.Line(chars.FirstLine(prompt)), 160)
	}
	return chars.Clip(withoutGreeting(chars.Line(prompt)), RecentChars)
}

// maxTopic bounds what memories are searched by, in runes.
const maxTopic = 480

// Topic is the part of a prompt that memories are searched by: all of it if it is short; the title and the first
// section of one laid out as a document, whose further text says what to do and matches anything; or the beginning of a
// long text, without lines of logs.
func Topic(prompt string) string {
	prompt = withoutImages(prompt)
	heads := headingsOf(prompt)
	if len(heads) < 2 && utf8.RuneCountInString(prompt) <= maxTopic {
		return prompt
	}
	title := PlanTitle(prompt)
	topic := title
	for _, s := range Statements(prompt) {
		if title != "" && s.heading == "" || isLog(s.Text) {
			continue
		}
		if title != "" && s.heading != headingText(heads[0]) && s.heading != headingText(heads[1]) {
			break
		}
		topic += "\n" + s.Text
	}
	return chars.Clip(strings.TrimSpace(topic), maxTopic)
}

// ShortRequest is what a prompt asks, in one line of at most n runes.
func ShortRequest(prompt string, n int) string {
	request := Request(prompt)
	return chars.Clip(request, n)
}

// withoutGreeting is a prompt without the greetings and thanks that it begins
// with, where something follows them.
func withoutGreeting(prompt string) string {
	all := lang.SplitSentences(prompt)
	for _, s := range all[:max(len(all)-1, 0)] {
		if !greets(s) || !strings.HasSuffix(s, "!") && len(strings.Fields(s)) > 2 {
			break
		}
		prompt = strings.TrimSpace(strings.TrimPrefix(prompt, s))
	}
	return prompt
}

// Agrees reports whether a prompt is assent, courtesy, a farewell or the mark of an
// option and nothing else: what is asked for is in the prompt before it. One that
// asks where the work stands asks for nothing of its own either.
func Agrees(prompt string) bool {
	return !strings.HasPrefix(strings.TrimSpace(prompt), "/") &&
		(rank.Courtesy(prompt) || saysGoodbye(prompt) || bareMark(prompt) || asksForStatus(prompt))
}

// bareMark reports whether a prompt is the mark of an option: "B", "2.", "option 2".
func bareMark(prompt string) bool {
	p := strings.Trim(strings.ToLower(strings.TrimSpace(prompt)), ".!)( ")
	for _, name := range []string{"option ", "variante ", "variant ", "nummer ", "number ", "opción "} {
		p = strings.TrimPrefix(p, name)
	}
	return len(p) == 1 && (p[0] >= '1' && p[0] <= '9' || p[0] >= 'a' && p[0] <= 'h')
}

// asksForStatus reports whether a prompt only asks where the work stands.
func asksForStatus(prompt string) bool {
	l := strings.Trim(strings.ReplaceAll(lang.CueText(prompt), "what's", "whats"), " ?.!？。")
	for _, asks := range []string{
		"where were we", "where are we", "where did we leave", "where did we stop", "whats left", "what is left",
		"whats next", "what is next", "what next", "whats open", "what is open",
		"wo waren wir", "wo stehen wir", "was steht an", "was steht als nächstes an", "was ist noch offen",
		"où en étions-nous", "où en sommes-nous", "que reste-t-il", "dónde lo dejamos", "dónde estábamos", "qué queda",
		"どこまでやった", "我们做到哪了",
	} {
		if rest, ok := strings.CutPrefix(l, asks); ok &&
			!slices.ContainsFunc(strings.Fields(rest), func(w string) bool {
				return !lang.ContainsAny("|to|do|off|last|time|yesterday|here|on|this|again|now|today|open|noch|gestern|heute|"+
					"stehengeblieben|à|faire|hier|por|hacer|", "|"+strings.Trim(w, ",")+"|")
			}) {
			return true
		}
	}
	return false
}

// saysGoodbye reports whether a prompt is short and says goodbye.
func saysGoodbye(prompt string) bool {
	return len(strings.Fields(prompt)) < 10 && !strings.ContainsAny(prompt, "?`/") &&
		lang.ContainsAny(
			strings.ToLower(prompt),
			"see you tomorrow", "see you later", "be right back", "brb", "it for today", "done for today",
			"all for today", "enough for today", "good night", "bis morgen", "feierabend", "für heute", "à demain",
			"hasta mañana", "また明日", "明天见",
		)
}

// withoutImages is a prompt without the marks that a client puts where an image was.
func withoutImages(prompt string) string {
	before, rest, ok := strings.Cut(prompt, "[Image #")
	if !ok {
		return prompt
	}
	number, after, ok := strings.Cut(rest, "]")
	if !ok || strings.Trim(number, "0123456789") != "" {
		return prompt
	}
	return before + withoutImages(after)
}

// SameWords reports whether two prompts are the same. Long ones are compared by their beginnings, as they may be cut
// at different lengths.
func SameWords(a, b string) bool {
	const enough = 1000 // characters
	a, b = chars.Line(a), chars.Line(b)
	return a != "" && (a == b || len(a) > enough && strings.HasPrefix(b, a[:enough]))
}
