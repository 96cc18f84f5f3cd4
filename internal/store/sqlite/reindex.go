package sqlite

import "context"

// reindexStep is how many memories are read at a time.
const reindexStep = 500

// Reindex rebuilds the full-text indexes from the memories, and returns the number
// of memories. It happens whole or not at all; writers wait meanwhile.
func (s *maintenance) Reindex(ctx context.Context) (n int, err error) {
	err = s.change(ctx, func(w *writer) (err error) {
		n, err = w.reindex(ctx, func(_ memoryRow, err error) error { return err })
		return err
	})
	return n, wrap("reindex", err)
}

// reindex drops the data that is derived from memories and derives it again. It
// passes each memory that cannot be decoded to unreadable.
func (w *writer) reindex(ctx context.Context, unreadable func(memoryRow, error) error) (int, error) {
	orders := []string{"DELETE FROM memory_file", "DELETE FROM memory_tag"}
	for _, index := range []string{"memory_fts", "talk_fts"} {
		var create string
		if err := stmt("SELECT sql FROM sqlite_schema WHERE name=?", index).scan(ctx, w.conn, &create); err != nil {
			return 0, err
		}
		// Without its version SQLite refuses to drop a damaged index.
		orders = append(orders, "INSERT OR REPLACE INTO "+index+"_config (k, v) VALUES ('version', 4)",
			"DROP TABLE "+index, create, "INSERT INTO "+index+" ("+index+", rank) VALUES ('secure-delete', 1)")
	}
	for _, q := range orders {
		if _, err := w.conn.ExecContext(ctx, q); err != nil {
			return 0, err
		}
	}
	e := newEntry(w)
	n := 0
	for last := int64(-1 << 63); ; {
		found, err := rows(ctx, w.conn, stmt(selectMemories+" WHERE m.number > ? ORDER BY m.number LIMIT ?", last,
			reindexStep), scanStored)
		if err != nil || len(found) == 0 {
			return n, err
		}
		for _, r := range found {
			last = r.Number
			if err := r.unpack(); err != nil {
				if err := unreadable(r, err); err != nil {
					return n, err
				}
				continue
			}
			if err := e.index(ctx, r.MemoryRow); err != nil {
				return n, err
			}
			n++
		}
		if err := e.IndexUtterances(ctx); err != nil {
			return n, err
		}
	}
}
