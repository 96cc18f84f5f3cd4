//go:build postgres || backends

package postgres

import (
	"context"
	"fmt"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// InsertCheckpoint writes a checkpoint.
func (e *entry) InsertCheckpoint(ctx context.Context, n int64, session any, c mem.Checkpoint) error {
	c.At = stored.Storable(c.At)
	doc, err := stored.Text(c)
	if err != nil {
		return err
	}
	return e.exec(ctx, query("INSERT INTO checkpoint (number, id, session, project, at, trigger, doc) "+
		"VALUES (?, ?, ?, ?, ?, ?, ?)", n, c.ID, session, c.Project, stored.Stamp(c.At), c.Trigger, doc))
}

// InsertReceipt writes a receipt and which memories it names.
func (e *entry) InsertReceipt(ctx context.Context, session any, r mem.Receipt) error {
	r.At = stored.Storable(r.At)
	doc, err := stored.Text(r)
	if err != nil {
		return err
	}
	n, err := e.Next(ctx, "receipt")
	if err != nil {
		return err
	}
	if err := e.exec(ctx, query("INSERT INTO receipt (number, id, session, project, at, trigger, outcome, tokens, doc) "+
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", n, r.ID, session, r.Project, stored.Stamp(r.At), r.Trigger, r.Outcome, r.Tokens,
		doc)); err != nil {
		return err
	}
	return e.putItems(ctx, n, r)
}

// putItems writes which memories a receipt names.
func (e *entry) putItems(ctx context.Context, n int64, r mem.Receipt) error {
	s := itemsStatement(n, r)
	if s == nil {
		return nil
	}
	return e.exec(ctx, s)
}

// itemsStatement is the statement of putItems, nil if the receipt names none.
func itemsStatement(n any, r mem.Receipt) *statement {
	injected, left := []string{}, []string{}
	for _, it := range r.Items {
		injected = append(injected, it.ID)
	}
	for _, c := range r.LeftOut {
		left = append(left, c.ID)
	}
	if len(injected)+len(left) == 0 {
		return nil
	}
	return query(`INSERT INTO receipt_item (receipt, memory, injected)
		SELECT ?::bigint, memory, bool_or(injected) FROM (SELECT unnest(?::text[]) memory, true injected
		UNION ALL SELECT unnest(?::text[]), false) items GROUP BY memory`, n, injected, left)
}

// AddInjected adds keys and tokens to what was injected into a session.
func (e *entry) AddInjected(ctx context.Context, session any, keys []string, tokens int) error {
	if len(keys) > 0 {
		if err := e.exec(ctx, query("INSERT INTO injected_key (session, key) SELECT ?::bigint, unnest(?::text[]) "+
			"ON CONFLICT DO NOTHING", session, keys)); err != nil {
			return err
		}
	}
	return e.changeInjected(ctx, session, tokens)
}

// RemoveInjected is the reverse of AddInjected.
func (e *entry) RemoveInjected(ctx context.Context, session any, keys []string, tokens int) error {
	if err := e.exec(ctx, query("DELETE FROM injected_key WHERE session = ? AND key = ANY(?)", session,
		keys)); err != nil {
		return err
	}
	return e.changeInjected(ctx, session, -tokens)
}

// FindReceipt reads a receipt and the number of its session.
func (e *entry) FindReceipt(ctx context.Context, id string) (session any, r mem.Receipt, found bool, err error) {
	var number *int64
	var doc string
	found, err = e.find(ctx, query("SELECT session, doc FROM receipt WHERE id = ?", id), &number, &doc)
	if err != nil || !found {
		return nil, r, false, err
	}
	if number != nil {
		session = *number
	}
	r, err = stored.Decode[mem.Receipt]("receipt "+id, doc)
	return session, r, err == nil, nil // the items of a damaged row are unknown
}

// DeleteReceipt deletes a receipt.
func (e *entry) DeleteReceipt(ctx context.Context, id string) error {
	return e.exec(ctx, query("DELETE FROM receipt WHERE id = ?", id))
}

// Checkpoints implements mem.Store.
func (s *Store) Checkpoints(ctx context.Context, q mem.CheckpointQuery) ([]mem.Checkpoint, error) {
	f, err := s.documentsWhere(ctx, "checkpoint", q.ID, q.Session, q.Project)
	if err != nil {
		return nil, err
	}
	if q.ID == "" {
		f.equal("m.trigger", q.Trigger)
	}
	found, err := rows(ctx, s.pool, f.add(" ORDER BY m.number DESC").page(q.Limit, q.Offset),
		document[mem.Checkpoint]("checkpoint"))
	return found, wrap("checkpoints", err)
}

// Receipts implements mem.Store.
func (s *Store) Receipts(ctx context.Context, q mem.ReceiptQuery) ([]mem.Receipt, error) {
	f, err := s.documentsWhere(ctx, "receipt", q.ID, q.Session, q.Project)
	if err != nil {
		return nil, err
	}
	if q.ID == "" {
		if q.Memory != "" {
			f.and("m.number IN (SELECT receipt FROM receipt_item WHERE memory = ? AND injected)", q.Memory)
		}
		f.equal("m.outcome", string(q.Outcome)).equal("m.trigger", q.Trigger)
	}
	found, err := rows(ctx, s.pool, f.add(" ORDER BY m.number DESC").page(q.Limit, q.Offset),
		document[mem.Receipt]("receipt"))
	if q.Brief {
		stored.Shorten(found)
	}
	return found, wrap("receipts", err)
}

// documentsWhere selects one document by its id, or those of a session and a project.
func (s *database) documentsWhere(ctx context.Context, table, id, session, project string) (*statement, error) {
	base := "SELECT m.doc FROM " + table + " m WHERE "
	if id == "" {
		return query(base+"true").session("m.session", session).project("m.project", project), nil
	}
	n, err := resolveID(ctx, s.pool, table, id, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", table, translate(err))
	}
	return query(base+"m.number = ?", n), nil
}
