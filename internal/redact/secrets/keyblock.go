package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
)

// Private keys are blocks of lines between a BEGIN and an END. The block is a secret from its first dash to its last.
// The lines may be separated by newlines or by their escapes, and numbered or quoted.

const (
	keyBlockLabel = 64       // longest label, in bytes
	keyBlockSize  = 16 << 10 // longest block, in bytes
)

// findKeyBlock finds a block from its BEGIN. A block without an END ends where its lines no longer look like a key.
func findKeyBlock(s string, at, end int) (from, to int, ok bool) {
	body, ok := keyLabel(s, end)
	if !ok || !beginsKey(s, body) && !beginsQuotedKey(s, body) {
		return 0, 0, false
	}
	window := s[body:min(len(s), body+keyBlockSize)]
	if stop := strings.Index(window, "-----END"); stop >= 0 {
		return at, labelEnd(s, body+stop+len("-----END")), true
	}
	for body < len(s) && isArmour(s[body]) {
		body++
	}
	return at, body, true
}

// findKeyBlockTail finds a block whose BEGIN was cut off: the text before its END that looks like a key.
func findKeyBlockTail(s string, at, end int) (from, to int, ok bool) {
	if _, ok := keyLabel(s, end); !ok {
		return 0, 0, false
	}
	from = at
	for from > 0 && (ascii.IsBase64(s[from-1]) || strings.IndexByte("=\r\n\\", s[from-1]) >= 0) {
		from--
	}
	return from, labelEnd(s, end), at-from >= 12
}

// keyLabel reads " RSA PRIVATE KEY-----" or the like and returns where it ends.
func keyLabel(s string, i int) (int, bool) {
	label := s[i:min(len(s), i+keyBlockLabel)]
	n := strings.Index(label, "PRIVATE KEY")
	if n < 0 || strings.ContainsAny(label[:n], "\n\\\"'") {
		return 0, false
	}
	return labelEnd(s, i), true
}

func labelEnd(s string, i int) int {
	limit := min(len(s), i+keyBlockLabel)
	for i < limit && (ascii.IsUpper(s[i]) || ascii.IsDigit(s[i]) || s[i] == ' ') {
		i++
	}
	for i < limit && s[i] == '-' {
		i++
	}
	return i
}

// beginsKey reports whether the label that ends at s[:i] begins a key and is not only mentioned: a run of base64 or a
// header of the armour follows it.
func beginsKey(s string, i int) bool {
	for limit := min(len(s), i+32); i < limit; i++ {
		c := s[i]
		escaped := (c == 'n' || c == 'r' || c == 't') && s[i-1] == '\\'
		if !escaped && (ascii.IsLetter(c) || c == '/' || c == ')') {
			break
		}
	}
	run := i
	for run < len(s) && ascii.IsBase64(s[run]) && run-i < 12 {
		run++
	}
	if run-i == 12 {
		return true
	}
	for _, header := range [...]string{"Proc-Type:", "DEK-Info:", "Version:", "Comment:"} {
		if strings.HasPrefix(s[i:], header) {
			return true
		}
	}
	return false
}

// beginsQuotedKey is beginsKey for a block whose lines have a prefix, as in a comment or in the output of grep: one of
// the next lines ends with a long run of base64.
func beginsQuotedKey(s string, i int) bool {
	lines := strings.SplitN(s[i:min(len(s), i+maxValue)], "\n", 5)
	for _, line := range lines[1:min(len(lines), 4)] {
		line = strings.TrimRight(line, "=\r \"'\\,;")
		run := len(line)
		for run > 0 && ascii.IsBase64(line[run-1]) {
			run--
		}
		if len(line)-run >= 40 && isMixed(line[run:]) {
			return true
		}
	}
	return false
}

// isArmour reports whether c may be part of a block: base64, blanks, headers, quotes, escaped newlines.
func isArmour(c byte) bool {
	return ascii.IsBase64(c) || strings.IndexByte("=-:,. \t\r\n\\\"'", c) >= 0
}

const jwkReach = 4 << 10 // bytes around a member in which the type of its key is searched

// findKeyMember finds a private member of a JSON Web Key: the members of all keys have the same short names.
func findKeyMember(s string, at, end int) (from, to int, ok bool) {
	i := ascii.SkipAny(s, end, " \t:", 4)
	from = ascii.SkipAny(s, i, "\\\"", 5)
	for to = from; to < len(s) && (ascii.IsWordByte(s[to]) || s[to] == '-'); {
		to++
	}
	if i == end || from == i || to-from < 22 || !isManyCased(s[from:to]) {
		return 0, 0, false
	}
	return from, to, strings.Contains(s[max(0, at-jwkReach):min(len(s), to+jwkReach)], "kty")
}

// findPuttyKey finds the private lines of a PuTTY key file.
func findPuttyKey(s string, _, end int) (from, to int, ok bool) {
	i := ascii.SkipAny(s, end, " \t0123456789\r\n", 32)
	to = i
	for to < len(s) && (ascii.IsBase64(s[to]) || strings.IndexByte("=\r\n", s[to]) >= 0) {
		to++
	}
	if mac := strings.Index(s[i:to], "Private"); mac >= 0 {
		to = i + mac
	}
	return i, to, to-i >= 32
}

// findKeyLines finds the lines of base64 or hex digits below the title of a key file of another tool.
func findKeyLines(s string, _, end int) (from, to int, ok bool) {
	const shortest = 32
	from = ascii.SkipAny(s, end, " \t0123456789abcdef", 40) // the id of a key
	from = ascii.SkipAny(s, from, "\\nr\r\n", 8)
	for to = from; to < len(s) && to-from < keyBlockSize; {
		n := newline(s[to:])
		if n == 0 && !ascii.IsBase64(s[to]) && s[to] != '=' {
			break
		}
		to += max(n, 1)
	}
	to = from + len(strings.TrimRight(s[from:to], "\r\n"))
	return from, to, strings.IndexByte("\nn", s[from-1]) >= 0 && to-from >= shortest && isMixed(s[from:to])
}
