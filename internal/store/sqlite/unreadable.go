package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// ignoreUnreadable drops a stored.ErrUnreadable, for callers that change or erase a row
// and need only the fields that could be decoded.
func ignoreUnreadable(err error) error {
	if errors.Is(err, stored.ErrUnreadable) {
		return nil
	}
	return err
}

// scanDoc scans a single column with a JSON document.
func scanDoc[T any](what string) func(*sql.Rows) (T, error) {
	return func(r *sql.Rows) (v T, err error) {
		var doc string
		if err := r.Scan(&doc); err != nil {
			return v, err
		}
		return stored.Decode[T](what, doc)
	}
}

// unreadableRow is a row that cannot be decoded.
type unreadableRow struct {
	table  string
	number int64
	err    error
}

// unreadableRows decodes every row that has a JSON document, and returns those
// that cannot be decoded.
func unreadableRows(ctx context.Context, db querier) ([]unreadableRow, error) {
	var found []unreadableRow
	for _, t := range []struct {
		table, columns string
		decode         func(number int64, id, doc string) error
	}{
		{"event", "seq, id, payload FROM event WHERE payload<>'' ORDER BY seq", func(n int64, id, doc string) error {
			_, err := stored.Decode[mem.Event](fmt.Sprintf("event %d (%s)", n, id), doc)
			return err
		}},
		{"checkpoint", "number, id, doc FROM checkpoint ORDER BY number", func(_ int64, id, doc string) error {
			_, err := stored.Decode[mem.Checkpoint]("checkpoint "+id, doc)
			return err
		}},
		{"receipt", "number, id, doc FROM receipt ORDER BY number", func(_ int64, id, doc string) error {
			_, err := stored.Decode[mem.Receipt]("receipt "+id, doc)
			return err
		}},
	} {
		_, err := rows(ctx, db, stmt("SELECT "+t.columns), func(r *sql.Rows) (none struct{}, err error) {
			row := unreadableRow{table: t.table}
			var id, doc string
			if err := r.Scan(&row.number, &id, &doc); err != nil {
				return none, err
			}
			if row.err = t.decode(row.number, id, doc); row.err != nil {
				found = append(found, row)
			}
			return none, nil
		})
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.table, err)
		}
	}
	return found, nil
}

// unreadableMemories is unreadableRows for memories.
func unreadableMemories(ctx context.Context, db querier) ([]unreadableRow, error) {
	var found []unreadableRow
	_, err := rows(ctx, db, stmt(selectMemories+" ORDER BY m.number"), func(r *sql.Rows) (none struct{}, err error) {
		row, err := scanRow(r)
		if errors.Is(err, stored.ErrUnreadable) {
			found = append(found, unreadableRow{"memory", row.Number, err})
			err = nil
		}
		return none, err
	})
	if err != nil {
		return nil, fmt.Errorf("table memory: %w", err)
	}
	return found, nil
}
