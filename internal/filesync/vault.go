package filesync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// syncVault takes in what changed in the vault since the last time.
func (s *Service) SyncVault(ctx context.Context, by event.Hand) error {
	v := s.Event.CurrentVault()
	if v == nil {
		return nil
	}
	var late []mem.Memory // changed here, too, and not written yet
	err := v.Look(func() ([]mem.Note, error) {
		ms, err := s.Event.Noted(ctx)
		out := make([]mem.Note, 0, len(ms))
		for _, mm := range ms {
			out = append(out, mm.Note)
		}
		return out, err
	}, func(l mem.VaultLook) (err error) {
		late, err = s.applyNotes(ctx, l, by)
		return err
	})
	if err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	for _, mm := range late {
		_, err := v.Write(mm.Note, noteChange(mm, false))
		s.Event.Without("vault: "+mm.Note.File, err)
	}
	return nil
}

// keepNotes brings what is remembered in step with what was found. It returns
// those that had changed on both sides, as they were remembered.
func (s *Service) applyNotes(ctx context.Context, l mem.VaultLook, by event.Hand) (late []mem.Memory, err error) {
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
		who, err := s.HandAt(ctx, by, n.Changed)
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
		case !there && now.Status == mem.Forgotten: // it was hidden, and erased since
			continue
		case !there:
			now.Key = "note:" + n.File + ":" + n.Hash[:min(8, len(n.Hash))]
			b.Memories = append(b.Memories, now)
			continue
		case was.Note.State != "" && event.NoteState(was) != was.Note.State && event.NoteState(was) != event.NoteState(now):
			late = append(late, was)
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
	b.Jobs = append(b.Jobs, s.Event.VaultJob(s.Now())) // the index is made anew
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return nil, fmt.Errorf("keep: %w", err)
	}
	return late, nil
}

// cleanNote passes a file's texts through the door.
func (s *Service) cleanNote(n mem.NoteText) mem.NoteText {
	for _, field := range []*string{&n.Name, &n.Description, &n.Body, &n.Invariant} {
		*field = s.Door.Prompt(*field)
	}
	for _, list := range []*[]string{&n.Tags, &n.Projects} {
		out := make([]string, 0, len(*list))
		for _, text := range *list {
			if text = chars.Clip(chars.Line(s.Door.Prompt(text)), 80); text != "" {
				out = append(out, text)
			}
		}
		*list = out[:min(len(out), maxNoteList)]
	}
	n.Body = event.Middle(n.Body, event.MaxField)
	return n
}

// maxNoteList bounds the lists of a note.
const maxNoteList = 50

// importanceCritical is what a memory is worth that is always told.
const importanceCritical = 0.9

// noteMemory is what the memory of a file is, given what was remembered of it.
func noteMemory(was mem.Memory, n mem.NoteText, by event.Hand, now time.Time) mem.Memory {
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
	if mm.Body == "" && chars.Line(n.Description) != mm.Title { // it was cut
		mm.Body = n.Description
	}
	mm.Concepts, mm.Tags, mm.Projects = []string{chars.Clip(chars.Line(n.Name), 160)}, n.Tags, n.Projects
	mm.Pinned, mm.Evergreen, mm.HalfLife = n.Critical, n.Evergreen, n.HalfLife
	mm.Trust, mm.Status = by.Trust, mem.Active
	if n.Status == string(mem.Forgotten) {
		mm.Status = mem.Forgotten
	}
	// Used here since they were in step, and counted there by another.
	mm.Uses = mergedCount(n.Hits, was.Uses, was.Note.Uses)
	mm.Prevented = mergedCount(n.Caught, was.Prevented, was.Note.Prevented)
	if n.LastApplied.After(mm.LastUsed) {
		mm.LastUsed = n.LastApplied
	}
	if was.ID != "" && sameNote(was, mm) { // moved or counted in: nobody stands for it anew
		mm.Trust = was.Trust
	}
	mm.Index = rank.Index(mm)
	mm.Note = n.Note
	mm.Note.State, mm.Note.Uses, mm.Note.Prevented = event.NoteState(mm), n.Hits, n.Caught
	return mm
}

// counted is a counter of a file and of here, which both went on from a common
// value. A file that says what is counted here was written by us, though that was
// not kept any more.
func mergedCount(file, here, common int) int {
	if file == here {
		return here
	}
	return max(0, file+here-common)
}

// sameNote reports whether two memories say the same in a file.
func sameNote(a, b mem.Memory) bool {
	return event.NoteState(a) == event.NoteState(b) && slices.Equal(a.Concepts, b.Concepts) && a.HalfLife == b.HalfLife && a.Evergreen == b.Evergreen && slices.Equal(a.Projects, b.Projects)
}

// noteEdit makes of what was remembered what is so now.
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

// lookAtVault takes in what changed in the vault before an event that may tell
// of it, and what an agent changed there right after it did.
func (s *Service) LookAtVault(ctx context.Context, m *event.Context) error {
	v := s.Event.CurrentVault()
	if v == nil || m.Replay {
		return nil
	}
	switch m.Kind {
	case mem.SessionStart, mem.PreCompact:
		return errors.Join(s.SyncVault(ctx, event.PersonIn(m)), s.Continuity.TakeHandoff(ctx, m, event.PersonIn(m)))
	case mem.UserPromptSubmit, mem.SubagentStart, mem.Stop, mem.SessionEnd:
		return s.SyncVault(ctx, event.PersonIn(m))
	case mem.PostToolUse, mem.PostToolUseFailure:
		if mayChangeBelow(m, v.Folder()) {
			return errors.Join(s.SyncVault(ctx, agentAuthor(m)), s.Continuity.TakeHandoff(ctx, m, agentAuthor(m)))
		}
		if m.Tool == "Read" || m.Tool == "Edit" || m.Tool == "Write" { // which is answered with what is known of the file
			return s.SyncVault(ctx, event.Person)
		}
	}
	return nil
}

// KindOfType is what the type of a file of the vault means. A type that is a
// kind's name is that kind; an unknown one is a Fact.
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
