package lang

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// token is one word, name, number or sign of a statement.
type token struct {
	text   string // lower case; a number's value, a unit's short form
	stem   string // text without its ending
	raw    string // as written
	class  class
	number bool
	unit   bool // behind a number
	name   bool // holds more than lower-case letters
	quoted bool // in backticks or double quotes
	breaks bool // punctuation stands before it
	begins bool // an article stands before it
}

func (t token) is(c class) bool { return t.class&c != 0 }

// meaningful reports whether a token carries meaning of its own.
func (t token) meaningful() bool { return !t.is(copula | functionWord) }

// equal reports whether two tokens are the same word in any form, the same
// number, or the same name.
func (t token) equal(o token) bool {
	if t.quoted && o.quoted && (t.name || o.name) {
		return t.raw == o.raw
	}
	return t.text == o.text || !t.number && !o.number && t.stem != "" && t.stem == o.stem && t.class == o.class
}

// tokens splits a statement. Articles are left out.
func tokens(s string) []token {
	r := reader{cues: readCues()}
	r.read(s)
	r.joinNumbers()
	if slices.ContainsFunc(r.out, func(t token) bool {
		return slices.Contains([]string{"el", "los", "las", "del", "al", "por", "para"}, t.text)
	}) { // in Spanish "a" gives a role
		for i := range r.out {
			if r.out[i].text == "a" {
				r.out[i].class = marker
			}
		}
	}
	for i := 1; i < len(r.out); i++ {
		r.out[i].begins = r.out[i-1].is(article)
		r.out[i].breaks = r.out[i].breaks || r.out[i].begins && r.out[i-1].breaks
	}
	return slices.DeleteFunc(r.out, func(t token) bool { return t.is(article) && !t.quoted })
}

type reader struct {
	cues   cues
	out    []token
	quote  rune // that ends the quoted part; 0 outside
	breaks bool
}

func (r *reader) read(s string) {
	runes := []rune(s)
	for i := 0; i < len(runes); {
		c := runes[i]
		switch {
		case wide(c):
			r.add(string(c))
			i++
		case wordRune(c) || startsName(runes, i):
			end := i + 1
			for end < len(runes) && (wordRune(runes[end]) && !wide(runes[end]) || insideName(runes, end)) {
				end++
			}
			r.word(string(runes[i:end]))
			i = end
		default:
			i += r.sign(runes[i:])
		}
	}
}

// sign reads punctuation or an operator and returns its length.
func (r *reader) sign(s []rune) int {
	two := string(s[:min(2, len(s))])
	switch {
	case two == "->" || two == "=>":
		r.add("→")
		return 2
	case two == "<-":
		r.add("←")
		return 2
	case two == "!=" || two == "<=" || two == ">=":
		r.add(two)
		return 2
	case strings.ContainsRune("→←<>≤≥≠%&", s[0]):
		r.add(string(s[0]))
	case r.quote != 0 && s[0] == r.quote:
		r.quote = 0
	case r.quote == 0 && strings.ContainsRune("`\"“„«", s[0]):
		r.quote = map[rune]rune{'`': '`', '"': '"', '“': '”', '„': '“', '«': '»'}[s[0]]
	case strings.ContainsRune(",;.!?()—–\n。,、;", s[0]):
		r.breaks = true
	}
	return 1
}

// word adds the tokens of a run without spaces.
func (r *reader) word(w string) {
	low := strings.ToLower(strings.ReplaceAll(w, "’", "'"))
	if before, ok := strings.CutSuffix(low, "n't"); ok {
		if before == "ca" || before == "wo" {
			before = map[string]string{"ca": "can", "wo": "will"}[before]
		}
		r.auxiliary(before)
		r.add("not")
		return
	}
	if low == "cannot" {
		r.add("can")
		r.add("not")
		return
	}
	if before, after, ok := strings.Cut(low, "'"); ok {
		switch {
		case after == "s":
			r.add(w[:len(before)])
			r.add("'s")
		case len(before) <= 2: // French elision
			r.add(map[string]string{"d": "de", "n": "ne", "l": "l"}[before])
			r.word(w[len(before)+1:])
		default:
			r.add(w)
		}
		return
	}
	if parts := strings.Split(w, "-"); len(parts) > 1 && onlyLetters(parts) {
		for _, p := range parts {
			r.add(p)
		}
		return
	}
	digits := strings.TrimRight(low, "abcdefghijklmnopqrstuvwxyz")
	if unit := low[len(digits):]; digits != "" && unit != "" && r.cues.units[unit] != "" && numeral(digits) {
		r.add(digits)
		r.add(unit)
		return
	}
	r.add(w)
}

// auxiliary adds the word before a contracted "not", but for do, which the
// negation alone brings.
func (r *reader) auxiliary(w string) {
	if w != "" && w != "do" && w != "does" && w != "did" {
		r.add(w)
	}
}

