package sqlite

import (
	"context"
	"fmt"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// InsertCheckpoint writes a checkpoint.
func (e *entry) InsertCheckpoint(ctx context.Context, n int64, session any, c mem.Checkpoint) error {
	doc, err := stored.Text(c)
	if err != nil {
		return err
	}
	_, err = e.exec(ctx, "INSERT INTO checkpoint (number, id, session, project, at, trigger, doc) VALUES (?,?,?,?,?,?,?)",
		n, c.ID, session, c.Project, stored.Stamp(c.At), c.Trigger, doc)
	return err
}

// InsertReceipt writes a receipt and which memories it names.
func (e *entry) InsertReceipt(ctx context.Context, session any, r mem.Receipt) error {
	doc, err := stored.Text(r)
	if err != nil {
		return err
	}
	res, err := e.exec(ctx, "INSERT INTO receipt (id, session, project, at, outcome, tokens, doc) VALUES (?,?,?,?,?,?,?)",
		r.ID, session, r.Project, stored.Stamp(r.At), r.Outcome, r.Tokens, doc)
	if err != nil {
		return err
	}
	n, err := res.LastInsertId()
	if err != nil {
		return err
	}
	return e.putItems(ctx, n, r)
}

// putItems writes which memories a receipt names.
func (e *entry) putItems(ctx context.Context, n int64, r mem.Receipt) error {
	const insert = "INSERT INTO receipt_item (receipt, memory, told) VALUES (?,?,?) ON CONFLICT DO NOTHING"
	for _, it := range r.Items {
		if _, err := e.exec(ctx, insert, n, it.ID, 1); err != nil {
			return err
		}
	}
	for _, c := range r.LeftOut {
		if _, err := e.exec(ctx, insert, n, c.ID, 0); err != nil {
			return err
		}
	}
	return nil
}

// AddInjected adds keys and tokens to what was injected into a session.
func (e *entry) AddInjected(ctx context.Context, session any, keys []string, tokens int) error {
	for _, key := range keys {
		if _, err := e.exec(ctx, "INSERT INTO told (session, mark) VALUES (?,?) ON CONFLICT DO NOTHING", session,
			key); err != nil {
			return err
		}
	}
	_, err := e.exec(ctx, "UPDATE session SET told_tokens=told_tokens+? WHERE number=?", tokens, session)
	return err
}

// RemoveInjected is the reverse of AddInjected.
func (e *entry) RemoveInjected(ctx context.Context, session any, keys []string, tokens int) error {
	if _, err := e.exec(ctx, "DELETE FROM told WHERE session=? AND mark IN "+listed, session, array(keys)); err != nil {
		return err
	}
	_, err := e.exec(ctx, "UPDATE session SET told_tokens=max(0, told_tokens-?) WHERE number=?", tokens, session)
	return err
}

// FindReceipt reads a receipt and the number of its session.
func (e *entry) FindReceipt(ctx context.Context, id string) (session any, r mem.Receipt, found bool, err error) {
	var doc string
	found, err = e.find(ctx, stmt("SELECT session, doc FROM receipt WHERE id=?", id), &session, &doc)
	if err != nil || !found {
		return nil, r, false, err
	}
	r, err = stored.Decode[mem.Receipt]("receipt "+id, doc)
	return session, r, err == nil, nil // the items of a damaged row are unknown
}

// DeleteReceipt deletes a receipt.
func (e *entry) DeleteReceipt(ctx context.Context, id string) error {
	_, err := e.exec(ctx, "DELETE FROM receipt WHERE id=?", id)
	return err
}

// Checkpoints implements mem.Store.
func (s *receiptStore) Checkpoints(ctx context.Context, q mem.CheckpointQuery) ([]mem.Checkpoint, error) {
	f, err := s.documentFilter(ctx, "checkpoint", q.ID, q.Session, q.Project)
	if err != nil {
		return nil, err
	}
	if q.ID == "" {
		f.equal("m.trigger", q.Trigger)
	}
	return documents[mem.Checkpoint](ctx, s.read, "checkpoint", f, q.Limit, q.Offset)
}

// Receipts implements mem.Store.
func (s *receiptStore) Receipts(ctx context.Context, q mem.ReceiptQuery) ([]mem.Receipt, error) {
	f, err := s.documentFilter(ctx, "receipt", q.ID, q.Session, q.Project)
	if err != nil {
		return nil, err
	}
	if q.ID == "" {
		if q.Memory != "" {
			f.and("m.number IN (SELECT receipt FROM receipt_item WHERE memory=? AND told=1)", q.Memory)
		}
		f.equal("m.outcome", string(q.Outcome)).
			equal("CASE WHEN json_valid(m.doc) THEN m.doc ->> '$.trigger' END", q.Trigger)
	}
	if !q.Brief {
		return documents[mem.Receipt](ctx, s.read, "receipt", f, q.Limit, q.Offset)
	}
	briefs, err := documents[briefReceipt](ctx, s.read, "receipt", f, q.Limit, q.Offset)
	if err != nil {
		return nil, err
	}
	found := make([]mem.Receipt, len(briefs))
	for i, b := range briefs {
		found[i] = b.receipt()
	}
	return found, nil
}

// documentFilter selects one document by its id, or those of a session and a project.
func (s *receiptStore) documentFilter(ctx context.Context, table, id, session, project string) (*filter, error) {
	if id == "" {
		return (&filter{}).session("m.session", session).project("m.project", project), nil
	}
	n, err := resolveID(ctx, s.read, table, id, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", table, err)
	}
	return (&filter{}).and("m.number = ?", n), nil
}

// briefReceipt is a receipt of which only the parts of Brief are decoded. Its
// fields hide those of the same JSON names in the embedded structs.
type briefReceipt struct {
	mem.Receipt
	Terms   skipped     `json:"terms"`
	Dropped skipped     `json:"dropped"`
	Text    skipped     `json:"text"`
	Items   []briefItem `json:"items"`
}

type briefItem struct {
	mem.InjectedItem
	Parts skipped `json:"parts"`
}

// skipped is a JSON value that is not decoded.
type skipped struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (skipped) UnmarshalJSON([]byte) error { return nil }

func (b briefReceipt) receipt() mem.Receipt {
	for _, it := range b.Items {
		b.Receipt.Items = append(b.Receipt.Items, it.InjectedItem)
	}
	return b.Receipt
}

// documents reads the JSON documents of a table, newest first.
func documents[T any](ctx context.Context, db *reader, table string, f *filter, limit, offset int) ([]T, error) {
	found, err := rows(ctx, db, stmt("SELECT m.doc FROM "+table+" m").where(f).orderBy("m.number DESC").
		page(limit, offset), scanDoc[T](table))
	return found, wrap(table+"s", err)
}
