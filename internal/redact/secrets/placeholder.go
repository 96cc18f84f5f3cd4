package secrets

import "strings"

const maxExamined = 256 // bytes of a value that are examined

// isSecret reports whether the value is a secret. When in doubt it is.
func (a *assignment) isSecret() bool {
	v := withoutScheme(a.value[:min(len(a.value), maxExamined)])
	if a.quoted && (isGenerated(v) || isScrambled(v)) {
		return true
	}
	if !notPlaceholder(v) || isWordOfCode(v) || looksLikePath(v) || isVersion(v) && !hasLetter(v) {
		return false
	}
	switch {
	case hasFold(v, asciiLower(a.name)) && len(v) < len(a.name)+8, isSameName(v, a.name):
		return false
	case a.listed && !isPasswordLike(v):
		return false
	case !a.quoted && !a.glued && strings.Contains(v, "_") && isAll(v, isWordOrDot) && classify(v) != noSecret:
		return false // a variable with a name of that sort
	case a.class == someKey:
		if a.glued && a.name == strings.ToUpper(a.name) && len(v) >= 20 && isAll(v, isWordByte) && isOpaque(v) {
			return true
		}
		return len(v) >= 32 && isMixed(v) && hasUpperAndLower(v) && isAll(v, isTokenByte) && entropy(v) >= 4.2 &&
			!looksLikeCode(v)
	case a.prose:
		return a.isSecretInProse()
	case a.class == password && a.quoted:
		return len(v) >= 4 && !looksLikePhrase(v) && !isAlgorithm(v) && (!looksLikeCode(v) || isDottedPassword(v) ||
			isDense(v) || isUnbalanced(v))
	case a.class == password && a.strong:
		return len(v) >= 4 && (!looksLikeCode(strings.TrimRight(v, ",;")) || a.mayBeDotted() || isScrambled(v)) &&
			(isMixed(v) || !strings.HasSuffix(v, ","))
	case a.class == password:
		return len(v) >= 6 && isPasswordLike(v) && (!looksLikeCode(v) || a.mayBeDotted()) && !isAlgorithm(v)
	case a.name == "credentials" && isLogin(v):
		return true
	case strings.ContainsAny(v, " \t"):
		return false
	case a.quoted || a.strong:
		return len(v) >= 8 && !looksLikeCode(v) && (isRandom(v) || a.isNamedSecret() || isUserPair(v) || isEncodedPassword(v))
	}
	return len(v) >= 12 && (isRandom(v) || isUserPair(v)) && !looksLikeCode(v)
}

// withoutScheme returns v without a leading {word} that names the hash or encoding.
func withoutScheme(v string) string {
	if word, rest, found := strings.Cut(v, "}"); found && len(rest) >= 4 && word != "" && word[0] == '{' &&
		isAll(word[1:], isLower) {
		return rest
	}
	return v
}

// isSameName reports whether v repeats the name, as in "x.pass = pass".
func isSameName(v, name string) bool {
	v, name = v[strings.LastIndexByte(v, '.')+1:], name[strings.LastIndexByte(name, '.')+1:]
	return len(v) == len(name) && hasFold(v, asciiLower(name))
}

func isWordOrDot(c byte) bool { return isWordByte(c) || c == '.' }

