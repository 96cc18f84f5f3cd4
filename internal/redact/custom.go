package redact

import (
	"encoding/base64"
	"strings"
)

// The finders here look at places where custom puts a secret: after a provider's name, in a URL, in a header. They
// are written out by hand where a pattern would have to look far ahead: each looks at a bounded stretch, once.

const nearby = 64 // bytes after a provider's name in which its key is looked for

// findAWSSecret finds forty characters of base 64 given to a name like aws_secret_access_key.
func findAWSSecret(s string, _, end int) (from, to int, ok bool) {
	limit := min(len(s), end+nearby)
	i := end
	for i < limit && (s[i] != '\n' || isContinued(s, i)) {
		run := i
		for run < len(s) && isBase64Byte(s[run]) && run-i <= 40 {
			run++
		}
		if run-i == 40 && isMixed(s[i:run]) && !isAll(s[i:run], isHex) {
			return i, run, true
		}
		i = max(run, i+1)
		for i < len(s) && run-i > 40 && isBase64Byte(s[i]) {
			i++
		}
	}
	return 0, 0, false
}

func isBase64Byte(c byte) bool { return isLetter(c) || isDigit(c) || c == '/' || c == '+' }

// findHerokuKey finds a UUID on the same line: Heroku's older keys are plain ones.
func findHerokuKey(s string, _, end int) (from, to int, ok bool) {
	for i := end; i < min(len(s), end+nearby) && s[i] != '\n'; i++ {
		if isHex(s[i]) && !isHex(s[i-1]) && i+36 <= len(s) && isUUID(s[i:i+36]) {
			return i, i + 36, true
		}
	}
	return 0, 0, false
}

// findTwilioToken finds 32 hex digits on the same line.
func findTwilioToken(s string, _, end int) (from, to int, ok bool) {
	for i := end; i < min(len(s), end+nearby) && s[i] != '\n'; i++ {
		if !isHex(s[i]) || isWordByte(s[i-1]) {
			continue
		}
		run := i
		for run < len(s) && run-i <= 32 && isHex(s[run]) {
			run++
		}
		if run-i == 32 && isMixed(s[i:run]) {
			return i, run, true
		}
		i = run
	}
	return 0, 0, false
}

// findMailchimpKey finds 32 hex digits before the data centre's suffix.
func findMailchimpKey(s string, at, end int) (from, to int, ok bool) {
	if at < 32 || !isAll(s[at-32:at], isLowerHex) {
		return 0, 0, false
	}
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	return at - 32, end, true
}

// findNewRelicKey finds the 36 hex digits before the suffix of a licence.
func findNewRelicKey(s string, at, end int) (from, to int, ok bool) {
	const size = 36
	if at < size || !isAll(s[at-size:at], isHex) || end < len(s) && isWordByte(s[end]) {
		return 0, 0, false
	}
	return at - size, end, true
}

// findAirtableToken finds an id of 14 letters and digits, a dot, and 64 hex digits.
func findAirtableToken(s string, at, end int) (from, to int, ok bool) {
	const id, secret = 14, 64
	to = end + id + 1 + secret
	if to > len(s) || s[end+id] != '.' || !isAll(s[end+id+1:to], isHex) {
		return 0, 0, false
	}
	return at, to, isAll(s[end:end+id], isWordByte)
}

// findMaxMindKey finds six letters and digits, '_' and 29 more before the suffix of a licence.
func findMaxMindKey(s string, at, end int) (from, to int, ok bool) {
	const id, secret = 6, 29
	from = at - id - 1 - secret
	if from < 0 || s[from+id] != '_' || end < len(s) && isWordByte(s[end]) || from > 0 && isWordByte(s[from-1]) {
		return 0, 0, false
	}
	return from, end, isAll(s[from:from+id], isWordByte) && isRandom(s[from+id+1:at])
}

// findAzureKey finds a key that carries the mark of its service near its end, as Microsoft's newer ones do.
func findAzureKey(s string, at, end int) (from, to int, ok bool) {
	const before, longest = 43, 96
	isKeyByte := func(c byte) bool { return isBase64Byte(c) || c == '-' || c == '_' }
	for from = at; from > 0 && at-from <= longest && isKeyByte(s[from-1]); {
		from--
	}
	for to = end; to < len(s) && to-end <= longest && isKeyByte(s[to]); {
		to++
	}
	tail := to - end
	to = skipAny(s, to, "=", 2)
	return from, to, at-from >= before && at-from <= longest && tail >= 4 && tail <= 32 && isMixed(s[from:at]) &&
		hasUpperAndLower(s[from:at])
}

