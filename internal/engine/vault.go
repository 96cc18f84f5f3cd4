package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Vault is the person's memory in files.
type Vault interface {
	// Folder is where it is; There reports whether it is there.
	Folder() string
	There() bool
	// Look hands keep what differs from what was kept before; known is asked for
	// that once. It calls keep only if something does.
	Look(known func() ([]mem.Note, error), keep func(mem.VaultLook) error) error
	// Write changes the file of a memory and returns it as it is then.
	// mem.ErrConflict and mem.ErrBehind if somebody else changed it.
	Write(was mem.Note, c mem.NoteChange) (mem.Note, error)
	// Erase takes a file away for good.
	Erase(file string) error
	// WriteIndex writes the index of all files anew.
	WriteIndex() error
	// Pages reads what is told as it is, with so many last lines of the journal.
	Pages(logLines int) (mem.VaultPages, error)
	// Holding lists the files that hold one of some folded lines.
	Holding(lines []string) ([]string, error)
	// Hints are what the person says about a directory.
	Hints(dir string) (mem.Hints, error)
}

// vault is the vault if there is one.
func (e *Engine) vault() Vault {
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

// noted are the memories that have a file, hidden ones too.
func (e *Engine) noted(ctx context.Context) ([]mem.Memory, error) {
	ms, err := e.Store.List(ctx, mem.Query{Noted: true, Hidden: true, Within: "*", Limit: maxNotes})
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	return ms, nil
}

// syncVault takes in what changed in the vault since the last time.
func (e *Engine) syncVault(ctx context.Context, by hand) error {
	v := e.vault()
	if v == nil {
		return nil
	}
	var late []mem.Memory // changed here, too, and not written yet
	err := v.Look(func() ([]mem.Note, error) {
		ms, err := e.noted(ctx)
		out := make([]mem.Note, 0, len(ms))
		for _, mm := range ms {
			out = append(out, mm.Note)
		}
		return out, err
	}, func(l mem.VaultLook) (err error) {
		late, err = e.keepNotes(ctx, l, by)
		return err
	})
	if err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	for _, mm := range late {
		_, err := v.Write(mm.Note, noteChange(mm, false))
		e.without("vault: "+mm.Note.File, err)
	}
	return nil
}

// keepNotes brings what is remembered in step with what was found. It returns
// those that had changed on both sides, as they were remembered.
func (e *Engine) keepNotes(ctx context.Context, l mem.VaultLook, by hand) (late []mem.Memory, err error) {
	ms, err := e.noted(ctx)
	if err != nil {
		return nil, err
	}
	known := newNotes(ms, l)
	var b mem.Batch
	for _, n := range l.Notes {
		if n.Type == "index" {
			continue
		}
		n = e.cleanNote(n)
		was, there := known.find(n)
		who, err := e.handAt(ctx, by, n.Changed)
		if err != nil {
			return nil, err
		}
		now := noteMemory(was, n, who, e.Now())
		if there && leftByAgent(was, now) {
			b.Edits = append(b.Edits, fileEdit(was, now))
			continue
		}
		if there && !who.mayChange(was) && !sameNote(was, now) {
			if err := e.proposeNote(ctx, &b, was, now, who); err != nil {
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
		case was.Note.State != "" && noteState(was) != was.Note.State && noteState(was) != noteState(now):
			late = append(late, was)
		}
		b.Edits = append(b.Edits, noteEdit(was, now))
	}
	for _, file := range l.Gone {
		was, ok := known.gone(file)
		switch {
		case !ok || was.Status != mem.Active:
		case by.mayChange(was):
			b.Edits = append(b.Edits, withoutFile(was))
		default:
			if err := e.proposeNote(ctx, &b, was, mem.Memory{Status: mem.Forgotten}, by); err != nil {
				return nil, err
			}
		}
	}
	e.follow(&b)
	b.Jobs = append(b.Jobs, e.vaultJob(e.Now())) // the index is made anew
	if _, err := e.Store.Apply(ctx, b); err != nil {
		return nil, fmt.Errorf("keep: %w", err)
	}
	return late, nil
}

// notes are the memories with a file, by file and by id.
type notes struct {
	byFile, byID map[string]mem.Memory
	missing      map[string]bool // files that are not there any more
	taken        map[string]bool // ids
}

func newNotes(ms []mem.Memory, l mem.VaultLook) notes {
	n := notes{map[string]mem.Memory{}, map[string]mem.Memory{}, map[string]bool{}, map[string]bool{}}
	for _, mm := range slices.Backward(ms) { // the newest counts
		n.byFile[mm.Note.File], n.byID[mm.ID] = mm, mm
	}
	for _, f := range l.Gone {
		n.missing[f] = true
	}
	return n
}

// find is the memory of a file: by its name, or of a file that is gone by its id
// or its content. So one that was renamed stays what it was.
func (n notes) find(t mem.NoteText) (mem.Memory, bool) {
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

// gone is the memory of a file that is not there, unless it has another by now.
func (n notes) gone(file string) (mem.Memory, bool) {
	mm, ok := n.byFile[file]
	return mm, ok && !n.taken[mm.ID]
}

// withoutFile hides a memory whose file is gone. Nobody said so of the memory: if
// the file comes back, as with another branch that is checked out, it counts as it
// is then.
func withoutFile(was mem.Memory) mem.Edit {
	hidden := was
	hidden.Status = mem.Forgotten
	note := mem.Note{File: was.Note.File, State: was.Note.State, Uses: was.Note.Uses, Prevented: was.Note.Prevented}
	if parts := strings.Fields(note.State); len(parts) > stateStatus {
		parts[stateStatus] = strings.Fields(noteState(hidden))[stateStatus]
		note.State = strings.Join(parts, " ")
	}
	return mem.Edit{ID: was.ID, Status: &hidden.Status, Note: &note}
}

// cleanNote passes a file's texts through the door.
func (e *Engine) cleanNote(n mem.NoteText) mem.NoteText {
	for _, s := range []*string{&n.Name, &n.Description, &n.Body, &n.Invariant} {
		*s = e.Door.Prompt(*s)
	}
	for _, list := range []*[]string{&n.Tags, &n.Projects} {
		out := make([]string, 0, len(*list))
		for _, s := range *list {
			if s = mem.Clip(mem.Line(e.Door.Prompt(s)), 80); s != "" {
				out = append(out, s)
			}
		}
		*list = out[:min(len(out), maxNoteList)]
	}
	n.Body = middle(n.Body, maxField)
	return n
}

// maxNoteList bounds the lists of a note.
const maxNoteList = 50

// importanceCritical is what a memory is worth that is always told.
const importanceCritical = 0.9

// noteMemory is what the memory of a file is, given what was remembered of it.
func noteMemory(was mem.Memory, n mem.NoteText, by hand, now time.Time) mem.Memory {
	mm := was
	mm.Kind = mem.KindOfType(n.Type)
	if was.ID == "" {
		info, _ := mm.Kind.Info()
		mm.Importance, mm.Confidence = info.Importance, ConfidenceUser
		mm.Scope, mm.Resolved, mm.Origin = mem.ScopeUser, true, by.origin
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
	mm.Title = mem.Clip(mem.Line(cmp.Or(n.Description, n.Name, n.File)), 160)
	mm.Body, mm.Invariant = n.Body, mem.Clip(mem.Line(n.Invariant), maxNote)
	if mm.Body == "" && mem.Line(n.Description) != mm.Title { // it was cut
		mm.Body = n.Description
	}
	mm.Concepts, mm.Tags, mm.Projects = []string{mem.Clip(mem.Line(n.Name), 160)}, n.Tags, n.Projects
	mm.Pinned, mm.Evergreen, mm.HalfLife = n.Critical, n.Evergreen, n.HalfLife
	mm.Trust, mm.Status = by.trust, mem.Active
	if n.Status == string(mem.Forgotten) {
		mm.Status = mem.Forgotten
	}
	// Used here since they were in step, and counted there by another.
	mm.Uses = counted(n.Hits, was.Uses, was.Note.Uses)
	mm.Prevented = counted(n.Caught, was.Prevented, was.Note.Prevented)
	if n.LastApplied.After(mm.LastUsed) {
		mm.LastUsed = n.LastApplied
	}
	if was.ID != "" && sameNote(was, mm) { // moved or counted in: nobody stands for it anew
		mm.Trust = was.Trust
	}
	mm.Index = rank.Index(mm)
	mm.Note = n.Note
	mm.Note.State, mm.Note.Uses, mm.Note.Prevented = noteState(mm), n.Hits, n.Caught
	return mm
}

// counted is a counter of a file and of here, which both went on from a common
// value. A file that says what is counted here was written by us, though that was
// not kept any more.
func counted(file, here, common int) int {
	if file == here {
		return here
	}
	return max(0, file+here-common)
}

// sameNote reports whether two memories say the same in a file.
func sameNote(a, b mem.Memory) bool {
	return noteState(a) == noteState(b) && slices.Equal(a.Concepts, b.Concepts) && a.HalfLife == b.HalfLife && a.Evergreen == b.Evergreen && slices.Equal(a.Projects, b.Projects)
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
func (e *Engine) lookAtVault(ctx context.Context, m *moment) error {
	v := e.vault()
	if v == nil || m.replay {
		return nil
	}
	switch m.Kind {
	case mem.SessionStart, mem.PreCompact:
		return errors.Join(e.syncVault(ctx, personIn(m)), e.takeHandoff(ctx, m, personIn(m)))
	case mem.UserPromptSubmit, mem.SubagentStart, mem.Stop, mem.SessionEnd:
		return e.syncVault(ctx, personIn(m))
	case mem.PostToolUse, mem.PostToolUseFailure:
		if touches(m, v.Folder()) {
			return errors.Join(e.syncVault(ctx, agentIn(m)), e.takeHandoff(ctx, m, agentIn(m)))
		}
		if m.Tool == "Read" || m.Tool == "Edit" || m.Tool == "Write" { // which is answered with what is known of the file
			return e.syncVault(ctx, person)
		}
	}
	return nil
}
