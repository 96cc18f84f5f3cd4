//go:build surreal || backends

// Package form says which records values become, and which values records are: sessions and memories as documents with
// the fields that queries compare, the words that a memory is found by, and the rows of an export.
package form

import (
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
)

// Decode decodes a stored document.
func Decode[T any](what, doc string) (v T, err error) {
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		return v, fmt.Errorf("%w: %s: %w", surql.ErrUnreadable, what, err)
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

// Session returns the session of a document.
func Session(r surql.Row) (mem.Session, error) {
	d, err := Decode[sessionDoc]("session", r.Text("doc"))
	s := d.Session
	s.StateLine, s.StateLinePrompt, s.ContextReadAt, s.Compacted = d.StateLine, d.StateLinePrompt, d.ContextReadAt,
		d.Compacted
	return s, err
}

// memoryDoc is the document of a memory. Its own fields are those that the JSON form of a memory lacks. Search words
// have a field of their own: a scan for secrets does not read them.
type memoryDoc struct {
	mem.Memory
	UsedIn        []mem.Use `json:"used_in,omitempty"`
	NoteState     string    `json:"note_state,omitempty"`
	NoteUses      int       `json:"note_uses,omitempty"`
	NotePrevented int       `json:"note_prevented,omitempty"`
}

// MemoryFields are what StoredMemory reads, and what lists are ordered by.
const MemoryFields = "number, ref, session, outdated, kind, words, doc, created, updated, pinned, importance"

// StoredMemory reads a row of MemoryFields. A document that cannot be decoded makes it broken.
func StoredMemory(r surql.Row) (m stored.MemoryRow, err error) {
	d, err := Decode[memoryDoc]("memory", r.Text("doc"))
	m.Number, m.SessionNumber, m.Outdated = r.Number("number"), r.Session(), r.Flag("outdated")
	if err != nil {
		m.ID, m.Kind, m.Broken = r.Text("ref"), mem.Kind(r.Text("kind")), true
		return m, nil //nolint:nilerr // the caller decides what a broken row means
	}
	m.Memory = d.Memory
	m.UsedIn, m.Index = d.UsedIn, r.Text("words")
	m.Note.State, m.Note.Uses, m.Note.Prevented = d.NoteState, d.NoteUses, d.NotePrevented
	return m, nil
}

// MemoryOf reads a row of MemoryFields as callers get it, without its search words.
func MemoryOf(r surql.Row) (mem.Memory, error) {
	m, err := StoredMemory(r)
	if err == nil && m.Broken {
		err = surql.ErrUnreadable
	}
	m.Index = ""
	return m.Memory, err
}

// places returns the directories and the extensions of files.
func places(files []string) (dirs, exts []string) {
	dirs, exts = []string{}, []string{}
	for _, f := range files {
		dir, _ := path.Split(f)
		if dir == "" {
			dir = "./"
		}
		dirs, exts = append(dirs, stored.PlainText(dir)), append(exts, stored.PlainText(path.Ext(f)))
	}
	return dirs, exts
}

// OfMemory returns the fields of a memory. Those of its words come from an [Index].
func OfMemory(r stored.MemoryRow) (map[string]any, error) {
	m := &r.Memory
	for _, t := range []*time.Time{&m.Created, &m.Updated, &m.LastUsed, &m.Hidden, &m.Note.Written} {
		*t = Storable(*t)
	}
	doc, err := stored.Text(memoryDoc{
		Memory: *m, UsedIn: m.UsedIn, NoteState: m.Note.State, NoteUses: m.Note.Uses, NotePrevented: m.Note.Prevented,
	})
	if err != nil {
		return nil, err
	}
	session, _ := r.SessionNumber.(int64)
	dirs, exts := places(m.Files)
	return map[string]any{
		"number": r.Number, "ref": m.ID, "scope": m.Scope, "project": m.Project, "session": session,
		"kind": m.Kind, "status": m.Status, "pinned": m.Pinned, "importance": m.Importance, "trust": int(m.Trust),
		"resolved": m.Resolved, "agent": m.Source.Agent, "prompt_id": m.Source.PromptID, "branch": m.Branch,
		"command": m.Command, "key": m.Key, "supersedes": m.Supersedes, "merged_into": m.MergedInto, "note": m.Note.File,
		"files": surql.Texts(m.Files), "dirs": dirs, "exts": exts, "tags": surql.Texts(m.Tags),
		"proposed": len(m.Proposals) > 0, "used": len(m.UsedIn) > 0, "outdated": r.Outdated, "repeats": m.Repeats,
		"created": stored.Stamp(m.Created), "updated": stored.Stamp(m.Updated), "hidden": stored.Stamp(m.Hidden),
		"words": m.Index, "doc": doc,
		"known": KnownBy(session, m.Project, m.Key),
	}, nil
}

// KnownBy is by what a memory is known that repeats another one of its session, or without one of its project.
func KnownBy(session int64, project, key string) string {
	if session != 0 {
		return surql.KeyOf("session", strconv.FormatInt(session, 10), stored.PlainText(key))
	}
	return surql.KeyOf("project", project, stored.PlainText(key))
}

// Storable returns a time as it can be stored: in UTC, and within the range of stored times.
func Storable(t time.Time) time.Time { return stored.TimeOf(stored.Stamp(t)) }

// OfSession returns the document of a session.
func OfSession(s *mem.Session) (string, error) {
	for _, t := range []*time.Time{&s.Created, &s.Completed, &s.LastEvent, &s.ContextReadAt, &s.Compacted} {
		*t = Storable(*t)
	}
	return stored.Text(sessionDoc{*s, s.StateLine, s.StateLinePrompt, s.ContextReadAt, s.Compacted})
}
