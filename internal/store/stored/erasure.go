package stored

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Tombstone is the kind of an event without payload, which no query returns. That of a session stores when data of it
// was last erased: older events of its transcript must not be captured again.
const Tombstone = mem.EventKind("Erased")

// UnfinishedPurge is the id of the tombstone that exists while rows are erased, but files may still contain them.
const UnfinishedPurge = "x_unfinished"

// errPreview rolls back a purge that only shows what it would erase.
var errPreview = errors.New("preview of a purge")

// Eraser runs the statements of a purge, in the dialect of its database and in one transaction. An [Erasure] decides
// what is erased. Documents are those of table checkpoint or receipt.
type Eraser interface {
	memoryWriter
	// IndexUtterances is that of the Entry.
	IndexUtterances(ctx context.Context) error
	// FindSessionToErase returns the number and the id of a session, given by its id or its short id.
	FindSessionToErase(ctx context.Context, ref string) (n int64, id string, found bool, err error)
	MemoriesOfSession(ctx context.Context, session int64) ([]MemoryRow, error)
	MergedInto(ctx context.Context, ids []string) ([]MemoryRow, error)
	MemoriesWithProposals(ctx context.Context) ([]MemoryRow, error)
	MemoriesWithTrace(ctx context.Context, session int64, f *Finder) ([]MemoryRow, error)
	UtterancesOfTurn(ctx context.Context, session int64, promptID string) ([]MemoryRow, error)
	// TextsOfSession returns the prompts, handoffs and notes of a session.
	TextsOfSession(ctx context.Context, session int64) ([]string, error)

	// BlankEvents erases the events of a session that contain a trace, and returns their number.
	BlankEvents(ctx context.Context, session int64, f *Finder) (int, error)
	// BlankSource erases the event of a session that a memory was captured from.
	BlankSource(ctx context.Context, session int64, from mem.Source) (int, error)
	BlankTurns(ctx context.Context, session int64, f *Finder) (int, error)
	BlankSessions(ctx context.Context, f *Finder) error
	DeleteJobsWithTrace(ctx context.Context, f *Finder) error
	// DeleteMemories deletes memories, and adds the utterances among them to Entry.Spans.
	DeleteMemories(ctx context.Context, memories map[int64]MemoryRow) error
	// DeleteSession deletes a session with all that belongs to it. Its events keep their ids and their order.
	DeleteSession(ctx context.Context, session int64) (mem.Purged, error)

	DocumentsWithTrace(ctx context.Context, table string, f *Finder) ([]int64, error)
	ReceiptsNaming(ctx context.Context, memory string) ([]int64, error)
	Document(ctx context.Context, table string, n int64) (string, error)
	SetDocument(ctx context.Context, table string, n int64, doc string) error
	DeleteDocument(ctx context.Context, table string, n int64) error
	PutTombstone(ctx context.Context, id string) error
}

// Erasure is one purge in its transaction.
type Erasure struct {
	Memories map[int64]MemoryRow // to be erased, by number
	Done     mem.Purged

	run           Eraser
	sessions      map[int64]string // to be erased as a whole: the agent's id by number
	traces        Traces           // of all memories, for the receipts that contain them
	sessionTraces Traces           // of prompts and handoffs of the sessions that are erased as a whole
	receipts      map[int64]bool   // blanked or deleted, by number
	affected      map[string]bool  // sessions of which something is erased, by the agent's id
	counts        bool             // it is undone: memories are counted, not deleted one by one from the search index
}

// Transact runs f in a writing transaction, which is undone if f fails. It may run f again then.
type Transact func(ctx context.Context, f func(Eraser) error) error

// Purge erases the memories and sessions that are named. After an error nothing is erased.
func Purge(ctx context.Context, transact Transact, ids []string) (Erasure, error) {
	var e *Erasure
	if err := transact(ctx, func(run Eraser) error {
		e = newErasure(run)
		return e.erase(ctx, ids)
	}); err != nil {
		return Erasure{}, err
	}
	return *e, nil
}

// PreviewPurge returns the memories that a purge would erase, and counts what it would.
func PreviewPurge(ctx context.Context, transact Transact, ids []string) ([]mem.Memory, mem.Purged, error) {
	e, err := preview(ctx, transact, func(e *Erasure) error {
		e.counts = true
		return e.erase(ctx, ids)
	})
	return e.marked(), e.Done, err
}

// PurgeMemories returns the memories that a purge would erase. It does not count, because that reads all rows.
func PurgeMemories(ctx context.Context, transact Transact, ids []string) ([]mem.Memory, error) {
	e, err := preview(ctx, transact, func(e *Erasure) error { return e.mark(ctx, ids) })
	return e.marked(), err
}

