//go:build surreal || backends

package surreal

import (
	"context"
	"fmt"
	"slices"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
)

// InsertCheckpoint writes a checkpoint.
func (e *entry) InsertCheckpoint(ctx context.Context, n int64, session any, c mem.Checkpoint) error {
	c.At = stored.Storable(c.At)
	doc, err := stored.Text(c)
	if err != nil {
		return err
	}
	return e.exec(ctx, put("checkpoint", n, map[string]any{
		"number": n, "ref": c.ID, "session": numberOf(session), "project": c.Project, "at": stored.Stamp(c.At),
		"trigger": c.Trigger, "doc": doc,
	}))
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
	fields := map[string]any{
		"number": n, "ref": r.ID, "session": numberOf(session), "project": r.Project, "at": stored.Stamp(r.At),
		"trigger": r.Trigger, "outcome": r.Outcome, "tokens": r.Tokens, "doc": doc,
	}
	nameMemories(fields, r)
	return e.exec(ctx, put("receipt", n, fields))
}

// nameMemories sets which memories a receipt names.
func nameMemories(fields map[string]any, r mem.Receipt) {
	injected := []string{}
	for _, it := range r.Items {
		injected = append(injected, it.ID)
	}
	all := slices.Clone(injected)
	for _, c := range r.LeftOut {
		all = append(all, c.ID)
	}
	for _, list := range []*[]string{&injected, &all} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	fields["injected"], fields["memories"] = injected, all
}

// AddInjected adds keys and tokens to what was injected into a session.
func (e *entry) AddInjected(ctx context.Context, session any, keys []string, tokens int) error {
	if err := e.putInjected(ctx, numberOf(session), keys); err != nil {
		return err
	}
	return e.changeInjected(ctx, session, tokens)
}

func (tx *transaction) putInjected(ctx context.Context, session int64, keys []string) error {
	for _, key := range keys {
		if err := tx.exec(ctx, put("injected_key", keyOf(fmt.Sprint(session), key), map[string]any{
			"session": session, "key": key,
		})); err != nil {
			return err
		}
	}
	return nil
}

// RemoveInjected is the reverse of AddInjected.
func (e *entry) RemoveInjected(ctx context.Context, session any, keys []string, tokens int) error {
	if err := e.exec(ctx, query("DELETE injected_key WHERE session = ? AND key IN ? RETURN NONE", numberOf(session),
		texts(keys))); err != nil {
		return err
	}
	return e.changeInjected(ctx, session, -tokens)
}

// FindReceipt reads a receipt and the number of its session.
func (e *entry) FindReceipt(ctx context.Context, id string) (session any, r mem.Receipt, found bool, err error) {
	got, found, err := first(ctx, e, query("SELECT session, doc FROM receipt WHERE ref = ?", id), whole)
	if err != nil || !found {
		return nil, r, false, err
	}
	r, err = stored.Decode[mem.Receipt]("receipt "+id, got.Text("doc"))
	return got.Session(), r, err == nil, nil // the items of a damaged row are unknown
}

// DeleteReceipt deletes a receipt.
func (e *entry) DeleteReceipt(ctx context.Context, id string) error {
	return e.exec(ctx, query("DELETE receipt WHERE ref = ? RETURN NONE", id))
}

// Checkpoints implements mem.Store.
func (s *Store) Checkpoints(ctx context.Context, q mem.CheckpointQuery) ([]mem.Checkpoint, error) {
	more := query("true").Equal("trigger", q.Trigger)
	docs, err := s.documents(ctx, "checkpoint", q.ID, q.Session, q.Project, more, q.Limit, q.Offset)
	if err != nil {
		return nil, err
	}
	found, err := scanned(docs, document[mem.Checkpoint]("checkpoint"))
	return found, wrap("checkpoints", err)
}

// Receipts implements mem.Store.
func (s *Store) Receipts(ctx context.Context, q mem.ReceiptQuery) ([]mem.Receipt, error) {
	more := query("true").Equal("outcome", string(q.Outcome)).Equal("trigger", q.Trigger)
	if q.Memory != "" {
		more.And("injected CONTAINS ?", q.Memory)
	}
	docs, err := s.documents(ctx, "receipt", q.ID, q.Session, q.Project, more, q.Limit, q.Offset)
	if err != nil {
		return nil, err
	}
	found, err := scanned(docs, document[mem.Receipt]("receipt"))
	if q.Brief {
		stored.Shorten(found)
	}
	return found, wrap("receipts", err)
}

// documents reads one document by its id, or the newest of a session and a project that meet a condition.
func (s *database) documents(ctx context.Context, table, id, session, project string, more *statement, limit,
	offset int,
) ([]row, error) {
	if id != "" {
		n, err := resolveID(ctx, s, table, id, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table, translate(err))
		}
		found, err := inTurn(ctx, s, "number, doc", table, "number", []int64{n})
		return found, wrap(table, err)
	}
	key, err := canonical(ctx, s, project)
	if err != nil {
		return nil, wrap(table, err)
	}
	more.Equal("project", key)
	q := surql.Newest(table, "number", more, stored.LimitOr(limit), max(offset, 0))
	if session != "" { // it has an index
		n, err := sessionNumber(ctx, s, session)
		if err != nil {
			return nil, wrap(table, err)
		}
		q = query("SELECT number FROM "+table+" WHERE session = ? AND ", n).Append(more)
	}
	numbers, err := rows(ctx, s, q, number("number"))
	if err != nil {
		return nil, wrap(table, err)
	}
	slices.SortFunc(numbers, descending)
	if session != "" {
		numbers = stored.Page(numbers, limit, offset)
	}
	found, err := inTurn(ctx, s, "number, doc", table, "number", numbers)
	return found, wrap(table, err)
}
