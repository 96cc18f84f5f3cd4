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

// maxProbe is how many bytes IsBase64Text and IsHexText take.
const maxProbe = 32

// IsBase64Text reports whether s, whole groups of base64 and at most 32 bytes, may be the beginning of a text. It does
// not allocate.
func IsBase64Text(s string) bool {
	var raw [maxProbe]byte
	n, err := base64.RawStdEncoding.Decode(raw[:], []byte(s))
	return err == nil && areVisible(raw[:n])
}

// IsHexText is IsBase64Text for hex digits.
func IsHexText(s string) bool {
	var raw [maxProbe]byte
	n, err := hex.Decode(raw[:], []byte(s))
	return err == nil && areVisible(raw[:n])
}

// IsVisible reports whether s has no byte that is unusual in text.
func IsVisible(s string) bool { return areVisible([]byte(s)) }

func areVisible(raw []byte) bool {
	for _, c := range raw {
		if c < ' ' && strings.IndexByte("\n\r\t\x1b", c) < 0 || c == 0x7F {
			return false
		}
	}
	return len(raw) > 0
}
