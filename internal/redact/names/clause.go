package names

import (
	"strings"
	"unicode/utf8"

	"remanence/internal/redact/ascii"
)

// Bounds of the clause around the name of a secret in which its value is looked for.
const (
	clauseWords = 8
	clauseSize  = 120 // bytes
	wordsAfter  = 4   // between a value and the name that follows it
)

// ValueInClause returns the position of the first word of the clause at s[i:] that is not made of letters alone. linked
// reports whether the word or the sign before it says that it is what the clause speaks of: "for the server is …".
func ValueInClause(s string, i int) (from, to int, linked, ok bool) {
	i = ascii.SkipAny(s, i, "\"'`*", 3) // that end the name
	last, worded := "", false           // the word before, and whether there was one besides signs
	switch sign, size := utf8.DecodeRuneInString(s[i:]); {
	case strings.ContainsRune("：＝は是为為", sign):
		last, i = "：", i+size
	case strings.HasPrefix(s[i:], ": "):
		last, i = ":", i+1
	case sign != ' ':
		return 0, 0, false, false
	}
	for words, limit := 0, min(len(s), i+clauseSize); i < limit && words < clauseWords; words++ {
		i = ascii.SkipAny(s, i, " \t", 4)
		from = ascii.SkipAny(s, i, "\"'`*", 3)
		for to = from; to < len(s) && s[to] > ' ' && s[to] < utf8.RuneSelf && strings.IndexByte("\"'`<|()[]{}", s[to]) < 0; {
			to++
		}
		text := strings.TrimRight(s[from:to], ".,;:!?*")
		if text != "" && strings.IndexByte(`&<-/%{\$`, text[0]) < 0 && !isSign(text) && !ascii.All(text, isOfWord) {
			return from, from + len(text), linked || isLink(last), worded || !isSign(last) // else it is an assignment
		}
		for to = i; to < len(s) && s[to] > ' ' && (isOfWord(s[to]) || s[to] >= utf8.RuneSelf ||
			strings.IndexByte(":=>", s[to]) >= 0); {
			to++
		}
		if to == i || to < len(s) && s[to] != ' ' && !strings.HasPrefix(s[to:], ", ") {
			return 0, 0, false, false
		}
		linked = isCopula(last) // and one word more: "is now …"
		last, i = s[i:to], ascii.SkipAny(s, to, ",", 1)
		worded = worded || !isSign(last)
	}
	return 0, 0, false, false
}

// ValueBefore returns the position of the last word before s[i:] that is not made of letters alone, if the words after
// it say that it is what s[i:] names: "use … as the password".
func ValueBefore(s string, i int) (from, to int, ok bool) {
	linked := false
	for range wordsAfter {
		text := strings.TrimRight(s[max(0, i-clauseSize):i], " ")
		start := i - len(s[max(0, i-clauseSize):i])
		word := text[strings.LastIndexAny(text, " \t\n")+1:]
		i = start + len(text) - len(word)
		bare := strings.Trim(word, "`\"'")
		if bare == "" {
			break
		}
		if !ascii.All(bare, func(c byte) bool { return isOfWord(c) || c >= utf8.RuneSelf }) {
			from = i + strings.Index(word, bare)
			return from, from + len(bare), linked && strings.IndexByte(".,;:)", bare[len(bare)-1]) < 0
		}
		linked = linked || isCopula(word)
	}
	return 0, 0, false
}

func isSign(word string) bool { return word == ":" || word == "=" }

func isOfWord(c byte) bool { return ascii.IsLetter(c) || c == '-' || c == '\'' }

// isLink reports whether a word stands between the name of a secret and its value, or ends with such a sign.
func isLink(word string) bool {
	switch ascii.Lower(word) {
	case "was", "are", "to", "be", "now", "it's", "sind", "lautet", "auf", "sont", "sera", "son", "será", "sono", "são",
		"это", "je", "este", "on", "→", "->", "=>":
		return true
	}
	return isCopula(word) || strings.HasSuffix(word, ":") || strings.HasSuffix(word, "=") || strings.HasSuffix(word, "：")
}

// isCopula reports whether a word stands between a value and its name: "… is the password".
func isCopula(word string) bool {
	switch ascii.Lower(word) {
	case "is", "as", "ist", "als", "est", "comme", "es", "como", "è", "come", "é", "är", "er", "jest":
		return true
	}
	return false
}
