//go:build surreal || backends

package surreal

import (
	"context"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// blankEvents erases the events that meet a condition. Their records stay, so that other deliveries are duplicates.
func (tx *transaction) blankEvents(ctx context.Context, where *statement) (int, error) {
	found, err := rows(ctx, tx, query("SELECT seq FROM event WHERE ").Append(where).And("payload != ''"), number("seq"))
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return len(found), tx.exec(ctx, query("UPDATE event SET payload = '', prompt_id = '', tool = '', tool_use_id = '', "+
		"agent_id = '', agent_type = '', erased = IF string::starts_with(ref, string::concat('e_', key, '.')) THEN key "+
		"ELSE NONE END WHERE seq IN ? RETURN NONE", found))
}

// BlankEvents erases the events of a session that contain a trace.
func (tx *transaction) BlankEvents(ctx context.Context, session int64, f *stored.Finder) (int, error) {
	found, err := tx.matching(ctx, "event", "seq", query("session = ? AND payload != ''", session), func(r row) bool {
		return f.InDocument(r.Text("payload"))
	}, "payload")
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return tx.blankEvents(ctx, query("seq IN ?", found))
}

// BlankSource erases the event of a session that a memory was captured from.
func (tx *transaction) BlankSource(ctx context.Context, session int64, from mem.Source) (int, error) {
	return tx.blankEvents(ctx, query("session = ? AND (ref = ? OR (tool_use_id != '' AND tool_use_id = ?))", session,
		from.Event, from.ToolUseID))
}

// BlankTurns erases the prompts of a session that contain a trace.
func (tx *transaction) BlankTurns(ctx context.Context, session int64, f *stored.Finder) (int, error) {
	found, err := tx.withTrace(ctx, "turn", query("session = ?", session), f)
	if err != nil {
		return 0, err
	}
	return stored.BlankTurns(ctx, tx, found, f)
}

// withTrace returns the numbers of the documents of a table that meet a condition and contain a trace.
func (tx *transaction) withTrace(ctx context.Context, table string, where *statement, f *stored.Finder) ([]int64,
	error,
) {
	return tx.matching(ctx, table, "number", where, func(r row) bool { return f.InDocument(r.Text("doc")) }, "doc")
}

// TextsOfSession returns the prompts, handoffs and notes of a session.
func (tx *transaction) TextsOfSession(ctx context.Context, n int64) ([]string, error) {
	turns, err := rows(ctx, tx, query("SELECT doc FROM turn WHERE session = ?", n), document[mem.Turn]("turn"))
	if err != nil {
		return nil, err
	}
	s, err := rows(ctx, tx, query("SELECT doc FROM session WHERE number = ?", n), document[mem.Session]("session"))
	if err != nil {
		return nil, err
	}
	checks, err := rows(ctx, tx, query("SELECT doc FROM checkpoint WHERE session = ?", n),
		document[mem.Checkpoint]("checkpoint"))
	if err != nil {
		return nil, err
	}
	return stored.SessionTexts(turns, s, checks), nil
}

// DocumentsWithTrace returns the numbers of the documents of a table that contain a trace.
func (tx *transaction) DocumentsWithTrace(ctx context.Context, table string, f *stored.Finder) ([]int64, error) {
	return tx.withTrace(ctx, table, query("true"), f)
}

// ReceiptsNaming returns the numbers of the receipts that name a memory.
func (tx *transaction) ReceiptsNaming(ctx context.Context, memory string) ([]int64, error) {
	return rows(ctx, tx, query("SELECT number FROM receipt WHERE memories CONTAINS ?", memory), number("number"))
}

// Document reads a document.
func (tx *transaction) Document(ctx context.Context, table string, n int64) (string, error) {
	return get(ctx, tx, query("SELECT doc FROM type::record('"+table+"', ?)", n), text("doc"))
}

// SetDocument writes a changed document.
func (tx *transaction) SetDocument(ctx context.Context, table string, n int64, doc string) error {
	return tx.exec(ctx, query("UPDATE type::record('"+table+"', ?) SET doc = ? RETURN NONE", n, doc))
}

// DeleteDocument deletes the record of a document.
func (tx *transaction) DeleteDocument(ctx context.Context, table string, n int64) error {
	return tx.exec(ctx, query("DELETE type::record('"+table+"', ?) RETURN NONE", n))
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
	found, err := tx.matching(ctx, "job", "number", query("true"), func(r row) bool {
		return f.In(r.Text("data") + "\n" + r.Text("error"))
	}, "data", "error")
	if err != nil || len(found) == 0 {
		return err
	}
	return tx.exec(ctx, query("DELETE job WHERE number IN ? RETURN NONE", found))
}
