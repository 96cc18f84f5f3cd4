package secrets

import (
	"encoding/base64"
	"strings"

	"remanence/internal/redact/ascii"
)

// Credentials in URLs, in Authorization headers and in cookies.

// findDSNPassword finds the password of user:password@tcp(host), the syntax of Go's database drivers.
func findDSNPassword(s string, at, _ int) (from, to int, ok bool) {
	from = at
	for from > 0 && at-from < maxValue && s[from-1] > ' ' && !isQuote(s[from-1]) {
		from--
	}
	user, password, found := strings.Cut(s[from:at], ":")
	return from + len(user) + 1, at, found && notPlaceholder(password)
}

// findURLPassword finds the password of scheme://user:password@host, or a token in place of the user.
func findURLPassword(s string, _, end int) (from, to int, ok bool) {
	stop, at := end, -1
	for ; stop < len(s) && stop-end < 1024; stop++ {
		c := s[stop]
		if c <= ' ' || strings.IndexByte("/\"'`<>", c) >= 0 {
			break
		}
		if c == '@' {
			at = stop
		}
	}
	if at < 0 { // a key in place of a host
		return end, stop, end > 5 && ascii.All(s[end-6:end-3], ascii.IsLetter) && stop-end >= minBareKey &&
			isManyCased(s[end:stop]) &&
			isVendorKey(s[end:stop], false)
	}
	if at+1 >= len(s) {
		return 0, 0, false
	}
	user, password, found := strings.Cut(s[end:at], ":")
	if !found {
		return end, at, len(user) >= 16 && isMixed(user)
	}
	if password == "" && len(user) >= 16 && isMixed(user) { // a token as the user, as some hosts take it
		return end, at, true
	}
	from = end + len(user) + 1
	return from, at, notPlaceholder(password) && !isPasswordWord(password)
}

// findBarePassword finds the password of user:password@/database?option and user:password@10.0.0.1, DSNs without a
// scheme.
func findBarePassword(s string, at, _ int) (from, to int, ok bool) {
	from = at
	for from > 0 && at-from < maxArgumentSize && s[from-1] > ' ' && !isQuote(s[from-1]) && s[from-1] != '=' {
		from--
	}
	if s[at] == '?' {
		at = from + max(0, strings.LastIndexByte(s[from:at], '@'))
	}
	user, password, found := strings.Cut(s[from:at], ":")
	return from + len(user) + 1, at, found && ascii.All(user, isNamePart) && isPasswordLike(password) &&
		!strings.ContainsAny(password, "/:")
}

// isPasswordWord reports whether v is a placeholder that manuals use for the password of a URL.
func isPasswordWord(v string) bool {
	switch ascii.Lower(v) {
	case "password", "passwd", "pass", "pwd":
		return true
	}
	return strings.Contains(v, "&lt;")
}

// findAuthorization finds the credentials of an Authorization header in any syntax.
func findAuthorization(s string, _, end int) (from, to int, ok bool) {
	i := ascii.SkipAny(s, end, "\"'`\\]) \t", 8)
	if i >= len(s) || strings.IndexByte(":=,", s[i]) < 0 {
		return 0, 0, false
	}
	i = ascii.SkipAny(s, i, ":=,\"'`\\ \t", 12)
	return schemeValue(s, i)
}

// schemeValue reads an optional scheme such as "Bearer" at s[i:] and returns the position of the value after it.
func schemeValue(s string, i int) (from, to int, ok bool) {
	word := i
	for word < len(s) && (ascii.IsLetter(s[word]) || s[word] == '-') && word-i < 24 {
		word++
	}
	basic := ascii.HasFoldPrefix(s[i:word], "basic")
	if word > i && word < len(s) && ascii.IsBlank(s[word]) {
		i = ascii.SkipAny(s, word, " \t", 8)
	}
	from, to = i, i
	for to < len(s) && (ascii.IsToken(s[to]) || s[to] == ':') && to-from < 4096 {
		to++
	}
	value := s[from:to]
	if basic {
		return from, to, isBasic(value)
	}
	return from, to, len(value) >= 8 && (isMixed(value) || isRandom(value)) && notPlaceholder(value)
}

// isBasic reports whether value may follow "Basic". A plain word may not, although it is valid base64.
func isBasic(value string) bool {
	_, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	return len(value) >= 6 && (err == nil && hasUpperAndLower(value) || isMixed(value))
}

// isUserPair reports whether value is base64 of "user:password".
func isUserPair(value string) bool {
	if len(value) < 6 {
		return false
	}
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil || !strings.Contains(string(raw), ":") {
		return false
	}
	return ascii.All(string(raw), func(c byte) bool { return c >= ' ' && c < 0x7F })
}

// isEncodedPassword reports whether value is base64 of a password, as Kubernetes stores it.
func isEncodedPassword(value string) bool {
	raw, err := base64.StdEncoding.DecodeString(value)
	password := strings.TrimRight(string(raw), "\n")
	visible := ascii.All(password, func(c byte) bool { return c > ' ' && c < 0x7F })
	return err == nil && len(password) >= 6 && visible && isPasswordLike(password)
}

// findCookie finds the content of a Cookie or Set-Cookie header: of the first all pairs, of the second the value.
func findCookie(s string, at, end int) (from, to int, ok bool) {
	return cookieValue(s, ascii.SkipAny(s, end, " \t\"'\\:=", 12), at >= 4 && ascii.HasFoldPrefix(s[at-4:], "set-"))
}

// findSentCookie finds the cookie of curl -b name=value, and not the name of a file.
func findSentCookie(s string, _, end int) (from, to int, ok bool) {
	line := commandAfter(s, end)
	for _, flag := range [...]string{" -b", " --cookie"} {
		n := strings.Index(line, flag)
		if n < 0 {
			continue
		}
		i := ascii.SkipAny(s, end+n+len(flag), " \"'=\\", 6)
		if from, to, ok = cookieValue(s, i, true); ok {
			to = from + len(firstWord(s[from:to]))
			return from, to, true
		}
	}
	return 0, 0, false
}

// cookieValue reads the cookies at s[i:], or only the first if single is set.
func cookieValue(s string, i int, single bool) (from, to int, ok bool) {
	stops := "\"'`\r\n\\"
	if single {
		stops += ";"
	}
	stop := i
	for stop < len(s) && strings.IndexByte(stops, s[stop]) < 0 && stop-i < 8192 {
		stop++
	}
	eq := strings.IndexByte(s[i:stop], '=')
	if eq <= 0 || strings.ContainsAny(s[i:i+eq], " \t,(") {
		return 0, 0, false
	}
	from = i + eq + 1
	value := s[from:stop]
	return from, stop, len(value) >= 8 && isMixed(value) && notPlaceholder(value)
}
