package redact

import "strings"

// The word for a password in other languages. Its sentence is read without grammar: the word, a verb or a sign, and a
// value that no dictionary has.

// findForeignPassword finds the value behind a word whose stem is s[at:end].
func findForeignPassword(s string, _, end int) (from, to int, ok bool) {
	i := end
	for i < len(s) && i-end < 8 && (isLetter(s[i]) || s[i] >= 0x80 && !hasAnyPrefix(s[i:], wideSigns[:])) { // its ending
		i++
	}
	i = skipAny(s, i, "\"'`*\\)", 4)
	i = skipAny(s, i, " \t", 4)
	sign := false
	for _, link := range foreignLinks {
		if hasFold(s[i:], link) {
			i += len(link)
			sign = strings.TrimSpace(link) == "" || !isLetter(link[0])
			break
		}
	}
	i = skipAny(s, i, " \t*", 4)
	a := assignment{class: password, name: s[end:end], prose: !sign, strong: sign}
	from, to = a.readValue(s, i)
	if !a.quoted {
		to = from + len(strings.TrimRight(s[from:to], ".,;"))
	}
	a.value = s[from:to]
	if len(a.value) < 4 || !notPlaceholder(a.value) || isAlgorithm(a.value) || isWordOfCode(a.value) {
		return 0, 0, false
	}
	return from, to, isMixed(a.value) || isPassphrase(a.value) || hasInnerCapital(a.value) || sign && (hasSymbol(a.value) || a.quoted && !looksLikePhrase(a.value))
}

// hasInnerCapital reports whether a capital follows a small letter, as in no word of a sentence.
func hasInnerCapital(v string) bool {
	for i := 1; i < len(v); i++ {
		if isUpper(v[i]) && isLower(v[i-1]) {
			return true
		}
	}
	return false
}

// wideSigns are the colon and the equals sign as wide as an ideograph, and a particle that joins.
var wideSigns = [...]string{"：", "＝", "は", "是", "为", "為"}

// foreignLinks stand between the word and the value.
var foreignLinks = [...]string{
	":", "：", "=", "＝", "は", "是", "为", "為", "ist ", "lautet ", "est ", "es ", "è ", "é ", "is ", "är ", "er ", "jest ", "to ", "on ", "je ",
	"este ",
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
