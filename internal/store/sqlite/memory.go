package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// memoryColumns need table memory as m and its session as s.
const memoryColumns = `m.number, m.id, m.scope, m.project, coalesce(s.id, ''), m.kind, m.title, m.body, m.facts,
	m.concepts, m.tags,
	m.files, m.anchors, m.modified, m.tool, m.command, m.exit_code, m.event, m.summary, m.who, m.importance,
	m.confidence, m.trust, m.origin,
	m.prompt, m.source, m.resolved, m.status, m.pinned, m.supersedes, m.branch, m.head, m.key, m.repeats, m.words,
	m.uses, m.last_used, m.created, m.updated, m.hidden, m.note, m.standing, m.merged_into`

// memoryRow is a memory as its table holds it.
type memoryRow struct {
	mem.Memory
	number                                                           int64
	facts, concepts, tags, files, anchors, modified, summary, source string
	standing                                                         string
	prompt                                                           int
	broken                                                           bool // some of it could not be read
	lastUsed, created, updated, hidden                               int64
}

func (r *memoryRow) fields() []any {
	m := &r.Memory
	return []any{
		&r.number, &m.ID, &m.Scope, &m.Project, &m.Session, &m.Kind, &m.Title, &m.Body, &r.facts, &r.concepts, &r.tags,
		&r.files, &r.anchors, &r.modified, &m.Tool, &m.Command, &m.ExitCode, &m.Event, &r.summary, &m.Who, &m.Importance,
		&m.Confidence, &m.Trust, &m.Origin,
		&r.prompt, &r.source, &m.Resolved, &m.Status, &m.Pinned, &m.Supersedes, &m.Branch, &m.Commit, &m.Key, &m.Repeats,
		&m.Index,
		&m.Uses, &r.lastUsed, &r.created, &r.updated, &r.hidden, &m.Note.File, &r.standing, &m.MergedInto,
	}
}

// unpack turns the stored forms into the memory's own. Those that can be read
// are there after an error, too: errUnreadable.
func (r *memoryRow) unpack() error {
	m := &r.Memory
	var errs []error
	for _, list := range [...]struct {
		stored string
		into   *mem.Strings
	}{{r.facts, &m.Facts}, {r.concepts, &m.Concepts}, {r.tags, &m.Tags}, {r.files, &m.Files}} {
		errs = append(errs, unlist(list.stored, list.into))
	}
	errs = append(errs, unlist(r.modified, &m.Modified), unlist(r.anchors, &m.Anchors))
	if r.summary != "" {
		errs = append(errs, json.Unmarshal([]byte(r.summary), &m.Summary))
	}
	if r.standing != "" {
		errs = append(errs, standingOf(r.standing, m))
	}
	errs = append(errs, json.Unmarshal([]byte(r.source), &m.Source))
	m.Source.Prompt = r.prompt
	m.LastUsed, m.Created, m.Updated, m.Hidden = moment(r.lastUsed), moment(r.created), moment(r.updated), moment(r.hidden)
	if err := errors.Join(errs...); err != nil {
		return unreadable("memory "+m.ID, err)
	}
	return nil
}

// putMemory writes a new memory, or adds to the one that it repeats.
func (e *entry) putMemory(ctx context.Context, m mem.Memory) (id string, err error) {
	if m.Title == "" && m.Body == "" {
		return "", errors.New("nothing to keep")
	}
	if m.Project, err = e.knownProject(ctx, m.Project); err != nil {
		return "", err
	}
	if m.Scope == mem.ScopeUser {
		m.Project = ""
	}
	byContent := m.Key == ""
	if byContent {
		m.Key = m.ContentKey()
	}
	session, err := e.sessionOf(ctx, m.Session, m.Project, m.Source.Agent)
	if err != nil {
		return "", err
	}
	if m.Trust, err = e.worth(ctx, session, m); err != nil {
		return "", err
	}
	old, found, err := e.sameMemory(ctx, session, m)
	for err == nil && found && byContent && !old.broken && !old.SameText(m) {
		m.Key += "_" + old.ID
		old, found, err = e.sameMemory(ctx, session, m)
	}
	if err != nil {
		return "", err
	}
	if found {
		return old.ID, e.repeat(ctx, session, old, m)
	}
	if m, err = e.freshMemory(ctx, session, m); err != nil {
		return "", err
	}
	if err := e.insertMemory(ctx, session, m); err != nil {
		return "", err
	}
	return m.ID, e.supersede(ctx, m)
}

