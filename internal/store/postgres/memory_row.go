//go:build postgres || backends

package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// memoryColumns are the columns of a stored.MemoryRow, of table memory as m.
const memoryColumns = "m.number, m.id, m.session, m.outdated, m.kind, m.words, m.doc"

// scanStored reads a row of memoryColumns. A document that cannot be decoded makes the row broken.
func scanStored(r pgx.Rows) (row stored.MemoryRow, err error) {
	var session *int64
	var id, kind, words, doc string
	if err := r.Scan(&row.Number, &id, &session, &row.Outdated, &kind, &words, &doc); err != nil {
		return row, err
	}
	if session != nil {
		row.SessionNumber = *session
	}
	row.SetDocument(id, mem.Kind(kind), words, doc)
	return row, nil
}

// scanMemory reads a row of memoryColumns as callers get it, without its search words.
func scanMemory(r pgx.Rows) (m mem.Memory, err error) {
	row, err := scanStored(r)
	if err != nil {
		return m, err
	}
	return row.Listed()
}

// saveMemory writes a memory, new or not, with all that is derived from it. Utterances are indexed later, with their
// neighbours.
func (e *entry) saveMemory(ctx context.Context, r stored.MemoryRow) error {
	s, err := memoryStatement(r)
	if err != nil {
		return err
	}
	if stored.IsUtterance(r.Memory) {
		e.Spans.Add(r.SessionNumber, r.Number)
	}
	return e.exec(ctx, s)
}

// memoryStatement is the statement of saveMemory.
func memoryStatement(r stored.MemoryRow) (*statement, error) {
	m := &r.Memory
	doc, err := stored.EncodeMemory(m)
	if err != nil {
		return nil, err
	}
	search := stored.IndexMemory(*m)
	dirs, exts := stored.DirsOf(m.Files)
	return query(`INSERT INTO memory (number, id, scope, project, session, kind, status, pinned, importance,
		trust, resolved, agent, prompt_id, branch, command, key, supersedes, merged_into, note, files, dirs, exts, tags,
		proposed, outdated, repeats, created, updated, hidden, words, doc, search, length)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
			?::text::tsvector, ?)
		ON CONFLICT (number) DO UPDATE SET scope = excluded.scope, project = excluded.project, kind = excluded.kind,
			status = excluded.status, pinned = excluded.pinned, importance = excluded.importance, trust = excluded.trust,
			resolved = excluded.resolved, agent = excluded.agent, prompt_id = excluded.prompt_id, branch = excluded.branch,
			command = excluded.command, key = excluded.key, supersedes = excluded.supersedes,
			merged_into = excluded.merged_into, note = excluded.note, files = excluded.files, dirs = excluded.dirs,
			exts = excluded.exts, tags = excluded.tags, proposed = excluded.proposed, outdated = excluded.outdated,
			repeats = excluded.repeats, created = excluded.created, updated = excluded.updated, hidden = excluded.hidden,
			words = excluded.words, doc = excluded.doc, search = excluded.search, length = excluded.length`,
		r.Number, m.ID, m.Scope, m.Project, r.SessionNumber, m.Kind, m.Status, m.Pinned, m.Importance, int(m.Trust),
		m.Resolved, m.Source.Agent, m.Source.PromptID, m.Branch, m.Command, m.Key, m.Supersedes, m.MergedInto, m.Note.File,
		indexed(m.Files), indexed(dirs), indexed(exts), indexed(m.Tags), len(m.Proposals) > 0, r.Outdated, m.Repeats,
		stored.Stamp(m.Created), stored.Stamp(m.Updated), stored.Stamp(m.Hidden), m.Index, doc, tsvector(search),
		search.Length), nil
}

// longest is how many bytes of a text of a list are indexed. Longer texts that begin alike count as equal.
const longest = 2000

// indexed returns the texts of a list as their index has them.
func indexed(list []string) []string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = stored.Cut(text, longest)
	}
	return out
}

// UtterancesBefore reads the last utterances of a session before a row, the nearest first.
func (tx *transaction) UtterancesBefore(ctx context.Context, session any, n int64, most int) ([]stored.Utterance,
	error,
) {
	return tx.utterances(ctx, session, "m.number < ? ORDER BY m.number DESC LIMIT ?", n, most)
}

// UtterancesWithin reads the utterances of a session in a span.
func (tx *transaction) UtterancesWithin(ctx context.Context, session any, s stored.Span) ([]stored.Utterance, error) {
	return tx.utterances(ctx, session, "m.number BETWEEN ? AND ? ORDER BY m.number", s.First, s.Last)
}

// UtterancesAfter reads the first utterances of a session after a row.
func (tx *transaction) UtterancesAfter(ctx context.Context, session any, n int64, most int) ([]stored.Utterance,
	error,
) {
	return tx.utterances(ctx, session, "m.number > ? ORDER BY m.number LIMIT ?", n, most)
}

// IndexUtterance writes the search vector of an utterance.
func (tx *transaction) IndexUtterance(ctx context.Context, u stored.IndexedUtterance) error {
	x := stored.IndexUtterance(u)
	return tx.exec(ctx, query("UPDATE memory SET search = ?::text::tsvector, length = ? WHERE number = ?", tsvector(x),
		x.Length, u.Number))
}

// utterances returns the utterances of a session that meet a condition.
func (tx *transaction) utterances(ctx context.Context, session any, condition string, args ...any) ([]stored.Utterance,
	error,
) {
	found, err := tx.memories(ctx, "m.session IS NOT DISTINCT FROM ?::bigint AND m.kind = 'utterance' AND "+condition,
		append([]any{session}, args...)...)
	out := make([]stored.Utterance, 0, len(found))
	for _, m := range found {
		out = append(out, m.Utterance())
	}
	return out, err
}
