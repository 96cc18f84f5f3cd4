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

// MaxModelText bounds the text of a turn that a model receives, in characters.
const MaxModelText = 16000

// maxAnswerBytes bounds the answers of one turn, in bytes, before they are cut for a
// model.
const maxAnswerBytes = 1 << 20

// turnRecord is the part of a turn that a model may see: the prompt, the answers and
// the titles of tool memories. It contains no tool output.
type turnRecord struct {
	prompt    string
	fromTools []mem.Memory // active memories of tool calls, oldest first
	answers   []string     // oldest first
	digested  []mem.Memory // memories of the conversation, oldest first; also inactive ones
	redact    func(string) string
}

// readTurn reads the record of a turn, or of a subagent's part of it. ok is false if
// there is too little to refine, or if any memory of the turn was forgotten: a
// digest could bring the forgotten text back.
func (s *Service) readTurn(ctx context.Context, ec event.Context) (r turnRecord, ok bool, err error) {
	all, err := s.Store.List(ctx, mem.Query{
		Session: ec.Session, PromptID: ec.PromptID, NotKinds: []mem.Kind{mem.Utterance, mem.Snapshot}, Hidden: true,
		Within: "*", Limit: maxTurnMemories,
	})
	if err != nil {
		return r, false, fmt.Errorf("memories of the turn: %w", err)
	}
	r.redact = s.Redactor.Text
	slices.Reverse(all)
	for _, mm := range all {
		switch {
		case mm.Status == mem.Forgotten:
			return r, false, nil
		case mm.Source.AgentID != ec.AgentID:
		case mm.Origin == mem.FromAssistant && isDigest(mm):
			r.digested = append(r.digested, mm)
		case (mm.Origin == mem.FromTool || mm.Origin == mem.FromWeb) && mm.Status == mem.Active:
			r.fromTools = append(r.fromTools, mm)
		}
	}
	if r.answers, err = s.answersOf(ctx, ec); err != nil {
		return r, false, err
	}
	r.prompt = ec.Turn.Text
	if !ec.Person() {
		if len(r.digested) == 0 { // its trust is unknown
			return r, false, nil
		}
		r.prompt = strings.Join(r.digested[0].Concepts, " ")
	}
	enough := utf8.RuneCountInString(strings.Join(r.answers, " ")) >= extract.MinAnswer ||
		ec.Person() && len(r.fromTools) > 0
	return r, enough, nil
}

// maxTurnMemories bounds how many memories of one turn are read.
const maxTurnMemories = 1000

// isDigest reports whether a memory was made from the conversation of a turn.
func isDigest(mm mem.Memory) bool {
	return slices.ContainsFunc(mm.Tags, func(t string) bool {
		return t == extract.DigestTag || t == extract.SummaryTag || t == "subagent-discovery"
	})
}

// answersOf returns the agent's answers in the turn: all of them if the transcript is
// archived, else the last one.
func (s *Service) answersOf(ctx context.Context, ec event.Context) ([]string, error) {
	kind := mem.Stop
	if !ec.Person() {
		kind = mem.SubagentStop
	}
	ends, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, PromptID: ec.PromptID, Kinds: []mem.EventKind{kind}, AgentID: &ec.AgentID,
	})
	if err != nil {
		return nil, fmt.Errorf("end of the turn: %w", err)
	}
	answers, err := s.archivedAnswers(ctx, ec)
	if err != nil {
		return nil, err
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if text := ends[i].Text; text != "" &&
			!slices.ContainsFunc(answers, func(a string) bool { return extract.SameWords(text, a) }) {
			answers = append(answers, text)
		}
	}
	return answers, nil
}

// archivedAnswers returns the agent's answers in the turn from the archive.
func (s *Service) archivedAnswers(ctx context.Context, ec event.Context) (answers []string, err error) {
	if s.Archive == nil || !ec.Person() {
		return nil, nil
	}
	size := 0
	err = s.Archive.Utterances(ctx, ec.SessionInfo, "", func(some []mem.ArchivedUtterance) error {
		for _, u := range some {
			if u.PromptID == ec.PromptID && u.Who == "assistant" && size+len(u.Text) <= maxAnswerBytes {
				answers, size = append(answers, u.Text), size+len(u.Text)
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("archived answers: %w", err)
	}
	return answers, nil
}

// text formats the record for the model, redacted again.
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

// headAndTail cuts a text of more than n characters to its first 60% and last 30%
// of n, with a mark between.
func headAndTail(s string, n int) string {
	rs := []rune(s)
	if len(rs) <= n {
		return s
	}
	return string(rs[:n*6/10]) + "\n[… cut …]\n" + string(rs[len(rs)-n*3/10:])
}
