// Package ascii recognises classes of ASCII bytes, for the finders of secrets, which read each byte of a text.
package ascii

import "strings"

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsLower reports whether c is a lower-case ASCII letter.
func IsLower(c byte) bool { return c >= 'a' && c <= 'z' }

// IsUpper reports whether c is an upper-case ASCII letter.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return IsLower(c) || IsUpper(c) }

// IsWordByte reports whether c is an ASCII letter, a digit or an underscore.
func IsWordByte(c byte) bool { return IsLetter(c) || IsDigit(c) || c == '_' }

// IsLowerHex reports whether c is a digit of a hexadecimal number in lower case.
func IsLowerHex(c byte) bool { return IsDigit(c) || c >= 'a' && c <= 'f' }

// IsHex reports whether c is a digit of a hexadecimal number.
func IsHex(c byte) bool { return IsLowerHex(c) || c >= 'A' && c <= 'F' }

// All reports whether s has bytes and each of them is one for which is reports true.
func All(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return s != ""
}

// Lower returns s with its upper-case ASCII letters in lower case.
func Lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if IsUpper(c) {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// HasFoldPrefix reports whether s begins with prefix, which is lower-case ASCII, in any ASCII case.
func HasFoldPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		c := s[i]
		if IsUpper(c) {
			c += 'a' - 'A'
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}

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

// IsBase64 reports whether c is of the alphabet of base64, without the padding.
func IsBase64(c byte) bool { return base64Bytes[c] }

// IsToken reports whether c belongs to the alphabets of tokens.
func IsToken(c byte) bool {
	return IsWordByte(c) || c == '-' || c == '+' || c == '/' || c == '=' || c == '.' || c == '~' || c == '%'
}

// SkipAny returns the first position from i on whose byte is not in set, at most i+n.
func SkipAny(s string, i int, set string, n int) int {
	for limit := min(len(s), i+n); i < limit && strings.IndexByte(set, s[i]) >= 0; {
		i++
	}
	return i
}

// IsBlank reports whether c is a space or a tab.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' }

// HasAnyPrefix reports whether s begins with one of prefixes.
func HasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
