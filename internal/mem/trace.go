package mem

import (
	"strings"
	"unicode/utf8"
)

// minTrace is how many characters a line needs to be recognised elsewhere.
// Shorter ones are everybody's: "go test" is in every session.
const minTrace = 12

// Traces are the lines of a memory, folded, by which other texts give it away
// once it is erased: a text whose Folded form holds one holds the memory.
func Traces(m Memory) []string {
	texts := append([]string{m.Title, m.Body}, m.Facts...)
	if s := m.Summary; s != nil {
		texts = append(texts, s.Request, s.Investigated, s.Learned, s.Completed, s.NextSteps, s.Notes)
	}
	var out []string
	for _, text := range texts {
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(strings.TrimSuffix(Folded(line), "…"))
			if utf8.RuneCountInString(line) >= minTrace {
				out = append(out, line)
			}
		}
	}
	return out
}

// Folded makes texts comparable that were wrapped, escaped or marked up
// differently: it is one line without backslashes and the signs of Markdown.
func Folded(s string) string {
	return Line(strings.Map(func(r rune) rune {
		switch r {
		case '\\', '*', '_', '#', '>', '`':
			return -1
		}
		return r
	}, s))
}

// MadeOf reports whether something that who said in the turn of a prompt of the
// memory's session may be what the memory was made of, be it in other words: the
// person's for what was learned from a prompt, the agent's for all else. What was
// said is made of nothing but itself.
func (m Memory) MadeOf(promptID, who string) bool {
	return m.Kind != Utterance && m.Source.PromptID != "" && m.Source.PromptID == promptID &&
		(who == "assistant") == (m.Origin != FromUserPrompt)
}
