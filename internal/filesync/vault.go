package filesync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/vaultfile"
)

// SyncVault reads changes of the vault since the last call. A file change that no agent's command
// explains is attributed to by.
func (s *Service) SyncVault(ctx context.Context, by event.Author) error {
	v := s.Event.CurrentVault()
	if v == nil {
		return nil
	}
	var conflicts []mem.Memory // changed on both sides; written after the read
	err := v.Look(func() ([]mem.Note, error) {
		ms, err := s.Event.Noted(ctx)
		out := make([]mem.Note, 0, len(ms))
		for _, mm := range ms {
			out = append(out, mm.Note)
		}
		return out, err
	}, func(l vaultfile.Changes) (err error) {
		conflicts, err = s.applyNotes(ctx, l, by)
		return err
	})
	if err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	for _, mm := range conflicts {
		_, err := v.Write(mm.Note, noteChange(mm, false))
		s.Event.LogDegraded("vault: "+mm.Note.File, err)
	}
	return nil
}

// applyNotes applies the changes found in the vault to the memories. It returns the memories that had
// changed on both sides, as stored before.
func (s *Service) applyNotes(ctx context.Context, l vaultfile.Changes, by event.Author) (conflicts []mem.Memory,
	err error,
) {
	ms, err := s.Event.Noted(ctx)
	if err != nil {
		return nil, err
	}
	known := event.NewNotes(ms, l)
	var b mem.Batch
	for _, n := range l.Notes {
		if n.Type == "index" {
			continue
		}
		n = s.cleanNote(n)
		was, there := known.Find(n)
		who, err := s.AuthorAt(ctx, by, n.Changed)
		if err != nil {
			return nil, err
		}
		now := noteMemory(was, n, who, s.Now())
		if there && proposedByAgent(was, now) {
			b.Edits = append(b.Edits, noteOnlyEdit(was, now))
			continue
		}
		if there && !who.MayChange(was) && !sameNote(was, now) {
			if err := s.proposeNote(ctx, &b, was, now, who); err != nil {
				return nil, err
			}
			continue
		}
		switch {
		case !there && now.Status == mem.Forgotten: // hidden in the file, and purged since
			continue
		case !there:
			now.Key = "note:" + n.File + ":" + n.Hash[:min(8, len(n.Hash))]
			b.Memories = append(b.Memories, now)
			continue
		case was.Note.State != "" && event.NoteState(was) != was.Note.State && event.NoteState(was) != event.NoteState(now):
			conflicts = append(conflicts, was)
		}
		b.Edits = append(b.Edits, noteEdit(was, now))
	}
	for _, file := range l.Gone {
		was, ok := known.Gone(file)
		switch {
		case !ok || was.Status != mem.Active:
		case by.MayChange(was):
			b.Edits = append(b.Edits, event.WithoutFile(was))
		default:
			if err := s.proposeNote(ctx, &b, was, mem.Memory{Status: mem.Forgotten}, by); err != nil {
				return nil, err
			}
		}
	}
	s.Event.Follow(&b)
	b.Jobs = append(b.Jobs, s.Event.VaultJob(s.Now())) // rewrites the index
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return nil, fmt.Errorf("store changes of the vault: %w", err)
	}
	return conflicts, nil
}

// cleanNote redacts the texts of a file.
func (s *Service) cleanNote(n vaultfile.Note) vaultfile.Note {
	for _, field := range []*string{&n.Name, &n.Description, &n.Body, &n.Invariant} {
		*field = s.Redactor.Prompt(*field)
	}
	n.Front = s.cleanFront(n.Front)
	for _, list := range []*[]string{&n.Tags, &n.Projects} {
		out := make([]string, 0, len(*list))
		for _, text := range *list {
			if text = chars.Clip(chars.Line(s.Redactor.Prompt(text)), 80); text != "" {
				out = append(out, text)
			}
		}
		*list = out[:min(len(out), maxNoteList)]
	}
	n.Body = event.Middle(n.Body, event.MaxField)
	return n
}

// cleanFront redacts a frontmatter. One that has other lines then is left out, for its end may be missing.
func (s *Service) cleanFront(front string) string {
	out := s.Redactor.Text(front)
	if strings.Count(out, "\n") != strings.Count(front, "\n") {
		return ""
	}
	return out
}

// maxNoteList bounds the lists of a note.
const maxNoteList = 50

// importanceCritical is the minimum importance of a critical note.
const importanceCritical = 0.9

