//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// maxGroup is how many batches one transaction takes.
const maxGroup = 256

// transaction is one writing transaction. It holds the lock of the schema.
type transaction struct {
	tx  pgx.Tx
	now time.Time
}

// transact runs f in a transaction that holds the lock of the schema.
func (s *database) transact(ctx context.Context, f func(*transaction) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('remanence ' || $1, 0))",
			s.schema); err != nil {
			return err
		}
		return f(&transaction{tx: tx, now: s.now()})
	})
}

// exec runs a statement.
func (tx *transaction) exec(ctx context.Context, s *statement) error {
	_, err := tx.changed(ctx, s)
	return err
}

// changed runs a statement and returns how many rows it changed.
func (tx *transaction) changed(ctx context.Context, s *statement) (int, error) {
	tag, err := tx.tx.Exec(ctx, s.sql(), s.args...)
	return int(tag.RowsAffected()), err
}

// get scans one row; pgx.ErrNoRows if there is none.
func (tx *transaction) get(ctx context.Context, s *statement, dest ...any) error {
	return get(ctx, tx.tx, s, dest...)
}

// find is get that reports whether there was a row.
func (tx *transaction) find(ctx context.Context, s *statement, dest ...any) (bool, error) {
	err := tx.get(ctx, s, dest...)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// next returns the number of a new row. No number is used twice, even if the newest row was erased.
func (tx *transaction) next(ctx context.Context, name string) (n int64, err error) {
	err = tx.get(ctx, query("INSERT INTO counter (name, n) VALUES (?, 1) ON CONFLICT (name) "+
		"DO UPDATE SET n = counter.n + 1 RETURNING n", name), &n)
	return n, err
}

// Apply implements mem.Store. Batches share a transaction; if one of them fails, they are written one by one.
func (s *Store) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	results := make([]mem.Result, 0, len(batches))
	if err := ctx.Err(); err != nil {
		return results, err
	}
	for len(batches) > 0 {
		n := min(len(batches), maxGroup)
		part, err := s.applyGroup(ctx, batches[:n])
		results = append(results, part...)
		if err != nil {
			return results, wrap("apply", err)
		}
		batches = batches[n:]
	}
	return results, nil
}

func (s *database) applyGroup(ctx context.Context, batches []mem.Batch) ([]mem.Result, error) {
	results, err := s.applyTogether(ctx, batches)
	if err == nil || len(batches) == 1 || AtFault(err) {
		return results, err
	}
	results = nil
	for i := range batches {
		one, err := s.applyTogether(ctx, batches[i:i+1])
		if err != nil {
			return results, err
		}
		results = append(results, one...)
	}
	return results, nil
}

