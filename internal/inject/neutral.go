package inject

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/chars"
)

// Neutral makes a text of any origin fit to stand inside a block: one line,
// without terminal escapes, control, invisible and direction-changing
// characters, and without anything that reads as a tag of ours or of a client,
// or as the mark of a speaker. Ordinary text comes back as it is. Doing it
// again changes nothing.
func Neutral(s string) string {
	s = unlabel(visible(s))
	return untag(unlabelLine(chars.Line(s))) // what stood on two lines may be a mark on one
}

// visible removes escapes and characters that a person would not see.
func visible(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := escapeAt(s[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == utf8.RuneError && size == 1:
		case lineBreak(r):
			b.WriteByte('\n')
		case r == '\t':
			b.WriteByte(' ')
		case !hidden(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain reports whether s consists of lines of printable ASCII, as most texts do. Every candidate is examined
// several times.
func plain(s string) bool {
	for i := range len(s) {
		if (s[i] < ' ' || s[i] > '~') && s[i] != '\n' {
			return false
		}
	}
	return true
}

func lineBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// hidden reports whether r has no shape of its own: controls, formatting (zero
// width, direction, tag characters), variation selectors, fillers, private use.
func hidden(r rune) bool {
	if r <= unicode.MaxLatin1 {
		return !unicode.IsGraphic(r)
	}
	switch r {
	case 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, utf8.RuneError:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Variation_Selector) ||
		0xE0000 <= r && r <= 0xE0FFF
}

// escapeAt is the length of the terminal escape that s, which is not empty,
// begins with, 0 for none.
// An escape without an end is no more than its introducer.
func escapeAt(s string) int {
	switch {
	case s[0] != '\x1b' && s[0] != '\xc2': // what all of them begin with
		return 0
	case strings.HasPrefix(s, "\x1b["), strings.HasPrefix(s, "\u009b"):
		return 2 + controlSequence(s[2:])
	case strings.HasPrefix(s, "\x1b]"), strings.HasPrefix(s, "\x1bP"), strings.HasPrefix(s, "\x1b_"),
		strings.HasPrefix(s, "\x1b^"), strings.HasPrefix(s, "\x1bX"), strings.HasPrefix(s, "\u009d"),
		strings.HasPrefix(s, "\u0090"):
		return 2 + stringEnd(s[2:])
	case strings.HasPrefix(s, "\x1b"):
		if len(s) > 1 && s[1] > ' ' && s[1] < 0x7f {
			return 2
		}
		return 1
	}
	return 0
}

// controlSequence is the length of parameters and final byte after a CSI.
func controlSequence(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case '@' <= c && c <= '~':
			return i + 1
		case c < ' ' || c > '?':
			return i
		}
	}
	return len(s)
}

// maxEscape bounds an escape that carries text, such as a window's title.
const maxEscape = 256

// stringEnd is the length up to and with the terminator, 0 if there is none near.
func stringEnd(s string) int {
	for i := range min(len(s), maxEscape) {
		switch {
		case s[i] == 0x07:
			return i + 1
		case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\u009c"):
			return i + 2
		case s[i] == '\n':
			return 0
		}
	}
	return 0
}

// unlabel takes the colon from a speaker's mark at the beginning of a line.
func unlabel(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(unlabelLine(line))
	}
	return b.String()
}

func unlabelLine(line string) string {
	var b strings.Builder
	for {
		start := len(line) - len(strings.TrimLeft(line, " #*_>-|`\"'"))
		end := start + strings.IndexFunc(line[start:], isColon)
		if end < start || !speaker(strings.Trim(line[start:end], " *_`\"'")) {
			b.WriteString(line)
			return b.String()
		}
		b.WriteString(strings.TrimRight(line[:end], " ") + " -")
		line = line[end+utf8.RuneLen(first(line[end:])):]
	}
}

// isColon reports whether r is a colon, of either width.
func isColon(r rune) bool { return r == ':' || r == '：' }

func speaker(name string) bool {
	switch strings.ToLower(strings.Map(narrow, name)) {
	case "human", "assistant", "system", "user", "developer", "claude", "tool", "ai", "model", "system prompt",
		"system message":
		return true
	}
	return false
}

// narrow is the ASCII character that r is the wide form of, or r.
func narrow(r rune) rune {
	if r >= '！' && r <= '～' {
		return r - '！' + '!'
	}
	return r
}

// untag turns the opening bracket of everything that could be a tag into ‹.
func untag(s string) string {
	if !strings.ContainsAny(s, "<＜﹤[") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		rest := s[i+utf8.RuneLen(r):]
		switch {
		case (r == '<' || r == '＜' || r == '﹤') && tagLike(rest):
			b.WriteRune('‹')
		case r == '[' && instLike(rest):
			b.WriteRune('(')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// tagLike reports whether text after a < makes it a tag: an end, a special
// token, a name of several parts, or a name that clients and models give a
// meaning. Types and comparisons, as in List<T> or a < b, are none.
func tagLike(rest string) bool {
	rest = strings.TrimLeft(rest, " ")
	if rest == "" || strings.ContainsRune("/|!?<＜﹤／｜", first(rest)) {
		return true
	}
	end := strings.IndexFunc(rest, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != ':'
	})
	name := rest
	if end >= 0 {
		name = rest[:end]
	}
	if strings.ContainsAny(name, "-_") || strings.Contains(name, ":") && !strings.Contains(name, "::") || !ascii(name) &&
		name != "" {
		return true
	}
	return controlName(strings.ToLower(name))
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func controlName(name string) bool {
	switch name {
	case "system", "user", "assistant", "human", "developer", "tool", "tools", "function", "functions", "invoke",
		"parameter", "result", "results",
		"instruction", "instructions", "important", "admin", "context", "memory", "memories", "private", "prompt", "message",
		"messages", "role",
		"thinking", "think", "reminder", "sys", "inst", "bos", "eos", "s", "document", "documents", "remanence", "claude",
		"anthropic", "command", "output", "stdout", "stderr":
		return true
	}
	return strings.HasPrefix(name, "remanence") || strings.HasPrefix(name, "system")
}

// instLike reports whether text after a [ makes it a turn mark of instruction-tuned models.
func instLike(rest string) bool {
	rest = strings.TrimPrefix(rest, "/")
	return len(rest) >= 5 && strings.EqualFold(rest[:5], "INST]") || len(rest) >= 4 && strings.EqualFold(rest[:4], "SYS]")
}

// unforged takes the session's boundary out of a text.
func unforged(s, boundary string) string {
	for _, b := range []string{boundary, attribute(boundary)} {
		if b != "" {
			s = strings.ReplaceAll(s, b, "…")
		}
	}
	return s
}

// unframed breaks the first and last lines of our blocks where a text has one, so
// that it neither ends its block nor begins another.
func unframed(s string) string {
	if !strings.Contains(s, "===") && !strings.ContainsRune(s, '[') {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		broken := byte(0)
		for _, line := range [...]string{HeadBriefing, HeadRestored, FootBriefing, HeadMemory, HeadSubagent} {
			if len(s)-i >= len(line) && strings.EqualFold(s[i:i+len(line)], line) {
				broken = line[0]
			}
		}
		switch broken {
		case '=':
			b.WriteString("--")
			i += len("===") - 1
		case '[':
			b.WriteByte('(')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// clipBytes cuts s to at most n bytes, between characters. A cut text ends in
// an ellipsis, which counts; without room for that nothing is left.
func clipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if n < len("…") {
		return ""
	}
	cut := n - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimRight(s[:cut], " ") + "…"
}
