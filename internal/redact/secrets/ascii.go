package secrets

import "strings"

func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isLower(c byte) bool    { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool    { return c >= 'A' && c <= 'Z' }
func isLetter(c byte) bool   { return isLower(c) || isUpper(c) }
func isLowerHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' }
func isHex(c byte) bool      { return isLowerHex(c) || c >= 'A' && c <= 'F' }
func isBlank(c byte) bool    { return c == ' ' || c == '\t' }

// base64Bytes is the set of the bytes of base64. A look-up is faster than comparisons.
var base64Bytes = [256]bool{
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true,
	'K': true, 'L': true, 'M': true, 'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true,
	'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true, 'a': true, 'b': true, 'c': true, 'd': true,
	'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true, 'n': true,
	'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true,
	'y': true, 'z': true, '0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true,
	'8': true, '9': true, '+': true, '/': true,
}

func isBase64Byte(c byte) bool { return base64Bytes[c] }

func isWordByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

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
