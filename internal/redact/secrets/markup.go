package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
)

// The start of a value that is not beside its name: in an element of XML or HTML, in the next line, in a text block.

// innerText returns the start of the text of an XML element, or of the element "value" in it.
func innerText(s string, i int) int {
	next := ascii.SkipAny(s, i, " \t\r\n", 32)
	if next < len(s) && ascii.HasFoldPrefix(s[next:], "<value>") {
		return next + len("<value>")
	}
	return i
}

// attributes returns the end of the tag whose attributes begin at s[i:], or i without any or for an empty element.
func attributes(s string, i int) int {
	tag, _, found := strings.Cut(s[i:min(len(s), i+pairReach)], ">")
	if !found || !strings.Contains(tag, "=\"") || strings.ContainsAny(tag, "<\n(") || strings.HasSuffix(tag, "/") {
		return i
	}
	return i + len(tag) + 1
}

// afterTags returns the end of the HTML tags at s[i:].
func afterTags(s string, i int) int {
	for i < len(s) && s[i] == '<' {
		n := strings.IndexByte(s[i:min(len(s), i+maxName)], '>')
		if n < 0 {
			break
		}
		i = ascii.SkipAny(s, i+n+1, " ", 4)
	}
	return i
}

// nextLine returns the start of the text in the next line if the line ends at s[i] and the next one is a single word
// that is no name; otherwise i.
func nextLine(s string, i int) int {
	text := ascii.SkipAny(s, i, "\r\n", 2)
	if text == i {
		return i
	}
	text = ascii.SkipAny(s, text, "+-", 1) // of a diff
	text = ascii.SkipAny(s, text, " \t", 64)
	end := text
	for end < len(s) && s[end] > ' ' {
		end++
	}
	if end == text || strings.IndexByte(":-{[,|", s[end-1]) >= 0 || end < len(s) && s[end] != '\n' && s[end] != '\r' {
		return i
	}
	return text
}

// blockText returns the start of the text of a YAML block or a here-document whose sign is at s[i:], or i if there is
// none.
func blockText(s string, i int) int {
	next := ascii.SkipAny(s, i, "|>", 1)
	if strings.HasPrefix(s[i:], "<<") {
		next = ascii.SkipAny(s, i, "<-~ '\"", 6)
		for next < len(s) && ascii.IsUpper(s[next]) {
			next++
		}
		next = ascii.SkipAny(s, next, "'\"", 1)
	}
	next = ascii.SkipAny(s, next, "-+", next-i)
	line := ascii.SkipAny(s, next, "\r\n", 2)
	text := ascii.SkipAny(s, line, " ", 64)
	if next == i || line == next || text == line && s[i] != '<' || text == len(s) || s[text] <= ' ' {
		return i
	}
	return text
}
