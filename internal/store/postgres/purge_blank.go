//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// blankEvent erases events. Their rows stay, so that other deliveries are duplicates. A condition follows.
const blankEvent = "UPDATE event SET payload = '', prompt_id = '', tool = '', tool_use_id = '', agent_id = '' WHERE "

// blankSession erases the other texts of the memory's session that contain its text.
func (e *eraser) blankSession(ctx context.Context, m stored.MemoryRow) error {
	n, ok := m.SessionNumber.(int64)
	if _, whole := e.Sessions[n]; !ok || whole {
		return nil // it is erased as a whole
	}
	var t stored.Traces
	t.Add(m.Memory)
	f := t.Finder()
	if err := errors.Join(e.blankEvents(ctx, n, f), e.blankTurns(ctx, n, f), e.markDerived(ctx, n, f)); err != nil {
		return err
	}
	// What the memory was made from may say the same in other words.
	if err := e.markUtterances(ctx, n, m.Memory); err != nil {
		return err
	}
	if m.Source.Event == "" && m.Source.ToolUseID == "" {
		return nil
	}
	events, err := e.changed(ctx, query(blankEvent+
		"session = ? AND payload <> '' AND (id = ? OR (tool_use_id <> '' AND tool_use_id = ?))", n, m.Source.Event,
		m.Source.ToolUseID))
	e.Done.Events += events
	return err
}

func (e *eraser) blankEvents(ctx context.Context, session int64, f *stored.Finder) error {
	found, err := e.matching(ctx, query("SELECT seq, payload FROM event WHERE session = ? AND payload <> ''", session),
		f.InDocument)
	if err != nil {
		return err
	}
	e.Done.Events += len(found)
	return e.exec(ctx, query(blankEvent+"seq = ANY(?)", found))
}

func (e *eraser) blankTurns(ctx context.Context, session int64, f *stored.Finder) error {
	found, err := e.matching(ctx, query("SELECT number, doc FROM turn WHERE session = ?", session), f.InDocument)
	if err != nil {
		return err
	}
	for _, n := range found {
		var doc string
		if err := e.get(ctx, query("SELECT doc FROM turn WHERE number = ?", n), &doc); err != nil {
			return err
		}
		t, err := decode[mem.Turn]("turn", doc)
		if err != nil {
			return err
		}
		if !f.In(t.Text) {
			continue
		}
		e.Done.Turns++
		t.Text = ""
		if err := e.UpdateTurn(ctx, n, t); err != nil {
			return err
		}
	}
	return nil
}

// blankOtherSessions erases the memories' texts from all other sessions: open work is injected into, and saved with,
// every session of a project. It reads all rows once.
func (e *eraser) blankOtherSessions(ctx context.Context) error {
	f := e.Traces.Finder()
	if err := e.blankDocs(ctx, "checkpoint", f); err != nil {
		return err
	}
	// The last prompts of an erased session were injected into later ones.
	if err := e.blankDocs(ctx, "receipt", e.AllTraces()); err != nil {
		return err
	}
	if err := e.blankSessionsAndJobs(ctx, f); err != nil {
		return err
	}
	return e.blankReceipts(ctx, f)
}

// addSessionTraces adds the traces of a session's prompts and checkpoints.
func (e *eraser) addSessionTraces(ctx context.Context, n int64) error {
	turns, err := rows(ctx, e.tx, query("SELECT doc FROM turn WHERE session = ?", n), document[mem.Turn]("turn"))
	if err != nil {
		return err
	}
	s, err := rows(ctx, e.tx, query("SELECT doc FROM session WHERE number = ?", n), document[mem.Session]("session"))
	if err != nil {
		return err
	}
	checks, err := rows(ctx, e.tx, query("SELECT doc FROM checkpoint WHERE session = ?", n),
		document[mem.Checkpoint]("checkpoint"))
	if err != nil {
		return err
	}
	for _, t := range turns {
		e.AddSessionTexts(t.Text)
	}
	for _, s := range s {
		e.AddSessionTexts(s.FirstPrompt)
	}
	for _, c := range checks {
		e.AddSessionTexts(c.Handoff, c.Note)
	}
	return nil
}

