package filesync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// proposeNote adds to b a proposal for the change that an agent made to the file of a memory with more
// trust. The memory and the file stay unchanged. now is the memory that the file describes. Nothing is
// proposed in a private turn.
func (s *Service) proposeNote(ctx context.Context, b *mem.Batch, was, now mem.Memory, who event.Author) error {
	who.Origin = mem.FromVault
	p := mem.Proposal{Action: curate.ProposeForget}
	if now.Status != mem.Forgotten || was.Status == mem.Forgotten {
		p = curate.ProposalOf(was, mem.Edit{
			Title: &now.Title, Body: &now.Body, Invariant: &now.Invariant, Kind: &now.Kind, Importance: &now.Importance,
			Tags: append([]string{}, now.Tags...),
		})
	}
	ps := s.Curate.Proposals(who, "")
	if curate.HasEffect(p) {
		if _, err := ps.Add(ctx, was, p); err != nil && !errors.Is(err, event.ErrPrivateTurn) {
			return err
		}
	}
	b.Edits = append(append(b.Edits, ps.Edits...), noteOnlyEdit(was, now))
	return nil
}

// noteOnlyEdit returns the edit that records a file without its text. now has no file if the file is
// gone.
func noteOnlyEdit(was, now mem.Memory) mem.Edit {
	note := now.Note
	note.File, note.State = was.Note.File, event.NoteState(was)
	if now.Note.File != "" {
		note.File = now.Note.File
	}
	note.Uses, note.Prevented = was.Note.Uses, was.Note.Prevented
	ed := mem.Edit{ID: was.ID, Note: &note}
	if now.Note.File != "" {
		note.Uses, note.Prevented = now.Note.Uses, now.Note.Prevented
		ed.Counted = &mem.Counted{Uses: now.Uses, Prevented: now.Prevented, LastUsed: now.LastUsed}
	}
	return ed
}

// proposedByAgent reports whether a file still has the text of an open proposal. Moving it or counting
// in it does not adopt that text.
func proposedByAgent(was, now mem.Memory) bool {
	return slices.ContainsFunc(was.Proposals, func(p mem.Proposal) bool {
		if p.By != mem.FromVault || p.Action != curate.ProposeEdit {
			return false
		}
		then := curate.ProposedMemory(was, p)
		then.Pinned = now.Pinned
		return event.NoteState(then) == event.NoteState(now)
	})
}

// RewriteNote restores the file of a memory after a proposal that changed the file was rejected.
func (s *Service) RewriteNote(ctx context.Context, m mem.Memory) error {
	v := s.Event.CurrentVault()
	if v == nil || m.Note.File == "" {
		return nil
	}
	old := m
	old.Note.State = strings.Repeat("- ", event.StateStatus+1) // differs in every part
	note, err := s.writeNote(v, m, noteChange(old, false), true)
	if err != nil {
		return err
	}
	if _, err := s.Store.Apply(ctx, mem.Batch{Edits: []mem.Edit{{ID: m.ID, Note: &note}}}); err != nil {
		return fmt.Errorf("store note: %w", err)
	}
	return v.WriteIndex()
}
