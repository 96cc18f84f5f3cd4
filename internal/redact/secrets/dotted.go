package secrets

import "strings"

// isDottedPassword reports whether v, in place of a password, looks like names joined by dots but is a password.
// In code the first name is a container or a name is about a secret: "config.db.password", "opts.field10". Digits in
// code are sizes or count variants: "types.Int64", "form.value2". A password contains a year or another number:
// "Winter.sunshine99". Two words of which only the first is capitalised are no code in any style: "Winter.sunshine9".
func isDottedPassword(v string) bool {
	v = strings.TrimRight(v, ".,;")
	if len(v) < 8 || !hasDigit(v) || !isDottedName(v) {
		return false
	}
	parts := strings.Split(v, ".")
	if isSource(v) || isDomain(parts[len(parts)-1]) {
		return false
	}
	numbered := false
	for i, part := range parts {
		if i == 0 && isContainer(part) || mentionsMember(part) {
			return false
		}
		numbered = numbered || hasOddNumber(part)
	}
	return numbered || len(parts) == 2 && isUpper(v[0]) && isAll(v[1:], isLowerWord) && isDigit(v[len(v)-1])
}

func isLowerWord(c byte) bool { return isLower(c) || isDigit(c) || c == '.' }

// hasOddNumber reports whether a part contains a number that is unusual in names: two digits or more, except the sizes
// of types and algorithms.
func hasOddNumber(part string) bool {
	for i := 0; i < len(part); i++ {
		end := i
		for end < len(part) && isDigit(part[end]) {
			end++
		}
		if end-i >= 2 && !isSizeNumber(part[i:end]) {
			return true
		}
		i = max(i, end)
	}
	return false
}

func isSizeNumber(digits string) bool {
	switch digits {
	case "16", "32", "64", "128", "192", "224", "256", "384", "512", "1024", "2048", "4096", "8601", "25519", "3339",
		"509", "10", "11", "12", "13":
		return true
	}
	return false
}

// mentionsMember reports whether one of the words of a part names a secret, or a field that may contain one.
func mentionsMember(part string) bool {
	for _, word := range nameWords(part) {
		word = strings.TrimRight(word, "0123456789")
		if wordClass(word) != noSecret || isAbout(word) {
			return true
		}
		switch word {
		case "field", "value", "key", "data", "attr", "attribute", "item", "entry", "param", "prop", "property", "column",
			"string":
			return true
		}
	}
	return false
}

// isContainer reports whether word is a usual name of an object or a map in code and settings.
func isContainer(word string) bool {
	switch strings.TrimRight(asciiLower(word), "0123456789_") {
	case "config", "cfg", "conf", "settings", "setting", "env", "environ", "os", "process", "var", "vars", "local",
		"locals", "module", "self", "this", "args", "argv", "opts", "opt", "options", "params", "props", "state", "ctx",
		"context", "req", "request", "res", "resp", "response", "body", "form", "input", "output", "user", "users", "account",
		"client", "server", "db", "database", "app", "application", "values", "inputs", "secrets", "credentials", "creds",
		"auth", "vault", "node", "event", "e", "c", "p", "u", "s", "t", "r", "a", "b", "d", "x", "obj", "object", "result",
		"row", "record", "payload", "session", "steps", "needs", "matrix", "github", "runner", "job", "each", "count", "path",
		"terraform", "item", "model", "doc", "types", "type", "test", "tests":
		return true
	}
	return len(word) == 1
}

// isDomain reports whether word is the last part of a host name.
func isDomain(word string) bool {
	switch asciiLower(word) {
	case "com", "org", "net", "io", "dev", "de", "eu", "uk", "us", "ch", "at", "fr", "local", "internal", "lan", "test",
		"example", "invalid", "localhost", "app", "cloud", "svc", "info", "biz", "edu", "gov", "ai", "co", "me":
		return true
	}
	return false
}