func (r *reader) add(raw string) {
	if raw == "" {
		return
	}
	low := strings.ToLower(raw)
	t := token{text: low, raw: raw, quoted: r.quote != 0, breaks: r.breaks}
	r.breaks = false
	behindNumber := len(r.out) > 0 && r.out[len(r.out)-1].number
	switch {
	case numeral(low):
		t.number, t.text = true, strings.ReplaceAll(low, ",", "")
	case r.cues.numbers[low] != "":
		t.number, t.text = true, r.cues.numbers[low]
	case behindNumber && r.cues.units[low] != "":
		t.unit, t.text = true, r.cues.units[low]
	default:
		t.class = r.cues.classes[low]
		if t.is(copula) {
			t.text = "be"
		}
		if t.text == "not" && len(r.out) > 0 {
			if last := r.out[len(r.out)-1].text; last == "do" || last == "does" || last == "did" {
				r.out = r.out[:len(r.out)-1]
			}
		}
		t.name = named(raw)
		if !t.name {
			t.stem = stem(low)
		}
	}
	r.out = append(r.out, t)
}

// joinNumbers makes one number of "twenty five" and "five hundred".
func (r *reader) joinNumbers() {
	var out []token
	for _, t := range r.out {
		if n := len(out) - 1; n >= 0 && t.number && out[n].number && !named(t.raw) && !named(out[n].raw) {
			a, errA := strconv.Atoi(out[n].text)
			b, errB := strconv.Atoi(t.text)
			switch {
			case errA != nil || errB != nil:
			case a >= 20 && a < 100 && a%10 == 0 && b > 0 && b < 10:
				out[n].text = strconv.Itoa(a + b)
				continue
			case a > 0 && a < b && (b == 100 || b == 1000):
				out[n].text = strconv.Itoa(a * b)
				continue
			}
		}
		out = append(out, t)
	}
	r.out = out
}

// numeral reports whether a word is a number in digits.
func numeral(w string) bool {
	digit := false
	for i, c := range w {
		switch {
		case c >= '0' && c <= '9':
			digit = true
		case (c == '.' || c == ',') && i > 0 && i < len(w)-1 && strings.Count(w, ".") < 2:
		default:
			return false
		}
	}
	return digit
}

// named reports whether a word is spelt as a name: with signs, digits or
// capitals inside.
func named(raw string) bool {
	for i, c := range raw {
		if !unicode.IsLetter(c) && !unicode.Is(unicode.M, c) || i > 0 && unicode.IsUpper(c) {
			return true
		}
	}
	return false
}

func onlyLetters(parts []string) bool {
	for _, p := range parts {
		if p == "" ||
			strings.ContainsFunc(p, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.Is(unicode.M, c) }) {
			return false
		}
	}
	return true
}

// stem cuts the endings of inflection off a word.
func stem(w string) string {
	for _, ending := range []string{"ing", "ies", "ied", "ed", "es", "en", "s", "e", "n", "y"} {
		least := 3
		if ending == "ing" || ending == "ed" || ending == "e" { // using, used, use
			least = 2
		}
		rest, ok := strings.CutSuffix(w, ending)
		if ok && len(rest) >= least && strings.ContainsAny(rest, "aeiouyäöüáéíóú") {
			if len(rest) > 3 && (ending == "ing" || ending == "ed") && rest[len(rest)-1] == rest[len(rest)-2] {
				rest = rest[:len(rest)-1] // stopped
			}
			return rest
		}
	}
	return w
}

func wordRune(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.M, c) || c == '_'
}

// wide reports whether a letter belongs to a script that is written without spaces.
func wide(c rune) bool {
	return c >= 0x0E00 && unicode.In(c,
		unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	)
}

// startsName reports whether a sign begins a name: -k, .env, /etc, @user, $HOME.
func startsName(s []rune, i int) bool {
	return strings.ContainsRune("-./@$#~", s[i]) && i+1 < len(s) &&
		(wordRune(s[i+1]) && !wide(s[i+1]) || s[i] == '-' && s[i+1] == '-') &&
		(i == 0 || unicode.IsSpace(s[i-1]) || strings.ContainsRune("`\"'(“", s[i-1]))
}

// insideName reports whether a sign stands inside a name.
func insideName(s []rune, i int) bool {
	if s[i] == '-' && i > 0 && s[i-1] == '-' {
		return i+1 < len(s) && wordRune(s[i+1])
	}
	if i+1 >= len(s) || wide(s[i+1]) {
		return strings.ContainsRune("+#", s[i]) && i > 0 && wordRune(s[i-1])
	}
	switch s[i] {
	case ',':
		return unicode.IsDigit(s[i-1]) && i+3 < len(s) &&
			unicode.IsDigit(s[i+1]) && unicode.IsDigit(s[i+2]) && unicode.IsDigit(s[i+3])
	case '-':
		return wordRune(s[i+1]) || s[i+1] == '-'
	case '.', '/', '\\', ':', '@', '#', '+', '~', '\'', '’', '*':
		return wordRune(s[i+1]) || s[i] == '/' && strings.ContainsRune(".*", s[i+1]) || s[i] == '+' && s[i+1] == '+'
	}
	return false
}
