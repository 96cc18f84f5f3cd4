package filesync

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/entity"
	"remanence/internal/event"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/vaultfile"
)

// SharedFiles are memories shared with a team, one file each: those in the directory of a repository, or of a project
// on the server of a team. File names are relative to it, except where Place is named.
type SharedFiles interface {
	// Place returns what the names of its files begin with in the notes of memories: mem.SharedDir in a repository,
	// mem.TeamPlace on the server of a team.
	Place() string
	// There reports whether it exists.
	There() bool
	// Look passes the differences from the known notes to keep, if there are any.
	Look(ctx context.Context, known func() ([]mem.Note, error), keep func(vaultfile.Changes) error) error
	// Uncommitted returns the files, with Place, that differ from the last commit. Outside of git there
	// are none.
	Uncommitted(ctx context.Context) (map[string]bool, error)
	// Authors returns who wrote each file last, with Place.
	Authors(ctx context.Context) (map[string]string, error)
	// Deleted reports whether a file, with Place, was deleted, and is not only missing on the current branch.
	Deleted(ctx context.Context, file string) (bool, error)
}

// SharedFolder is the directory of a repository that holds memories shared with a team.
type SharedFolder interface {
	SharedFiles
	// Make creates the directory.
	Make() error
	// Write changes the file of a memory and returns it as it is then.
	Write(was mem.Note, c vaultfile.NoteChange) (mem.Note, error)
	// Erase deletes a file.
	Erase(file string) error
	// Bad lists the files that cannot be read, for example because of conflict markers.
	Bad() ([]vaultfile.BadFile, error)
}

// SyncShared reads committed changes of a repository's shared files, if the repository is trusted. With
// full it also applies deletions, and lowers the trust of what was read from a repository that is not
// trusted any more.
func (s *Service) SyncShared(ctx context.Context, p mem.Project, full bool) error {
	if s.Shared == nil || p.Root == "" || p.Key == "" {
		return nil
	}
	folder, trusted := s.Shared(p)
	if !full && (!trusted || !folder.There()) {
		return nil
	}
	s.sharing.Lock()
	defer s.sharing.Unlock()
	ms, err := s.Event.SharedOf(ctx, p, folder.Place())
	if err != nil {
		return err
	}
	if !trusted {
		return s.distrustShared(ctx, ms)
	}
	l, err := sharedChanges(ctx, folder, ms)
	if err != nil {
		return err
	}
	if !full {
		l.Gone = nil
	}
	if len(l.Notes)+len(l.Gone) == 0 {
		return nil
	}
	return s.applyShared(ctx, p, folder, ms, l)
}

// sharedChanges returns how the files differ from the memories made of them. Its file names contain
// Place.
func sharedChanges(ctx context.Context, folder SharedFiles, ms []mem.Memory) (l vaultfile.Changes, err error) {
	if !folder.There() { // git removes a directory with its last file
		for _, mm := range ms {
			if mm.Note.Hash != "" { // else it is known already
				l.Gone = append(l.Gone, mm.Note.File)
			}
		}
		return l, nil
	}
	err = folder.Look(ctx, func() ([]mem.Note, error) {
		notes := make([]mem.Note, 0, len(ms))
		for _, mm := range ms {
			n := mm.Note
			n.File = n.File[len(folder.Place()):]
			notes = append(notes, n)
		}
		return notes, nil
	}, func(found vaultfile.Changes) error {
		l = found
		return nil
	})
	for i := range l.Notes {
		l.Notes[i].File = folder.Place() + l.Notes[i].File
	}
	for i := range l.Gone {
		l.Gone[i] = folder.Place() + l.Gone[i]
	}
	if err != nil {
		return l, fmt.Errorf("read shared files: %w", err)
	}
	return l, nil
}

// distrustShared lowers the trust of memories whose text comes from shared files.
func (s *Service) distrustShared(ctx context.Context, ms []mem.Memory) error {
	var b mem.Batch
	for _, mm := range ms {
		if mm.OfTeam() && mm.Trust > mem.TrustNone && mm.Status == mem.Active {
			note := mm.Note
			note.Hash = "" // so that the file is read again when it is trusted
			note.Size = -1
			b.Edits = append(b.Edits, mem.Edit{ID: mm.ID, Trust: new(mem.TrustNone), Note: &note})
		}
	}
	if len(b.Edits) == 0 {
		return nil
	}
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return fmt.Errorf("lower trust of shared memories: %w", err)
	}
	return nil
}

