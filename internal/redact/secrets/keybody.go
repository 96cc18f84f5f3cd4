package secrets

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/notation"
)

// A private key may lack its BEGIN and END, as in the output of "sed -n 2,5p key". What is left are lines of base64 of
// one width, perhaps with the prefix of a diff, of grep or of cat -n.

const (
	keyLine      = 64  // bytes of the shortest full line of a key
	keyPrefix    = 96  // longest prefix of a line, in bytes
	keyContext   = 400 // bytes around the lines in which the label of a public block is searched
	keyLetters   = 20  // different bytes in a full line; random lines have about forty
	keyLastWord  = 16  // a last line of so many bytes or more must look random or be padded
	keyEntropy   = 4.6 // bits per byte; lines of random base64 have 5.0 to 5.6, code and paths up to 4.5
	leastEntropy = 3.7 // likewise of a key's first line, in which headers may repeat
)

// keyWidths are the widths of full lines: of PEM and OpenPGP, of OpenSSH, of base64(1) and MIME, and one between.
var keyWidths = [...]int{64, 70, 72, 76}

// line is the position of the base64 of one line of a text.
type line struct {
	start    int // of the line
	from, to int // of its base64, without padding
	end      int // after the padding
}

// keyBodies finds the lines of private keys that have no BEGIN.
func keyBodies(s string, offset int, found []Span) []Span {
	from := 0 // of the run that may include i
	for i := keyLine - 1; i < len(s); i = from + keyLine - 1 {
		last := i
		for last >= from && ascii.IsBase64(s[last]) {
			last--
		}
		if last >= from { // no run that is long enough includes this offset
			from = last + 1
			continue
		}
		first := line{from: from, to: runEnd(s, i)}
		from = first.to
		body, ok := keyBody(s, first)
		if ok {
			found = append(found, Span{body.From + offset, body.To + offset, "private-key", false})
		}
		from = max(from, body.To)
	}
	return found
}

// keyBody reads the lines that begin with first and reports whether they are a key. If they are not, body ends where
// the search may continue.
func keyBody(s string, first line) (body Span, ok bool) {
	first.start, first.end = lineStart(s, first.from), first.to
	if first.from > 0 && endsEscape(s[:first.from+1]) { // the n of an escaped newline
		first.from++
	}
	if s[first.from] == '+' && !isKeyWidth(first.to-first.from) { // of a diff
		first.from++
	}
	width := first.to - first.from
	if !isKeyWidth(width) || first.from-first.start > keyPrefix || !isKeyText(s[first.from:first.to]) {
		return Span{}, false
	}
	last, full, random, ended := first, 0, 0, false
	for next, found := first, true; found; next, found = nextKeyLine(s, last, width) {
		last = next
		if ended = next.to-next.from < width; ended {
			break
		}
		full++
		if entropy(s[next.from:next.to]) >= keyEntropy {
			random++
		}
	}
	body = Span{From: first.from, To: last.end}
	if end := publicEnd(s, first, last); end > 0 {
		return Span{To: max(end, last.end)}, false
	}
	short := full == 1 && !ended || last.end-first.from > keyBlockSize || 2*random < full
	return body, !short && !isKnownFile(s[first.from:first.to])
}

func isKeyWidth(n int) bool { return slices.Contains(keyWidths[:], n) }

// isKeyText reports whether v may be a full line of a key: letters of both cases and digits, few of them repeated.
func isKeyText(v string) bool {
	return distinct(v) >= keyLetters && isMixed(v) && hasUpperAndLower(v) && entropy(v) >= leastEntropy
}

// distinct returns how many different bytes of ASCII v has.
func distinct(v string) int {
	var seen [2]uint64
	for i := range len(v) {
		seen[v[i]>>6&1] |= 1 << (v[i] & 63)
	}
	return bits.OnesCount64(seen[0]) + bits.OnesCount64(seen[1])
}

// nextKeyLine reads the line after a line of a key: another full line, or the last, which is shorter.
func nextKeyLine(s string, before line, width int) (line, bool) {
	start, joined, ok := lineAfter(s, before.end)
	if !ok {
		return line{}, false
	}
	l := line{start: start}
	l.end = start + len(withoutSigns(s[start:lineEnd(s, start, joined)]))
	for l.to = l.end; l.to > start && s[l.to-1] == '='; {
		l.to--
	}
	for l.from = l.to; l.from > start && ascii.IsBase64(s[l.from-1]); {
		l.from--
	}
	if l.to-l.from > width+1 || l.from-start > keyPrefix {
		return line{}, false
	}
	if l.from < l.to && s[l.from] == '+' && (l.to-l.from == width+1 || l.to-l.from < width && l.from == start &&
		before.from > 0 && s[before.from-1] == '+') {
		l.from++
	}
	v := s[l.from:l.to]
	if len(v) == width {
		return l, true
	}
	return l, isKeyEnd(v, l.end > l.to, joined) && samePrefix(s[before.start:before.from], s[l.start:l.from])
}

// isKeyEnd reports whether v, shorter than the lines before it, may be a key's last line.
func isKeyEnd(v string, padded, joined bool) bool {
	switch {
	case len(v) < 2:
		return false
	case joined || len(v) >= keyLastWord:
		return len(v) >= 8 && hasUpperAndLower(v) && (padded || isRandom(v))
	}
	return padded || hasDigit(v) && hasUpperAndLower(v)
}

