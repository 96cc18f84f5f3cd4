package curate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// Errors of Feedback.
var (
	ErrNoVerdict = errors.New("no such verdict")
	ErrNoNote    = errors.New("the mistake that was prevented is not named")
)

// Upper bounds of the confidence in a memory after negative feedback.
const (
	confidenceDoubted  = 0.3 // stale, or reported wrong by an agent
	confidenceRejected = 0.1 // reported wrong by the person
)

// Feedback stores a verdict about memories with its note, and adjusts their uses and confidence.
// "Wrong" by the person hides a memory. By an agent it lowers the confidence and proposes to forget
// the memory, which is not injected unasked until the person decides, unless the agent lacks the
// trust to do so, or the person rejected the same report before. Preventing the same mistake counts once per memory.
func (s *Service) Feedback(ctx context.Context, req FeedbackRequest) (MarkResponse, error) {
	out := MarkResponse{Verb: req.Verdict}
	f := *newFeedback(req.Verdict, cleanNote(s.Redactor, req.Note), req.Agent, s.Now())
	switch {
	case !slices.Contains([]string{Useful, Wrong, Stale, PreventedMistake}, req.Verdict):
		return out, fmt.Errorf("%q: %w", req.Verdict, ErrNoVerdict)
	case req.Verdict == PreventedMistake && f.Note == "":
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
	disputes := s.Proposals(who, req.Note)
	ids := make([]string, 0, len(ms))
	for _, mm := range ms {
		ids = append(ids, mm.ID)
		effective := who.MayReport(mm)
		if req.Verdict == Wrong && req.Agent != "" && effective {
			p, err := disputes.Add(ctx, mm, mem.Proposal{Action: ProposeForget, Disputes: true, Believed: mm.Confidence})
			if err != nil {
				return out, err
			}
			effective = !p.Rejected
		}
		if req.Verdict == PreventedMistake && alreadyPrevented(mm, f.Note) {
			continue
		}
		ed := verdictEdit(mm, f, turn)
		if !effective {
			ed.Confidence = nil
			if req.Verdict == Wrong || req.Verdict == Stale {
				out.NoEffect = append(out.NoEffect, mm.ID)
			}
		}
		b.Edits = append(b.Edits, ed)
	}
	b.Edits = append(b.Edits, disputes.Edits...)
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return out, fmt.Errorf("feedback: %w", err)
	}
	s.Event.LogDegraded("vault", s.WriteNotes(ctx, false, ids...))
	out.Memories, err = s.Store.List(ctx, mem.Query{IDs: ids, Hidden: true, Within: "*"})
	return out, err
}

// MaxNote bounds the note of a feedback, in characters.
const MaxNote = 400

// verdictEdit returns the edit that a feedback makes to a memory.
func verdictEdit(mm mem.Memory, f mem.Feedback, turn string) mem.Edit {
	ed := mem.Edit{ID: mm.ID, Feedback: &f}
	confidence, rated := mm.Confidence, mem.Use{Turn: turn, How: mem.Rated}
	switch f.Verdict {
	case Useful:
		ed.Used, ed.UsedIn = 1, rated
	case PreventedMistake:
		ed.Prevented, ed.Used, ed.UsedIn = 1, 1, rated
	case Stale:
		confidence = min(confidence, confidenceDoubted)
		ed.Confidence = &confidence
	case Wrong:
		confidence = min(confidence, confidenceDoubted)
		if f.By == mem.FromUserCommand {
			confidence = min(confidence, confidenceRejected)
			ed.Status = new(mem.Forgotten)
		}
		ed.Confidence = &confidence
	}
	return ed
}

// reasonFeedback returns the feedback that records the reason of a change, or nil without a reason.
func (s *Service) reasonFeedback(verdict, reason, agent string) *mem.Feedback {
	note := cleanNote(s.Redactor, reason)
	if note == "" {
		return nil
	}
	return newFeedback(verdict, note, agent, s.Now())
}

// cleanNote redacts and clips the note of a feedback.
func cleanNote(r *redact.Redactor, note string) string {
	return strings.TrimSpace(chars.Clip(r.Prompt(note), MaxNote))
}

// newFeedback returns a feedback of an agent's session, or of the person where agent is "".
func newFeedback(verdict, note, agent string, now time.Time) *mem.Feedback {
	f := &mem.Feedback{At: now, Verdict: verdict, Note: note, By: mem.FromUserCommand}
	if agent != "" {
		f.By, f.Session = mem.FromAssistant, agent
	}
	return f
}

// maxPreviousText bounds the stored text from before an edit, in characters.
const maxPreviousText = 4000

// withPreviousText adds the text from before an edit to its feedback, which may be nil.
func withPreviousText(why *mem.Feedback, was, agent string, now time.Time) *mem.Feedback {
	if why == nil {
		why = newFeedback(Edited, "", agent, now)
	}
	why.Was = chars.Clip(was, maxPreviousText)
	return why
}

// alreadyPrevented reports whether the memory already has a feedback about preventing this mistake.
func alreadyPrevented(mm mem.Memory, note string) bool {
	return slices.ContainsFunc(mm.Feedback, func(f mem.Feedback) bool {
		return f.Verdict == PreventedMistake && strings.EqualFold(chars.Fold(f.Note), chars.Fold(note))
	})
}

// The verdicts of feedback. Feedback also stores the reason for an edit, or for a change of
// the memory's status, if the author gave one.
const (
	Edited           = "edited"
	Useful           = "useful"    // it helped
	Wrong            = "wrong"     // it is false
	Stale            = "stale"     // it is no longer true
	PreventedMistake = "prevented" // it prevented the mistake that the note names
)
