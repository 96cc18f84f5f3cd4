package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// putCheckpoint writes a checkpoint under a number of its own.
func (e *entry) putCheckpoint(ctx context.Context, c mem.Checkpoint) (err error) {
	if c.Project, err = e.knownProject(ctx, c.Project); err != nil {
		return err
	}
	session, err := e.sessionOf(ctx, c.Session, c.Project, e.event.Agent)
	if err != nil {
		return err
	}
	n, err := e.next(ctx, "checkpoint")
	if err != nil {
		return err
	}
	c.ID, c.At = chars.ShortID("c_", n), firstOf(c.At, e.at)
	doc, err := text(c)
	if err != nil {
		return err
	}
	_, err = e.exec(ctx, "INSERT INTO checkpoint (number, id, session, project, at, trigger, doc) VALUES (?,?,?,?,?,?,?)",
		n, c.ID, session, c.Project, stamp(c.At), c.Trigger, doc)
	return err
}

// putReceipt writes a receipt, and what it told as told to its session.
func (e *entry) putReceipt(ctx context.Context, r mem.Receipt) (err error) {
	if r.Project, err = e.knownProject(ctx, r.Project); err != nil {
		return err
	}
	session, err := e.sessionOf(ctx, r.Session, r.Project, e.event.Agent)
	if err != nil {
		return err
	}
	r.At = firstOf(r.At, e.at)
	doc, err := text(r)
	if err != nil {
		return err
	}
	res, err := e.exec(ctx, "INSERT INTO receipt (id, session, project, at, outcome, tokens, doc) VALUES (?,?,?,?,?,?,?)",
		r.ID, session, r.Project, stamp(r.At), r.Outcome, r.Tokens, doc)
	if err != nil {
		return err
	}
	n, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if err := e.putItems(ctx, n, r); err != nil || session == nil {
		return err
	}
	return e.tell(ctx, session, r)
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

// tell marks what a receipt told.
func (e *entry) tell(ctx context.Context, session any, r mem.Receipt) error {
	for _, m := range r.InjectedKeys() {
		if _, err := e.exec(ctx, "INSERT INTO told (session, mark) VALUES (?,?) ON CONFLICT DO NOTHING", session,
			m); err != nil {
			return err
		}
	}
	if r.ToSubagent {
		return nil
	}
	_, err := e.exec(ctx, "UPDATE session SET told_tokens = told_tokens + ? WHERE number=?", r.Tokens, session)
	return err
}

// unhear removes a receipt, with what it told of its session.
func (e *entry) unhear(ctx context.Context, id string) error {
	var n int64
	var session sql.NullInt64
	var doc string
	found, err := e.find(ctx, "SELECT number, session, doc FROM receipt WHERE id=?", []any{id}, &n, &session, &doc)
	if err != nil || !found {
		return err
	}
	var r mem.Receipt
	if json.Unmarshal([]byte(doc), &r) != nil {
		return nil // a damaged row says nothing of what it told
	}
	told, err := text(r.InjectedKeys())
	if err != nil {
		return err
	}
	if _, err := e.exec(ctx, "DELETE FROM told WHERE session=? AND mark IN (SELECT value FROM json_each(?))", session,
		told); err != nil {
		return err
	}
	if !r.ToSubagent {
		if _, err := e.exec(ctx, "UPDATE session SET told_tokens=max(0, told_tokens-?) WHERE number=?", r.Tokens,
			session); err != nil {
			return err
		}
	}
	_, err = e.exec(ctx, "DELETE FROM receipt WHERE number=?", n)
	return err
}

// Checkpoints implements mem.Store.
func (s *receiptStore) Checkpoints(ctx context.Context, q mem.CheckpointQuery) ([]mem.Checkpoint, error) {
	f := &filter{}
	if q.ID != "" {
		n, err := resolveID(ctx, s.read, "checkpoint", q.ID, nil)
		if err != nil {
			return nil, fmt.Errorf("checkpoint: %w", err)
		}
		f.and("m.number = ?", n)
	} else {
		ownFilter(f, q.Session, q.Project)
		if q.Trigger != "" {
			f.and("m.trigger = ?", q.Trigger)
		}
	}
	found, err := documents[mem.Checkpoint](ctx, s.read, "checkpoint", f, q.Limit, 0)
	if err != nil {
		return nil, fmt.Errorf("checkpoints: %w", translate(err))
	}
	return found, nil
}

// Receipts implements mem.Store.
func (s *receiptStore) Receipts(ctx context.Context, q mem.ReceiptQuery) ([]mem.Receipt, error) {
	f := &filter{}
	if q.ID != "" {
		n, err := resolveID(ctx, s.read, "receipt", q.ID, nil)
		if err != nil {
			return nil, fmt.Errorf("receipt: %w", err)
		}
		f.and("m.number = ?", n)
	} else {
		ownFilter(f, q.Session, q.Project)
		if q.Memory != "" {
			f.and("m.number IN (SELECT receipt FROM receipt_item WHERE memory=? AND told=1)", q.Memory)
		}
		if q.Outcome != "" {
			f.and("m.outcome = ?", q.Outcome)
		}
		if q.Trigger != "" {
			f.and("CASE WHEN json_valid(m.doc) THEN m.doc ->> '$.trigger' END = ?", q.Trigger)
		}
	}
	if q.Brief {
		briefs, err := documents[brief](ctx, s.read, "receipt", f, q.Limit, q.Offset)
		if err != nil {
			return nil, fmt.Errorf("receipts: %w", translate(err))
		}
		found := make([]mem.Receipt, len(briefs))
		for i, b := range briefs {
			found[i] = b.receipt()
		}
		return found, nil
	}
	found, err := documents[mem.Receipt](ctx, s.read, "receipt", f, q.Limit, q.Offset)
	if err != nil {
		return nil, fmt.Errorf("receipts: %w", translate(err))
	}
	return found, nil
}

// brief is a receipt of which only what counts is read: a name that stands
// further out is the one that JSON means.
type brief struct {
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

// skipped is a value that is read over.
type skipped struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (skipped) UnmarshalJSON([]byte) error { return nil }

func (b brief) receipt() mem.Receipt {
	for _, it := range b.Items {
		b.Receipt.Items = append(b.Receipt.Items, it.InjectedItem)
	}
	return b.Receipt
}

func ownFilter(f *filter, session, project string) {
	if session != "" {
		f.and("m.session = (SELECT number FROM session WHERE id=?)", session)
	}
	if project != "" {
		f.and("m.project = "+knownKey, project, project)
	}
}

// documents reads what a table keeps as JSON, newest first.
func documents[T any](ctx context.Context, db *reader, table string, f *filter, limit, offset int) ([]T, error) {
	query := "SELECT m.doc FROM " + table + " m WHERE " + f.where() + " ORDER BY m.number DESC LIMIT ?+0 OFFSET ?+0"
	return rows(ctx, db, query, append(f.args, limitOr(limit), max(offset, 0)), func(r *sql.Rows) (v T, err error) {
		var doc string
		if err := r.Scan(&doc); err != nil {
			return v, err
		}
		return undoc[T](table, doc)
	})
}