// findDSNPassword finds the password of user:password@tcp(host), as drivers of Go want it.
func findDSNPassword(s string, at, _ int) (from, to int, ok bool) {
	from = at
	for from > 0 && at-from < maxValue && s[from-1] > ' ' && !isQuote(s[from-1]) {
		from--
	}
	user, password, found := strings.Cut(s[from:at], ":")
	return from + len(user) + 1, at, found && notPlaceholder(password)
}

// findURLPassword finds the password of scheme://user:password@host, or a token in the user's place.
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
	if at < 0 || at+1 >= len(s) {
		return 0, 0, false
	}
	user, password, found := strings.Cut(s[end:at], ":")
	if !found {
		return end, at, len(user) >= 16 && isMixed(user)
	}
	if password == "" && len(user) >= 16 && isMixed(user) { // a token for a user, as some hosts want it
		return end, at, true
	}
	from = end + len(user) + 1
	return from, at, notPlaceholder(password) && !isPasswordWord(password)
}

// isPasswordWord reports whether v is what a manual writes in the place of a password in a URL.
func isPasswordWord(v string) bool {
	switch asciiLower(v) {
	case "password", "passwd", "pass", "pwd":
		return true
	}
	return strings.Contains(v, "&lt;")
}

// findAuthorization finds the credentials of an Authorization header, in whatever syntax it is set.
func findAuthorization(s string, _, end int) (from, to int, ok bool) {
	i := skipAny(s, end, "\"'`\\]) \t", 8)
	if i >= len(s) || strings.IndexByte(":=,", s[i]) < 0 {
		return 0, 0, false
	}
	i = skipAny(s, i, ":=,\"'`\\ \t", 12)
	return schemeValue(s, i)
}

// schemeValue reads "Bearer abc…" or the like at s[i:]: the value is the secret.
func schemeValue(s string, i int) (from, to int, ok bool) {
	word := i
	for word < len(s) && (isLetter(s[word]) || s[word] == '-') && word-i < 24 {
		word++
	}
	basic := hasFold(s[i:word], "basic")
	if word > i && word < len(s) && isBlank(s[word]) {
		i = skipAny(s, word, " \t", 8)
	}
	from, to = i, i
	for to < len(s) && (isTokenByte(s[to]) || s[to] == ':') && to-from < 4096 {
		to++
	}
	value := s[from:to]
	if basic {
		return from, to, isBasic(value)
	}
	return from, to, len(value) >= 8 && (isMixed(value) || isRandom(value)) && notPlaceholder(value)
}

// isBasic reports whether value can stand behind "Basic". A plain word cannot, though it is base 64.
func isBasic(value string) bool {
	_, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	return len(value) >= 6 && (err == nil && hasUpperAndLower(value) || isMixed(value))
}

// isUserPair reports whether value is base 64 of "user:password".
func isUserPair(value string) bool {
	if len(value) < 6 {
		return false
	}
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil || !strings.Contains(string(raw), ":") {
		return false
	}
	return isAll(string(raw), func(c byte) bool { return c >= ' ' && c < 0x7F })
}

// isEncodedPassword reports whether value is base 64 of a password, as Kubernetes keeps it.
func isEncodedPassword(value string) bool {
	raw, err := base64.StdEncoding.DecodeString(value)
	password := strings.TrimRight(string(raw), "\n")
	visible := isAll(password, func(c byte) bool { return c > ' ' && c < 0x7F })
	return err == nil && len(password) >= 6 && visible && isPasswordLike(password)
}

// findCookie finds what a Cookie or Set-Cookie header carries: of the first all pairs, of the second the value.
func findCookie(s string, at, end int) (from, to int, ok bool) {
	return cookieValue(s, skipAny(s, end, " \t\"'\\:=", 12), at >= 4 && hasFold(s[at-4:], "set-"))
}

// findSentCookie finds what curl sends with -b: name=value, and not the name of a file.
func findSentCookie(s string, _, end int) (from, to int, ok bool) {
	line := commandAfter(s, end)
	for _, flag := range [...]string{" -b", " --cookie"} {
		n := strings.Index(line, flag)
		if n < 0 {
			continue
		}
		i := skipAny(s, end+n+len(flag), " \"'=\\", 6)
		if from, to, ok = cookieValue(s, i, true); ok {
			to = from + len(firstWord(s[from:to]))
			return from, to, true
		}
	}
	return 0, 0, false
}

// cookieValue reads a cookie at s[i:], or all of them if it is not one that is being set.
func cookieValue(s string, i int, setting bool) (from, to int, ok bool) {
	stops := "\"'`\r\n\\"
	if setting {
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

// skipAny returns the first place at or after i whose byte is not in set, at most n bytes on.
func skipAny(s string, i int, set string, n int) int {
	for limit := min(len(s), i+n); i < limit && strings.IndexByte(set, s[i]) >= 0; {
		i++
	}
	return i
}