// sameMemory finds the memory of the session with the same key. Memories of no
// session are compared within their project.
func (e *entry) sameMemory(ctx context.Context, session any, m mem.Memory) (memoryRow, bool, error) {
	if session == nil {
		return e.oneMemory(ctx, "m.session IS NULL AND m.key=? AND +m.project=?", m.Key, m.Project)
	}
	return e.oneMemory(ctx, "m.session=? AND m.key=?", session, m.Key)
}

// oneMemory finds a memory that is to be written again, with what can be read of it.
func (e *entry) oneMemory(ctx context.Context, condition string, args ...any) (r memoryRow, found bool, err error) {
	query := "SELECT " + memoryColumns + " FROM memory m LEFT JOIN session s ON s.number = m.session WHERE " + condition +
		" LIMIT 1"
	found, err = e.find(ctx, query, args, r.fields()...)
	if found {
		err = r.unpack()
		r.broken = err != nil
	}
	return r, found, despite(err)
}

// freshMemory fills in what the store sets.
func (e *entry) freshMemory(ctx context.Context, session any, m mem.Memory) (mem.Memory, error) {
	n, err := e.next(ctx, "memory")
	if err != nil {
		return m, err
	}
	m.ID = chars.ShortID("m_", n)
	if m.Status == "" {
		m.Status = mem.Active
	}
	m.Created = firstOf(m.Created, e.now)
	m.Updated = firstOf(m.Updated, m.Created)
	m.Source.Prompt, err = e.sourcePrompt(ctx, session, m)
	return m, err
}

// sourcePrompt is the number of the prompt that a memory was learned in.
func (e *entry) sourcePrompt(ctx context.Context, session any, m mem.Memory) (int, error) {
	switch {
	case m.Source.Prompt != 0:
		return m.Source.Prompt, nil
	case m.Session == e.event.Session && e.prompt > 0 &&
		(m.Source.PromptID == "" || m.Source.PromptID == e.event.PromptID):
		return e.prompt, nil
	case e.session != nil && m.Session == e.event.Session && m.Source.PromptID == "":
		return e.session.Prompts, nil
	}
	return e.promptOf(ctx, session, m.Source.PromptID)
}

// repeat adds a memory to the stored one with the same key.
func (e *entry) repeat(ctx context.Context, session any, old memoryRow, m mem.Memory) (err error) {
	now, ok := old.Repeated(m, e.now)
	if !ok {
		return nil
	}
	if now.Source.Prompt, err = e.sourcePrompt(ctx, session, m); err != nil {
		return err
	}
	if err := e.replace(ctx, old, m); err != nil {
		return err
	}
	return e.updateMemory(ctx, old, now, searchChanged(old, now))
}

// searchChanged reports whether a memory is found by other words, files or tags than before. Index rows are
// costly to write. Words of a row that cannot be read may still be in the index.
func searchChanged(old memoryRow, now mem.Memory) bool {
	return old.broken || isTalk(now) || !foundAlike(old.Memory, now)
}

// replace has a memory that is kept already supersede the one that m names.
func (e *entry) replace(ctx context.Context, old memoryRow, m mem.Memory) error {
	if !m.Replaces(old.ID) {
		return nil
	}
	if _, err := e.exec(ctx, "UPDATE memory SET supersedes=?, woven=? WHERE number=?", m.Supersedes,
		!old.Kind.HasEntities(), old.number); err != nil {
		return err
	}
	m.ID = old.ID
	return e.supersede(ctx, m)
}

// foundAlike reports whether two memories are found by the same words, files
// and tags, talk aside. To write them again costs more than all else that an
// event takes: a command that is run many times repeats its memory each time.
func foundAlike(a, b mem.Memory) bool {
	return a.Title == b.Title && searchBody(a) == searchBody(b) && searchIdent(a) == searchIdent(b) &&
		slices.Equal(a.Files, b.Files) && slices.Equal(a.Tags, b.Tags)
}

