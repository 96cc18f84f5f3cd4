package names

import (
	"strings"

	"remanence/internal/redact/ascii"
)

// Forms of values that are no secrets.

// IsUUID reports whether v is a UUID in its usual form.
func IsUUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (v[i] == '-') || !dash && !ascii.IsHex(v[i]) {
			return false
		}
	}
	return true
}

// IsVersion reports whether v is the version of a program: 1:4.13+dfsg1-1, 2.0.1-rc1.
func IsVersion(v string) bool {
	n := len(v) - len(strings.TrimLeft(v, "0123456789"))
	return n > 0 && n < len(v) && (v[n] == '.' || v[n] == ':') && n+1 < len(v) && ascii.IsDigit(v[n+1]) &&
		ascii.All(v, func(c byte) bool { return ascii.IsWordByte(c) || strings.IndexByte(".:+~-", c) >= 0 })
}

// IsMail reports whether v is a mail address.
func IsMail(v string) bool {
	user, host, found := strings.Cut(v, "@")
	dot := strings.LastIndexByte(host, '.')
	return found && dot > 0 && ascii.All(user, isNamePart) && ascii.All(host, isNamePart) &&
		ascii.All(host[dot+1:], ascii.IsLetter)
}

// IsHost reports whether v is the name of a host or a file.
func IsHost(v string) bool {
	dot := strings.LastIndexByte(v, '.')
	return dot > 0 && (IsDomain(v[dot+1:]) || IsSource(v)) && ascii.All(v, isNamePart)
}

// isNamePart reports whether c may be part of the name of a person or of a host.
func isNamePart(c byte) bool { return ascii.IsWordByte(c) || c == '-' || c == '.' }
