package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Magic is how every SQLite file begins.
const Magic = "SQLite format 3\x00"

// Tables reads whole tables of another program's database, each under the name
// given for it. Nothing is written there; a table that it has not is left out.
func Tables(ctx context.Context, path string, names map[string]string) (_ map[string][]map[string]any, err error) {
	db, err := sql.Open("sqlite", dsn(path, defaultBusy, "query_only(1)")+"&mode=ro")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	out := map[string][]map[string]any{}
	for table, name := range names {
		there, err := rows(ctx, db, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", []any{table}, one[int])
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, translate(err))
		}
		if len(there) == 0 {
			continue
		}
		list, err := rows(ctx, db, `SELECT * FROM "`+table+`"`, nil, columns)
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", table, path, translate(err))
		}
		out[name] = list
	}
	return out, nil
}

// columns is a row by the names of its columns, those without a value left out.
func columns(r *sql.Rows) (map[string]any, error) {
	names, err := r.Columns()
	if err != nil {
		return nil, err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	if err := r.Scan(into...); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for i, v := range values {
		switch v := v.(type) {
		case nil:
		case []byte:
			out[names[i]] = string(v)
		default:
			out[names[i]] = v
		}
	}
	return out, nil
}