// noteMemory returns the memory of a file, based on the stored one.
func noteMemory(was mem.Memory, n vaultfile.Note, by event.Author, now time.Time) mem.Memory {
	mm := was
	mm.Kind = kindOfType(n.Type)
	if was.ID == "" {
		info, _ := mm.Kind.Info()
		mm.Importance, mm.Confidence = info.Importance, event.ConfidenceUser
		mm.Scope, mm.Resolved, mm.Origin = mem.ScopeUser, true, by.Origin
		if mm.Created = n.Created; mm.Created.IsZero() {
			mm.Created = n.Written
		}
		if mm.Created.After(now) || mm.Created.IsZero() {
			mm.Created = now
		}
		mm.Updated = now
	}
	if n.Critical {
		mm.Importance = max(mm.Importance, importanceCritical)
	}
	mm.Title = chars.Clip(chars.Line(cmp.Or(n.Description, n.Name, n.File)), 160)
	mm.Body, mm.Invariant = n.Body, chars.Clip(chars.Line(n.Invariant), curate.MaxNote)
	if mm.Body == "" && chars.Line(n.Description) != mm.Title { // the title was clipped
		mm.Body = n.Description
	}
	mm.Concepts, mm.Tags, mm.Projects = []string{chars.Clip(chars.Line(n.Name), 160)}, n.Tags, n.Projects
	mm.Pinned, mm.Evergreen, mm.HalfLife = n.Critical, n.Evergreen, n.HalfLife
	mm.Trust, mm.Status = by.Trust, mem.Active
	if n.Status == string(mem.Forgotten) {
		mm.Status = mem.Forgotten
	}
	// Uses may have been counted on both sides since the last sync.
	mm.Uses = mergedCount(n.Hits, was.Uses, was.Note.Uses)
	mm.Prevented = mergedCount(n.Caught, was.Prevented, was.Note.Prevented)
	if n.LastApplied.After(mm.LastUsed) {
		mm.LastUsed = n.LastApplied
	}
	if was.ID != "" && sameNote(was, mm) { // only moved or counted: no new author
		mm.Trust = was.Trust
	}
	mm.Index = rank.Index(mm)
	mm.Note = n.Note
	mm.Note.State, mm.Note.Uses, mm.Note.Prevented = event.NoteState(mm), n.Hits, n.Caught
	return mm
}

// mergedCount merges two counters that started from a common value. Equal counters mean that we wrote
// the file and did not store that.
func mergedCount(file, here, common int) int {
	if file == here {
		return here
	}
	return max(0, file+here-common)
}

// sameNote reports whether two memories have the same text in a file.
func sameNote(a, b mem.Memory) bool {
	return event.NoteState(a) == event.NoteState(b) && slices.Equal(a.Concepts, b.Concepts) && a.HalfLife == b.HalfLife &&
		a.Evergreen == b.Evergreen &&
		slices.Equal(a.Projects, b.Projects)
}

// noteEdit returns the edit that turns was into now.
func noteEdit(was, now mem.Memory) mem.Edit {
	list := func(l []string) []string { return append([]string{}, l...) }
	ed := mem.Edit{
		ID: was.ID, Note: &now.Note, Trust: &now.Trust,
		Counted: &mem.Counted{Uses: now.Uses, Prevented: now.Prevented, LastUsed: now.LastUsed},
	}
	if was.Status != now.Status && was.Status != mem.Superseded {
		ed.Status = &now.Status
	}
	if sameNote(was, now) {
		return ed
	}
	ed.Title, ed.Body, ed.Index, ed.Kind, ed.Invariant = &now.Title, &now.Body, &now.Index, &now.Kind, &now.Invariant
	ed.Importance, ed.Pinned, ed.Evergreen, ed.HalfLife = &now.Importance, &now.Pinned, &now.Evergreen, &now.HalfLife
	ed.Tags, ed.Projects, ed.Concepts = list(now.Tags), list(now.Projects), list(now.Concepts)
	return ed
}

// SyncVaultOnEvent syncs the vault and shared files before events that may inject their memories, and the
// vault after tool calls that may have changed it.
func (s *Service) SyncVaultOnEvent(ctx context.Context, ec event.Context) error {
	if !ec.FromSpool && (ec.Kind == mem.SessionStart || ec.Kind == mem.UserPromptSubmit) {
		s.Event.LogDegraded("shared files", s.SyncShared(ctx, ec.Project, ec.Kind == mem.SessionStart))
	}
	v := s.Event.CurrentVault()
	if v == nil || ec.FromSpool {
		return nil
	}
	switch ec.Kind {
	case mem.SessionStart, mem.PreCompact:
		return errors.Join(s.SyncVault(ctx, event.PersonAuthor(ec.Event)), s.Continuity.ReadHandoffFile(ctx, ec,
			event.PersonAuthor(ec.Event)))
	case mem.UserPromptSubmit, mem.SubagentStart, mem.Stop, mem.SessionEnd:
		return s.SyncVault(ctx, event.PersonAuthor(ec.Event))
	case mem.PostToolUse, mem.PostToolUseFailure:
		if mayChangeBelow(ec, v.Folder()) {
			return errors.Join(s.SyncVault(ctx, agentAuthor(ec)), s.Continuity.ReadHandoffFile(ctx, ec, agentAuthor(ec)))
		}
		switch ec.Tool {
		case mem.ToolRead, mem.ToolEdit, mem.ToolWrite: // their replies contain memories of the file
			return s.SyncVault(ctx, event.Person)
		}
	}
	return nil
}

// kindOfType returns the kind for the type of a vault file: the kind of that name, a known alias, or
// Fact.
func kindOfType(t string) mem.Kind {
	switch t {
	case "feedback", "user":
		return mem.Preference
	case "log":
		return mem.Summary
	case "lineage":
		return mem.Rationale
	case "reference", "project", "design", "identity", "index", "roadmap", "":
		return mem.Fact
	}
	if _, ok := mem.Kind(t).Info(); ok && mem.Kind(t) != mem.Utterance {
		return mem.Kind(t)
	}
	return mem.Fact
}
