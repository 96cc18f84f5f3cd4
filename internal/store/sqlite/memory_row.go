package sqlite

import (
	"context"
	"database/sql"
	"path"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// memoryColumns are the columns of a memoryRow, of table memory as m and its session as s.
const memoryColumns = `m.number, m.id, m.scope, m.project, m.session, coalesce(s.id, ''), m.kind, m.title, m.body,
	m.facts, m.concepts, m.tags, m.files, m.anchors, m.modified, m.tool, m.command, m.exit_code, m.event, m.summary,
	m.who, m.importance, m.confidence, m.trust, m.origin, m.prompt, m.source, m.resolved, m.status, m.pinned,
	m.supersedes, m.branch, m.head, m.key, m.repeats, m.words, m.uses, m.last_used, m.created, m.updated, m.hidden,
	m.note, m.standing, m.merged_into`

const (
	// selectMemories reads memories. A WHERE clause follows.
	selectMemories = "SELECT " + memoryColumns + " FROM memory m LEFT JOIN session s ON s.number = m.session"
	// listedMemories are the memories of a JSON array of numbers, which is its
	// argument. CROSS JOIN keeps the order of the tables.
	listedMemories = ` FROM json_each(?) list CROSS JOIN memory m ON m.number = list.value
		LEFT JOIN session s ON s.number = m.session`
)

// inListedOrder selects the memories with the given numbers, in this order.
func inListedOrder(numbers []int64) statement {
	s := stmt("SELECT "+memoryColumns+listedMemories, array(numbers)).orderBy("list.key")
	s.most = len(numbers)
	return s
}

// memoryRow is a row of table memory. Its fields are those of a memory that are stored in another form.
type memoryRow struct {
	stored.MemoryRow
	columns stored.MemoryColumns
	prompt  int
}

func (r *memoryRow) fields() []any {
	m, c := &r.Memory, &r.columns
	return []any{
		&r.Number, &m.ID, &m.Scope, &m.Project, &r.SessionNumber, &m.Session, &m.Kind, &m.Title, &m.Body, &c.Facts,
		&c.Concepts, &c.Tags, &c.Files, &c.Anchors, &c.Modified, &m.Tool, &m.Command, &m.ExitCode, &m.Event, &c.Summary,
		&m.Who, &m.Importance, &m.Confidence, &m.Trust, &m.Origin, &r.prompt, &c.Source, &m.Resolved, &m.Status, &m.Pinned,
		&m.Supersedes, &m.Branch, &m.Commit, &m.Key, &m.Repeats, &m.Index, &m.Uses, timeAt(&m.LastUsed), timeAt(&m.Created),
		timeAt(&m.Updated), timeAt(&m.Hidden), &m.Note.File, &c.Standing, &m.MergedInto,
	}
}

// unpack decodes the stored forms into the memory. After an error, which is
// stored.ErrUnreadable, the fields that could be decoded are set.
func (r *memoryRow) unpack() error {
	m := &r.Memory
	err := r.columns.Unpack(m)
	m.Source.Prompt = r.prompt
	if err != nil {
		return stored.Unreadable("memory "+m.ID, err)
	}
	return nil
}

// scanStored reads a row of memoryColumns without decoding it.
func scanStored(r *sql.Rows) (row memoryRow, err error) {
	err = r.Scan(row.fields()...)
	return row, err
}

// scanRow reads and decodes a row of memoryColumns.
func scanRow(r *sql.Rows) (memoryRow, error) {
	row, err := scanStored(r)
	if err == nil {
		err = row.unpack()
	}
	return row, err
}

// scanMemory reads a row of memoryColumns as callers get it, without its search words.
func scanMemory(r *sql.Rows) (mem.Memory, error) {
	row, err := scanRow(r)
	row.Index = ""
	return row.Memory, err
}

// InsertMemory writes a new memory and its index rows.
func (e *entry) InsertMemory(ctx context.Context, r stored.MemoryRow) error {
	m := r.Memory
	c, err := stored.PackMemory(m)
	if err != nil {
		return err
	}
	if _, err := e.exec(ctx, `INSERT INTO memory (number, merged_into, id, scope, project, session, kind, title, body,
			facts, concepts, tags, files, anchors, modified,
			tool, command, exit_code, event, summary, who, importance, confidence, trust, origin,
			agent, prompt_id, prompt, source, resolved, status, pinned, supersedes,
			branch, head, key, repeats, words, uses, last_used, created, updated, hidden, note, standing, woven)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		r.Number, m.MergedInto, m.ID, string(m.Scope), m.Project, r.SessionNumber, string(m.Kind), m.Title, m.Body,
		c.Facts, c.Concepts, c.Tags, c.Files, c.Anchors, c.Modified,
		m.Tool, m.Command, m.ExitCode, m.Event, c.Summary, m.Who, m.Importance, m.Confidence, int(m.Trust), string(m.Origin),
		m.Source.Agent, m.Source.PromptID, m.Source.Prompt, c.Source, m.Resolved, string(m.Status), m.Pinned, m.Supersedes,
		m.Branch, m.Commit, m.Key, m.Repeats, m.Index, m.Uses, stored.Stamp(m.LastUsed), stored.Stamp(m.Created),
		stored.Stamp(m.Updated), stored.Stamp(m.Hidden), m.Note.File, c.Standing, !r.Outdated); err != nil {
		return err
	}
	return e.index(ctx, r)
}

// index writes the index rows of a new memory.
func (e *entry) index(ctx context.Context, r stored.MemoryRow) error {
	if stored.IsUtterance(r.Memory) {
		e.Spans.Add(r.SessionNumber, r.Number)
		return nil
	}
	if _, err := e.exec(ctx, "INSERT INTO memory_fts (rowid, body, title, ident) VALUES (?,?,?,?)",
		r.Number, stored.SearchBody(r.Memory), r.Title, stored.SearchIdent(r.Memory)); err != nil {
		return err
	}
	return e.indexLists(ctx, r.Number, r.Memory)
}

// UpdateMemory writes what may change after a memory was made. Indexed columns, and the rows of the search index, are
// written only if they change: SQLite writes index pages even if the value stays the same. Writing the search index
// costs more than the rest of an event, and a command that runs many times repeats its memory each time.
func (e *entry) UpdateMemory(ctx context.Context, old stored.MemoryRow, m mem.Memory) error {
	c, err := stored.PackMemory(m)
	if err != nil {
		return err
	}
	n := old.Number
	if _, err := e.exec(ctx, `UPDATE memory SET agent=?, prompt=?, source=?, title=?, body=?,
			facts=?, concepts=?, tags=?, files=?, anchors=?, modified=?,
			tool=?, exit_code=?, summary=?, confidence=?, resolved=?, repeats=?, words=?, uses=?,
			last_used=?, updated=?, hidden=?, standing=? WHERE number=?`,
		m.Source.Agent, m.Source.Prompt, c.Source, m.Title, m.Body,
		c.Facts, c.Concepts, c.Tags, c.Files, c.Anchors, c.Modified,
		m.Tool, m.ExitCode, c.Summary, m.Confidence, m.Resolved, m.Repeats, m.Index, m.Uses,
		stored.Stamp(m.LastUsed), stored.Stamp(m.Updated), stored.Stamp(m.Hidden), c.Standing, n); err != nil {
		return err
	}
	if fresh := indexedOf(m); old.Broken || fresh != indexedOf(old.Memory) {
		if _, err := e.exec(ctx, `UPDATE memory SET prompt_id=?, scope=?, project=?, kind=?, command=?, importance=?,
				trust=?, status=?, pinned=?, note=?, merged_into=?, supersedes=? WHERE number=?`,
			fresh.prompt, string(fresh.scope), fresh.project, string(fresh.kind), fresh.command, fresh.importance,
			int(fresh.trust), string(fresh.status), fresh.pinned, fresh.note, fresh.merged, fresh.supersedes, n); err != nil {
			return err
		}
	}
	if old.OutdatesLinks(m) {
		if _, err := e.exec(ctx, "UPDATE memory SET woven=0 WHERE number=?", n); err != nil {
			return err
		}
	}
	if stored.IsUtterance(m) {
		e.Spans.Add(old.SessionNumber, n)
		return nil
	}
	if !old.SearchChanges(m) {
		return nil
	}
	return e.reindexMemory(ctx, n, m)
}

// reindexMemory replaces the index rows of a memory.
func (e *entry) reindexMemory(ctx context.Context, n int64, m mem.Memory) error {
	if _, err := e.exec(ctx, "UPDATE memory_fts SET body=?, title=?, ident=? WHERE rowid=?",
		stored.SearchBody(m), m.Title, stored.SearchIdent(m), n); err != nil {
		return err
	}
	for _, table := range []string{"memory_file", "memory_tag"} {
		if _, err := e.exec(ctx, "DELETE FROM "+table+" WHERE memory=?", n); err != nil {
			return err
		}
	}
	return e.indexLists(ctx, n, m)
}

// indexedFields are the fields of a memory that indexes of its table hold and that may change.
type indexedFields struct {
	prompt, project, command, note, merged, supersedes string
	scope                                              mem.Scope
	kind                                               mem.Kind
	status                                             mem.Status
	trust                                              mem.Trust
	importance                                         float64
	pinned                                             bool
}

func indexedOf(m mem.Memory) indexedFields {
	return indexedFields{
		prompt: m.Source.PromptID, project: m.Project, command: m.Command, note: m.Note.File, merged: m.MergedInto,
		supersedes: m.Supersedes, scope: m.Scope, kind: m.Kind, status: m.Status, trust: m.Trust,
		importance: m.Importance, pinned: m.Pinned,
	}
}

// indexLists writes the rows by which files and tags are looked up.
func (e *entry) indexLists(ctx context.Context, n int64, m mem.Memory) error {
	for _, f := range m.Files {
		if _, err := e.exec(ctx, "INSERT INTO memory_file (memory, path, dir, ext) VALUES (?,?,?,?) ON CONFLICT DO NOTHING",
			n, f, stored.DirOf(f), path.Ext(f)); err != nil {
			return err
		}
	}
	for _, t := range m.Tags {
		if _, err := e.exec(ctx, "INSERT INTO memory_tag (memory, tag) VALUES (?,?) ON CONFLICT DO NOTHING",
			n, t); err != nil {
			return err
		}
	}
	return nil
}
