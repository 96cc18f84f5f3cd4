package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Magic is the beginning of every SQLite file.
const Magic = "SQLite format 3\x00"

// Tables reads whole tables of another program's database and returns them under
// the names given for them. It writes nothing. A missing table is left out.
func Tables(ctx context.Context, path string, names map[string]string) (_ map[string][]map[string]any, err error) {
	db, err := sql.Open("sqlite", dsn(path, defaultBusy, "query_only(1)")+"&mode=ro")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	out := map[string][]map[string]any{}
	for table, name := range names {
		there, err := rows(ctx, db, stmt("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table), one[int])
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, translate(err))
		}
		if len(there) == 0 {
			continue
		}
		list, err := rows(ctx, db, stmt(`SELECT * FROM "`+table+`"`), columns)
		if err != nil {
			return nil, fmt.Errorf("read %s of %s: %w", table, path, translate(err))
		}
		out[name] = list
	}
	return out, nil
}

// columns returns a row by the names of its columns, without NULL values.
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

// RowCounts returns the numbers of rows of a database's tables, without those of
// SQLite itself and of search indexes. Empty tables are left out.
func RowCounts(ctx context.Context, path string) (_ map[string]int, err error) {
	db, err := sql.Open("sqlite", dsn(path, defaultBusy, "query_only(1)")+"&mode=ro")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	const own = `SELECT name FROM pragma_table_list
		WHERE schema = 'main' AND type = 'table' AND substr(name, 1, 7) <> 'sqlite_'`
	names, err := rows(ctx, db, stmt(own), one[string])
	if err != nil {
		return nil, fmt.Errorf("list tables of %s: %w", path, translate(err))
	}
	out := map[string]int{}
	for _, name := range names {
		n, err := rows(ctx, db, stmt(`SELECT count(*) FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`), one[int])
		if err != nil {
			return nil, fmt.Errorf("count %s of %s: %w", name, path, translate(err))
		}
		if len(n) == 1 && n[0] > 0 {
			out[name] = n[0]
		}
	}
	return out, nil
}
