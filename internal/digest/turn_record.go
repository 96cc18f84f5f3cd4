package digest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// MaxModelText is how many characters of a turn a model is given at most.
const MaxModelText = 16000

// maxAnswerBytes bounds what is read of the words of one turn, in bytes, before it is cut
// for a model.
const maxAnswerBytes = 1 << 20

// turnRecord is a turn as a model may see it: what was asked and answered, and of
// what the tools did no more than the rules made of it. What they put out is not in it.
type turnRecord struct {
	prompt    string
	fromTools []mem.Memory // of the tools, oldest first
	answers   []string     // oldest first
	digested  []mem.Memory // by rule or by a model of what was said, hidden ones too
	redact    func(string) string
}

// readTurn is the record of the moment's turn, or of a subagent's part of it; ok is
// false where there is nothing to refine, or the person has forgotten some of it:
// who took something out does not want it back in other words.
func (s *Service) readTurn(ctx context.Context, m *event.Context) (r turnRecord, ok bool, err error) {
	all, err := s.Store.List(ctx, mem.Query{
		Session: m.Session, PromptID: m.PromptID, NotKinds: []mem.Kind{mem.Utterance, mem.Snapshot}, Hidden: true, Within: "*", Limit: maxTurnMemories,
	})
	if err != nil {
		return r, false, fmt.Errorf("what the turn made: %w", err)
	}
	r.redact = s.Door.Text
	slices.Reverse(all)
	for _, mm := range all {
		switch {
		case mm.Status == mem.Forgotten:
			return r, false, nil
		case mm.Source.AgentID != m.AgentID:
		case mm.Origin == mem.FromAssistant && isDigest(mm):
			r.digested = append(r.digested, mm)
		case (mm.Origin == mem.FromTool || mm.Origin == mem.FromWeb) && mm.Status == mem.Active:
			r.fromTools = append(r.fromTools, mm)
		}
	}
	if r.answers, err = s.answersOf(ctx, m); err != nil {
		return r, false, err
	}
	r.prompt = m.Turn.Text
	if !m.Person() {
		if len(r.digested) == 0 { // nobody knows what it may be trusted with
			return r, false, nil
		}
		r.prompt = strings.Join(r.digested[0].Concepts, " ")
	}
	enough := utf8.RuneCountInString(strings.Join(r.answers, " ")) >= extract.MinAnswer ||
		m.Person() && len(r.fromTools) > 0
	return r, enough, nil
}

// maxTurnMemories is more memories than a turn makes.
const maxTurnMemories = 1000

// isDigest reports whether a memory was made of what was said in a turn.
func isDigest(mm mem.Memory) bool {
	return slices.ContainsFunc(mm.Tags, func(t string) bool {
		return t == extract.DigestTag || t == extract.SummaryTag || t == "subagent-discovery"
	})
}

// answersOf is what the agent said in the turn: all of it where it is archived, at
// least how it ended.
func (s *Service) answersOf(ctx context.Context, m *event.Context) ([]string, error) {
	q := mem.EventQuery{
		Session:  m.Session,
		PromptID: m.PromptID,
		Kinds:    []mem.EventKind{mem.Stop},
		AgentID:  &m.AgentID,
	}
	if !m.Person() {
		q.Kinds = []mem.EventKind{mem.SubagentStop}
	}
	ends, err := s.Store.Events(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("how the turn ended: %w", err)
	}
	said, err := s.archivedAnswers(ctx, m)
	if err != nil {
		return nil, err
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if text := ends[i].Text; text != "" &&
			!slices.ContainsFunc(said, func(answer string) bool { return extract.SameWords(text, answer) }) {
			said = append(said, text)
		}
	}
	return said, nil
}

// archivedAnswers is what the archive has of the agent's words in the turn.
func (s *Service) archivedAnswers(ctx context.Context, m *event.Context) (said []string, err error) {
	if s.Archive == nil || !m.Person() {
		return nil, nil
	}
	size := 0
	err = s.Archive.Said(ctx, m.SessionInfo, "", func(some []mem.Spoken) error {
		for _, spoken := range some {
			if spoken.PromptID == m.PromptID && spoken.Who == "assistant" && size+len(spoken.Text) <= maxAnswerBytes {
				said, size = append(said, spoken.Text), size+len(spoken.Text)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("what was said: %w", err)
	}
	return said, nil
}

// text is the record as it is sent, once more through the door.
func (r turnRecord) text() string {
	var b strings.Builder
	b.WriteString("Asked:\n" + r.prompt + "\n")
	if len(r.fromTools) > 0 {
		b.WriteString("\nDone:\n")
	}
	for _, mm := range r.fromTools {
		b.WriteString("- " + chars.Clip(chars.Line(mm.Title), event.MaxCommand) + "\n")
	}
	b.WriteString("\nSaid:\n" + strings.Join(r.answers, "\n\n"))
	return r.redact(b.String())
}

// headAndTail is a text of at most n characters: of a longer one, 60 parts in a
// hundred from its beginning and 30 from its end, and a mark between.
func headAndTail(s string, n int) string {
	rs := []rune(s)
	if len(rs) <= n {
		return s
	}
	return string(rs[:n*6/10]) + "\n[… cut …]\n" + string(rs[len(rs)-n*3/10:])
}
