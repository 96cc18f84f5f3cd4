//go:build surreal || backends

// Package form says which records values become, and which values records are: sessions and memories as documents with
// the fields that queries compare, the words that a memory is found by, and the rows of an export.
package form

import (
	"strconv"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
)

// Session returns the session of a record.
func Session(r surql.Row) (mem.Session, error) { return stored.DecodeSession(r.Text("doc")) }

// MemoryFields are what StoredMemory reads, and what lists are ordered by.
const MemoryFields = "number, ref, session, outdated, kind, words, doc, created, updated, pinned, importance"

// StoredMemory reads a row of MemoryFields. A document that cannot be decoded makes it broken.
func StoredMemory(r surql.Row) (m stored.MemoryRow, err error) {
	m.Number, m.SessionNumber, m.Outdated = r.Number("number"), r.Session(), r.Flag("outdated")
	m.SetDocument(r.Text("ref"), mem.Kind(r.Text("kind")), r.Text("words"), r.Text("doc"))
	return m, nil
}

// MemoryOf reads a row of MemoryFields as callers get it, without its search words.
func MemoryOf(r surql.Row) (mem.Memory, error) {
	m, _ := StoredMemory(r)
	return m.Listed()
}

// OfMemory returns the fields of a memory. Those of its words come from an [Index].
func OfMemory(r stored.MemoryRow) (map[string]any, error) {
	m := &r.Memory
	doc, err := stored.EncodeMemory(m)
	if err != nil {
		return nil, err
	}
	session, _ := r.SessionNumber.(int64)
	dirs, exts := stored.DirsOf(m.Files)
	return map[string]any{
		"number": r.Number, "ref": m.ID, "scope": m.Scope, "project": m.Project, "session": session,
		"kind": m.Kind, "status": m.Status, "pinned": m.Pinned, "importance": m.Importance, "trust": int(m.Trust),
		"resolved": m.Resolved, "agent": m.Source.Agent, "prompt_id": m.Source.PromptID, "branch": m.Branch,
		"command": m.Command, "key": m.Key, "supersedes": m.Supersedes, "merged_into": m.MergedInto, "note": m.Note.File,
		"files": surql.Texts(m.Files), "dirs": surql.Texts(dirs), "exts": surql.Texts(exts), "tags": surql.Texts(m.Tags),
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
