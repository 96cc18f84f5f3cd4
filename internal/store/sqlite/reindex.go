package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// reindexStep is how many memories are read at a time.
const reindexStep = 500

// Reindex makes the index anew from the memories, and returns how many those
// are. It happens whole or not at all; writers wait meanwhile.
func (s *maintenance) Reindex(ctx context.Context) (int, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return 0, fmt.Errorf("reindex: %w", err)
	}
	defer unlock()
	n := 0
	err = s.transact(ctx, func(w *writer) error {
		n, err = w.reindex(ctx, func(_ memoryRow, err error) error { return err })
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("reindex: %w", translate(err))
	}
	return n, nil
}

// reindex drops what is derived from memories and derives it again. A memory
// that cannot be read goes to unreadable.
func (w *writer) reindex(ctx context.Context, unreadable func(memoryRow, error) error) (int, error) {
	orders := []string{"DELETE FROM memory_file", "DELETE FROM memory_tag"}
	for _, index := range []string{"memory_fts", "talk_fts"} {
		var made string
		if err := w.conn.QueryRowContext(ctx, "SELECT sql FROM sqlite_schema WHERE name=?", index).Scan(&made); err != nil {
			return 0, err
		}
		// without it SQLite does not even drop it
		orders = append(orders, "INSERT OR REPLACE INTO "+index+"_config (k, v) VALUES ('version', 4)",
			"DROP TABLE "+index, made, "INSERT INTO "+index+" ("+index+", rank) VALUES ('secure-delete', 1)")
	}
	for _, q := range orders {
		if _, err := w.conn.ExecContext(ctx, q); err != nil {
			return 0, err
		}
	}
	e := &entry{writer: w, sessions: map[string]int64{}, talk: talk{}}
	n := 0
	for last := int64(-1 << 63); ; {
		found, err := rows(ctx, w.conn, "SELECT "+memoryColumns+` FROM memory m LEFT JOIN session s ON s.number = m.session
			WHERE m.number > ? ORDER BY m.number LIMIT ?`, []any{last, reindexStep}, scanRaw)
		if err != nil || len(found) == 0 {
			return n, err
		}
		for _, r := range found {
			last = r.number
			if err := r.unpack(); err != nil {
				if err := unreadable(r, err); err != nil {
					return n, err
				}
				continue
			}
			session, err := e.sessionOf(ctx, r.Session, r.Project, r.Source.Agent)
			if err != nil {
				return n, err
			}
			if err := e.index(ctx, session, r.number, r.Memory); err != nil {
				return n, err
			}
			n++
		}
		if err := e.indexTalk(ctx); err != nil {
			return n, err
		}
	}
}

// scanRaw reads a memory's row as it stands there.
func scanRaw(r *sql.Rows) (row memoryRow, err error) {
	err = r.Scan(row.fields()...)
	return row, err
}
