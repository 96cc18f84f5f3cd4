package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

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
	if names.IsSource(v) || names.IsDomain(parts[len(parts)-1]) {
		return false
	}
	numbered := false
	for i, part := range parts {
		if i == 0 && names.IsContainer(part) || names.MentionsMember(part) {
			return false
		}
		numbered = numbered || hasOddNumber(part)
	}
	return numbered || len(parts) == 2 && ascii.IsUpper(v[0]) && ascii.All(v[1:], isLowerWord) &&
		ascii.IsDigit(v[len(v)-1])
}

func isLowerWord(c byte) bool { return ascii.IsLower(c) || ascii.IsDigit(c) || c == '.' }

// hasOddNumber reports whether a part contains a number that is unusual in names: two digits or more, except the sizes
// of types and algorithms.
func hasOddNumber(part string) bool {
	for i := 0; i < len(part); i++ {
		end := i
		for end < len(part) && ascii.IsDigit(part[end]) {
			end++
		}
		if end-i >= 2 && !names.IsSize(part[i:end]) {
			return true
		}
		i = max(i, end)
	}
	return false
}
