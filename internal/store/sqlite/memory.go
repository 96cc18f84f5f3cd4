package sqlite

import (
	"context"
	"errors"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// putMemory writes a new memory, or adds to the one that it repeats.
func (e *entry) putMemory(ctx context.Context, m mem.Memory) (id string, err error) {
	if m.Title == "" && m.Body == "" {
		return "", errors.New("memory without a text")
	}
	if m.Project, err = e.canonicalProject(ctx, m.Project); err != nil {
		return "", err
	}
	if m.Scope == mem.ScopeUser {
		m.Project = ""
	}
	session, err := e.sessionOf(ctx, m.Session, m.Project, m.Source.Agent)
	if err != nil {
		return "", err
	}
	if m.Trust, err = e.cappedTrust(ctx, session, m); err != nil {
		return "", err
	}
	old, found, m, err := e.repeatedBy(ctx, session, m)
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

// repeatedBy finds the memory that m repeats, by its key or, without one, by its content. It returns m with its key.
func (e *entry) repeatedBy(ctx context.Context, session any, m mem.Memory) (old memoryRow, found bool, _ mem.Memory,
	err error,
) {
	byContent := m.Key == ""
	if byContent {
		m.Key = m.ContentKey()
	}
	old, found, err = e.sameMemory(ctx, session, m)
	for err == nil && found && byContent && !old.broken && !old.SameText(m) {
		m.Key += "_" + old.ID
		old, found, err = e.sameMemory(ctx, session, m)
	}
	return old, found, m, err
}

// sameMemory finds the memory of the session with the same key. Memories of no
// session are compared within their project.
func (e *entry) sameMemory(ctx context.Context, session any, m mem.Memory) (memoryRow, bool, error) {
	if session == nil {
		return e.oneMemory(ctx, "m.session IS NULL AND m.key=? AND +m.project=?", m.Key, m.Project)
	}
	return e.oneMemory(ctx, "m.session=? AND m.key=?", session, m.Key)
}

// oneMemory finds a memory that is to be written again, with the fields that can be decoded.
func (e *entry) oneMemory(ctx context.Context, condition string, args ...any) (r memoryRow, found bool, err error) {
	found, err = e.find(ctx, stmt(selectMemories+" WHERE "+condition+" LIMIT 1", args...), r.fields()...)
	if found {
		err = r.unpack()
		r.broken = err != nil
	}
	return r, found, ignoreUnreadable(err)
}

// freshMemory sets the fields that the store decides.
func (e *entry) freshMemory(ctx context.Context, session any, m mem.Memory) (mem.Memory, error) {
	n, err := e.next(ctx, "memory")
	if err != nil {
		return m, err
	}
	m = m.New(stored.MemoryID(n), e.Now)
	m.Source.Prompt, err = e.sourcePrompt(ctx, session, m)
	return m, err
}

// sourcePrompt is the number of the prompt of the turn in which a memory was captured.
func (e *entry) sourcePrompt(ctx context.Context, session any, m mem.Memory) (n int, err error) {
	n, known := e.SourcePrompt(m)
	if known || session == nil {
		return n, nil
	}
	if m.Source.PromptID == "" {
		_, err = e.find(ctx, stmt("SELECT prompts FROM session WHERE number=?", session), &n)
		return n, err
	}
	_, err = e.find(ctx, stmt("SELECT prompt FROM turn WHERE session=? AND prompt_id=?", session, m.Source.PromptID), &n)
	return n, err
}

// repeat adds a memory to the stored one with the same key.
func (e *entry) repeat(ctx context.Context, session any, old memoryRow, m mem.Memory) (err error) {
	now, ok := old.Repeated(m, e.Now)
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

// searchChanged reports whether the index rows of a memory change. Writing them
// costs more than the rest of an event, and a command that runs many times repeats
// its memory each time. The index may still hold words of a row that cannot be
// decoded.
func searchChanged(old memoryRow, now mem.Memory) bool {
	return old.broken || isUtterance(now) || stored.SearchChanged(old.Memory, now)
}

// replace makes a stored memory supersede the one that its repetition m names.
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

// supersede marks the memory that m replaces.
func (e *entry) supersede(ctx context.Context, m mem.Memory) error {
	if !m.Replaces(m.ID) {
		return nil
	}
	old, found, err := e.oneMemory(ctx, "m.id=? AND m.status IN (?,?)", m.Supersedes, string(mem.Active),
		string(mem.Archived))
	if err != nil || !found {
		return err
	}
	now := old.Memory
	now.Status, now.Updated = mem.Superseded, e.Now
	return e.updateMemory(ctx, old, now, isUtterance(now))
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
		key, err := e.canonicalProject(ctx, *ed.Project)
		if err != nil {
			return err
		}
		ed.Project = &key
	}
	now, ok := ed.Apply(old.Memory, e.Now)
	if !ok {
		return nil
	}
	return e.updateMemory(ctx, old, now, searchChanged(old, now))
}
