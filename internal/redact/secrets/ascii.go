package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
)

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// isBackByte reports whether c, before a head, may belong to the same token.
func isBackByte(c byte) bool { return ascii.IsWordByte(c) || c == '-' || c == '~' }

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