// samePrefix reports whether b, the prefix of a line, is like a, the prefix of the line above it. A line number may
// have one digit more.
func samePrefix(a, b string) bool {
	size := len(b) - len(a)
	return size >= -1 && size <= 1 && hasLetter(a) == hasLetter(b)
}

// lineStart returns the start of the line of s[i], but at most keyPrefix+1 bytes before it.
func lineStart(s string, i int) int {
	from := max(0, i-keyPrefix-1)
	before := s[from:i]
	if n := strings.LastIndexByte(before, '\n'); n >= 0 {
		from += n + 1
		before = s[from:i]
	}
	if n := strings.LastIndex(before, `\n`); n >= 0 {
		return from + n + len(`\n`)
	}
	return from
}

// lineAfter returns the start of the line after s[:i] if only signs follow on this line. joined reports that the lines
// are separated by a blank instead, because the text was put on one line.
func lineAfter(s string, i int) (start int, joined, ok bool) {
	from := i
	for i < len(s) && i-from < 8 {
		switch {
		case s[i] == '\n':
			return i + 1, false, true
		case strings.HasPrefix(s[i:], `\n`):
			return i + len(`\n`), false, true
		case strings.HasPrefix(s[i:], `\r`):
			i += len(`\r`)
		case strings.IndexByte(lineSigns+"=", s[i]) >= 0, s[i] == '+' && i > from && newline(s[i+1:]) > 0:
			i++
		default:
			return from + 1, true, i == from+1 && s[from] == ' '
		}
	}
	return 0, false, false
}

// lineSigns may follow the base64 of a line.
const lineSigns = " \t\r|\"'`,;)"

// withoutSigns returns a line without the signs after its base64, such as quotes, or the + by which code joins texts.
func withoutSigns(v string) string {
	if joined, ok := strings.CutSuffix(v, "+"); ok && joined != "" &&
		strings.IndexByte(lineSigns, joined[len(joined)-1]) >= 0 {
		v = joined
	}
	return strings.TrimRight(strings.TrimSuffix(v, `\r`), lineSigns)
}

// lineEnd returns the end of the line that begins at s[i], but at most the length of a key's line.
func lineEnd(s string, i int, joined bool) int {
	rest := s[i:min(len(s), i+2*keyPrefix+8)]
	for _, end := range [...]string{"\n", `\n`} {
		rest, _, _ = strings.Cut(rest, end)
	}
	if joined {
		if n := strings.IndexFunc(rest, func(r rune) bool {
			return r > 0x7F || !ascii.IsBase64(byte(r)) &&
				r != '='
		}); n >= 0 {
			rest = rest[:n]
		}
	}
	return i + len(rest)
}

// publicEnd returns the end of the block that contains the lines from first to last, if its label is not that of a
// private key, or 0.
func publicEnd(s string, first, last line) int {
	before := s[max(0, first.from-keyContext):first.from]
	if n := strings.LastIndex(before, "BEGIN "); n >= 0 && !strings.Contains(before[n:], "END ") {
		if strings.Contains(before[n:], "PRIVATE") {
			return 0
		}
		end := strings.Index(s[last.end:min(len(s), last.end+keyBlockSize)], "END ")
		return last.end + max(end, 0)
	}
	after := s[last.end:min(len(s), last.end+keyContext)]
	begin, end := strings.Index(after, "BEGIN "), max(strings.Index(after, "-END "), strings.Index(after, "- END "))
	if end < 0 || begin >= 0 && begin < end || strings.Contains(after[end:min(len(after), end+keyBlockLabel)], "PRIVATE") {
		return 0
	}
	return last.end + end
}

// knownFiles are the beginnings of files and public keys in base64.
var knownFiles = [...]string{
	// pictures, fonts, archives
	"iVBORw0KGgo", "/9j/", "R0lGOD", "JVBERi0", "UEsDB", "H4sI", "AGFzbQ", "d09GM", "AAEAAAA", "QlpoO", "/Td6WFo",
	"MIIBIjANBg", "MFkwEwYHKoZIzj0CAQ", "MCowBQYDK2Vw", "AAAAB3NzaC1yc2", "AAAAC3NzaC1lZDI1NTE5", "AAAAE2VjZHNh",
	// public keys
}

// certificateVersion is the base64 of the version tag in the first line of a certificate. No private key has it.
const certificateVersion = "gAwIBAg"

// isKnownFile reports whether v is the first line of a file that is no private key, or is encoded text.
func isKnownFile(v string) bool {
	text := notation.DecodeBase64(v)
	return ascii.HasAnyPrefix(v, knownFiles[:]) || strings.Contains(v, certificateVersion) ||
		notation.IsVisible(text) && utf8.ValidString(withoutPartialRune(text))
}

// withoutPartialRune returns s without the beginning of a character at its end.
func withoutPartialRune(s string) string {
	for n := 1; n <= min(len(s), utf8.UTFMax-1); n++ {
		if last := s[len(s)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRuneInString(last) {
				break
			}
			return s[:len(s)-n]
		}
	}
	return s
}
