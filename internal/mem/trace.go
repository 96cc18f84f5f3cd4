package mem

import "remanence/internal/chars"

// Traces returns the folded lines of a memory. After the memory is erased, a text
// whose [chars.Folded] form contains one of them still reveals the memory.
func (m Memory) Traces() []string {
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

// DerivedFrom reports whether an utterance by who, in the turn promptID of the memory's
// session, may be the source of the memory. Memories with FromUserPrompt come from
// the person's utterances, others from the agent's. For an utterance it is false.
func (m Memory) DerivedFrom(promptID, who string) bool {
	return m.Kind != Utterance && m.Source.PromptID != "" && m.Source.PromptID == promptID &&
		(who == "assistant") == (m.Origin != FromUserPrompt)
}
