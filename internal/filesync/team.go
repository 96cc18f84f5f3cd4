package filesync

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// TeamFolder is a project on the server of a team. A file there counts as soon as it is written.
type TeamFolder interface {
	SharedFiles
	// Changed returns the files, with Place, that the next Look may find changed. all means that it may be any.
	Changed(ctx context.Context) (files []string, all bool, err error)
	// Remove deletes a file that has a hash. It returns vaultfile.ErrBehind if the file is another since.
	Remove(ctx context.Context, file, hash string) error
	// Send writes the file of a memory, in place of one with the hash of was. It returns vaultfile.ErrBehind if the
	// file is another since.
	Send(ctx context.Context, was mem.Note, c vaultfile.NoteChange) (mem.Note, error)
	// More reports whether the last Look found less than all changes.
	More() bool
}

// TeamWritten says which memories of a project may differ from the server's since they were compared last.
type TeamWritten struct {
	Kinds []mem.Kind // that are shared
	IDs   []string   // of memories, of any project, that were written
	All   bool       // it may be any memory
}

// TeamSync counts what one synchronization with a team's server did.
type TeamSync struct {
	Read, Sent, Removed int
}

// How many memories are noted as on their way to the server before they are sent, and how many that come from there are
// stored at once: a hook's event waits for them.
const (
	teamGroup = 100
	teamPart  = 250
)

// SyncTeam takes over what others changed on the server of a team, and sends what was changed here: the memories of a
// project of these kinds that may be shared. It may be interrupted at any place, and be repeated. Only one call runs at
// a time; a session never waits for it.
func (s *Service) SyncTeam(ctx context.Context, p mem.Project, folder TeamFolder, written TeamWritten) (TeamSync,
	error,
) {
	var done TeamSync
	for {
		n, err := s.receiveTeam(ctx, p, folder)
		if err != nil {
			return done, err
		}
		if done.Read += n; !folder.More() {
			break
		}
	}
	if !written.All && len(written.IDs) == 0 {
		return done, nil
	}
	return s.sendTeam(ctx, p, folder, written, done)
}

// receiveTeam takes over what one look at the server finds changed, and returns how many files that is.
func (s *Service) receiveTeam(ctx context.Context, p mem.Project, folder TeamFolder) (int, error) {
	files, all, err := folder.Changed(ctx)
	if err != nil {
		return 0, err
	}
	var ms []mem.Memory
	if all || len(files) > 0 {
		if ms, err = s.Event.SharedOf(ctx, p, folder.Place(), files...); err != nil {
			return 0, err
		}
	}
	l, err := sharedChanges(ctx, folder, ms)
	if err != nil {
		return 0, err
	}
	ms = slices.DeleteFunc(ms, func(mm mem.Memory) bool { return mm.Scope != mem.ScopeProject })
	parts := []vaultfile.Changes{{Gone: l.Gone}}
	for notes := range slices.Chunk(l.Notes, teamPart) {
		parts = append(parts, vaultfile.Changes{Notes: notes})
	}
	for _, part := range parts {
		if len(part.Notes)+len(part.Gone) == 0 {
			continue
		}
		if err := s.applyShared(ctx, p, folder, ms, part); err != nil {
			return 0, err
		}
	}
	return len(l.Notes) + len(l.Gone), nil
}

