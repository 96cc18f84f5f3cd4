package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

// The word for a password in other languages. The sentence is parsed without grammar: the word, a verb or a sign, and a
// value that is not a dictionary word.

// findForeignPassword finds the value after a word whose stem ends at s[:end].
func findForeignPassword(s string, at, end int) (from, to int, ok bool) {
	i := end
	for i < len(s) && i-end < 8 && (ascii.IsLetter(s[i]) || s[i] >= 0x80 &&
		!ascii.HasAnyPrefix(s[i:], foreignSigns[2:])) { // its ending
		i++
	}
	word := i // the end of the word
	i = ascii.SkipAny(s, i, "\"'`*\\)", 4)
	i = ascii.SkipAny(s, i, " \t", 4)
	sign := 0 // the size of the sign between name and value
	for _, link := range foreignSigns {
		if sign == 0 && strings.HasPrefix(s[i:], link) {
			sign = len(link)
		}
	}
	i += sign
	if from, _, linked, ok := names.ValueInClause(s, word); sign == 0 && linked && ok {
		i = from
		if isQuote(s[from-1]) {
			i--
		}
	}
	i = ascii.SkipAny(s, i, " \t*", 4)
	a := assignment{class: password, name: s[end:end], prose: sign == 0, strong: sign > 0}
	from, to = a.readValue(s, i)
	if !a.quoted {
		to = from + len(strings.TrimRight(s[from:to], ".,;"))
	}
	a.value = s[from:to]
	label := assignment{class: password}
	if from, to, ok := label.findLabelled(s, labelStart(s, end), word); ok {
		return from, to, true
	}
	if from, to, ok := label.findInClause(s, at, word); sign == 0 && ok {
		return from, to, true
	}
	if len(a.value) < 4 || !notPlaceholder(a.value) || names.IsAlgorithm(a.value) || names.IsOfCode(a.value) {
		return 0, 0, false
	}
	return from, to, isMixed(a.value) || isPassphrase(a.value) || hasInnerCapital(a.value) || sign > 0 &&
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

// hasInnerCapital reports whether a capital follows a lower-case letter, which is unusual in a sentence.
func hasInnerCapital(v string) bool {
	for i := 1; i < len(v); i++ {
		if ascii.IsUpper(v[i]) && ascii.IsLower(v[i-1]) {
			return true
		}
	}
	return false
}

// foreignSigns may stand between the word and the value.
var foreignSigns = [...]string{":", "=", "：", "＝", "は", "是", "为", "為"}

// findInClause finds a value that other words part from its name s[left:right]: it must look like a secret by itself,
// or the words between must say that it is the value. The line may also lead to the value below it.
func (a *assignment) findInClause(s string, left, right int) (from, to int, ok bool) {
	if from, to, ok = names.ValueBefore(s, left); ok && !isAlsoVerb(s, left, a.name) {
		v := s[from:to]
		named := a.class == password && len(v) >= 6 && isPasswordLike(v) && !looksLikeCode(v) && !looksLikePath(v)
		if named && !names.IsVersion(v) || a.isInClause(v, true) {
			return from, to, true
		}
	}
	from, to, linked, ok := names.ValueInClause(s, right)
	if ok {
		return from, to, a.isInClause(s[from:to], linked)
	}
	line, _, more := strings.Cut(s[right:min(len(s), right+pairReach)], "\n")
	if !more || a.class == someKey || !strings.HasSuffix(strings.TrimRight(line, " \r*"), ":") {
		return 0, 0, false
	}
	from, to, ok = a.labelled(s, nextItem(s, right+len(line)), false)
	return from, to, ok && to-from >= 12
}

// isInClause reports whether a word of a clause is a secret. linked is set if the clause says that it is one.
func (a *assignment) isInClause(v string, linked bool) bool {
	switch {
	case len(v) < 8 || looksLikePath(v) || looksLikeCode(v) || names.IsMail(v) || names.IsHost(v) || !notPlaceholder(v):
		return false
	case len(v) >= 16 && isManyCased(v) && isOpaque(v) && (isJumbled(v) ||
		len(strings.FieldsFunc(v, func(r rune) bool { return r < '0' || r > '9' })) > 1):
		return linked || a.class != someKey
	}
	return linked && a.class == password && (hasUpperAndLower(v) || hasSymbol(v)) && isStrongPassword(v)
}
