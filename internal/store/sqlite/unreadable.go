package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"remanence/internal/mem"
)

// errUnreadable is about a row of sound pages that does not hold what was
// written into it. The rows around it are as good as ever, so lists go on
// without it; Audit names it and Salvage leaves it behind.
var errUnreadable = fmt.Errorf("%w: a row cannot be read", mem.ErrCorrupt)

func unreadable(what string, err error) error {
	return fmt.Errorf("%w: %s: %w", errUnreadable, what, err)
}

// despite takes of a row what could be read of it: for those who write or erase it.
func despite(err error) error {
	if errors.Is(err, errUnreadable) {
		return nil
	}
	return err
}

// undoc reads a stored document.
func undoc[T any](what, doc string) (v T, err error) {
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		return v, unreadable(what, err)
	}
	return v, nil
}

// spoilt is a row that cannot be read.
type spoilt struct {
	table  string
	number int64
	err    error
}

// spoiltRows reads every row that holds documents, in the way that it is read
// for use, and returns those that cannot be.
func spoiltRows(ctx context.Context, db asker) ([]spoilt, error) {
	var found []spoilt
	for _, t := range []struct {
		table, query string
		read         func(number int64, id, doc string) error
	}{
		{"event", "SELECT seq, id, payload FROM event WHERE payload<>'' ORDER BY seq", func(n int64, id, doc string) error {
			_, err := undoc[mem.Event](fmt.Sprintf("event %d (%s)", n, id), doc)
			return err
		}},
		{"checkpoint", "SELECT number, id, doc FROM checkpoint ORDER BY number", func(_ int64, id, doc string) error {
			_, err := undoc[mem.Checkpoint]("checkpoint "+id, doc)
			return err
		}},
		{"receipt", "SELECT number, id, doc FROM receipt ORDER BY number", func(_ int64, id, doc string) error {
			_, err := undoc[mem.Receipt]("receipt "+id, doc)
			return err
		}},
	} {
		_, err := rows(ctx, db, t.query, nil, func(r *sql.Rows) (none struct{}, err error) {
			s := spoilt{table: t.table}
			var id, doc string
			if err := r.Scan(&s.number, &id, &doc); err != nil {
				return none, err
			}
			if s.err = t.read(s.number, id, doc); s.err != nil {
				found = append(found, s)
			}
			return none, nil
		})
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.table, err)
		}
	}
	return found, nil
}

// spoiltMemories is spoiltRows for memories.
func spoiltMemories(ctx context.Context, db asker) ([]spoilt, error) {
	var found []spoilt
	_, err := rows(ctx, db, "SELECT "+memoryColumns+
		" FROM memory m LEFT JOIN session s ON s.number = m.session ORDER BY m.number", nil,
		func(r *sql.Rows) (none struct{}, err error) {
			row, err := scanRow(r)
			if errors.Is(err, errUnreadable) {
				found = append(found, spoilt{"memory", row.number, err})
				err = nil
			}
			return none, err
		})
	if err != nil {
		return nil, fmt.Errorf("table memory: %w", err)
	}
	return found, nil
}
