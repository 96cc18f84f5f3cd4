package extract

import (
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
)

// UtteranceID is the id of what an utterance is a piece of: its key but for the number.
func UtteranceID(u mem.Memory) string {
	if cut := strings.LastIndexByte(u.Key, '/'); cut >= 0 {
		return u.Key[:cut]
	}
	return u.Key
}

// Pieces cuts a text into parts of at most most characters, each at the last end
// of a paragraph, else of a line, a sentence or a word, that leaves no part of
// it very short.
func Pieces(text string, most int) []string {
	var out []string
	for text = strings.TrimSpace(text); longer(text, most); {
		cut := cutAt(text, most)
		if part := strings.TrimSpace(text[:cut]); part != "" {
			out = append(out, part)
		}
		text = strings.TrimSpace(text[cut:])
	}
	if text != "" {
		out = append(out, text)
	}
	return out
}

// longer reports whether a text has more than n characters. It looks at no more
// of it than that takes.
func longer(text string, n int) bool {
	return utf8.RuneCountInString(text[:min(len(text), utf8.UTFMax*(n+1))]) > n
}

// cutAt is where to cut a text that is longer than most characters, in bytes.
func cutAt(text string, most int) int {
	end := len(text)
	n := 0
	for i := range text {
		if n == most {
			end = i
			break
		}
		n++
	}
	head := text[:end]
	for _, ending := range []string{"\n\n", "\n", ". ", "! ", "? ", "。", "！", "？", " "} {
		if i := strings.LastIndex(head, ending); i >= end/3 {
			return i + len(ending)
		}
	}
	return end
}
