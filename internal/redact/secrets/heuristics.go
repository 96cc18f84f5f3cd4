package secrets

import (
	"math"
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

const decimalDigits = "0123456789"

// Heuristics on the characters of a value, independent of its position.

// isGenerated reports whether v is a long value of letters, digits and many symbols, like the keys that frameworks
// generate. An expression with as many symbols has more blanks.
func isGenerated(v string) bool {
	if different(v, "!@#$%^&*()-_=+[]{}<>~`,.;:/?|") < 6 || strings.Contains(v, "://") ||
		strings.Contains(v, "${") && strings.Contains(v, "}") {
		return false
	}
	return len(v) >= 32 && hasDigit(v) && strings.Count(v, " ")*8 <= len(v) && entropy(v) >= 4.2
}

// different returns how many of the symbols occur in v.
func different(v, symbols string) int {
	n := 0
	for i := range len(symbols) {
		if strings.IndexByte(v, symbols[i]) >= 0 {
			n++
		}
	}
	return n
}

// isScrambled reports whether v has letters, digits and more different symbols than an expression without blanks.
func isScrambled(v string) bool {
	return different(v, "!@#$%^&*+=~?,;") >= 4 && len(v) >= 10 && isMixed(v) &&
		!strings.ContainsAny(v, " \t") && !strings.Contains(v, "://")
}

// isDense reports whether v mixes letters of both cases, digits and symbols, without a blank.
func isDense(v string) bool {
	return len(v) >= 8 && isMixed(v) && hasUpperAndLower(v) && !strings.ContainsAny(v, " \t") &&
		!strings.Contains(v, "()") && entropy(v) >= 3
}

// isPasswordLike reports whether v, a word in place of a password, is unlikely to be a word of a text.
func isPasswordLike(v string) bool {
	return notPlaceholder(v) && !names.IsAlgorithm(v) && (isMixed(v) || isPassphrase(v) || isJumbled(v) || len(v) >= 8 &&
		count(v, "!@#$%^&*+=~?") >= 3)
}

// isPassphrase reports whether v is four or more words joined by dashes, as password generators make them.
func isPassphrase(v string) bool {
	return strings.Count(v, "-") >= 3 && len(v) >= 15 && ascii.IsLetter(v[0]) && ascii.IsLetter(v[len(v)-1]) &&
		ascii.All(v, func(c byte) bool { return ascii.IsLower(c) || c == '-' }) && !strings.Contains(v, "--") &&
		!names.MentionsSecret(v)
}

// isJumbled reports whether v is nearly all letters and no name: its case changes too often.
func isJumbled(v string) bool {
	letters, changes := 0, 0
	for i := range len(v) {
		if !ascii.IsLetter(v[i]) {
			continue
		}
		letters++
		if i > 0 && ascii.IsLetter(v[i-1]) && ascii.IsUpper(v[i]) != ascii.IsUpper(v[i-1]) {
			changes++
		}
	}
	if letters < 10 || letters*10 < len(v)*7 || strings.ContainsAny(v, "()[]{} ") {
		return false
	}
	return changes*3 >= letters && vowels(v)*4 < letters || changes*20 >= letters*9 || letters >= 24 &&
		changes*5 >= letters*2
}

// isUnbalanced reports whether a bracket of v has no partner. Then v is no expression.
func isUnbalanced(v string) bool {
	for _, pair := range [...]string{"()", "[]", "{}"} {
		if strings.Count(v, pair[:1]) != strings.Count(v, pair[1:]) {
			return true
		}
	}
	return false
}

// isLogin reports whether v is a user and a password with a colon between them.
func isLogin(v string) bool {
	user, password, found := strings.Cut(v, ":")
	if !found || !ascii.All(user, isNamePart) || len(password) < 6 || looksLikeCode(password) {
		return false
	}
	return isMixed(password) || isPassphrase(password) || hasSymbol(password)
}

func isBase32Secret(v string) bool { return len(v)%8 == 0 || hasDigit(v) }

// isRandom reports whether v looks generated: letters and digits mixed, few of them repeated.
func isRandom(v string) bool {
	if !isMixed(v) {
		return len(v) >= 20 && hasUpperAndLower(v) && (vowels(v)*4 < len(v) || isJumbled(v)) && entropy(v) >= 3.8
	}
	if len(v) < 16 {
		return entropy(v) >= 2.5
	}
	return entropy(v) >= 3
}

// isMixed reports whether v has both letters and digits.
func isMixed(v string) bool {
	return hasLetter(v) && hasDigit(v)
}

// isManyCased reports whether v has lower-case letters, capitals and digits, few of them repeated.
func isManyCased(v string) bool {
	return isRandom(v) && isMixed(v) && hasUpperAndLower(v) && entropy(v) >= 3.2
}

func isSessionValue(v string) bool {
	return isMixed(v) && !isWordy(v) && !names.IsUUID(v) && entropy(v) >= 3 && (!isDottedName(v) || entropy(v) >= 4.5)
}

// isWordy reports whether v is mostly three or more words with signs between them.
func isWordy(v string) bool {
	words, size := 0, 0
	for word := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		if len(word) >= 3 && ascii.All(word, ascii.IsLetter) {
			words++
			size += len(word)
		}
	}
	return words >= 3 && size*3 >= len(v)*2
}

// isOpaque reports whether v is a run of letters and digits that is unlikely to be a name.
func isOpaque(v string) bool {
	if count(v, decimalDigits) < 3 && (len(v) < 20 || !isJumbled(v)) || !isRandom(v) || isWordy(v) || names.IsUUID(v) {
		return false
	}
	return hasUpperAndLower(v) || ascii.All(v, func(c byte) bool { return ascii.IsLower(c) || ascii.IsDigit(c) })
}

// isLoginPassword reports whether v may be the password in "login: user / v".
func isLoginPassword(v string) bool {
	return isPasswordLike(v) && !looksLikeCode(v) && !names.IsMail(v) && !strings.ContainsAny(v, "{}")
}

func hasLetter(v string) bool {
	for i := range len(v) {
		if ascii.IsLetter(v[i]) {
			return true
		}
	}
	return false
}

func hasDigit(v string) bool { return strings.ContainsAny(v, "0123456789") }

func hasSymbol(v string) bool { return strings.ContainsAny(v, "!@#$%^&*+=~") }

func hasUpperAndLower(v string) bool {
	upper, lower := false, false
	for i := range len(v) {
		upper = upper || ascii.IsUpper(v[i])
		lower = lower || ascii.IsLower(v[i])
	}
	return upper && lower
}

// count returns how many bytes of v are in set.
func count(v, set string) int {
	n := 0
	for i := range len(v) {
		if strings.IndexByte(set, v[i]) >= 0 {
			n++
		}
	}
	return n
}

// vowels counts vowels. Words have two in five letters, random letters one in five.
func vowels(v string) int { return count(v, "aeiouAEIOU") }

// entropy returns the Shannon entropy of v, in bits per byte.
func entropy(v string) float64 {
	var count [256]uint16
	for i := range len(v) {
		count[v[i]]++
	}
	repeated, n := 0.0, float64(len(v))
	for i := range len(v) {
		if c := count[v[i]]; c > 1 {
			repeated += math.Log2(float64(c))
		}
	}
	return math.Log2(n) - repeated/n
}
