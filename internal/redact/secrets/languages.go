package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

// The word for a password in other languages. The sentence is parsed without grammar: the word, a verb or a sign, and a
// value that is not a dictionary word.

// findForeignPassword finds the value after a word whose stem ends at s[:end].
func findForeignPassword(s string, _, end int) (from, to int, ok bool) {
	i := end
	for i < len(s) && i-end < 8 && (ascii.IsLetter(s[i]) || s[i] >= 0x80 &&
		!hasAnyPrefix(s[i:], wideSigns[:])) { // its ending
		i++
	}
	word := i // the end of the word
	i = ascii.SkipAny(s, i, "\"'`*\\)", 4)
	i = ascii.SkipAny(s, i, " \t", 4)
	linked, sign := false, false
	for _, link := range foreignLinks {
		if ascii.HasFoldPrefix(s[i:], link) {
			i += len(link)
			linked = true
			sign = strings.TrimSpace(link) == "" || !ascii.IsLetter(link[0])
			break
		}
	}
	if !linked {
		i = foreignVerb(s, i)
	}
	i = ascii.SkipAny(s, i, " \t*", 4)
	a := assignment{class: password, name: s[end:end], prose: !sign, strong: sign}
	from, to = a.readValue(s, i)
	if !a.quoted {
		to = from + len(strings.TrimRight(s[from:to], ".,;"))
	}
	a.value = s[from:to]
	label := assignment{class: password}
	if from, to, ok := label.findLabelled(s, labelStart(s, end), word); ok {
		return from, to, true
	}
	if len(a.value) < 4 || !notPlaceholder(a.value) || names.IsAlgorithm(a.value) || names.IsOfCode(a.value) {
		return 0, 0, false
	}
	return from, to, isMixed(a.value) || isPassphrase(a.value) || hasInnerCapital(a.value) || sign &&
		(hasSymbol(a.value) || a.quoted && !looksLikePhrase(a.value))
}

// labelStart returns the start of the words of a label that end at s[:i].
func labelStart(s string, i int) int {
	from := i
	for from > 0 && i-from < maxName && (ascii.IsLetter(s[from-1]) || s[from-1] >= 0x80 || s[from-1] == ' ' && from > 1 &&
		ascii.IsLetter(s[from-2])) {
		from--
	}
	return from
}

// foreignVerb returns the start of the value after the owner of a password and a verb, or i if there is no verb.
func foreignVerb(s string, i int) int {
	words := s[i:min(len(s), i+nearby)]
	if n := strings.Index(words, ": "); n >= 0 && hasAnyPrefix(words, owners[:]) &&
		!strings.ContainsAny(words[:n], "\n.,;()\"'") {
		return i + n + len(": ")
	}
	if n := strings.IndexAny(words, "\n.,;:()\"'"); n >= 0 {
		words = words[:n]
	}
	for _, verb := range [...]string{" ist ", " lautet ", " es ", " est ", " è ", " é ", " är ", " jest "} {
		if n := strings.Index(words, verb); n >= 0 {
			return i + n + len(verb)
		}
	}
	return i
}

// owners are the prepositions before the owner of a password.
var owners = [...]string{"für ", "fürs ", "vom ", "von ", "del ", "de ", "du ", "per "}

// hasInnerCapital reports whether a capital follows a lower-case letter, which is unusual in a sentence.
func hasInnerCapital(v string) bool {
	for i := 1; i < len(v); i++ {
		if ascii.IsUpper(v[i]) && ascii.IsLower(v[i-1]) {
			return true
		}
	}
	return false
}

// wideSigns are the full-width colon and equals sign, and particles that may join name and value.
var wideSigns = [...]string{"：", "＝", "は", "是", "为", "為"}

// foreignLinks may stand between the word and the value.
var foreignLinks = [...]string{
	":", "：", "=", "＝", "は", "是", "为", "為", "ist: ", "lautet: ", "ist ", "lautet ", "est ", "es ", "è ", "é ", "is ",
	"är ", "er ", "jest ", "to ", "on ", "je ", "este ",
}
