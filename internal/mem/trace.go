package mem

import "remanence/internal/chars"

// Traces are the lines of a memory, folded, by which other texts give it away
// once it is erased: a text whose Folded form holds one holds the memory.
func Traces(m Memory) []string {
	texts := append([]string{m.Title, m.Body, m.Invariant}, m.Facts...)
	for _, v := range m.Feedback {
		texts = append(texts, v.Note, v.Was)
	}
	for _, p := range m.Proposals {
		texts = append(texts, p.texts()...)
	}
	if s := m.Summary; s != nil {
		texts = append(texts, s.Request, s.Investigated, s.Learned, s.Completed, s.NextSteps, s.Notes)
	}
	var out []string
	for _, text := range texts {
		out = append(out, chars.TraceLines(text)...)
	}
	return out
}

// MadeOf reports whether something that who said in the turn of a prompt of the
// memory's session may be what the memory was made of, be it in other words: the
// person's for what was learned from a prompt, the agent's for all else. What was
// said is made of nothing but itself.
func (m Memory) MadeOf(promptID, who string) bool {
	return m.Kind != Utterance && m.Source.PromptID != "" && m.Source.PromptID == promptID &&
		(who == "assistant") == (m.Origin != FromUserPrompt)
}
