package stored

import (
	"encoding/json"
	"fmt"
	"path"
	"time"

	"remanence/internal/mem"
)

// ErrUnreadable is the error of a row whose content cannot be decoded. Other rows are not affected: lists leave the row
// out.
var ErrUnreadable error = unreadable{}

// unreadable is a type of its own, because a call of fmt.Errorf would run at each start of a hook.
type unreadable struct{}

func (unreadable) Error() string { return mem.ErrCorrupt.Error() + ": a row cannot be read" }

// Unwrap returns [mem.ErrCorrupt].
func (unreadable) Unwrap() error { return mem.ErrCorrupt }

// Unreadable is [ErrUnreadable] of a value, with the reason.
func Unreadable(what string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrUnreadable, what, err)
}

// Decode decodes a stored document. Its error is [ErrUnreadable].
func Decode[T any](what, doc string) (v T, err error) {
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		return v, Unreadable(what, err)
	}
	return v, nil
}

// sessionDoc is the document of a session. Its own fields are those that the JSON form of a session lacks.
type sessionDoc struct {
	mem.Session
	StateLine       string    `json:"state_line,omitempty"`
	StateLinePrompt int       `json:"state_line_prompt,omitempty"`
	ContextReadAt   time.Time `json:"context_read_at,omitzero"`
	Compacted       time.Time `json:"compacted,omitzero"`
}

// EncodeSession returns the document of a session. The times of s become those that are stored.
func EncodeSession(s *mem.Session) (string, error) {
	for _, t := range []*time.Time{&s.Created, &s.Completed, &s.LastEvent, &s.ContextReadAt, &s.Compacted} {
		*t = Storable(*t)
	}
	return Text(sessionDoc{*s, s.StateLine, s.StateLinePrompt, s.ContextReadAt, s.Compacted})
}

// DecodeSession returns the session of a document.
func DecodeSession(doc string) (mem.Session, error) {
	d, err := Decode[sessionDoc]("session", doc)
	s := d.Session
	s.StateLine, s.StateLinePrompt, s.ContextReadAt, s.Compacted = d.StateLine, d.StateLinePrompt, d.ContextReadAt,
		d.Compacted
	return s, err
}

// memoryDoc is the document of a memory. Its own fields are those that the JSON form of a memory lacks. Search words
// are not in it: a scan for secrets does not read them.
type memoryDoc struct {
	mem.Memory
	UsedIn        []mem.Use `json:"used_in,omitempty"`
	NoteState     string    `json:"note_state,omitempty"`
	NoteUses      int       `json:"note_uses,omitempty"`
	NotePrevented int       `json:"note_prevented,omitempty"`
	NoteFront     string    `json:"note_front,omitempty"`
	NoteEnd       string    `json:"note_end,omitempty"`
}

// EncodeMemory returns the document of a memory. The times of m become those that are stored.
func EncodeMemory(m *mem.Memory) (string, error) {
	for _, t := range []*time.Time{&m.Created, &m.Updated, &m.LastUsed, &m.Hidden, &m.Note.Written} {
		*t = Storable(*t)
	}
	return Text(memoryDoc{
		Memory: *m, UsedIn: m.UsedIn, NoteState: m.Note.State, NoteUses: m.Note.Uses, NotePrevented: m.Note.Prevented,
		NoteFront: m.Note.Front, NoteEnd: m.Note.End,
	})
}

// DecodeMemory returns the memory of a document.
func DecodeMemory(doc string) (mem.Memory, error) {
	d, err := Decode[memoryDoc]("memory", doc)
	m := d.Memory
	m.UsedIn = d.UsedIn
	m.Note.State, m.Note.Uses, m.Note.Prevented = d.NoteState, d.NoteUses, d.NotePrevented
	m.Note.Front, m.Note.End = d.NoteFront, d.NoteEnd
	return m, err
}

// SetDocument sets the memory of a row to that of a document with its search words. The row is broken if the document
// cannot be decoded. Then it has an id and a kind alone.
func (r *MemoryRow) SetDocument(id string, kind mem.Kind, words, doc string) {
	m, err := DecodeMemory(doc)
	if err != nil {
		r.ID, r.Kind, r.Broken = id, kind, true
		return
	}
	r.Memory, r.Index = m, words
}

// Listed returns the memory as callers get it, without its search words; [ErrUnreadable] if it is broken.
func (r MemoryRow) Listed() (mem.Memory, error) {
	r.Index = ""
	if r.Broken {
		return r.Memory, ErrUnreadable
	}
	return r.Memory, nil
}

// Utterance returns what is indexed of a memory that is an utterance.
func (r MemoryRow) Utterance() Utterance {
	return Utterance{
		Number: r.Number, Title: r.Title, Body: r.Body, Ident: r.Index, Who: r.Who, At: r.Created,
		Hidden: r.Status != mem.Active || r.Broken,
	}
}

// DirOf is the directory of a file, as a search by directory names it.
func DirOf(file string) string {
	if dir, _ := path.Split(file); dir != "" {
		return dir
	}
	return "./"
}

// DirsOf returns the directories and the extensions of files.
func DirsOf(files []string) (dirs, exts []string) {
	for _, f := range files {
		dirs, exts = append(dirs, DirOf(f)), append(exts, path.Ext(f))
	}
	return dirs, exts
}
