package secrets

import "strings"

// Where a value begins that does not stand beside its name: in elements of XML and HTML, in
// the next line, in the text of a block.

// innerText returns where the text of an element of XML begins, or of the element "value" that is all there is in it.
func innerText(s string, i int) int {
	next := skipAny(s, i, " \t\r\n", 32)
	if next < len(s) && hasFold(s[next:], "<value>") {
		return next + len("<value>")
	}
	return i
}

// attributes returns where the tag ends whose attributes begin at s[i:], i if they are none or the element is empty.
func attributes(s string, i int) int {
	tag, _, found := strings.Cut(s[i:min(len(s), i+pairReach)], ">")
	if !found || !strings.Contains(tag, "=\"") || strings.ContainsAny(tag, "<\n(") || strings.HasSuffix(tag, "/") {
		return i
	}
	return i + len(tag) + 1
}

// afterTags returns where the text goes on behind the tags of HTML at s[i:].
func afterTags(s string, i int) int {
	for i < len(s) && s[i] == '<' {
		n := strings.IndexByte(s[i:min(len(s), i+maxName)], '>')
		if n < 0 {
			break
		}
		i = skipAny(s, i+n+1, " ", 4)
	}
	return i
}

// nextLine returns where the next line begins if the one at s[i:] ends there and the next is
// one word that is no name of its own, i if not.
func nextLine(s string, i int) int {
	text := skipAny(s, i, "\r\n", 2)
	if text == i {
		return i
	}
	text = skipAny(s, text, "+-", 1) // of a diff
	text = skipAny(s, text, " \t", 64)
	end := text
	for end < len(s) && s[end] > ' ' {
		end++
	}
	if end == text || strings.IndexByte(":-{[,|", s[end-1]) >= 0 || end < len(s) && s[end] != '\n' && s[end] != '\r' {
		return i
	}
	return text
}

// blockText returns where the text of a YAML block begins, or of a document within a script, whose sign is at s[i:], i
// if there is none.
func blockText(s string, i int) int {
	next := skipAny(s, i, "|>", 1)
	if strings.HasPrefix(s[i:], "<<") {
		next = skipAny(s, i, "<-~ '\"", 6)
		for next < len(s) && isUpper(s[next]) {
			next++
		}
		next = skipAny(s, next, "'\"", 1)
	}
	next = skipAny(s, next, "-+", next-i)
	line := skipAny(s, next, "\r\n", 2)
	text := skipAny(s, line, " ", 64)
	if next == i || line == next || text == line && s[i] != '<' || text == len(s) || s[text] <= ' ' {
		return i
	}
	return text
}
