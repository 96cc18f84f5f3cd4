package names

func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isLower(c byte) bool    { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool    { return c >= 'A' && c <= 'Z' }
func isLowerHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' }
func isHex(c byte) bool      { return isLowerHex(c) || c >= 'A' && c <= 'F' }
func isLetter(c byte) bool   { return isLower(c) || isUpper(c) }
func isNamePart(c byte) bool { return isWordByte(c) || c == '-' || c == '.' }
func isWordByte(c byte) bool { return isDigit(c) || isLower(c) || isUpper(c) || c == '_' }

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
		if isUpper(c) {
			c += 'a' - 'A'
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}
