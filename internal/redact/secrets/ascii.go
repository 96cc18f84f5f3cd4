package secrets

import "strings"

func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isLower(c byte) bool    { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool    { return c >= 'A' && c <= 'Z' }
func isLetter(c byte) bool   { return isLower(c) || isUpper(c) }
func isLowerHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' }
func isHex(c byte) bool      { return isLowerHex(c) || c >= 'A' && c <= 'F' }
func isBlank(c byte) bool    { return c == ' ' || c == '\t' }

// Sets of the lower and the upper half of ASCII, one bit for each byte.
const (
	digitBits  = 1<<('9'+1) - 1<<'0'
	letterBits = (1<<26-1)<<('A'-64) | (1<<26-1)<<('a'-64)
)

func isBase64Byte(c byte) bool {
	if c < 64 {
		return (digitBits|1<<'/'|1<<'+')>>c&1 != 0
	}
	return c < 128 && uint64(letterBits)>>(c-64)&1 != 0
}

func isWordByte(c byte) bool {
	if c < 64 {
		return digitBits>>c&1 != 0
	}
	return c < 128 && uint64(letterBits|1<<('_'-64))>>(c-64)&1 != 0
}

// isTokenByte reports whether c belongs to the alphabets of tokens.
func isTokenByte(c byte) bool {
	return isWordByte(c) || c == '-' || c == '+' || c == '/' || c == '=' || c == '.' || c == '~' || c == '%'
}

// isBackByte reports whether c, before a head, may belong to the same token.
func isBackByte(c byte) bool { return isWordByte(c) || c == '-' || c == '~' }

func isAll(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return s != ""
}

func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if isUpper(c) {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// hasFold reports whether s begins with prefix, which is lower-case ASCII, ignoring ASCII case.
func hasFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// skipAny returns the first position from i on whose byte is not in set, at most i+n.
func skipAny(s string, i int, set string, n int) int {
	for limit := min(len(s), i+n); i < limit && strings.IndexByte(set, s[i]) >= 0; {
		i++
	}
	return i
}
