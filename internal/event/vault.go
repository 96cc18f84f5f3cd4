package event

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// Vault is the person's memory in files.
type Vault interface {
	// Folder returns the directory; There reports whether it exists.
	Folder() string
	There() bool
	// Look passes the differences from the known notes to keep, if there are any. known is called once.
	Look(known func() ([]mem.Note, error), keep func(vaultfile.Changes) error) error
	// Write changes the file of a memory and returns it as it is then. It returns vaultfile.ErrBehind or another
	// error if someone else changed it meanwhile.
	Write(was mem.Note, c vaultfile.NoteChange) (mem.Note, error)
	// Erase deletes a file for good.
	Erase(file string) error
	// WriteIndex writes the index of all files.
	WriteIndex() error
	// Pages reads the files that a briefing contains in full, with the last lines of the journal.
	Pages(logLines int) (vaultfile.Pages, error)
	// Holding lists the files that contain one of the folded lines.
	Holding(lines []string) ([]string, error)
	// Hints returns the person's settings for a directory.
	Hints(dir string) (vaultfile.Hints, error)
}

// CurrentVault returns the vault, nil if there is none.
func (e *Service) CurrentVault() Vault {
	if e.Vault == nil {
		return nil
	}
	if v := e.Vault(); v != nil && v.There() {
		return v
	}
	return nil
}

// The largest numbers of examined memories with a file: in the vault, and of a project that is shared.
const (
	maxNotes  = 10_000
	maxShared = 100_000
)

// Noted returns the memories that have a file in the vault, hidden ones included.
func (e *Service) Noted(ctx context.Context) ([]mem.Memory, error) {
	ms, err := e.Store.List(ctx, mem.Query{InVault: true, Hidden: true, Within: "*", Limit: maxNotes})
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	return slices.DeleteFunc(ms, mem.Memory.Shared), nil
}

// SharedOf returns the memories of a project that have a file in a place, hidden ones included: in its repository,
// mem.SharedDir, or on the server of a team, mem.TeamPlace. With the latter they include those that were moved to the
// user scope since, of any project. With files they are only those that have one of these.
func (e *Service) SharedOf(ctx context.Context, p mem.Project, place string, files ...string) ([]mem.Memory, error) {
	scopes := []mem.Scope{mem.ScopeProject}
	if place == mem.TeamPlace {
		scopes = append(scopes, mem.ScopeUser)
	}
	ms, err := e.Store.List(ctx, mem.Query{
		Project: p.Key, Scopes: scopes, InVault: true, Notes: files, Hidden: true, Within: "*", Limit: maxShared,
	})
	if err != nil {
		return nil, fmt.Errorf("shared memories: %w", err)
	}
	return slices.DeleteFunc(ms, func(mm mem.Memory) bool { return !mm.SharedIn(place) }), nil
}

// VaultNotes is an index of the memories with a file, by file and by id.
type VaultNotes struct {
	byFile, byID map[string]mem.Memory
	missing      map[string]bool // files that are not there any more
	taken        map[string]bool // ids
}

// NewNotes returns an index of memories that have a file in the vault.
func NewNotes(ms []mem.Memory, l vaultfile.Changes) VaultNotes {
	n := VaultNotes{map[string]mem.Memory{}, map[string]mem.Memory{}, map[string]bool{}, map[string]bool{}}
	for _, mm := range slices.Backward(ms) { // the newest counts
		n.byFile[mm.Note.File], n.byID[mm.ID] = mm, mm
	}
	for _, f := range l.Gone {
		n.missing[f] = true
	}
	return n
}

// Find returns the memory of a file: by its name, or for a missing name by its id or its content. A renamed file
// so keeps its memory.
func (n VaultNotes) Find(t vaultfile.Note) (mem.Memory, bool) {
	mm, ok := n.byFile[t.File]
	if !ok {
		mm, ok = n.byID[t.ID]
		ok = ok && n.missing[mm.Note.File]
	}
	if !ok {
		for _, f := range slices.Sorted(maps.Keys(n.missing)) {
			if mm, ok = n.byFile[f]; ok && mm.Note.Hash == t.Hash && !n.taken[mm.ID] {
				break
			}
			ok = false
		}
	}
	if !ok || n.taken[mm.ID] {
		return mem.Memory{}, false
	}
	n.taken[mm.ID] = true
	return mm, true
}

// Gone returns the memory of a missing file, unless it has another file by now.
func (n VaultNotes) Gone(file string) (mem.Memory, bool) {
	mm, ok := n.byFile[file]
	return mm, ok && !n.taken[mm.ID]
}

// WithoutFile returns the edit that hides a memory whose file is missing. The person did not forget the memory: if
// the file returns, for example with another branch, the memory is active again.
func WithoutFile(was mem.Memory) mem.Edit {
	hidden := was
	hidden.Status = mem.Forgotten
	note := mem.Note{File: was.Note.File, State: was.Note.State, Uses: was.Note.Uses, Prevented: was.Note.Prevented}
	note.Front, note.End = was.Note.Front, was.Note.End
	if parts := strings.Fields(note.State); len(parts) > StateStatus {
		parts[StateStatus] = strings.Fields(NoteState(hidden))[StateStatus]
		note.State = strings.Join(parts, " ")
	}
	return mem.Edit{ID: was.ID, Status: &hidden.Status, Note: &note}
}

// The parts of a memory's state, in order.
const (
	StateTitle = iota
	StateBody
	StateTags
	StateKind
	StatePinned
	StateInvariant
	StateStatus
)

// NoteState returns short hashes of the parts of a memory that its file contains, so that changed parts can be
// distinguished from others.
func NoteState(mm mem.Memory) string {
	parts := []string{
		mm.Title, mm.Body, strings.Join(mm.Tags, "\x00"), string(mm.Kind), fmt.Sprint(mm.Pinned), mm.Invariant,
		fmt.Sprint(mm.Status == mem.Forgotten),
	}
	for i, p := range parts {
		sum := sha256.Sum256([]byte(p))
		parts[i] = hex.EncodeToString(sum[:4])
	}
	return strings.Join(parts, " ")
}

// JobVault is the kind of job that writes counted uses into the files of the vault.
const JobVault = "vault"

// vaultLag is how long counted uses wait to be written together.
const vaultLag = 30 * time.Second

// VaultJob returns the job that writes counted uses into the vault.
func (e *Service) VaultJob(now time.Time) mem.Job {
	return mem.Job{Kind: JobVault, Key: "write", NotBefore: now.Add(vaultLag)}
}
