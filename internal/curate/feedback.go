package curate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Bad feedback.
var (
	ErrNoVerdict = errors.New("no such verdict")
	ErrNoNote    = errors.New("the mistake that was prevented is not named")
)

// What a memory is still believed after somebody found fault with it.
const (
	confidenceDoubted  = 0.3 // it is no longer so, or an agent says that it is not so
	confidenceRejected = 0.1 // the person says that it is not so
)

// Feedback notes what memories were worth and lets it count. The sentence that
// came with it is kept. One that is wrong is hidden if the person says so; an
// agent's word only makes it doubtful, or nothing after text from outside. The same mistake is prevented once.
func (s *Service) Feedback(ctx context.Context, req FeedbackRequest) (MarkResponse, error) {
	out := MarkResponse{Verb: req.Verdict}
	f := *s.newFeedback(req.Verdict, s.cleanNote(req.Note), req.Agent)
	switch {
	case !slices.Contains([]string{mem.Useful, mem.Wrong, mem.Stale, mem.PreventedThat}, req.Verdict):
		return out, fmt.Errorf("%q: %w", req.Verdict, ErrNoVerdict)
	case req.Verdict == mem.PreventedThat && f.Note == "":
		return out, ErrNoNote
	}
	if err := s.Event.MayKeep(ctx, req.Agent, f.Note); err != nil {
		return out, err
	}
	ms, err := s.Event.Given(ctx, req.IDs)
	if err != nil {
		return out, err
	}
	who, err := s.AuthorOf(ctx, req.Agent)
	if err != nil {
		return out, err
	}
	turn, err := s.Event.TurnAt(ctx, req.Agent)
	if err != nil {
		return out, err
	}
	var b mem.Batch
	ids := make([]string, 0, len(ms))
	for _, mm := range ms {
		ids = append(ids, mm.ID)
		if req.Verdict != mem.PreventedThat || !alreadyPrevented(mm, f.Note) {
			ed := verdictEdit(mm, f, turn)
			if !who.MayReport(mm) { // it is noted, and counts for nothing
				ed.Confidence = nil
			}
			b.Edits = append(b.Edits, ed)
		}
	}
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return out, fmt.Errorf("feedback: %w", err)
	}
	s.Event.Without("vault", s.WriteNotes(ctx, false, ids...))
	out.Memories, err = s.Store.List(ctx, mem.Query{IDs: ids, Hidden: true, Within: "*"})
	return out, err
}

// maxNote bounds the sentence of a feedback, in characters.
const MaxNote = 400

// verdictEdit is what a feedback changes about a memory.
func verdictEdit(mm mem.Memory, f mem.Feedback, turn string) mem.Edit {
	ed := mem.Edit{ID: mm.ID, Feedback: &f}
	sure := mm.Confidence
	switch f.Verdict {
	case mem.Useful:
		ed.Used, ed.UsedIn = 1, turn
	case mem.PreventedThat:
		ed.Prevented, ed.Used, ed.UsedIn = 1, 1, turn
	case mem.Stale:
		sure = min(sure, confidenceDoubted)
		ed.Confidence = &sure
	case mem.Wrong:
		sure = min(sure, confidenceDoubted)
		if f.By == mem.FromUserCommand {
			sure = min(sure, confidenceRejected)
			ed.Status = new(mem.Forgotten)
		}
		ed.Confidence = &sure
	}
	return ed
}

// reason is what is noted where somebody said why he changed a memory; nil if he
// did not.
func (s *Service) reasonFeedback(verdict, said, agent string) *mem.Feedback {
	note := s.cleanNote(said)
	if note == "" {
		return nil
	}
	return s.newFeedback(verdict, note, agent)
}

// note is the sentence of a feedback as it is kept.
func (s *Service) cleanNote(said string) string {
	return strings.TrimSpace(chars.Clip(s.Door.Prompt(said), MaxNote))
}

// said is a feedback of the person, or of an agent.
func (s *Service) newFeedback(verdict, note, agent string) *mem.Feedback {
	f := &mem.Feedback{At: s.Now(), Verdict: verdict, Note: note, By: mem.FromUserCommand}
	if agent != "" {
		f.By, f.Session = mem.FromAssistant, agent
	}
	return f
}

// maxWas bounds the text before an edit that is kept, in characters.
const maxPreviousText = 4000

// edited adds the text before to why a memory was edited, which may be nil.
func (s *Service) withPreviousText(why *mem.Feedback, was, agent string) *mem.Feedback {
	if why == nil {
		why = s.newFeedback(mem.Edited, "", agent)
	}
	why.Was = chars.Clip(was, maxPreviousText)
	return why
}

// knownMistake reports whether the memory is known to have prevented just that.
func alreadyPrevented(mm mem.Memory, note string) bool {
	return slices.ContainsFunc(mm.Feedback, func(f mem.Feedback) bool {
		return f.Verdict == mem.PreventedThat && strings.EqualFold(chars.Folded(f.Note), chars.Folded(note))
	})
}