// blankDocs blanks the strings of checkpoints, or of receipts, that contain a trace.
func (e *eraser) blankDocs(ctx context.Context, table string, f *stored.Finder) error {
	if f.Empty() {
		return nil
	}
	found, err := e.matching(ctx, query("SELECT number, doc FROM "+table), f.InDocument)
	if err != nil {
		return err
	}
	for _, n := range found {
		if err := e.replaceDoc(ctx, table, n, f.Blank); err != nil {
			return fmt.Errorf("%s %d: %w", table, n, err)
		}
		e.Blanked(table, n)
	}
	return nil
}

// replaceDoc writes the result of blank for a document. A document that cannot be decoded may contain erased text, and
// is deleted.
func (e *eraser) replaceDoc(ctx context.Context, table string, n int64, blank func(string) (string, error)) error {
	var doc string
	if err := e.get(ctx, query("SELECT doc FROM "+table+" WHERE number = ?", n), &doc); err != nil {
		return err
	}
	if _, err := stored.DecodeAny(doc); err != nil {
		return e.exec(ctx, query("DELETE FROM "+table+" WHERE number = ?", n))
	}
	fresh, err := blank(doc)
	if err != nil {
		return err
	}
	return e.exec(ctx, query("UPDATE "+table+" SET doc = ? WHERE number = ?", fresh, n))
}

// blankSessionsAndJobs blanks the texts of sessions and deletes the jobs that contain a trace.
func (e *eraser) blankSessionsAndJobs(ctx context.Context, f *stored.Finder) error {
	found, err := e.matching(ctx, query("SELECT number, doc FROM session"), f.InDocument)
	if err != nil {
		return err
	}
	for _, n := range found {
		var doc string
		if err := e.get(ctx, query("SELECT doc FROM session WHERE number = ?", n), &doc); err != nil {
			return err
		}
		s, err := decodeSession(doc)
		if err != nil {
			return err
		}
		for _, text := range []*string{&s.FirstPrompt, &s.LastNotification, &s.StateLine} {
			if f.In(*text) {
				*text = ""
			}
		}
		if err := e.UpdateSession(ctx, s); err != nil {
			return err
		}
	}
	found, err = e.matching(ctx, query("SELECT number, data || chr(10) || error FROM job WHERE data || error <> ''"),
		f.In)
	if err != nil {
		return err
	}
	return e.exec(ctx, query("DELETE FROM job WHERE number = ANY(?)", found))
}

// markDerived marks the other memories of the session that contain a trace.
func (e *eraser) markDerived(ctx context.Context, session int64, f *stored.Finder) error {
	found, err := e.matching(ctx, query(`SELECT number, '[' || to_json(words) || ',' || to_json(command) || ',' || doc ||
		']' FROM memory WHERE session = ?`, session), f.InDocument)
	if err != nil || len(found) == 0 {
		return err
	}
	_, err = e.add(ctx, "m.number = ANY(?)", found)
	return err
}

// markUtterances marks the utterances of the session that the memory was made from.
func (e *eraser) markUtterances(ctx context.Context, session int64, m mem.Memory) error {
	found, err := e.transaction.memories(ctx, "m.session = ? AND m.kind = 'utterance' AND m.prompt_id = ?", session,
		m.Source.PromptID)
	if err != nil {
		return err
	}
	var from []int64
	for _, u := range found {
		// Also those that cannot be decoded: their text is stored all the same.
		if u.Broken || m.DerivedFrom(m.Source.PromptID, u.Who) {
			from = append(from, u.Number)
		}
	}
	if len(from) == 0 {
		return nil
	}
	_, err = e.add(ctx, "m.number = ANY(?)", from)
	return err
}

// blankReceipts removes the memories from the receipts of all sessions.
func (e *eraser) blankReceipts(ctx context.Context, f *stored.Finder) error {
	for _, m := range e.Memories {
		named, err := rows(ctx, e.tx, query("SELECT receipt FROM receipt_item WHERE memory = ?", m.ID), one[int64])
		if err != nil {
			return err
		}
		for _, n := range named {
			err := e.replaceDoc(ctx, "receipt", n, func(doc string) (string, error) { return f.BlankReceipt(doc, m.ID) })
			if errors.Is(err, stored.ErrUnchanged) {
				continue
			}
			if err != nil {
				return fmt.Errorf("receipt %d: %w", n, err)
			}
			e.Receipts[n] = true
		}
	}
	return nil
}
