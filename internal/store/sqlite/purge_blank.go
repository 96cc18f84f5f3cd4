package sqlite

import (
	"context"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

const blankEvent = "UPDATE event SET payload='', prompt_id='', tool='', tool_use_id='', agent_id='', agent_type=''"

// BlankEvents erases the events of a session that contain a trace.
func (w *writer) BlankEvents(ctx context.Context, session int64, f *stored.Finder) (int, error) {
	found, err := w.matching(ctx, stmt("SELECT seq, payload FROM event WHERE session=? AND payload<>''", session),
		f.InDocument)
	if err != nil {
		return 0, err
	}
	return len(found), w.execEach(ctx, blankEvent+" WHERE seq=?", found)
}

// BlankSource erases the event of a session that a memory was captured from.
func (w *writer) BlankSource(ctx context.Context, session int64, from mem.Source) (int, error) {
	return w.changed(ctx, blankEvent+" WHERE session=? AND payload<>'' AND (id=? OR (tool_use_id<>'' AND tool_use_id=?))",
		session, from.Event, from.ToolUseID)
}

// BlankTurns erases the prompts of a session that contain a trace.
func (w *writer) BlankTurns(ctx context.Context, session int64, f *stored.Finder) (int, error) {
	found, err := w.matching(ctx, stmt("SELECT number, text FROM turn WHERE session=? AND text<>''", session), f.In)
	if err != nil {
		return 0, err
	}
	return len(found), w.execEach(ctx, "UPDATE turn SET text='' WHERE number=?", found)
}

// TextsOfSession returns the prompts, handoffs and notes of a session.
func (w *writer) TextsOfSession(ctx context.Context, n int64) ([]string, error) {
	texts, err := rows(ctx, w.conn, stmt(
		"SELECT text FROM turn WHERE session=?1 UNION ALL SELECT first_prompt FROM session WHERE number=?1", n), one[string])
	if err != nil {
		return nil, err
	}
	// A checkpoint that cannot be decoded is deleted in any case.
	checkpoints, err := rows(ctx, w.conn, stmt("SELECT doc FROM checkpoint WHERE session=?", n),
		scanDoc[mem.Checkpoint]("checkpoint"))
	for _, c := range checkpoints {
		texts = append(texts, c.Handoff, c.Note)
	}
	return texts, err
}

// DocumentsWithTrace returns the numbers of the documents of a table that contain a trace.
func (w *writer) DocumentsWithTrace(ctx context.Context, table string, f *stored.Finder) ([]int64, error) {
	return w.matching(ctx, stmt("SELECT number, doc FROM "+table+" WHERE doc<>''"), f.InDocument)
}

// ReceiptsNaming returns the numbers of the receipts that name a memory.
func (w *writer) ReceiptsNaming(ctx context.Context, memory string) ([]int64, error) {
	return rows(ctx, w.conn, stmt("SELECT number FROM receipt WHERE number IN (SELECT receipt FROM receipt_item "+
		"WHERE memory=?)", memory), one[int64])
}

// Document reads a document.
func (w *writer) Document(ctx context.Context, table string, n int64) (doc string, err error) {
	err = w.get(ctx, stmt("SELECT doc FROM "+table+" WHERE number=?", n), &doc)
	return doc, err
}

// SetDocument writes a changed document.
func (w *writer) SetDocument(ctx context.Context, table string, n int64, doc string) error {
	_, err := w.exec(ctx, "UPDATE "+table+" SET doc=? WHERE number=?", doc, n)
	return err
}

// DeleteDocument deletes the row of a document.
func (w *writer) DeleteDocument(ctx context.Context, table string, n int64) error {
	_, err := w.exec(ctx, "DELETE FROM "+table+" WHERE number=?", n)
	return err
}

// BlankSessions erases the texts of sessions that contain a trace.
func (w *writer) BlankSessions(ctx context.Context, f *stored.Finder) error {
	for _, column := range []string{"first_prompt", "last_notification", "nudge"} {
		found, err := w.matching(ctx, stmt("SELECT number, "+column+" FROM session WHERE "+column+"<>''"), f.In)
		if err != nil {
			return err
		}
		if err := w.execEach(ctx, "UPDATE session SET "+column+"='' WHERE number=?", found); err != nil {
			return err
		}
	}
	return nil
}

// DeleteJobsWithTrace deletes the jobs that contain a trace.
func (w *writer) DeleteJobsWithTrace(ctx context.Context, f *stored.Finder) error {
	jobs := stmt("SELECT number, data || char(10) || error FROM job WHERE data || error <> ''")
	found, err := w.matching(ctx, jobs, f.In)
	if err != nil {
		return err
	}
	return w.execEach(ctx, "DELETE FROM job WHERE number=?", found)
}
