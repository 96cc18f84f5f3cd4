package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/chars"
)

// Longest id and path that are taken as they are, in bytes.
const (
	maxID   = 200
	maxPath = 4096
)

// sessionID makes s one name that is safe as part of a path on every system.
// A safe name stays as it is; any other becomes its safe characters with a hash
// of the whole, so that two ids stay two.
func sessionID(s string) string {
	if safeName(s) {
		return s
	}
	return disarm(s)
}

// otherID keeps an id that is never part of a path: printable text without
// spaces stays as it is.
func otherID(s string) string {
	if len(s) <= maxID && utf8.ValidString(s) && strings.IndexFunc(s, odd) < 0 {
		return s
	}
	return disarm(s)
}

func odd(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }

// label keeps a name meant for people, such as a tool's: one line of at most 200 characters.
func label(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	return chars.Clip(chars.Line(s), maxID)
}

// absolute keeps an absolute path, of this system or another; any other is "".
func absolute(s string) string {
	rooted := strings.HasPrefix(s, "/") || strings.HasPrefix(s, `\\`) || len(s) > 2 && s[1] == ':' &&
		(s[2] == '\\' || s[2] == '/')
	if !rooted || len(s) > maxPath || strings.IndexFunc(s, unicode.IsControl) >= 0 {
		return ""
	}
	return s
}

func safeName(s string) bool {
	if s == "" || len(s) > maxID || strings.Contains(s, "..") || reserved(s) {
		return false
	}
	for i := range len(s) {
		if !safeByte(s[i]) {
			return false
		}
	}
	return s[0] != '.' && s[0] != '-' && s[len(s)-1] != '.'
}

func safeByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
}

// reserved reports whether Windows takes the name for a device, whatever its ending.
func reserved(s string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(s), ".")
	switch base {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	if len(base) != 4 || base[3] < '0' || base[3] > '9' {
		return false
	}
	return base[:3] == "COM" || base[:3] == "LPT"
}

func disarm(s string) string {
	const keep = 40
	safe := make([]byte, 0, keep)
	for i := 0; i < len(s) && len(safe) < keep; i++ {
		c := s[i]
		if c != '.' && safeByte(c) {
			safe = append(safe, c)
		}
	}
	return "x_" + string(safe) + "_" + hash(s)
}

// hash returns a text that identifies s without containing any of it.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
