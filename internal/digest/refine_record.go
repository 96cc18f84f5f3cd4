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

// maxWords bounds what is read of the words of one turn, in bytes, before it is cut
// for a model.
const maxWords = 1 << 20

// turnRecord is a turn as a model may see it: what was asked and answered, and of
// what the tools did no more than the rules made of it. What they put out is not in it.
type turnRecord struct {
	asked string
	done  []mem.Memory // of the tools, oldest first
	said  []string     // oldest first
	made  []mem.Memory // by rule or by a model of what was said, hidden ones too
	clean func(string) string
}

// recordOf is the record of the moment's turn, or of a subagent's part of it; ok is
// false where there is nothing to refine, or the person has forgotten some of it:
// who took something out does not want it back in other words.
func (e *Service) recordOf(ctx context.Context, m *event.Context) (r turnRecord, ok bool, err error) {
	all, err := e.Store.List(ctx, mem.Query{
		Session: m.Session, PromptID: m.PromptID, NotKinds: []mem.Kind{mem.Utterance, mem.Snapshot}, Hidden: true, Within: "*", Limit: manyOfATurn,
	})
	if err != nil {
		return r, false, fmt.Errorf("what the turn made: %w", err)
	}
	r.clean = e.Door.Text
	slices.Reverse(all)
	for _, mm := range all {
		switch {
		case mm.Status == mem.Forgotten:
			return r, false, nil
		case mm.Source.AgentID != m.AgentID:
		case mm.Origin == mem.FromAssistant && ofDigest(mm):
			r.made = append(r.made, mm)
		case (mm.Origin == mem.FromTool || mm.Origin == mem.FromWeb) && mm.Status == mem.Active:
			r.done = append(r.done, mm)
		}
	}
	if r.said, err = e.wordsOf(ctx, m); err != nil {
		return r, false, err
	}
	r.asked = m.Turn.Text
	if !m.Person() {
		if len(r.made) == 0 { // nobody knows what it may be trusted with
			return r, false, nil
		}
		r.asked = strings.Join(r.made[0].Concepts, " ")
	}
	enough := utf8.RuneCountInString(strings.Join(r.said, " ")) >= extract.LeastAnswer || m.Person() && len(r.done) > 0
	return r, enough, nil
}

// manyOfATurn is more memories than a turn makes.
const manyOfATurn = 1000

// ofDigest reports whether a memory was made of what was said in a turn.
func ofDigest(mm mem.Memory) bool {
	return slices.ContainsFunc(mm.Tags, func(t string) bool {
		return t == extract.MadeOfWords || t == extract.SummaryTag || t == "subagent-discovery"
	})
}

// wordsOf is what the agent said in the turn: all of it where it is archived, at
// least how it ended.
func (e *Service) wordsOf(ctx context.Context, m *event.Context) ([]string, error) {
	q := mem.EventQuery{Session: m.Session, PromptID: m.PromptID, Kinds: []mem.EventKind{mem.Stop}, AgentID: &m.AgentID}
	if !m.Person() {
		q.Kinds = []mem.EventKind{mem.SubagentStop}
	}
	ends, err := e.Store.Events(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("how the turn ended: %w", err)
	}
	said, err := e.archived(ctx, m)
	if err != nil {
		return nil, err
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if text := ends[i].Text; text != "" && !slices.ContainsFunc(said, func(s string) bool { return extract.SameWords(text, s) }) {
			said = append(said, text)
		}
	}
	return said, nil
}

// archived is what the archive has of the agent's words in the turn.
func (e *Service) archived(ctx context.Context, m *event.Context) (said []string, err error) {
	if e.Archive == nil || !m.Person() {
		return nil, nil
	}
	size := 0
	err = e.Archive.Said(ctx, m.SessionInfo, "", func(some []mem.Spoken) error {
		for _, s := range some {
			if s.PromptID == m.PromptID && s.Who == "assistant" && size+len(s.Text) <= maxWords {
				said, size = append(said, s.Text), size+len(s.Text)
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
	b.WriteString("Asked:\n" + r.asked + "\n")
	if len(r.done) > 0 {
		b.WriteString("\nDone:\n")
	}
	for _, mm := range r.done {
		b.WriteString("- " + chars.Clip(chars.Line(mm.Title), event.MaxCommand) + "\n")
	}
	b.WriteString("\nSaid:\n" + strings.Join(r.said, "\n\n"))
	return r.clean(b.String())
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
