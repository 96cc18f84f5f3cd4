package names

import "strings"

// Forms of values that are no secrets.

// IsUUID reports whether v is a UUID in its usual form.
func IsUUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (v[i] == '-') || !dash && !isHex(v[i]) {
			return false
		}
	}
	return true
}

// IsVersion reports whether v is the version of a program: 1:4.13+dfsg1-1, 2.0.1-rc1.
func IsVersion(v string) bool {
	n := len(v) - len(strings.TrimLeft(v, "0123456789"))
	return n > 0 && n < len(v) && (v[n] == '.' || v[n] == ':') && n+1 < len(v) && isDigit(v[n+1]) &&
		isAll(v, func(c byte) bool { return isWordByte(c) || strings.IndexByte(".:+~-", c) >= 0 })
}

// IsMail reports whether v is a mail address.
func IsMail(v string) bool {
	user, host, found := strings.Cut(v, "@")
	dot := strings.LastIndexByte(host, '.')
	return found && dot > 0 && isAll(user, isNamePart) && isAll(host, isNamePart) && isAll(host[dot+1:], isLetter)
}

// IsHost reports whether v is the name of a host or a file.
func IsHost(v string) bool {
	dot := strings.LastIndexByte(v, '.')
	return dot > 0 && (IsDomain(v[dot+1:]) || IsSource(v)) && isAll(v, isNamePart)
}