// sendTeam sends what was changed here since the server had it.
func (s *Service) sendTeam(ctx context.Context, p mem.Project, folder TeamFolder, written TeamWritten, done TeamSync) (
	TeamSync, error,
) {
	sh := sharing{s: s, p: p, place: folder.Place()}
	all, err := sh.loadTeam(ctx, written)
	if err != nil {
		return done, err
	}
	var send []mem.Memory
	for _, mm := range all {
		switch state, _ := sh.teamState(mm, written.Kinds); state {
		case SharedWithdrawn:
			var note mem.Note // of one that was moved to the user scope
			if mm.Scope == mem.ScopeProject {
				note = mem.Note{File: mm.Note.File, State: mm.Note.State}
			}
			removed, err := sh.removeTeam(ctx, folder, mm, note)
			if err != nil {
				return done, err
			}
			done.Removed += removed
		case SharedWaiting:
			send = append(send, mm)
		}
	}
	for group := range slices.Chunk(send, teamGroup) {
		sent, err := sh.sendGroup(ctx, folder, group)
		done.Sent += sent
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// teamState returns how a memory stands to the team's server (SharedSame, SharedWaiting, SharedWithdrawn), or why it
// is not sent. Both are empty for one that has nothing to do with the server.
func (sh *sharing) teamState(mm mem.Memory, kinds []mem.Kind) (state, why string) {
	linked := mm.SharedIn(sh.place)
	same := linked && mm.Note.Hash != "" && sharedState(mm) == mm.Note.State
	active := mm.Status == mem.Active || mm.Status == mem.Archived
	switch {
	case mm.OfTeam() && !active:
		return "", ""
	case mm.OfTeam():
		return SharedSame, ""
	case linked && mm.Scope != mem.ScopeProject: // moved to the user scope since
		return SharedWithdrawn, ""
	case !active && same: // a text that another wrote since stays
		return SharedWithdrawn, ""
	case !active:
		return "", ""
	case same:
		return SharedSame, ""
	case !slices.Contains(kinds, mm.Kind):
		return "", ""
	}
	if why = sh.refusal(mm); why != "" {
		return "", why
	}
	return SharedWaiting, ""
}

// loadTeam reads the memories that may have to be sent, and notes what has their files.
func (sh *sharing) loadTeam(ctx context.Context, written TeamWritten) ([]mem.Memory, error) {
	if written.All {
		return sh.loadAllTeam(ctx, written.Kinds)
	}
	ms, err := sh.s.Store.List(ctx, mem.Query{IDs: written.IDs, ExactIDs: true, Hidden: true, Within: "*"})
	if err != nil {
		return nil, fmt.Errorf("memories for the team: %w", err)
	}
	ms = slices.DeleteFunc(ms, func(mm mem.Memory) bool {
		return mm.Project != sh.p.Key && (mm.Scope != mem.ScopeUser || !mm.SharedIn(sh.place))
	})
	var files []string
	for _, mm := range ms {
		if state, _ := sh.teamState(mm, written.Kinds); state != SharedWaiting {
			continue
		}
		if mm.Note.File == "" && !mm.Updated.Equal(mm.Created) { // it may have had a file, which only all can say
			return sh.loadAllTeam(ctx, written.Kinds)
		}
		files = append(files, sh.fileFor(mm))
	}
	if len(files) == 0 {
		return ms, nil
	}
	with, err := sh.s.Event.SharedOf(ctx, sh.p, sh.place, files...)
	sh.link(with)
	return ms, err
}

// link notes which memories have which files.
func (sh *sharing) link(ms []mem.Memory) {
	sh.linked, sh.files = map[string]mem.Memory{}, map[string]vaultfile.Note{}
	for _, mm := range slices.Backward(ms) {
		if was, ok := sh.linked[mm.Note.File]; !ok || was.Status != mem.Active {
			sh.linked[mm.Note.File] = mm
		}
		if mm.Note.Hash != "" {
			sh.files[mm.Note.File] = vaultfile.Note{Note: mm.Note}
		}
	}
}

// loadAllTeam reads the memories of the kinds, and all that have a file on the server.
func (sh *sharing) loadAllTeam(ctx context.Context, kinds []mem.Kind) ([]mem.Memory, error) {
	all, err := sh.s.Event.SharedOf(ctx, sh.p, sh.place)
	if err != nil {
		return nil, err
	}
	sh.link(all)
	if len(kinds) == 0 {
		return all, nil
	}
	known := map[string]bool{}
	for _, mm := range all {
		known[mm.ID] = true
	}
	ms, err := sh.s.Event.All(ctx, mem.Query{
		Project: sh.p.Key, Scopes: []mem.Scope{mem.ScopeProject}, Kinds: kinds,
	})
	if err != nil {
		return nil, fmt.Errorf("memories for the team: %w", err)
	}
	for _, mm := range ms {
		if !known[mm.ID] {
			all = append(all, mm)
		}
	}
	return all, nil
}

// sendGroup sends memories. New ones are noted with the names of their files before: if the process ends meanwhile, the
// next synchronization knows the files as theirs.
func (sh *sharing) sendGroup(ctx context.Context, folder TeamFolder, group []mem.Memory) (
	sent int, err error,
) {
	var before, after mem.Batch
	was := make([]mem.Note, len(group))
	for i, mm := range group {
		was[i] = mm.Note
		if was[i].File == "" {
			was[i].File = sh.fileFor(mm)
			if by, ok := sh.linked[was[i].File]; ok && by.ID != mm.ID { // a person decided for the text from here
				was[i].Hash = by.Note.Hash
				before.Edits = append(before.Edits, mem.Edit{ID: by.ID, Note: &mem.Note{}})
			}
			before.Edits = append(before.Edits, mem.Edit{ID: mm.ID, Note: &mem.Note{
				File: was[i].File, Hash: was[i].Hash, State: sharedState(mm),
			}})
		}
	}
	if len(before.Edits) > 0 {
		if _, err := sh.s.Store.Apply(ctx, before); err != nil {
			return 0, fmt.Errorf("note memories for the team: %w", err)
		}
	}
	for i, mm := range group {
		rel := was[i]
		rel.File = rel.File[len(sh.place):]
		note, sendErr := folder.Send(ctx, rel, sharedChange(mm))
		if errors.Is(sendErr, vaultfile.ErrBehind) { // the next look brings the other text
			continue
		}
		if err = sendErr; err != nil {
			break
		}
		note.File, note.State = was[i].File, sharedState(mm)
		after.Edits = append(after.Edits, mem.Edit{ID: mm.ID, Note: &note})
	}
	sent = len(after.Edits)
	if sent > 0 {
		if _, applyErr := sh.s.Store.Apply(ctx, after); applyErr != nil {
			return sent, fmt.Errorf("note memories of the team: %w", errors.Join(applyErr, err))
		}
	}
	return sent, err
}

// removeTeam deletes the file of a memory that was hidden here, or is private now. note is what is known of it then.
func (sh *sharing) removeTeam(ctx context.Context, folder TeamFolder, mm mem.Memory, note mem.Note) (int, error) {
	err := folder.Remove(ctx, mm.Note.File[len(sh.place):], mm.Note.Hash)
	if errors.Is(err, vaultfile.ErrBehind) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if _, err := sh.s.Store.Apply(ctx, mem.Batch{Edits: []mem.Edit{{ID: mm.ID, Note: &note}}}); err != nil {
		return 0, fmt.Errorf("note a memory that the team lost: %w", err)
	}
	return 1, nil
}
