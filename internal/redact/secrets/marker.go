package secrets

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"remanence/internal/redact/ascii"
)

// A marker stands in a text in place of a secret and names its kind, such as [secret:aws-key-id].

const (
	markerHead = "[secret:"
	maxKind    = 32 // longest kind in a marker, in bytes
)

// Marker returns the marker of a secret. With a key it ends with four hex digits of a hash of the secret: equal secrets
// get equal markers, and a guess cannot be tested without the key.
func Marker(key []byte, kind, secret string) string {
	if len(key) == 0 {
		return markerHead + kind + "]"
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(secret))
	return markerHead + kind + ":" + hex.EncodeToString(h.Sum(nil)[:2]) + "]"
}

// NextMarker returns the position of the first marker at or after i, or len(s) twice if there is none.
func NextMarker(s string, i int) (from, to int) {
	for i < len(s) {
		n := strings.Index(s[i:], markerHead)
		if n < 0 {
			break
		}
		from = i + n
		if to, ok := markerEnd(s, from+len(markerHead)); ok {
			return from, to
		}
		i = from + len(markerHead)
	}
	return len(s), len(s)
}

// markerEnd parses the rest of a marker: kind, optional hash, closing bracket.
func markerEnd(s string, i int) (int, bool) {
	start := i
	for i < len(s) && isKindByte(s[i]) {
		i++
	}
	if i == start || i-start > maxKind {
		return 0, false
	}
	if i+5 < len(s) && s[i] == ':' && ascii.All(s[i+1:i+5], ascii.IsLowerHex) {
		i += 5
	}
	if i < len(s) && s[i] == ']' {
		return i + 1, true
	}
	return 0, false
}

func isKindByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' }
