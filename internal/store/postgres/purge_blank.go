//go:build postgres || backends

package postgres

import (
	"context"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// blankEvent erases events. Their rows stay, so that other deliveries are duplicates. A condition follows.
const blankEvent = "UPDATE event SET payload = '', prompt_id = '', tool = '', tool_use_id = '', agent_id = '', " +
	"agent_type = '' WHERE "

// BlankEvents erases the events of a session that contain a trace.
func (tx *transaction) BlankEvents(ctx context.Context, session int64, f *stored.Finder) (int, error) {
	found, err := tx.matching(ctx, query("SELECT seq, payload FROM event WHERE session = ? AND payload <> ''", session),
		f.InDocument)
	if err != nil {
		return 0, err
	}
	return tx.changed(ctx, query(blankEvent+"seq = ANY(?)", found))
}

// BlankSource erases the event of a session that a memory was captured from.
func (tx *transaction) BlankSource(ctx context.Context, session int64, from mem.Source) (int, error) {
	return tx.changed(ctx, query(blankEvent+
		"session = ? AND payload <> '' AND (id = ? OR (tool_use_id <> '' AND tool_use_id = ?))", session, from.Event,
		from.ToolUseID))
}

// BlankTurns erases the prompts of a session that contain a trace.
func (tx *transaction) BlankTurns(ctx context.Context, session int64, f *stored.Finder) (int, error) {
	found, err := tx.matching(ctx, query("SELECT number, doc FROM turn WHERE session = ?", session), f.InDocument)
	if err != nil {
		return 0, err
	}
	return stored.BlankTurns(ctx, tx, found, f)
}

// TextsOfSession returns the prompts, handoffs and notes of a session.
func (tx *transaction) TextsOfSession(ctx context.Context, n int64) ([]string, error) {
	turns, err := rows(ctx, tx.tx, query("SELECT doc FROM turn WHERE session = ?", n), document[mem.Turn]("turn"))
	if err != nil {
		return nil, err
	}
	s, err := rows(ctx, tx.tx, query("SELECT doc FROM session WHERE number = ?", n), document[mem.Session]("session"))
	if err != nil {
		return nil, err
	}
	checks, err := rows(ctx, tx.tx, query("SELECT doc FROM checkpoint WHERE session = ?", n),
		document[mem.Checkpoint]("checkpoint"))
	if err != nil {
		return nil, err
	}
	return stored.SessionTexts(turns, s, checks), nil
}

// DocumentsWithTrace returns the numbers of the documents of a table that contain a trace.
func (tx *transaction) DocumentsWithTrace(ctx context.Context, table string, f *stored.Finder) ([]int64, error) {
	return tx.matching(ctx, query("SELECT number, doc FROM "+table), f.InDocument)
}

// ReceiptsNaming returns the numbers of the receipts that name a memory.
func (tx *transaction) ReceiptsNaming(ctx context.Context, memory string) ([]int64, error) {
	return rows(ctx, tx.tx, query("SELECT receipt FROM receipt_item WHERE memory = ?", memory), one[int64])
}

// Document reads a document.
func (tx *transaction) Document(ctx context.Context, table string, n int64) (doc string, err error) {
	err = tx.get(ctx, query("SELECT doc FROM "+table+" WHERE number = ?", n), &doc)
	return doc, err
}

// SetDocument writes a changed document.
func (tx *transaction) SetDocument(ctx context.Context, table string, n int64, doc string) error {
	return tx.exec(ctx, query("UPDATE "+table+" SET doc = ? WHERE number = ?", doc, n))
}

// DeleteDocument deletes the row of a document.
func (tx *transaction) DeleteDocument(ctx context.Context, table string, n int64) error {
	return tx.exec(ctx, query("DELETE FROM "+table+" WHERE number = ?", n))
}

// BlankSessions erases the texts of sessions that contain a trace.
func (tx *transaction) BlankSessions(ctx context.Context, f *stored.Finder) error {
	found, err := tx.DocumentsWithTrace(ctx, "session", f)
	if err != nil {
		return err
	}
	return stored.BlankSessions(ctx, tx, found, f)
}

// DeleteJobsWithTrace deletes the jobs that contain a trace.
func (tx *transaction) DeleteJobsWithTrace(ctx context.Context, f *stored.Finder) error {
	found, err := tx.matching(ctx, query("SELECT number, data || chr(10) || error FROM job WHERE data || error <> ''"),
		f.In)
	if err != nil {
		return err
	}
	return tx.exec(ctx, query("DELETE FROM job WHERE number = ANY(?)", found))
}
