package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

const maxExamined = 256 // bytes of a value that are examined

// isSecret reports whether the value is a secret. When in doubt it is.
func (a *assignment) isSecret() bool {
	v := withoutScheme(a.value[:min(len(a.value), maxExamined)])
	if a.quoted && (isGenerated(v) || isScrambled(v)) {
		return true
	}
	if !notPlaceholder(v) || names.IsOfCode(v) || looksLikePath(v) || names.IsVersion(v) && !hasLetter(v) {
		return false
	}
	switch {
	case ascii.HasFoldPrefix(v, ascii.Lower(a.name)) && len(v) < len(a.name)+8, isSameName(v, a.name):
		return false
	case a.listed && !isPasswordLike(v):
		return false
	case !a.quoted && !a.glued && strings.Contains(v, "_") && ascii.All(v, isWordOrDot) &&
		names.Classify(v) != noSecret:
		return false // a variable with a name of that sort
	case a.class == someKey:
		if a.glued && a.name == strings.ToUpper(a.name) && len(v) >= 20 && ascii.All(v, ascii.IsWordByte) &&
			isOpaque(v) {
			return true
		}
		return len(v) >= 32 && isMixed(v) && !isHashed(v) && hasUpperAndLower(v) && ascii.All(v, ascii.IsToken) &&
			entropy(v) >= 4.2 && !looksLikeCode(v)
	case a.prose:
		return a.isSecretInProse()
	case a.class == password && a.quoted:
		return len(v) >= 4 && !looksLikePhrase(v) && !names.IsAlgorithm(v) && (!looksLikeCode(v) || isDottedPassword(v) ||
			isDense(v) || isUnbalanced(v))
	case a.class == password && a.strong:
		return len(v) >= 4 && (!looksLikeCode(strings.TrimRight(v, ",;")) || a.mayBeDotted() || isScrambled(v)) &&
			(isMixed(v) || !strings.HasSuffix(v, ","))
	case a.class == password:
		return len(v) >= 6 && isPasswordLike(v) && (!looksLikeCode(v) || a.mayBeDotted()) && !names.IsAlgorithm(v)
	case a.name == "credentials" && isLogin(v):
		return true
	case strings.ContainsAny(v, " \t"):
		return false
	case a.quoted || a.strong:
		return len(v) >= 8 && (!looksLikeCode(v) || a.quoted && isDottedPassword(v)) &&
			(isRandom(v) || a.isNamedSecret() || isUserPair(v) || isEncodedPassword(v))
	}
	return len(v) >= 12 && (isRandom(v) || isUserPair(v)) && !looksLikeCode(v)
}

// isHashed reports whether v ends with a hash after a dash, as the key of an entry of a cache does.
func isHashed(v string) bool {
	hash := v[strings.LastIndexByte(v, '-')+1:]
	return len(hash) < len(v) && len(hash) >= 32 && ascii.All(hash, ascii.IsLowerHex)
}

// withoutScheme returns v without a leading {word} that names the hash or encoding.
func withoutScheme(v string) string {
	if word, rest, found := strings.Cut(v, "}"); found && len(rest) >= 4 && word != "" && word[0] == '{' &&
		ascii.All(word[1:], ascii.IsLower) {
		return rest
	}
	return v
}

// isSameName reports whether v repeats the name, as in "x.pass = pass".
func isSameName(v, name string) bool {
	v, name = v[strings.LastIndexByte(v, '.')+1:], name[strings.LastIndexByte(name, '.')+1:]
	return len(v) == len(name) && ascii.HasFoldPrefix(v, ascii.Lower(name))
}

func isWordOrDot(c byte) bool { return ascii.IsWordByte(c) || c == '.' }

// isNamedSecret reports whether a value that does not look random is still a secret. It is if its name is in capitals,
// or if the value is a long mix of letters and digits.
func (a *assignment) isNamedSecret() bool {
	if a.strong && a.name == strings.ToUpper(a.name) {
		return !ascii.All(a.value, func(c byte) bool { return ascii.IsUpper(c) || c == '_' })
	}
	return len(a.value) >= 12 && isMixed(a.value) && entropy(a.value) >= 2.5
}

func (a *assignment) isSecretInProse() bool {
	v := a.value[:min(len(a.value), maxExamined)]
	if a.class != password {
		return len(v) >= 10 && isRandom(v)
	}
	if a.quoted {
		return len(v) >= 4 && !looksLikePhrase(v)
	}
	if looksLikeCode(v) && !isDottedPassword(v) || names.IsAlgorithm(v) || len(v) < 4 {
		return false
	}
	if isPasswordLike(v) || hasSymbol(v) || ascii.All(v, ascii.IsDigit) {
		return true
	}
	return a.owned && !names.IsCommon(ascii.Lower(v))
}