func (s *database) applyTogether(ctx context.Context, batches []mem.Batch) (results []mem.Result, err error) {
	err = s.transact(ctx, func(tx *transaction) error {
		later := true
		for _, b := range batches {
			r, err := tx.apply(ctx, b)
			if err != nil {
				return err
			}
			results = append(results, r)
			later = later && b.SyncedLater
		}
		if !later {
			return nil
		}
		// A later commit that waits for the log makes this one durable too.
		return tx.exec(ctx, query("SET LOCAL synchronous_commit = off"))
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// entry is one batch while it is written.
type entry struct {
	*transaction
	stored.Entry
	row *sessionRow // of the event; its session is that of the Entry
}

func newEntry(tx *transaction) *entry { return &entry{transaction: tx, Entry: stored.NewEntry(tx.now)} }

// apply writes one batch. After an error the transaction must be rolled back.
func (tx *transaction) apply(ctx context.Context, b mem.Batch) (r mem.Result, err error) {
	e := newEntry(tx)
	if b.Event != nil {
		if b.Event.ID == "" {
			return r, errors.New("event without an id")
		}
		e.Event, e.At = *b.Event, stored.FirstOf(b.Event.At, tx.now)
		seq, err := tx.duplicateOf(ctx, e.Event)
		if err != nil {
			return r, fmt.Errorf("look up event %s: %w", e.Event.ID, err)
		}
		if seq != 0 {
			return mem.Result{Duplicate: true, Seq: seq}, nil
		}
	}
	for _, part := range []func(context.Context, mem.Batch, *mem.Result) error{
		e.putEventOf, e.putMemoriesOf, e.putReceiptsOf, e.putWorkOf, e.putRunsOf,
	} {
		if err := part(ctx, b, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// putEach writes the parts of one kind of a batch.
func putEach[T any](ctx context.Context, what string, list []T, put func(context.Context, T) error) error {
	for i, v := range list {
		if err := put(ctx, v); err != nil {
			return fmt.Errorf("%s %d: %w", what, i+1, err)
		}
	}
	return nil
}

// putEventOf writes project, event, turn and session.
func (e *entry) putEventOf(ctx context.Context, b mem.Batch, r *mem.Result) (err error) {
	if b.Project != nil {
		if err := e.putProject(ctx, *b.Project); err != nil {
			return fmt.Errorf("project %s: %w", b.Project.Key, err)
		}
	}
	if b.Event == nil {
		return nil
	}
	if err := e.openSession(ctx, b); err != nil {
		return fmt.Errorf("session %s: %w", e.Event.Session, err)
	}
	if r.Seq, err = e.putEvent(ctx); err != nil {
		return fmt.Errorf("event %s: %w", e.Event.ID, err)
	}
	if e.Session == nil {
		return nil
	}
	if err := e.putTurn(ctx, b.Turn); err != nil {
		return fmt.Errorf("turn of %s: %w", e.Event.ID, err)
	}
	r.Prompt = e.Prompt
	if err := e.changeSession(ctx, b.Session); err != nil {
		return fmt.Errorf("session %s: %w", e.Event.Session, err)
	}
	return nil
}

// putMemoriesOf writes memories, edits and links.
func (e *entry) putMemoriesOf(ctx context.Context, b mem.Batch, r *mem.Result) error {
	for _, m := range b.Memories {
		id, err := e.putMemory(ctx, m)
		if err != nil {
			return fmt.Errorf("memory %q: %w", chars.Clip(m.Title, 40), err)
		}
		r.IDs = append(r.IDs, id)
	}
	if err := putEach(ctx, "edit", b.Edits, e.edit); err != nil {
		return err
	}
	if err := e.indexUtterances(ctx); err != nil {
		return fmt.Errorf("index utterances: %w", err)
	}
	return putEach(ctx, "links", b.Links, e.putLinks)
}

// putReceiptsOf writes checkpoints, receipts and what changes of other sessions.
func (e *entry) putReceiptsOf(ctx context.Context, b mem.Batch, _ *mem.Result) error {
	if err := putEach(ctx, "checkpoint", b.Checkpoints, e.putCheckpoint); err != nil {
		return err
	}
	if err := putEach(ctx, "receipt", b.Receipts, e.putReceipt); err != nil {
		return err
	}
	if err := putEach(ctx, "undelivered receipt", b.Undelivered, e.removeReceipt); err != nil {
		return err
	}
	if err := putEach(ctx, "context usage", b.ContextUsage, e.putContextUsage); err != nil {
		return err
	}
	if err := putEach(ctx, "idle session", b.IdleSessions, func(ctx context.Context, id string) error {
		return e.updateSession(ctx, id, func(s *sessionRow) bool { s.Processing = false; return true })
	}); err != nil {
		return err
	}
	return putEach(ctx, "transcript position", b.TranscriptPositions, func(ctx context.Context,
		p mem.TranscriptPosition,
	) error {
		return e.updateSession(ctx, p.Session, func(s *sessionRow) bool {
			s.CheckedTo, s.CheckedHash = p.To, p.Hash
			return true
		})
	})
}

// putWorkOf writes jobs and pauses.
func (e *entry) putWorkOf(ctx context.Context, b mem.Batch, _ *mem.Result) error {
	if err := putEach(ctx, "job", b.Jobs, e.putJob); err != nil {
		return err
	}
	if len(b.FinishedJobs) > 0 {
		if err := e.exec(ctx, query("DELETE FROM job WHERE id = ANY(?)", b.FinishedJobs)); err != nil {
			return fmt.Errorf("finish jobs: %w", err)
		}
	}
	if err := putEach(ctx, "failed job", b.FailedJobs, e.failJob); err != nil {
		return err
	}
	return putEach(ctx, "pause", b.Pauses, e.putPause)
}

// putRunsOf writes a consolidation run, what is undone of others, dismissals and spending.
func (e *entry) putRunsOf(ctx context.Context, b mem.Batch, r *mem.Result) error {
	if err := e.putRun(ctx, b, r); err != nil {
		return fmt.Errorf("consolidation run: %w", err)
	}
	if b.Spent == nil {
		return nil
	}
	s := *b.Spent
	return e.exec(ctx, query(`INSERT INTO spent AS s (day, tokens, calls, failures) VALUES (?, ?, ?, ?)
		ON CONFLICT (day) DO UPDATE SET tokens = s.tokens + excluded.tokens, calls = s.calls + excluded.calls,
		failures = s.failures + excluded.failures`, s.Day, s.Tokens, s.Calls, s.Failures))
}