// dispute is a memory whose text changed here and in its shared file.
type dispute struct {
	index int    // of the new memory in the batch, which has the text of the file
	own   string // id of the memory with the text from here
}

// applyShared stores changes of shared files that are committed.
func (s *Service) applyShared(ctx context.Context, p mem.Project, folder SharedFiles, ms []mem.Memory,
	l vaultfile.Changes,
) error {
	dirty, err := folder.Uncommitted(ctx)
	if err != nil {
		return fmt.Errorf("uncommitted shared files: %w", err)
	}
	authors := map[string]string{}
	if len(l.Notes) > len(dirty) {
		if authors, err = folder.Authors(ctx); err != nil {
			return fmt.Errorf("authors of shared files: %w", err)
		}
	}
	known := event.NewNotes(ms, l)
	b := mem.Batch{Project: &p}
	var disputes []dispute
	for _, n := range l.Notes {
		if dirty[n.File] || n.Type == "index" {
			continue
		}
		n = s.cleanNote(n)
		n.ID = "" // it names a memory of another machine
		was, there := known.Find(n)
		now := s.sharedMemory(p, was, n, s.Redactor.Prompt(authors[n.File]))
		textChanged := there && sharedState(was) != was.Note.State
		switch {
		case !there:
			now.Key = mem.KeyTeam + n.File
			b.Memories = append(b.Memories, now)
		case was.Status == mem.Forgotten && was.Note.Hash != "", was.Status != mem.Active && was.Status != mem.Archived &&
			was.Status != mem.Forgotten: // a person's decision, or another memory replaced it
			b.Edits = append(b.Edits, mem.Edit{ID: was.ID, Note: &now.Note})
		case sharedState(was) == sharedState(now):
			b.Edits = append(b.Edits, sameSharedEdit(was, now))
		case textChanged && was.Status == mem.Active:
			now = s.sharedMemory(p, mem.Memory{}, n, s.Redactor.Prompt(authors[n.File]))
			now.Key = mem.KeyTeam + n.File + ":" + n.Hash[:min(8, len(n.Hash))]
			disputes = append(disputes, dispute{len(b.Memories), was.ID})
			b.Memories = append(b.Memories, now)
			b.Edits = append(b.Edits, mem.Edit{ID: was.ID, Note: &mem.Note{}})
		default:
			b.Edits = append(b.Edits, sharedEdit(was, now))
		}
	}
	if err := s.goneShared(ctx, &b, folder, known, l.Gone, dirty); err != nil {
		return err
	}
	if len(b.Memories)+len(b.Edits) == 0 {
		return nil
	}
	s.Event.Follow(&b)
	res, err := s.Store.Apply(ctx, b)
	if err != nil {
		return fmt.Errorf("store shared memories: %w", err)
	}
	return s.linkDisputes(ctx, res[0].IDs, disputes)
}

// goneShared adds the edits for deleted files to b. A file that only this branch lacks is no deletion.
func (s *Service) goneShared(ctx context.Context, b *mem.Batch, folder SharedFiles, known event.VaultNotes,
	gone []string, dirty map[string]bool,
) error {
	for _, file := range gone {
		was, ok := known.Gone(file)
		if !ok || was.Status != mem.Active || dirty[file] {
			continue
		}
		deleted, err := folder.Deleted(ctx, file)
		switch {
		case err != nil:
			return fmt.Errorf("deletion of %s: %w", file, err)
		case !deleted:
		case sharedState(was) != was.Note.State: // changed here since: it stays, as a memory of this machine
			b.Edits = append(b.Edits, mem.Edit{ID: was.ID, Note: &mem.Note{}})
		default:
			b.Edits = append(b.Edits, mem.Edit{
				ID: was.ID, Status: new(mem.Forgotten), Note: &mem.Note{File: file, State: was.Note.State},
			})
		}
	}
	return nil
}