// isNamedSecret reports whether a value that does not look random is still a secret. It is if its name is in capitals,
// or if the value is a long mix of letters and digits.
func (a *assignment) isNamedSecret() bool {
	if a.strong && a.name == strings.ToUpper(a.name) {
		return !isAll(a.value, func(c byte) bool { return isUpper(c) || c == '_' })
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
	if looksLikeCode(v) && !isDottedPassword(v) || isAlgorithm(v) || len(v) < 4 {
		return false
	}
	if isPasswordLike(v) || hasSymbol(v) || isAll(v, isDigit) {
		return true
	}
	return a.owned && !isCommonWord(asciiLower(v))
}

// isOwner reports whether a word before "password is" shows that a particular password is meant.
func isOwner(word string) bool {
	switch asciiLower(word) {
	case "my", "our", "the", "his", "her", "their", "your", "new", "old", "current", "root", "admin", "user", "db",
		"database", "login", "wifi", "wi-fi", "sudo", "master", "ssh", "test", "temp", "temporary", "initial", "account",
		"vpn", "mein", "das", "whose", "and", "with", "its", "production", "prod", "staging", "postgres", "redis", "github",
		"email", "gmail":
		return true
	}
	return false
}

// isCommonWord reports whether word may follow "the password is" without being a password.
func isCommonWord(word string) bool {
	switch strings.Trim(word, ".,:;()*_`") {
	case "wrong", "incorrect", "correct", "invalid", "valid", "missing", "empty", "required", "optional", "expired",
		"stored", "hashed", "encrypted", "used", "sent", "still", "being", "never", "always", "also", "only", "just", "then",
		"than", "that", "this", "from", "with", "what", "when", "where", "which", "your", "their", "there", "here", "same",
		"based", "given", "known", "unknown", "needed", "printed", "passed", "read", "shown", "hidden", "visible", "checked",
		"verified", "compared", "provided", "supplied", "specified", "asked", "prompted", "ignored", "allowed", "accepted",
		"rejected", "refused", "more", "less", "long", "short", "weak", "strong", "safe", "secure", "insecure", "public",
		"private", "secret", "plain", "plaintext", "correctly", "nothing", "something", "anything", "about", "above", "below",
		"after", "before", "because", "changed", "reset", "rotated", "logged", "leaked", "exposed", "redacted", "masked",
		"removed", "deleted", "saved", "kept", "cached", "returned", "generated", "created", "defined", "default", "derived",
		"left", "have", "must", "should", "could", "would", "will", "does", "done", "made", "part", "supposed", "going",
		"available", "loaded", "found", "lost", "protected", "longer", "shorter", "blank", "null", "none", "true", "false",
		"really", "already", "however", "currently", "usually", "typically", "either", "both", "neither", "handled", "taken",
		"typed", "entered", "written", "unset", "compromised", "different", "identical", "equal", "simple", "complex", "good",
		"enough", "disabled", "enabled", "omitted", "transmitted", "very", "quite", "probably", "rather", "actually", "often",
		"falsch", "richtig", "leer", "ungültig", "gültig", "abgelaufen", "gesetzt", "geändert", "zurückgesetzt", "nicht",
		"noch", "schon", "jetzt", "bereits", "erforderlich", "nötig", "unbekannt", "bekannt", "gespeichert", "verschlüsselt",
		"sicher", "unsicher", "kurz", "lang", "schwach", "stark", "gleich", "eine", "einem", "immer", "hier", "dort",
		"vergessen", "verloren", "korrekt", "inkorrekt", "nirgends", "überall":
		return true
	}
	return len(word) < 4 || strings.HasSuffix(word, "ed") && isAll(word, isLower)
}

// isWordOfCode reports whether v is a word that code, schemas and documents use in place of a value.
func isWordOfCode(v string) bool {
	switch strings.TrimRight(asciiLower(v), ";,): ") {
	case "string", "str", "bool", "boolean", "int", "bytes", "text", "any", "number", "null", "none", "nil", "true",
		"false", "undefined", "required", "optional", "password", "passwd", "passphrase", "secret", "token", "secretstr",
		"varchar", "type", "object", "value", "credentials", "credential", "apikey", "api_key", "api-key", "bearer", "basic",
		"redacted", "hidden", "masked", "empty", "unset", "default", "self", "this", "void", "char", "const", "let", "var",
		"new", "await", "return", "func", "function", "username", "user", "email", "login", "input", "output", "auth",
		"oauth", "header", "authorization", "interface", "struct", "option", "private_key", "access_token", "refresh_token",
		"client_secret", "prompt", "file", "stdin", "pass", "fail", "env", "key", "name", "session", "cookie", "error",
		"test", "write", "read", "inherit":
		return true
	}
	return false
}

func isAlgorithm(v string) bool {
	switch strings.TrimRight(asciiLower(v), ".,;:)") {
	case "sha1", "sha256", "sha-256", "sha512", "sha-512", "md5", "base64", "base32", "oauth2", "oauth2.0", "bcrypt",
		"argon2", "argon2id", "pbkdf2", "scram-sha-1", "scram-sha-256", "scram-sha-512", "sha384", "hs384", "hs512", "rs512",
		"es256", "utf8", "utf-8", "x509", "http2", "aes256", "aes-256", "ed25519", "rs256", "hs256", "2fa", "nist800":
		return true
	}
	return false
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
		return !isAll(v[1:], isWordByte)
	case '<', '{', '[':
		return v[len(v)-1] != v[0]+2 // the closing bracket is two further on in ASCII
	case '%':
		return len(v) > 4 && v[1] != '(' && v[len(v)-1] != '%'
	}
	for i := 1; i < len(v); i++ {
		if v[i] != v[0] {
			return !isYourWord(v)
		}
	}
	return false // one byte over and over
}

// isYourWord reports whether v is a phrase that manuals print for the reader to replace, such as "your-password".
func isYourWord(v string) bool {
	for _, prefix := range [...]string{
		"your-", "your_", "your ", "my-secret-", "insert-", "replace-", "enter-", "changeme-", "put-your",
	} {
		if hasFold(v, prefix) {
			return !hasDigit(v)
		}
	}
	return false
}

// looksLikeCode reports whether v is an expression rather than a value.
func looksLikeCode(v string) bool {
	if v == "" {
		return true
	}
	if bare := strings.TrimLeft(v, "!&*"); strings.ContainsAny(bare, "()[]{}") && !strings.ContainsAny(bare, "!@#^&") {
		return true
	}
	if v[0] == '*' && isAll(v[1:], isNamePart) && (strings.Contains(v, ".") || len(v) < 12 || !isRandom(v[1:])) ||
		isNumericType(v) || strings.HasPrefix(v, "0x") && len(v) <= 18 && isAll(v[2:], isHex) {
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
		if bits, ok := strings.CutPrefix(v, prefix); ok && len(bits) <= 3 && isAll(bits, isDigit) {
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
		if part == "" || !isLetter(part[0]) && part[0] != '_' || !isAll(part, isWordByte) {
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
	if isForeignWord(v) {
		return true
	}
	if !strings.ContainsAny(v, " \t") {
		return false
	}
	words := len(strings.Fields(v))
	if words >= 4 && words <= 8 && isAll(v, isPhraseByte) && !strings.Contains(v, "pass") &&
		!strings.Contains(v, "enter") {
		return false // words of a password generator
	}
	return words > 8 || strings.Contains(v, "%") || !hasDigit(v) && !strings.ContainsAny(v, "!@#$^&*+=~")
}

func isPhraseByte(c byte) bool { return isLower(c) || c == ' ' }

func looksLikePath(v string) bool {
	for _, prefix := range [...]string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(v, prefix) {
			return !strings.ContainsAny(v, "+=!@#$ ") && (strings.Contains(v, ".") || len(v) < 24 || !isMixed(v))
		}
	}
	return len(v) > 3 && isLetter(v[0]) && v[1] == ':' && (v[2] == '\\' || v[2] == '/')
}

// mayBeDotted reports whether a value that looks like names joined by dots may still be a password: because of its
// number, or in NAME=value without blanks.
func (a *assignment) mayBeDotted() bool {
	return isDottedPassword(a.value) || a.glued && isDottedName(a.value) && (isDense(a.value) || isJumbled(a.value))
}
