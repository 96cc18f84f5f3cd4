package stored

import (
	"context"
	"errors"
	"fmt"
	"time"

	"remanence/internal/mem"
)

// MemoryRow is a stored memory.
type MemoryRow struct {
	mem.Memory
	Number        int64
	SessionNumber any  // of its session, nil without one
	Outdated      bool // its links are older than its text
	Broken        bool // some of it could not be decoded
}

// OutdatesLinks reports whether the links of a memory are older than its text after a change.
func (r MemoryRow) OutdatesLinks(now mem.Memory) bool {
	return now.Kind.HasEntities() && (r.Outdated || r.SearchChanges(now) || r.Kind != now.Kind ||
		r.Supersedes != now.Supersedes)
}

// SearchChanges reports whether a memory is found by other words, files or tags after a change. The index may still
// hold words of a row that cannot be decoded.
func (r MemoryRow) SearchChanges(now mem.Memory) bool {
	return r.Broken || SearchChanged(r.Memory, now)
}

// putMemory writes a new memory, or adds to the one that it repeats.
func (e *Entry) putMemory(ctx context.Context, m mem.Memory) (id string, err error) {
	if m.Title == "" && m.Body == "" {
		return "", errors.New("memory without a text")
	}
	if m.Project, err = e.CanonicalProject(ctx, m.Project); err != nil {
		return "", err
	}
	if m.Scope == mem.ScopeUser {
		m.Project = ""
	}
	session, err := e.SessionOf(ctx, m.Session, m.Project, m.Source.Agent)
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
	return e.insertMemory(ctx, session, m)
}

// cappedTrust is the trust of a new memory: no more than that of its turn, unless a person wrote it.
func (e *Entry) cappedTrust(ctx context.Context, session any, m mem.Memory) (mem.Trust, error) {
	if session == nil || m.Source.PromptID == "" {
		return m.Trust, nil
	}
	if e.inSession(m) && m.Source.PromptID == e.Event.PromptID {
		return m.CappedBy(e.trust), nil
	}
	_, t, found, err := e.write.FindTurn(ctx, session, m.Source.PromptID)
	if err != nil || !found {
		return m.Trust, err
	}
	return m.CappedBy(t.Trust), nil
}

// repeatedBy finds the memory that m repeats, by its key or, without one, by its content. It returns m with its key.
func (e *Entry) repeatedBy(ctx context.Context, session any, m mem.Memory) (old MemoryRow, found bool, _ mem.Memory,
	err error,
) {
	byContent := m.Key == ""
	if byContent {
		m.Key = m.ContentKey()
	}
	old, found, err = e.write.FindMemoryByKey(ctx, session, m.Project, m.Key)
	for err == nil && found && byContent && !old.Broken && !old.SameText(m) {
		m.Key += "_" + old.ID
		old, found, err = e.write.FindMemoryByKey(ctx, session, m.Project, m.Key)
	}
	return old, found, m, err
}

// insertMemory writes a new memory and marks the one that it replaces.
func (e *Entry) insertMemory(ctx context.Context, session any, m mem.Memory) (id string, err error) {
	n, err := e.write.Next(ctx, "memory")
	if err != nil {
		return "", err
	}
	r := MemoryRow{
		Memory: m.New(MemoryID(n), e.Now), Number: n, SessionNumber: session, Outdated: m.Kind.HasEntities(),
	}
	if r.Source.Prompt, err = e.sourcePrompt(ctx, session, m); err != nil {
		return "", err
	}
	if err := e.write.InsertMemory(ctx, r); err != nil {
		return "", err
	}
	return r.ID, e.supersede(ctx, r.ID, m)
}

// sourcePrompt is the number of the prompt of the turn in which a memory was captured. Without a prompt id it is the
// newest one of the session.
func (e *Entry) sourcePrompt(ctx context.Context, session any, m mem.Memory) (int, error) {
	of := &m.Source
	switch {
	case of.Prompt != 0:
		return of.Prompt, nil
	case e.inSession(m) && e.prompt > 0 && (of.PromptID == "" || of.PromptID == e.Event.PromptID):
		return e.prompt, nil
	case e.inSession(m) && of.PromptID == "":
		return e.Session.Prompts, nil
	case session == nil:
		return 0, nil
	case of.PromptID == "":
		s, _, err := e.write.FindSession(ctx, m.Session)
		return s.Prompts, err
	}
	_, t, _, err := e.write.FindTurn(ctx, session, of.PromptID)
	return t.Number, err
}

// inSession reports whether a memory belongs to the session of the event.
func (e *Entry) inSession(m mem.Memory) bool { return e.Session != nil && m.Session == e.Event.Session }

// repeat adds a memory to the stored one with the same key.
func (e *Entry) repeat(ctx context.Context, session any, old MemoryRow, m mem.Memory) (err error) {
	now, ok := old.Repeated(m, e.Now)
	if !ok {
		return nil
	}
	if now.Source.Prompt, err = e.sourcePrompt(ctx, session, m); err != nil {
		return err
	}
	if err := e.write.UpdateMemory(ctx, old, now); err != nil {
		return err
	}
	return e.supersede(ctx, old.ID, m)
}

// supersede marks the memory that m, stored under an id, replaces.
func (e *Entry) supersede(ctx context.Context, id string, m mem.Memory) error {
	if !m.Replaces(id) {
		return nil
	}
	old, found, err := e.write.FindMemory(ctx, m.Supersedes)
	if err != nil || !found || old.Status != mem.Active && old.Status != mem.Archived {
		return err
	}
	now := old.Memory
	now.Status, now.Updated = mem.Superseded, e.Now
	return e.write.UpdateMemory(ctx, old, now)
}

// edit changes one memory.
func (e *Entry) edit(ctx context.Context, ed mem.Edit) error {
	old, found, err := e.write.FindMemory(ctx, ed.ID)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%s: %w", ed.ID, mem.ErrNotFound)
	}
	if ed.Project != nil {
		key, err := e.CanonicalProject(ctx, *ed.Project)
		if err != nil {
			return err
		}
		ed.Project = &key
	}
	now, ok := ed.Apply(old.Memory, e.Now)
	if !ok {
		return nil
	}
	// What an event changed has its time, also in a session that is read in later. Each change has a later time: vectors
	// and links of the text before are recognised by it.
	if e.Event.ID != "" && !now.Updated.Equal(old.Updated) {
		if now.Updated = e.At; !e.At.After(old.Updated) {
			now.Updated = old.Updated.Add(time.Microsecond)
		}
	}
	return e.write.UpdateMemory(ctx, old, now)
}
