package filesync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// noteChange returns what to write so that the file of a memory matches it: the changes since the last
// sync, or with whole everything.
func noteChange(mm mem.Memory, whole bool) vaultfile.NoteChange {
	c := vaultfile.NoteChange{Whole: whole}
	was, now := strings.Fields(mm.Note.State), strings.Fields(event.NoteState(mm))
	changed := func(part int) bool { return whole || part < len(was) && was[part] != now[part] }
	text := cmp.Or(mm.Body, mm.Title)
	if changed(event.StateTitle) {
		c.Description = &mm.Title
	}
	if changed(event.StateBody) {
		c.Body = &text
	}
	if changed(event.StateTags) {
		c.Tags = append([]string{}, mm.Tags...)
	}
	if changed(event.StateKind) {
		c.Type = new(string(mm.Kind))
	}
	if changed(event.StatePinned) {
		c.Critical = &mm.Pinned
	}
	if changed(event.StateInvariant) {
		c.Invariant = &mm.Invariant
	}
	if changed(event.StateStatus) {
		c.Status = new(string(mm.Status))
	}
	if whole || mm.Uses != mm.Note.Uses {
		c.Hits, c.LastApplied = &mm.Uses, lastApplied(mm)
	}
	if whole || mm.Prevented != mm.Note.Prevented {
		c.Caught, c.LastApplied = &mm.Prevented, lastApplied(mm)
	}
	if whole {
		c.Projects, c.Evergreen, c.HalfLife = mm.Projects, &mm.Evergreen, &mm.HalfLife
		if len(mm.Concepts) > 0 {
			c.Name = &mm.Concepts[0]
		}
	}
	if c.Text() || c.Hits != nil || c.Caught != nil {
		c.ID = &mm.ID
	}
	return c
}

// lastApplied returns when a memory was last used; nil means never.
func lastApplied(mm mem.Memory) *time.Time {
	if mm.LastUsed.IsZero() {
		return nil
	}
	return &mm.LastUsed
}

// WriteNotes writes changed memories to their files: those of ids, or all. Missing files are created
// only for restored memories.
func (s *Service) WriteNotes(ctx context.Context, restored bool, ids ...string) error {
	v := s.Event.CurrentVault()
	if v == nil {
		return nil
	}
	ms, err := s.Event.Noted(ctx)
	if err != nil {
		return err
	}
	var b mem.Batch
	for _, mm := range ms {
		if len(ids) > 0 && !slices.Contains(ids, mm.ID) || mm.Status == mem.Superseded {
			continue
		}
		c := noteChange(mm, false)
		if restored { // only writing shows whether the file exists
			c.ID = &mm.ID
		}
		if c.ID == nil {
			continue
		}
		note, err := s.writeNote(v, mm, c, restored)
		if errors.Is(err, vaultfile.ErrBehind) {
			continue // the next event reads the file, and then it is written
		}
		if err != nil {
			s.Event.LogDegraded("vault: "+mm.Note.File, err)
			continue
		}
		b.Edits = append(b.Edits, mem.Edit{ID: mm.ID, Note: &note})
	}
	if len(b.Edits) == 0 {
		return nil
	}
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return fmt.Errorf("store notes: %w", err)
	}
	return v.WriteIndex()
}

// writeNote writes a change of a memory to its file, with again the whole file if it is missing. It returns the file as
// it is stored with the memory.
func (s *Service) writeNote(v event.Vault, mm mem.Memory, c vaultfile.NoteChange, again bool) (mem.Note, error) {
	note, err := v.Write(mm.Note, c)
	if errors.Is(err, vaultfile.ErrBehind) && again {
		c = noteChange(mm, mm.Note.Front == "")
		c.Whole = true
		if c.Body == nil {
			c.Body = &mm.Body
		}
		note, err = v.Write(mm.Note, c)
	}
	note.State, note.Uses, note.Prevented = event.NoteState(mm), mm.Uses, mm.Prevented
	note.Front = s.cleanFront(note.Front)
	return note, err
}

// VaultJob reads changes of the vault, writes changed memories and the index.
func (s *Service) VaultJob(ctx context.Context) error {
	if err := s.SyncVault(ctx, event.Person); err != nil {
		return err
	}
	if err := s.WriteNotes(ctx, false); err != nil {
		return err
	}
	if v := s.Event.CurrentVault(); v != nil {
		return v.WriteIndex()
	}
	return nil
}

// EraseNotes deletes the files of memories that are being purged, and returns lines that identify
// their text in other files. It checks the IDs first and deletes nothing if one is unknown.
func (s *Service) EraseNotes(ctx context.Context, ids []string) ([]string, error) {
	v := s.Event.CurrentVault()
	if v == nil {
		return nil, nil
	}
	if err := s.SyncVault(ctx, event.Person); err != nil {
		return nil, err
	}
	if _, err := s.Erase.PlanArchive(ctx, ids); err != nil {
		return nil, err
	}
	ms, err := s.Store.PurgeMemories(ctx, ids...)
	if err != nil {
		return nil, err
	}
	var lines []string
	files := 0
	for _, mm := range ms {
		lines = append(lines, mm.Traces()...)
		if mm.Note.File == "" || mm.Shared() { // the repository's history has the text in any case
			continue
		}
		files++
		if err := v.Erase(mm.Note.File); err != nil {
			return nil, fmt.Errorf("vault: %w", err)
		}
	}
	if files == 0 {
		return lines, nil
	}
	return lines, v.WriteIndex()
}

// FilesHolding names vault files that contain one of the lines. They belong to the person and are not
// deleted.
func (s *Service) FilesHolding(lines []string) []string {
	v := s.Event.CurrentVault()
	if v == nil || len(lines) == 0 {
		return nil
	}
	files, err := v.Holding(lines)
	s.Event.LogDegraded("vault", err)
	var out []string
	for _, f := range files {
		out = append(out, f+" in the vault, which has the same text")
	}
	return out
}
