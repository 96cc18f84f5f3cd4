package vaultfile

import "strings"

// AppendixHeading begins the generated part of a handoff file, the handoff appendix.
const AppendixHeading = "## RECENT TAIL (since rich handoff)"

// SplitHandoff separates a handoff from its appendix. Sections after the appendix
// belong to rich. If there are several appendices, appendix is the last one.
func SplitHandoff(s string) (rich, appendix string) {
	for {
		start := appendixAt(s)
		if start < 0 {
			return rich + s, appendix
		}
		rich += s[:start]
		rest := s[start+len(AppendixHeading):]
		end := nextHeading(rest)
		appendix = rest[:end] // a later appendix replaces an earlier one
		s = rest[end:]
	}
}

// appendixAt returns the offset of the first line that is AppendixHeading, or -1.
func appendixAt(s string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], AppendixHeading)
		if i < 0 {
			return -1
		}
		i += from
		after := s[i+len(AppendixHeading):]
		line, _, _ := strings.Cut(after, "\n")
		if (i == 0 || s[i-1] == '\n') && strings.TrimSpace(line) == "" {
			return i
		}
		from = i + len(AppendixHeading)
	}
}

// nextHeading returns the offset of the next Markdown heading of level 1 or 2,
// or len(s).
func nextHeading(s string) int {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '\n')
		if i < 0 {
			return len(s)
		}
		from += i + 1
		if strings.HasPrefix(s[from:], "# ") || strings.HasPrefix(s[from:], "## ") {
			return from
		}
	}
}