// linkDisputes links the memories of files to the memories that they contradict, for the review queue.
func (s *Service) linkDisputes(ctx context.Context, ids []string, disputes []dispute) error {
	var b mem.Batch
	for _, d := range disputes {
		ms, err := s.Store.List(ctx, mem.Query{IDs: []string{ids[d.index]}, ExactIDs: true, Hidden: true, Within: "*"})
		if err != nil || len(ms) == 0 {
			return fmt.Errorf("disputed memory %s: %w", ids[d.index], cmp.Or(err, mem.ErrNotFound))
		}
		b.Links = append(b.Links, mem.MemoryLinks{
			Memory: ms[0].ID, Updated: ms[0].Updated, Entities: entity.Of(ms[0]),
			Links: []mem.Link{{From: ms[0].ID, To: d.own, Kind: mem.LinkContradicts, Confidence: 1, Made: s.Now()}},
		})
	}
	if len(b.Links) == 0 {
		return nil
	}
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return fmt.Errorf("link contradictions of shared memories: %w", err)
	}
	return nil
}

// sharedMemory returns the memory of a shared file, based on the stored one.
func (s *Service) sharedMemory(p mem.Project, was mem.Memory, n vaultfile.Note, author string) mem.Memory {
	mm := was
	kind := kindOfType(n.Type)
	if was.ID == "" {
		mm = s.stateMemory(p, kind, true)
	}
	mm.Kind = kind
	firstLine, _, _ := cutLine(n.Body)
	mm.Title = chars.Clip(chars.Line(cmp.Or(n.Description, firstLine, n.Name)), 160)
	mm.Body, mm.Invariant = n.Body, chars.Clip(chars.Line(n.Invariant), curate.MaxNote)
	if mm.Body == "" && chars.Line(n.Description) != mm.Title { // the title was clipped
		mm.Body = n.Description
	}
	mm.Tags = append(mem.OwnTags(n.Tags), mem.TagTeam)
	if author = chars.Clip(chars.Line(author), 60); author != "" {
		mm.Tags = append(mm.Tags, mem.TagAuthor+author)
	}
	mm.Trust = mem.TrustAssistant
	if inject.SuspiciousMemory(mm) || inject.Suspicious(mm.Invariant) {
		mm.Trust = mem.TrustNone
	}
	mm.Index = rank.Index(mm)
	mm.Note = n.Note
	mm.Note.State = sharedState(mm)
	return mm
}

// cutLine splits a text after its first line.
func cutLine(s string) (line, rest string, ok bool) {
	for i, r := range s {
		if r == '\n' {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// sharedState returns hashes of what a shared file contains of a memory.
func sharedState(mm mem.Memory) string {
	mm.Tags, mm.Pinned, mm.Status = mem.OwnTags(mm.Tags), false, mem.Active
	return event.NoteState(mm)
}

// sharedEdit returns the edit that gives was the text of its file.
func sharedEdit(was, now mem.Memory) mem.Edit {
	ed := mem.Edit{
		ID: was.ID, Title: &now.Title, Body: &now.Body, Index: &now.Index, Kind: &now.Kind, Invariant: &now.Invariant,
		Tags: append([]string{}, now.Tags...), Trust: &now.Trust, Note: &now.Note,
	}
	if was.Status == mem.Forgotten {
		ed.Status = new(mem.Active)
	}
	return ed
}

// sameSharedEdit returns the edit for a file whose text is that of its memory. A memory that was hidden
// with its file is shown again, and one that lost its trust with the repository's gets it back. What the person
// wrote stays theirs.
func sameSharedEdit(was, now mem.Memory) mem.Edit {
	ed := mem.Edit{ID: was.ID, Note: &now.Note}
	if was.Status == mem.Forgotten {
		ed.Status = new(mem.Active)
	}
	if was.OfTeam() {
		if was.Trust != now.Trust {
			ed.Trust = &now.Trust
		}
		if !slices.Equal(was.Tags, now.Tags) {
			ed.Tags = append([]string{}, now.Tags...)
		}
	}
	return ed
}