// preview does part of a purge, or all of it, and undoes it.
func preview(ctx context.Context, transact Transact, part func(*Erasure) error) (Erasure, error) {
	var e *Erasure
	err := transact(ctx, func(run Eraser) error {
		e = newErasure(run)
		return cmp.Or(part(e), errPreview)
	})
	if errors.Is(err, errPreview) {
		return *e, nil
	}
	return Erasure{}, err
}

// newErasure returns an erasure of nothing.
func newErasure(run Eraser) *Erasure {
	return &Erasure{
		Memories: map[int64]MemoryRow{}, run: run, sessions: map[int64]string{}, receipts: map[int64]bool{},
		affected: map[string]bool{},
	}
}

// marked returns the memories to be erased, oldest first.
func (e *Erasure) marked() (ms []mem.Memory) {
	for _, n := range slices.Sorted(maps.Keys(e.Memories)) {
		ms = append(ms, e.Memories[n].Memory)
	}
	return ms
}

// mark marks what must be erased with the memories and sessions that are named, and blanks the rest of the memories'
// sessions. It fails before anything is written if one of them does not exist.
func (e *Erasure) mark(ctx context.Context, ids []string) error {
	if err := e.find(ctx, ids); err != nil {
		return err
	}
	for n := range e.sessions {
		memories, err := e.run.MemoriesOfSession(ctx, n)
		if err != nil {
			return err
		}
		e.add(memories...)
	}
	if err := e.markMerged(ctx); err != nil {
		return err
	}
	// Before memories are marked because they contain the same text.
	if err := e.dropProposals(ctx, e.traces.Finder()); err != nil {
		return err
	}
	// Memories that are marked meanwhile contain no more than these.
	for _, m := range slices.Collect(maps.Values(e.Memories)) {
		if err := e.blankSession(ctx, m); err != nil {
			return err
		}
	}
	return e.markMerged(ctx)
}

// erase erases the memories and sessions that are named, with all that is derived from them, and counts it.
func (e *Erasure) erase(ctx context.Context, ids []string) error {
	if err := e.mark(ctx, ids); err != nil {
		return err
	}
	e.Done.Memories = len(e.Memories)
	if !e.counts || len(e.sessions) > 0 { // a session cannot be deleted before its memories
		if err := e.run.DeleteMemories(ctx, e.Memories); err != nil {
			return err
		}
		if err := e.run.IndexUtterances(ctx); err != nil { // neighbours were indexed with its text
			return err
		}
	}
	for n := range e.sessions {
		if err := e.eraseSession(ctx, n); err != nil {
			return err
		}
	}
	all := slices.Concat(e.traces, e.sessionTraces).Finder()
	if err := e.dropProposals(ctx, all); err != nil {
		return err
	}
	// Open work is injected into, and saved with, every session of a project.
	f := e.traces.Finder()
	if err := e.blankDocuments(ctx, "checkpoint", f); err != nil {
		return err
	}
	// The last prompts of an erased session were injected into later ones.
	if err := e.blankDocuments(ctx, "receipt", all); err != nil {
		return err
	}
	if err := e.run.BlankSessions(ctx, f); err != nil {
		return err
	}
	if err := e.run.DeleteJobsWithTrace(ctx, f); err != nil {
		return err
	}
	if err := e.blankReceipts(ctx, f); err != nil {
		return err
	}
	e.Done.Receipts += len(e.receipts)
	return e.putTombstones(ctx)
}

// find resolves the ids.
func (e *Erasure) find(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if strings.HasPrefix(id, "m_") {
			m, found, err := e.run.FindMemory(ctx, id)
			if err != nil {
				return err
			}
			if found {
				e.add(m)
				continue
			}
		}
		n, agentID, found, err := e.run.FindSessionToErase(ctx, id)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("%s: %w", id, mem.ErrNotFound)
		}
		e.sessions[n] = agentID
		e.affected[agentID] = true
	}
	return nil
}

// add marks memories to be erased.
func (e *Erasure) add(memories ...MemoryRow) {
	for _, m := range memories {
		e.Memories[m.Number] = m
		e.traces.Add(m.Memory)
		e.affected[m.Session] = true
	}
}

// markMerged marks the memories that were merged into marked ones, and into those.
func (e *Erasure) markMerged(ctx context.Context) error {
	var ids []string
	for _, m := range e.Memories {
		ids = append(ids, m.ID)
	}
	for len(ids) > 0 {
		merged, err := e.run.MergedInto(ctx, ids)
		if err != nil {
			return err
		}
		merged = slices.DeleteFunc(merged, func(m MemoryRow) bool { _, marked := e.Memories[m.Number]; return marked })
		e.add(merged...)
		ids = ids[:0]
		for _, m := range merged {
			ids = append(ids, m.ID)
		}
	}
	return nil
}

