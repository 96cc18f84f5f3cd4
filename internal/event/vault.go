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
	// Folder is where it is; There reports whether it is there.
	Folder() string
	There() bool
	// Look hands keep what differs from what was kept before; known is asked for
	// that once. It calls keep only if something does.
	Look(known func() ([]mem.Note, error), keep func(vaultfile.Changes) error) error
	// Write changes the file of a memory and returns it as it is then.
	// vaultfile.ErrBehind or another error if someone else changed it meanwhile.
	Write(was mem.Note, c vaultfile.NoteChange) (mem.Note, error)
	// Erase takes a file away for good.
	Erase(file string) error
	// WriteIndex writes the index of all files anew.
	WriteIndex() error
	// Pages reads what is told as it is, with so many last lines of the journal.
	Pages(logLines int) (vaultfile.Pages, error)
	// Holding lists the files that hold one of some folded lines.
	Holding(lines []string) ([]string, error)
	// Hints are what the person says about a directory.
	Hints(dir string) (vaultfile.Hints, error)
}

// CurrentVault is the vault if there is one.
func (e *Service) CurrentVault() Vault {
	if e.Vault == nil {
		return nil
	}
	if v := e.Vault(); v != nil && v.There() {
		return v
	}
	return nil
}

// maxNotes is how many memories with a file are looked at.
const maxNotes = 10000

// Noted are the memories that have a file, hidden ones too.
func (e *Service) Noted(ctx context.Context) ([]mem.Memory, error) {
	ms, err := e.Store.List(ctx, mem.Query{InVault: true, Hidden: true, Within: "*", Limit: maxNotes})
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	return ms, nil
}

// VaultNotes are the memories with a file, by file and by id.
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

// Find is the memory of a file: by its name, or of a file that is gone by its id
// or its content. So one that was renamed stays what it was.
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

// Gone is the memory of a file that is not there, unless it has another by now.
func (n VaultNotes) Gone(file string) (mem.Memory, bool) {
	mm, ok := n.byFile[file]
	return mm, ok && !n.taken[mm.ID]
}

// WithoutFile hides a memory whose file is gone. Nobody said so of the memory: if
// the file comes back, as with another branch that is checked out, it counts as it
// is then.
func WithoutFile(was mem.Memory) mem.Edit {
	hidden := was
	hidden.Status = mem.Forgotten
	note := mem.Note{File: was.Note.File, State: was.Note.State, Uses: was.Note.Uses, Prevented: was.Note.Prevented}
	if parts := strings.Fields(note.State); len(parts) > StateStatus {
		parts[StateStatus] = strings.Fields(NoteState(hidden))[StateStatus]
		note.State = strings.Join(parts, " ")
	}
	return mem.Edit{ID: was.ID, Status: &hidden.Status, Note: &note}
}

// The parts of a state of a memory, in their order.
const (
	StateTitle = iota
	StateBody
	StateTags
	StateKind
	StatePinned
	StateInvariant
	StateStatus
)

// NoteState says in short what of a memory stands in its file, part by part, so
// that what changed since is told from what did not.
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

// JobVault writes what was counted into the files of the vault, many at once.
const JobVault = "vault"

// vaultLag is how long counted uses wait to be written together.
const vaultLag = 30 * time.Second

// VaultJob returns the job that writes counted uses into the vault.
func (e *Service) VaultJob(now time.Time) mem.Job {
	return mem.Job{Kind: JobVault, Key: "write", NotBefore: now.Add(vaultLag)}
}
