package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"remanence/internal/mem"
)

// A tombstone says until when something of a session was erased: what its agent
// has on record from before must not be read in again. It is kept as an event
// without payload, which nobody is shown, and does not name the session.

const tombstone = mem.EventKind("Erased")

func tombstoneID(session string) string {
	sum := sha256.Sum256([]byte("erased session " + session))
	return "x_" + hex.EncodeToString(sum[:16])
}

// bury sets the tombstones of a purge.
func (e *eraser) bury(ctx context.Context) error {
	for session := range e.buried {
		if session == "" {
			continue
		}
		if err := e.raise(ctx, tombstoneID(session)); err != nil {
			return err
		}
	}
	return e.raise(ctx, unfinishedPurge)
}

func (w *writer) raise(ctx context.Context, id string) error {
	_, err := w.exec(ctx, `INSERT INTO event (id, key, session, prompt_id, kind, tool, tool_use_id, agent_id, agent_type,
		ok, exit_code, duration_ms, payload, created_at) VALUES (?,'',NULL,'',?,'','','','',1,NULL,0,'',?)
		ON CONFLICT (id) DO UPDATE SET created_at=max(created_at, excluded.created_at)`, id, string(tombstone), stamp(w.now))
	return err
}

// unfinishedPurge is the tombstone that stands while rows are erased and the log
// and the copies may still hold them: a purge was killed, or a reader was in its way.
const unfinishedPurge = "x_unfinished"

// finish takes what was erased out of the log and the copies. The caller leads.
func (db *database) finish(ctx context.Context, tries int) error {
	if err := db.scrub(ctx, tries); err != nil {
		return err
	}
	return db.transact(ctx, func(w *writer) error {
		_, err := w.exec(ctx, "DELETE FROM event WHERE id=?", unfinishedPurge)
		return err
	})
}

// resume finishes what an earlier purge could not. The caller leads.
func (db *database) resume(ctx context.Context, tries int) error {
	var n int
	if err := db.conn.QueryRowContext(ctx, "SELECT count(*) FROM event WHERE id=?",
		unfinishedPurge).Scan(&n); err != nil ||
		n == 0 {
		return err
	}
	return db.finish(ctx, tries)
}

// ErasedUntil implements mem.Store.
func (s *sessionStore) ErasedUntil(ctx context.Context, session string) (time.Time, error) {
	var at int64
	err := s.read.QueryRowContext(ctx, "SELECT coalesce(max(created_at), 0) FROM event WHERE id=?",
		tombstoneID(session)).Scan(&at)
	if err != nil {
		return time.Time{}, fmt.Errorf("tombstone: %w", translate(err))
	}
	return moment(at), nil
}

// erased returns the place of the erased event that e, of the same session and
// with the same words, is a later report of; 0 if there is none. Events without
// words of their own come again rightly: a session is resumed.
func (w *writer) erased(ctx context.Context, e mem.Event) (seq int64, err error) {
	if e.Text == "" && e.Error == "" && len(e.Input) == 0 && len(e.Response) == 0 {
		return 0, nil
	}
	_, err = w.find(ctx, "SELECT seq FROM event WHERE id > ? AND id < ? AND key=? AND payload='' LIMIT 1",
		[]any{"e_" + e.Key + ".", "e_" + e.Key + "/", e.Key}, &seq)
	return seq, err
}