func (e *entry) insertMemory(ctx context.Context, session any, m mem.Memory) error {
	summary, source, standing, err := packed(m)
	if err != nil {
		return err
	}
	res, err := e.exec(ctx,
		`INSERT INTO memory (merged_into, id, scope, project, session, kind, title, body, facts, concepts, tags, files,
			anchors, modified,
		tool, command, exit_code, event, summary, who, importance, confidence, trust, origin, agent, prompt_id, prompt,
		source,
		resolved, status, pinned, supersedes, branch, head, key, repeats, words, uses, last_used, created, updated,
		hidden, note, standing, woven)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		m.MergedInto, m.ID, string(m.Scope), m.Project, session, string(m.Kind), m.Title, m.Body, list(m.Facts),
		list(m.Concepts), list(m.Tags), list(m.Files), list(m.Anchors), list(m.Modified),
		m.Tool, m.Command, m.ExitCode, m.Event, summary, m.Who, m.Importance, m.Confidence, int(m.Trust), string(m.Origin),
		m.Source.Agent, m.Source.PromptID, m.Source.Prompt, source,
		m.Resolved, string(m.Status), m.Pinned, m.Supersedes, m.Branch, m.Commit, m.Key, m.Repeats, m.Index, m.Uses,
		stamp(m.LastUsed), stamp(m.Created), stamp(m.Updated), stamp(m.Hidden), m.Note.File, standing, !m.Kind.HasEntities())
	if err != nil {
		return err
	}
	n, err := res.LastInsertId()
	if err != nil {
		return err
	}
	return e.index(ctx, session, n, m)
}

// index writes what a new memory is found by.
func (e *entry) index(ctx context.Context, session any, n int64, m mem.Memory) error {
	if isTalk(m) {
		e.talk.touch(session, n)
		return nil
	}
	if _, err := e.exec(ctx, "INSERT INTO memory_fts (rowid, body, title, ident) VALUES (?,?,?,?)", n, searchBody(m),
		m.Title, searchIdent(m)); err != nil {
		return err
	}
	return e.indexLists(ctx, n, m)
}

// updateMemory writes what may change after a memory was made. What it is looked
// up by, and its index rows by reindex, are written only if they change: each
// index is pages to write, also where the same is put back.
func (e *entry) updateMemory(ctx context.Context, old memoryRow, m mem.Memory, reindex bool) error {
	summary, source, standing, err := packed(m)
	if err != nil {
		return err
	}
	n := old.number
	_,
		err = e.exec(ctx,
		`UPDATE memory SET agent=?, prompt=?, source=?, title=?, body=?, facts=?, concepts=?, tags=?, files=?, anchors=?,
			modified=?,
		tool=?, exit_code=?, summary=?, confidence=?, resolved=?, repeats=?, words=?, uses=?, last_used=?, updated=?,
		hidden=?, standing=? WHERE number=?`,
		m.Source.Agent, m.Source.Prompt, source, m.Title, m.Body, list(m.Facts), list(m.Concepts), list(m.Tags),
		list(m.Files), list(m.Anchors), list(m.Modified),
		m.Tool, m.ExitCode, summary, m.Confidence, m.Resolved, m.Repeats, m.Index, m.Uses, stamp(m.LastUsed),
		stamp(m.Updated), stamp(m.Hidden), standing, n)
	if place := placeOf(m); err == nil && (old.broken || place != placeOf(old.Memory)) {
		_,
			err = e.exec(ctx,
			`UPDATE memory SET prompt_id=?, scope=?, project=?, kind=?, command=?, importance=?, trust=?, status=?, pinned=?,
				note=?, merged_into=?
			WHERE number=?`,
			place.prompt, string(place.scope), place.project, string(place.kind), place.command, place.importance,
			int(place.trust), string(place.status),
			place.pinned, place.note, place.merged, n)
	}
	if err == nil && (reindex || m.Kind != old.Kind) && m.Kind.HasEntities() {
		_, err = e.exec(ctx, "UPDATE memory SET woven=0 WHERE number=?", n)
	}
	if err != nil || !reindex {
		return err
	}
	if isTalk(m) {
		session, err := e.sessionOf(ctx, m.Session, m.Project, m.Source.Agent)
		e.talk.touch(session, n)
		return err
	}
	if _, err := e.exec(ctx, "UPDATE memory_fts SET body=?, title=?, ident=? WHERE rowid=?", searchBody(m), m.Title,
		searchIdent(m), n); err != nil {
		return err
	}
	for _, table := range []string{"memory_file", "memory_tag"} {
		if _, err := e.exec(ctx, "DELETE FROM "+table+" WHERE memory=?", n); err != nil {
			return err
		}
	}
	return e.indexLists(ctx, n, m)
}

// place is what the table's own indexes hold of a memory and may change.
type place struct {
	prompt, project, command, note, merged string
	scope                                  mem.Scope
	kind                                   mem.Kind
	status                                 mem.Status
	trust                                  mem.Trust
	importance                             float64
	pinned                                 bool
}

func placeOf(m mem.Memory) place {
	return place{
		prompt: m.Source.PromptID, project: m.Project, command: m.Command, note: m.Note.File, merged: m.MergedInto,
		scope: m.Scope, kind: m.Kind, status: m.Status, trust: m.Trust, importance: m.Importance, pinned: m.Pinned,
	}
}

// packed returns the JSON of a memory's summary, source and standing.
func packed(m mem.Memory) (summary, source, standing string, err error) {
	if m.Summary != nil {
		if summary, err = text(m.Summary); err != nil {
			return "", "", "", err
		}
	}
	if standing, err = packedStanding(m); err != nil {
		return "", "", "", err
	}
	source, err = text(m.Source)
	return summary, source, standing, err
}

// indexLists writes the rows by which files and tags are looked up.
func (e *entry) indexLists(ctx context.Context, n int64, m mem.Memory) error {
	for _, f := range m.Files {
		dir, _ := path.Split(f)
		if dir == "" {
			dir = "./"
		}
		if _, err := e.exec(ctx, "INSERT INTO memory_file (memory, path, dir, ext) VALUES (?,?,?,?) ON CONFLICT DO NOTHING",
			n, f, dir, path.Ext(f)); err != nil {
			return err
		}
	}
	for _, t := range m.Tags {
		if _, err := e.exec(ctx, "INSERT INTO memory_tag (memory, tag) VALUES (?,?) ON CONFLICT DO NOTHING", n,
			t); err != nil {
			return err
		}
	}
	return nil
}

// searchBody is the text that a memory is found by, beside its title. A title
// that is the beginning of the body counts once.
func searchBody(m mem.Memory) string {
	parts := append([]string{strings.TrimPrefix(m.Body, m.Title), m.Invariant}, m.Facts...)
	if t := m.Summary; t != nil {
		parts = append(parts, t.Request, t.Investigated, t.Learned, t.Completed, t.NextSteps, t.Notes)
	}
	return strings.Join(parts, "\n")
}

// searchIdent is what names the things that a memory is about.
func searchIdent(m mem.Memory) string {
	parts := append([]string{m.Index, m.Command}, m.Tags...)
	return strings.Join(append(append(parts, m.Concepts...), m.Files...), "\n")
}

// supersede marks the memory that m replaces.
func (e *entry) supersede(ctx context.Context, m mem.Memory) error {
	if m.Supersedes == "" || m.Supersedes == m.ID {
		return nil
	}
	old, found, err := e.oneMemory(ctx, "m.id=? AND m.status IN (?,?)", m.Supersedes, string(mem.Active),
		string(mem.Archived))
	if err != nil || !found {
		return err
	}
	now := old.Memory
	now.Status, now.Updated = mem.Superseded, e.now
	return e.updateMemory(ctx, old, now, isTalk(now))
}

// edit changes one memory.
func (e *entry) edit(ctx context.Context, ed mem.Edit) error {
	old, found, err := e.oneMemory(ctx, "m.id=?", ed.ID)
	if err != nil {
		return err
	}
	if !found {
		return mem.ErrNotFound
	}
	if ed.Project != nil {
		known, err := e.knownProject(ctx, *ed.Project)
		if err != nil {
			return err
		}
		ed.Project = &known
	}
	now, ok := ed.Apply(old.Memory, e.now)
	if !ok {
		return nil
	}
	return e.updateMemory(ctx, old, now, searchChanged(old, now))
}

// scanRow reads a row of memoryColumns.
func scanRow(r *sql.Rows) (row memoryRow, err error) {
	if err := r.Scan(row.fields()...); err != nil {
		return row, err
	}
	err = row.unpack()
	return row, err
}

// scanMemory reads a row of memoryColumns. Its search words stay behind.
func scanMemory(r *sql.Rows) (mem.Memory, error) {
	row, err := scanRow(r)
	row.Index = ""
	return row.Memory, err
}