// dropProposals erases the proposals that came from an erased session or contain a trace. Their memories stay: another
// author wrote them.
func (e *Erasure) dropProposals(ctx context.Context, f *Finder) error {
	found, err := e.run.MemoriesWithProposals(ctx)
	if err != nil {
		return err
	}
	erased := slices.Collect(maps.Values(e.sessions))
	for _, r := range found {
		if _, marked := e.Memories[r.Number]; marked {
			continue
		}
		now := r.Memory
		now.Proposals = slices.DeleteFunc(slices.Clone(r.Proposals), func(p mem.Proposal) bool {
			return slices.Contains(erased, p.Session) || slices.ContainsFunc(p.Traces(), f.In)
		})
		if len(now.Proposals) == len(r.Proposals) {
			continue
		}
		if err := e.run.UpdateMemory(ctx, r, now); err != nil {
			return err
		}
	}
	return nil
}

// blankSession erases the other texts of the memory's session that contain its text.
func (e *Erasure) blankSession(ctx context.Context, m MemoryRow) error {
	n, ok := m.SessionNumber.(int64)
	if _, whole := e.sessions[n]; !ok || whole {
		return nil // it is erased as a whole
	}
	var t Traces
	t.Add(m.Memory)
	f := t.Finder()
	events, err := e.run.BlankEvents(ctx, n, f)
	if err != nil {
		return err
	}
	turns, err := e.run.BlankTurns(ctx, n, f)
	if err != nil {
		return err
	}
	e.Done.Events, e.Done.Turns = e.Done.Events+events, e.Done.Turns+turns
	same, err := e.run.MemoriesWithTrace(ctx, n, f)
	if err != nil {
		return err
	}
	e.add(same...)
	// What the memory was made from may say the same in other words.
	utterances, err := e.run.UtterancesOfTurn(ctx, n, m.Source.PromptID)
	if err != nil {
		return err
	}
	for _, u := range utterances {
		unknown := u.Broken && u.Who == "" // its text is stored all the same
		if unknown || m.DerivedFrom(m.Source.PromptID, u.Who) {
			e.add(u)
		}
	}
	if m.Source.Event == "" && m.Source.ToolUseID == "" {
		return nil
	}
	events, err = e.run.BlankSource(ctx, n, m.Source)
	e.Done.Events += events
	return err
}

// eraseSession erases a session as a whole.
func (e *Erasure) eraseSession(ctx context.Context, n int64) error {
	texts, err := e.run.TextsOfSession(ctx, n)
	if err != nil {
		return err
	}
	for _, text := range texts {
		e.sessionTraces = append(e.sessionTraces, chars.TracesOfText(text)...)
	}
	done, err := e.run.DeleteSession(ctx, n)
	e.Done.Turns += done.Turns
	e.Done.Receipts += done.Receipts
	e.Done.Checkpoints += done.Checkpoints
	e.Done.Events += done.Events
	return err
}

// blankDocuments blanks the strings of checkpoints, or of receipts, that contain a trace.
func (e *Erasure) blankDocuments(ctx context.Context, table string, f *Finder) error {
	if f.Empty() {
		return nil
	}
	found, err := e.run.DocumentsWithTrace(ctx, table, f)
	if err != nil {
		return err
	}
	for _, n := range found {
		if err := e.replaceDocument(ctx, table, n, f.Blank); err != nil {
			return fmt.Errorf("%s %d: %w", table, n, err)
		}
		if table == "receipt" {
			e.receipts[n] = true
			continue
		}
		e.Done.Checkpoints++
	}
	return nil
}

// replaceDocument writes the result of blank for a document. A document that cannot be decoded may contain erased text,
// and is deleted.
func (e *Erasure) replaceDocument(ctx context.Context, table string, n int64,
	blank func(string) (string, error),
) error {
	doc, err := e.run.Document(ctx, table, n)
	if err != nil {
		return err
	}
	if _, err := DecodeAny(doc); err != nil {
		return e.run.DeleteDocument(ctx, table, n)
	}
	fresh, err := blank(doc)
	if err != nil {
		return err
	}
	return e.run.SetDocument(ctx, table, n, fresh)
}

// blankReceipts removes the memories from the receipts of all sessions.
func (e *Erasure) blankReceipts(ctx context.Context, f *Finder) error {
	for _, m := range e.Memories {
		named, err := e.run.ReceiptsNaming(ctx, m.ID)
		if err != nil {
			return err
		}
		for _, n := range named {
			err := e.replaceDocument(ctx, "receipt", n, func(doc string) (string, error) { return f.BlankReceipt(doc, m.ID) })
			if errors.Is(err, ErrUnchanged) {
				continue
			}
			if err != nil {
				return fmt.Errorf("receipt %d: %w", n, err)
			}
			e.receipts[n] = true
		}
	}
	return nil
}

// putTombstones writes the tombstones of the purge.
func (e *Erasure) putTombstones(ctx context.Context) error {
	for session := range e.affected {
		if session == "" {
			continue
		}
		if err := e.run.PutTombstone(ctx, TombstoneID(session)); err != nil {
			return err
		}
	}
	return e.run.PutTombstone(ctx, UnfinishedPurge)
}
