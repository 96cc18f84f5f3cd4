package capture

import (
	"context"
	"fmt"
	"math"
	"slices"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// personWords reads what the person said in the turn of an event, and in those before it.
type personWords struct {
	*Service
	ec event.Context
}

// maxInterrupted bounds the interrupted turns whose prompts are read at the next end of one.
const maxInterrupted = 5

// sinceLastStop returns memories of the turn's prompt, and of those before it whose
// turns were interrupted: no event reports their end.
func (p personWords) sinceLastStop(ctx context.Context, t turn) ([]mem.Memory, error) {
	out, err := p.inInterrupted(ctx, t.Turn.Number)
	if err != nil {
		return nil, err
	}
	var did []mem.Memory
	if t.facts().Changed {
		did = t.did
	}
	stated, err := p.statements(ctx, did)
	return append(out, stated...), err
}

// inInterrupted returns memories of the prompts since the last end of a turn that were numbered below before.
func (p personWords) inInterrupted(ctx context.Context, before int) ([]mem.Memory, error) {
	turns, err := p.Store.Turns(ctx, p.ec.Session, maxInterrupted+1)
	if err != nil {
		return nil, fmt.Errorf("interrupted turns: %w", err)
	}
	stops, err := p.Store.Events(ctx, mem.EventQuery{
		Session: p.ec.Session, Kinds: []mem.EventKind{mem.Stop}, Limit: maxInterrupted + 1,
	})
	if err != nil {
		return nil, fmt.Errorf("ends of turns: %w", err)
	}
	var out []mem.Memory
	for _, t := range turns { // newest first
		if t.Number >= before {
			continue
		}
		if slices.ContainsFunc(stops, func(stop mem.Event) bool { return stop.PromptID == t.PromptID }) {
			break
		}
		if t.Number == 0 || t.Private {
			continue
		}
		of := p.ec
		of.Turn, of.PromptID = t, t.PromptID
		stated, err := personWords{p.Service, of}.statements(ctx, nil)
		if err != nil {
			return nil, err
		}
		out = append(stated, out...)
	}
	return out, nil
}

// SessionEnd returns memories of what the person said in turns that were interrupted and that no other turn followed.
func (s *Service) SessionEnd(ctx context.Context, ec event.Context) (event.Changes, error) {
	stated, err := personWords{s, ec}.inInterrupted(ctx, math.MaxInt)
	if err != nil || len(stated) == 0 {
		return event.Changes{}, err
	}
	known, err := s.sessionMemories(ctx, ec)
	if err != nil {
		return event.Changes{}, err
	}
	over, err := s.reversed(ctx, ec, stated)
	if err != nil {
		return event.Changes{}, err
	}
	memories, edits := known.merge(ec, stated)
	return event.Changes{Memories: memories, Edits: append(over, edits...)}, nil
}

// statements returns memories of what a prompt lays down, wants or corrects. What is
// in a pasted document has the trust of the assistant's words at most, of a long one less. did is what a turn that
// changed files did, else empty.
func (p personWords) statements(ctx context.Context, did []mem.Memory) ([]mem.Memory, error) {
	again, err := p.correctedAgain(ctx)
	if err != nil {
		return nil, err
	}
	before, err := p.promptBefore(ctx)
	if err != nil {
		return nil, err
	}
	var out []mem.Memory
	for _, point := range extract.FromPerson(p.ec.Turn.Text, before) {
		carriedOut := point.Before && len(did) > 0
		if carriedOut {
			point.Text = extract.BeforeChange(p.ec.Turn.Text, point.Text)
		}
		mm := p.said(point.Kind, point.Text)
		if point.Pasted {
			mm.Trust, mm.Confidence = min(mem.TrustAssistant, p.ec.Turn.Trust), event.ConfidenceAgent
			if len(p.ec.Turn.Text) > extract.PastedLength {
				mm.Trust = min(mem.TrustTool, mm.Trust) // its author is unknown
			}
		}
		if slices.ContainsFunc(again, func(c string) bool { return extract.SameCorrection(c, point.Text) }) {
			mm.Kind = mem.Preference
		}
		if carriedOut {
			mm = extract.CompleteFix(mm, extract.FilesOf(did), did)
		}
		out = append(out, mm)
	}
	turned, err := p.reversals(ctx, out)
	return append(out, turned...), err
}

// said returns a memory of the person's words.
func (p personWords) said(kind mem.Kind, text string) mem.Memory {
	mm := p.ec.NewMemory(kind, mem.ScopeProject)
	mm.Title, mm.Body = extract.TitleAndBody(text)
	mm.Trust, mm.Origin, mm.Confidence = mem.TrustUser, mem.FromUserPrompt, event.ConfidenceUser
	mm.Tags, mm.Files = []string{extract.StatedTag}, extract.FilesNamedIn(text, nil)
	return mm
}

// promptBefore is the text of the person's prompt before this one in the session; empty if there is none.
func (p personWords) promptBefore(ctx context.Context) (string, error) {
	turns, err := p.Store.Turns(ctx, p.ec.Session, maxInterrupted)
	if err != nil {
		return "", fmt.Errorf("prompt before: %w", err)
	}
	for _, t := range turns { // newest first
		if t.Number > 0 && t.Number < p.ec.Turn.Number && !t.Private {
			return t.Text, nil
		}
	}
	return "", nil
}

// correctedAgain returns the corrections of a prompt that the person made before.
func (p personWords) correctedAgain(ctx context.Context) ([]string, error) {
	if len(p.ec.Turn.Text) > extract.PastedLength {
		return nil, nil
	}
	var out []string
	for _, text := range extract.Corrections(p.ec.Turn.Text) {
		again, err := p.correctedBefore(ctx, text)
		if err != nil {
			return nil, err
		}
		if again {
			out = append(out, text)
		}
	}
	return out, nil
}

// correctedBefore reports whether the person asked for the same in another prompt.
func (p personWords) correctedBefore(ctx context.Context, text string) (bool, error) {
	ids := []string{p.ec.Session}
	ss, err := p.Store.Sessions(ctx, mem.SessionQuery{Project: p.ec.Project.Key, Limit: extract.CorrectedSessions})
	if err != nil {
		return false, fmt.Errorf("earlier sessions: %w", err)
	}
	for _, one := range ss {
		ids = extract.AppendNew(ids, one.ID, extract.CorrectedSessions+1)
	}
	for _, id := range ids {
		turns, err := p.Store.Turns(ctx, id, extract.CorrectedTurns)
		if err != nil {
			return false, fmt.Errorf("earlier prompts: %w", err)
		}
		for _, t := range turns {
			if t.PromptID == p.ec.PromptID && id == p.ec.Session || t.Number == 0 || t.Private ||
				len(t.Text) > extract.PastedLength {
				continue
			}
			if slices.ContainsFunc(
				extract.Corrections(t.Text),
				func(c string) bool { return extract.SameCorrection(c, text) },
			) {
				return true, nil
			}
		}
	}
	return false, nil
}