// notPlaceholder reports whether v is neither a variable nor a template nor a row of asterisks.
func notPlaceholder(v string) bool {
	if len(v) < 3 {
		return false
	}
	if strings.Contains(v, "${") || strings.Contains(v, "{{") || strings.Contains(v, "$(") || strings.Contains(v, "<%") ||
		strings.Contains(v, "...") || strings.Contains(v, "…") {
		return false
	}
	switch v[0] {
	case '$':
		return !ascii.All(v[1:], ascii.IsWordByte)
	case '<', '{', '[':
		// The closing bracket is two further on in ASCII. Jenkins puts what it encrypted into braces.
		return v[len(v)-1] != v[0]+2 || v[0] == '{' && len(v) > 40 && isRandom(v[1:len(v)-1])
	case '%':
		return len(v) > 4 && v[1] != '(' && v[len(v)-1] != '%'
	}
	for i := 1; i < len(v); i++ {
		if v[i] != v[0] {
			return !names.IsYourWord(v)
		}
	}
	return false // one byte over and over
}

// looksLikeCode reports whether v is an expression rather than a value.
func looksLikeCode(v string) bool {
	if v == "" {
		return true
	}
	if bare := strings.TrimLeft(v, "!&*@"); strings.ContainsAny(bare, "()[]{}") && !strings.ContainsAny(bare, "!@#^&") {
		return true
	}
	if v[0] == '*' && ascii.All(v[1:], isNamePart) && (strings.Contains(v, ".") || len(v) < 12 || !isRandom(v[1:])) ||
		isNumericType(v) || strings.HasPrefix(v, "0x") && len(v) <= 18 && ascii.All(v[2:], ascii.IsHex) {
		return true
	}
	for _, mark := range [...]string{
		`\x`, "process.env", "os.environ", "getenv", "::", "->", "=>", "://", "secrets.", "vars.", "env.",
	} {
		if strings.Contains(v, mark) {
			return true
		}
	}
	return isDottedName(v)
}

// isNumericType reports whether v is a type such as uint32 or float64.
func isNumericType(v string) bool {
	for _, prefix := range [...]string{"uint", "int", "float", "complex", "i", "u", "f"} {
		if bits, ok := strings.CutPrefix(v, prefix); ok && len(bits) <= 3 && ascii.All(bits, ascii.IsDigit) {
			return true
		}
	}
	return false
}

// isDottedName reports whether v looks like cfg.Token: identifiers joined by dots, none of them random.
func isDottedName(v string) bool {
	if !strings.Contains(v, ".") {
		return false
	}
	for part := range strings.SplitSeq(v, ".") {
		if part == "" || !ascii.IsLetter(part[0]) && part[0] != '_' || !ascii.All(part, ascii.IsWordByte) {
			return false
		}
		if len(part) >= 12 && isRandom(part) {
			return false
		}
	}
	return true
}

// looksLikePhrase reports whether a quoted v is a message: several words without a digit or a symbol.
func looksLikePhrase(v string) bool {
	if names.IsForeign(v) {
		return true
	}
	if !strings.ContainsAny(v, " \t") {
		return false
	}
	words := len(strings.Fields(v))
	if words >= 4 && words <= 8 && ascii.All(v, isPhraseByte) && !strings.Contains(v, "pass") &&
		!strings.Contains(v, "enter") {
		return false // words of a password generator
	}
	return words > 8 || strings.Contains(v, "%") || !hasDigit(v) && !strings.ContainsAny(v, "!@#$^&*+=~")
}

func isPhraseByte(c byte) bool { return ascii.IsLower(c) || c == ' ' }

func looksLikePath(v string) bool {
	for _, prefix := range [...]string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(v, prefix) {
			return !strings.ContainsAny(v, "+=!@#$ ") && (strings.Contains(v, ".") || len(v) < 24 || !isMixed(v))
		}
	}
	return len(v) > 3 && ascii.IsLetter(v[0]) && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
}

// mayBeDotted reports whether a value that looks like names joined by dots may still be a password: because of its
// number, or in NAME=value without blanks.
func (a *assignment) mayBeDotted() bool {
	return isDottedPassword(a.value) || a.glued && isDottedName(a.value) && (isDense(a.value) || isJumbled(a.value))
}
