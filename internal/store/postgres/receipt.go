//go:build postgres || backends

package postgres

import (
	"context"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// putCheckpoint writes a checkpoint with a new number.
func (e *entry) putCheckpoint(ctx context.Context, c mem.Checkpoint) (err error) {
	if c.Project, err = e.canonicalProject(ctx, c.Project); err != nil {
		return err
	}
	session, err := e.sessionOf(ctx, c.Session, c.Project, e.Event.Agent)
	if err != nil {
		return err
	}
	n, err := e.next(ctx, "checkpoint")
	if err != nil {
		return err
	}
	c.ID, c.At = chars.ShortID("c_", n), storable(stored.FirstOf(c.At, e.At))
	doc, err := stored.Text(c)
	if err != nil {
		return err
	}
	return e.exec(ctx, query("INSERT INTO checkpoint (number, id, session, project, at, trigger, doc) "+
		"VALUES (?, ?, ?, ?, ?, ?, ?)", n, c.ID, session, c.Project, stored.Stamp(c.At), c.Trigger, doc))
}

// putReceipt writes a receipt, and its items as injected into its session.
func (e *entry) putReceipt(ctx context.Context, r mem.Receipt) (err error) {
	if r.Project, err = e.canonicalProject(ctx, r.Project); err != nil {
		return err
	}
	session, err := e.sessionOf(ctx, r.Session, r.Project, e.Event.Agent)
	if err != nil {
		return err
	}
	r.At = storable(stored.FirstOf(r.At, e.At))
	doc, err := stored.Text(r)
	if err != nil {
		return err
	}
	n, err := e.next(ctx, "receipt")
	if err != nil {
		return err
	}
	if err := e.exec(ctx, query("INSERT INTO receipt (number, id, session, project, at, trigger, outcome, tokens, doc) "+
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", n, r.ID, session, r.Project, stored.Stamp(r.At), r.Trigger, r.Outcome, r.Tokens,
		doc)); err != nil {
		return err
	}
	if err := e.putItems(ctx, n, r); err != nil || session == nil {
		return err
	}
	return e.markInjected(ctx, session, r)
}

// putItems writes which memories a receipt names.
func (e *entry) putItems(ctx context.Context, n int64, r mem.Receipt) error {
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
	return e.exec(ctx, query(`INSERT INTO receipt_item (receipt, memory, injected)
		SELECT ?::bigint, memory, bool_or(injected) FROM (SELECT unnest(?::text[]) memory, true injected
		UNION ALL SELECT unnest(?::text[]), false) items GROUP BY memory`, n, injected, left))
}

// markInjected adds the items of a receipt to what its session was injected.
func (e *entry) markInjected(ctx context.Context, session any, r mem.Receipt) error {
	if keys := r.InjectedKeys(); len(keys) > 0 {
		if err := e.exec(ctx, query("INSERT INTO injected_key (session, key) SELECT ?::bigint, unnest(?::text[]) "+
			"ON CONFLICT DO NOTHING", session, keys)); err != nil {
			return err
		}
	}
	if r.ToSubagent {
		return nil
	}
	return e.addInjected(ctx, r.Session, r.Tokens)
}

// addInjected adds to the injected tokens of a session.
func (e *entry) addInjected(ctx context.Context, session string, tokens int) error {
	return e.updateSession(ctx, session, func(s *sessionRow) bool {
		s.InjectedTokens = max(0, s.InjectedTokens+tokens)
		return tokens != 0
	})
}

// removeReceipt removes a receipt and takes its items from what its session was injected.
func (e *entry) removeReceipt(ctx context.Context, id string) error {
	var n int64
	var session *int64
	var doc string
	found, err := e.find(ctx, query("SELECT number, session, doc FROM receipt WHERE id = ?", id), &n, &session, &doc)
	if err != nil || !found {
		return err
	}
	r, err := decode[mem.Receipt]("receipt "+id, doc)
	if err != nil {
		return nil //nolint:nilerr // the items of a damaged row are unknown
	}
	if session != nil {
		if err := e.exec(ctx, query("DELETE FROM injected_key WHERE session = ? AND key = ANY(?)", *session,
			r.InjectedKeys())); err != nil {
			return err
		}
	}
	if !r.ToSubagent {
		if err := e.addInjected(ctx, r.Session, -r.Tokens); err != nil {
			return err
		}
	}
	return e.exec(ctx, query("DELETE FROM receipt WHERE number = ?", n))
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
	found, err := rows(ctx, s.pool, f.add(" ORDER BY m.number DESC").page(q.Limit, 0),
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
	for i := range found {
		if !q.Brief {
			break
		}
		r := &found[i]
		r.Terms, r.LeftOut, r.Text = nil, nil, ""
		for j := range r.Items {
			r.Items[j].Parts = nil
		}
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
