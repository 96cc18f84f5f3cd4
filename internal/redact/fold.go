package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldRune returns the ASCII text that r looks like inside a tag: compatibility forms and look-alikes folded, letters
// in lower case and without marks, '_' as '-', and "" for an invisible character. ok is false if r does not look like
// ASCII. It serves matching only; no text is changed by it.
func foldRune(r rune) (folded string, ok bool) {
	const ascii = "abcdefghijklmnopqrstuvwxyz"
	switch {
	case r >= 'a' && r <= 'z':
		return ascii[r-'a' : r-'a'+1], true
	case r >= 'A' && r <= 'Z':
		return ascii[r-'A' : r-'A'+1], true
	case r == '-' || r == '_':
		return "-", true
	case r == '/':
		return "/", true
	case r < utf8.RuneSelf:
		if r >= '0' && r <= '9' {
			return "0123456789"[r-'0' : r-'0'+1], true
		}
		return "", r >= 0 && r < ' ' && !unicode.IsSpace(r) || r == 0x7F
	case r == utf8.RuneError:
		return "", false
	case isInvisible(r):
		return "", true
	}
	return foldParts(norm.NFKD.String(string(r)))
}

// foldParts folds the decomposition of a character.
func foldParts(parts string) (string, bool) {
	var b strings.Builder
	for _, r := range parts {
		letter := lookalike(r)
		switch {
		case letter != 0:
			b.WriteByte(letter)
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case !isInvisible(r):
			return "", false
		}
	}
	folded := b.String()
	if folded == "" || len(folded) > 4 {
		return "", false
	}
	return strings.ReplaceAll(strings.ToLower(folded), "_", "-"), true
}

// isInvisible reports whether r takes no room of its own on a screen: zero-width and bidi characters, joiners, fillers,
// variation selectors, tag characters, and marks over or under a letter.
func isInvisible(r rune) bool {
	return r == 0x2800 || unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
		unicode.Mn, unicode.Me)
}

// lookalike returns the letter of "private" that r looks like, or 0. The table is Unicode's list of confusable
// characters for these seven letters in living scripts, in both cases.
func lookalike(r rune) byte {
	switch r {
	case 0x0440, 0x0420, 0x03C1, 0x03A1, 0x03F1, 0x2374, 0x2CA3, 0x2CA2, 0x13E2, 0x146D, 0xA4D1, 0x1D18, 0x10295:
		return 'p'
	case 0x0433, 0x1D26, 0x2C85, 0xAB47, 0xAB48, 0xAB81, 0x0280, 0x01A6, 0x13A1, 0x13D2, 0x1587, 0xA4E3, 0x104B4, 0x16F35:
		return 'r'
	case 0x0456, 0x0406, 0x0131, 0x0269, 0x026A, 0x03B9, 0x0399, 0x1FBE, 0x037A, 0x04CF, 0x04C0, 0x13A5, 0xA647, 0xAB75,
		0x2373, 0x2C93, 0x2C92, 0xA4F2, 0x01C0, 0x2D4F, 0x16C1, 0x1028A, 0x10309:
		return 'i'
	case 0x0475, 0x0474, 0x03BD, 0x03C5, 0x1D20, 0x2228, 0x22C1, 0xABA9, 0x05D8, 0x11706, 0x118C0, 0x0667, 0x06F7, 0x2D38,
		0x13D9, 0x142F, 0xA4E6, 0xA6DF, 0x1051D, 0x16F08:
		return 'v'
	case 0x0430, 0x0410, 0x03B1, 0x0391, 0x0251, 0x237A, 0x1D00, 0xAB7A, 0x2C81, 0x2C80, 0x13AA, 0x15C5, 0xA4EE, 0x102A0,
		0x16F40:
		return 'a'
	case 0x0442, 0x0422, 0x03C4, 0x03A4, 0x1D1B, 0xAB72, 0x2CA7, 0x2CA6, 0x0167, 0x0166, 0x13A2, 0xA4D4, 0x22A4, 0x27D9,
		0x10297, 0x102B1, 0x10315, 0x118BC, 0x16F0A:
		return 't'
	case 0x0435, 0x0415, 0x03B5, 0x0395, 0x04BD, 0x0454, 0x025B, 0x212E, 0xAB32, 0x1D07, 0x2C89, 0x2C88, 0x13AC, 0x2D39,
		0xA4F0, 0x22FF, 0x10286, 0x118A6, 0x118AE:
		return 'e'
	}
	return 0
}
