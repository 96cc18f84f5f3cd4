package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

// A key may have no name that a rule knows, and no format of its own. A long run of random letters and digits is one if
// it stands in the place of a value and the words before it speak of a key, or if it is the argument of a call.

const (
	minBareKey = 28  // bytes; ids are usually shorter
	maxBareKey = 160 // bytes; a longer run is usually a file
	bareReach  = 72  // bytes before the key in which its name is searched
)

// isBareKey reports whether the run s[from:to] is a key because of its form and of the text before it.
func isBareKey(s string, from, to int) bool {
	v := s[from:to]
	hex := ascii.All(v, ascii.IsLowerHex) && (len(v) == 32 || len(v) == 40 || len(v) == 64)
	if len(v) < minBareKey || len(v) > maxBareKey || !hasDigit(v) || !hex && (!hasUpperAndLower(v) || isCompound(v)) {
		return false
	}
	name, sign := nameBefore(s, from)
	switch sign {
	case '(', ',':
		if name == "" || !isQuote(s[from-1]) || hex && !names.IsConstructor(name) {
			return false
		}
	case ':', '=', '>', '[', '|', ' ':
		if !names.MentionsKey(name) && (sign != ':' || !ascii.HasFoldPrefix(strings.TrimLeft(name, " \"'-H"), "x-")) {
			return false
		}
		last := name[strings.LastIndexByte(name, ' ')+1:]
		if hex && !(sign == ':' && ascii.HasFoldPrefix(last, "x-") || sign == ' ' && strings.HasPrefix(last, "--")) {
			return false // a hash, unless it is a header or a flag
		}
	default:
		return false
	}
	if hex {
		return !names.MentionsOther(name)
	}
	return !names.MentionsOther(name) && entropy(v) >= 4 && isVendorKey(v, false) && !isKnownFile(v[:len(v)-len(v)%4])
}

// isCompound reports whether v is words written as one, with at most two numbers, or an alphabet.
func isCompound(v string) bool {
	numbers := 0
	for i := range len(v) {
		if ascii.IsDigit(v[i]) && (i == 0 || !ascii.IsDigit(v[i-1])) {
			numbers++
		}
	}
	return numbers < 3 && vowels(v)*4 >= len(v) || strings.Contains(ascii.Lower(v), "abcdefgh")
}

// nameBefore returns the sign before the value at s[i:], and the text that may be its name: the rest of the line before
// it, or of an element, but not other values.
func nameBefore(s string, i int) (name string, sign byte) {
	from := max(0, i-bareReach)
	before := s[from:i]
	before = strings.TrimRight(before, "\"'`\\ \t")
	if len(before) > 0 && strings.HasSuffix(before, "\n") { // the label may be on the line above
		before = strings.TrimRight(before, "\r\n> ")
	}
	if before == "" {
		return "", 0
	}
	sign = before[len(before)-1]
	if ascii.IsWordByte(sign) || sign >= 0x80 || strings.IndexByte("*-.!)]", sign) >= 0 {
		sign = ' '
	}
	name = before[strings.LastIndexAny(before, "\n;")+1:]
	if sign == ',' {
		open := strings.LastIndexByte(name, '(')
		if open < 0 {
			return "", sign
		}
		name = name[:open]
	}
	if sign == '(' || sign == ',' {
		name = strings.TrimRight(name, "(\"' ")
		name = name[strings.LastIndexAny(name, " \t\"',=({[")+1:]
	}
	if sign == '=' || sign == ':' {
		name = strings.TrimRight(name, ":=> \t\"'`\\")
		name = name[strings.LastIndexAny(name, ",({&?")+1:]
	}
	return name, sign
}
