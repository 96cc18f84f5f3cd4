//go:build postgres || backends

package postgres

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
	row, err := e.freshMemory(ctx, session, m)
	if err != nil {
		return "", err
	}
	if err := e.saveMemory(ctx, row); err != nil {
		return "", err
	}
	return row.ID, e.supersede(ctx, row.Memory)
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

// sameMemory finds the memory of the session with the same key. Memories of no session are compared within their
// project.
func (e *entry) sameMemory(ctx context.Context, session any, m mem.Memory) (memoryRow, bool, error) {
	key, args := sameText("m.key", m.Key)
	if session == nil {
		return e.oneMemory(ctx, "m.session IS NULL AND m.project = ? AND "+key, append([]any{m.Project}, args...)...)
	}
	return e.oneMemory(ctx, "m.session = ? AND "+key, append([]any{session}, args...)...)
}

// freshMemory returns the row of a new memory, with the fields that the store decides.
func (e *entry) freshMemory(ctx context.Context, session any, m mem.Memory) (r memoryRow, err error) {
	if r.number, err = e.next(ctx, "memory"); err != nil {
		return r, err
	}
	r.Memory, r.session, r.outdated = m.New(stored.MemoryID(r.number), e.Now), session, m.Kind.HasEntities()
	r.Source.Prompt, err = e.sourcePrompt(ctx, session, m)
	return r, err
}

// sourcePrompt is the number of the prompt of the turn in which a memory was captured.
func (e *entry) sourcePrompt(ctx context.Context, session any, m mem.Memory) (int, error) {
	n, known := e.SourcePrompt(m)
	if known || session == nil {
		return n, nil
	}
	if m.Source.PromptID == "" {
		s, _, err := e.loadSession(ctx, m.Session)
		return s.Prompts, err
	}
	_, t, _, err := e.turn(ctx, session, m.Source.PromptID)
	return t.Number, err
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
	replaces := m.Replaces(old.ID)
	if replaces {
		old.outdated = old.Kind.HasEntities()
	}
	if err := e.updateMemory(ctx, old, now); err != nil || !replaces {
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
	old, found, err := e.oneMemory(ctx, "m.id = ? AND m.status IN ('active', 'archived')", m.Supersedes)
	if err != nil || !found {
		return err
	}
	now := old.Memory
	now.Status, now.Updated = mem.Superseded, e.Now
	return e.updateMemory(ctx, old, now)
}

// edit changes one memory.
func (e *entry) edit(ctx context.Context, ed mem.Edit) error {
	old, found, err := e.oneMemory(ctx, "m.id = ?", ed.ID)
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
	return e.updateMemory(ctx, old, now)
}

// updateMemory writes a changed memory. The vector of a text that changes is deleted.
func (e *entry) updateMemory(ctx context.Context, old memoryRow, m mem.Memory) error {
	row := old
	row.Memory = m
	if (old.broken || stored.SearchChanged(old.Memory, m) || m.Kind != old.Kind) && m.Kind.HasEntities() {
		row.outdated = true
	}
	if stored.IsUtterance(m) != stored.IsUtterance(old.Memory) && stored.IsUtterance(old.Memory) {
		e.Spans.Add(old.session, old.number)
	}
	if err := e.saveMemory(ctx, row); err != nil {
		return err
	}
	if !old.broken && !stored.VectorChanged(old.Memory, m) {
		return nil
	}
	return e.exec(ctx, query("DELETE FROM vector WHERE memory = ?", old.number))
}
