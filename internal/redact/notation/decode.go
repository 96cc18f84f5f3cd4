package notation

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// Decoders of whole texts in another notation.

// DecodeHex decodes hex digits. The last of an odd number is left out.
func DecodeHex(s string) string {
	raw, err := hex.DecodeString(s[:len(s)-len(s)%2])
	if err != nil {
		return ""
	}
	return string(raw)
}

// DecodeBase64 decodes s, which may end at any byte.
func DecodeBase64(s string) string {
	raw, err := base64.RawStdEncoding.DecodeString(s[:len(s)-len(s)%4])
	if err != nil {
		return ""
	}
	if rest := len(s) % 4; rest > 1 {
		last, _ := base64.RawStdEncoding.DecodeString(s[len(s)-rest:]) // empty if the end is malformed
		raw = append(raw, last...)
	}
	return string(raw)
}

// IsVisible reports whether s has no byte that is unusual in text.
func IsVisible(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r < ' ' && strings.IndexByte("\n\r\t\x1b", byte(r)) < 0 || r == 0x7F
	}) < 0
}
