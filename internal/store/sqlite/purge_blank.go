package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

const blankEvent = "UPDATE event SET payload='', prompt_id='', tool='', tool_use_id='', agent_id='', agent_type=''"

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
	events, err := e.changed(ctx, blankEvent+
		" WHERE session=? AND payload<>'' AND (id=? OR (tool_use_id<>'' AND tool_use_id=?))",
		n, m.Source.Event, m.Source.ToolUseID)
	e.Done.Events += events
	return err
}

func (e *eraser) blankEvents(ctx context.Context, session int64, f *stored.Finder) error {
	found, err := e.matching(ctx, stmt("SELECT seq, payload FROM event WHERE session=? AND payload<>''", session),
		f.InDocument)
	if err != nil {
		return err
	}
	e.Done.Events += len(found)
	return e.execEach(ctx, blankEvent+" WHERE seq=?", found)
}

func (e *eraser) blankTurns(ctx context.Context, session int64, f *stored.Finder) error {
	found, err := e.matching(ctx, stmt("SELECT number, text FROM turn WHERE session=? AND text<>''", session), f.In)
	if err != nil {
		return err
	}
	e.Done.Turns += len(found)
	return e.execEach(ctx, "UPDATE turn SET text='' WHERE number=?", found)
}

// blankOtherSessions erases the memories' texts from all other sessions: open work
// is injected into, and saved with, every session of a project. It reads all rows once.
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
	texts, err := rows(ctx, e.conn, stmt(
		"SELECT text FROM turn WHERE session=?1 UNION ALL SELECT first_prompt FROM session WHERE number=?1", n), one[string])
	if err != nil {
		return err
	}
	docs, err := rows(ctx, e.conn, stmt("SELECT doc FROM checkpoint WHERE session=?", n), one[string])
	if err != nil {
		return err
	}
	for _, doc := range docs {
		var cp mem.Checkpoint
		if err := json.Unmarshal([]byte(doc), &cp); err != nil {
			continue // it is deleted in any case
		}
		texts = append(texts, cp.Handoff, cp.Note)
	}
	e.AddSessionTexts(texts...)
	return nil
}

// blankDocs blanks the strings of checkpoints, or of receipts, that contain a trace.
func (e *eraser) blankDocs(ctx context.Context, table string, f *stored.Finder) error {
	if f.Empty() {
		return nil
	}
	found, err := e.matching(ctx, stmt("SELECT number, doc FROM "+table+" WHERE doc<>''"), f.InDocument)
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

// replaceDoc writes the result of blank for a document. A document that cannot be
// decoded may contain erased text, and is deleted.
func (e *eraser) replaceDoc(ctx context.Context, table string, n int64, blank func(string) (string, error)) error {
	var doc string
	if err := e.get(ctx, stmt("SELECT doc FROM "+table+" WHERE number=?", n), &doc); err != nil {
		return err
	}
	if _, err := stored.DecodeAny(doc); err != nil {
		_, err := e.exec(ctx, "DELETE FROM "+table+" WHERE number=?", n)
		return err
	}
	fresh, err := blank(doc)
	if err != nil {
		return err
	}
	_, err = e.exec(ctx, "UPDATE "+table+" SET doc=? WHERE number=?", fresh, n)
	return err
}

// blankSessionsAndJobs blanks the texts of sessions and deletes the jobs that contain a trace.
func (e *eraser) blankSessionsAndJobs(ctx context.Context, f *stored.Finder) error {
	for _, column := range []string{"first_prompt", "last_notification", "nudge"} {
		found, err := e.matching(ctx, stmt("SELECT number, "+column+" FROM session WHERE "+column+"<>''"), f.In)
		if err == nil {
			err = e.execEach(ctx, "UPDATE session SET "+column+"='' WHERE number=?", found)
		}
		if err != nil {
			return err
		}
	}
	jobs := stmt("SELECT number, data || char(10) || error FROM job WHERE data || error <> ''")
	found, err := e.matching(ctx, jobs, f.In)
	if err != nil {
		return err
	}
	return e.execEach(ctx, "DELETE FROM job WHERE number=?", found)
}

// markDerived marks the other memories of the session that contain a trace.
func (e *eraser) markDerived(ctx context.Context, session int64, f *stored.Finder) error {
	found, err := e.matching(ctx, stmt(`SELECT number, title || char(10) || body || char(10) || facts || char(10) ||
		summary || char(10) || command || char(10) || words || char(10) || standing FROM memory WHERE session=?`, session),
		f.In)
	if err != nil {
		return err
	}
	return e.addEach(ctx, found)
}

// markUtterances marks the utterances of the session that the memory was made from.
func (e *eraser) markUtterances(ctx context.Context, session int64, m mem.Memory) error {
	// Also those that cannot be decoded: their text is stored all the same.
	found, err := rows(ctx, e.conn, stmt("SELECT number, who FROM memory WHERE session=? AND kind='utterance' "+
		"AND prompt_id=?", session, m.Source.PromptID), into(func(u *stored.Utterance) []any {
		return []any{&u.Number, &u.Who}
	}))
	if err != nil {
		return err
	}
	for _, u := range found {
		if !m.DerivedFrom(m.Source.PromptID, u.Who) {
			continue
		}
		if _, err := e.add(ctx, "m.number=?", u.Number); err != nil {
			return err
		}
	}
	return nil
}

// blankReceipts removes the memories from the receipts of all sessions.
func (e *eraser) blankReceipts(ctx context.Context, f *stored.Finder) error {
	for _, m := range e.Memories {
		named, err := rows(ctx, e.conn, stmt(
			"SELECT number FROM receipt WHERE number IN (SELECT receipt FROM receipt_item WHERE memory=?)", m.ID), one[int64])
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
