package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Magic is the beginning of every SQLite file.
const Magic = "SQLite format 3\x00"

// Tables reads whole tables of another program's database and returns them under
// the names given for them. It writes nothing. A missing table is left out.
func Tables(ctx context.Context, path string, names map[string]string) (map[string][]map[string]any, error) {
	out := map[string][]map[string]any{}
	return out, readForeign(ctx, path, func(conn *sql.Conn) error {
		for table, name := range names {
			_, found, err := first(ctx, conn, stmt("SELECT 1 FROM sqlite_master WHERE type='table' AND name=?", table), one[int])
			if err == nil && found {
				out[name], err = rows(ctx, conn, stmt("SELECT * FROM "+quoted(table)), columns)
			}
			if err != nil {
				return fmt.Errorf("table %s: %w", table, err)
			}
		}
		return nil
	})
}

// Query hands the rows of a query on another program's database to give, by the names of their columns and without NULL
// values. It writes nothing. An error of give ends it.
func Query(ctx context.Context, path, query string, args []any, give func(map[string]any) error) error {
	return readForeign(ctx, path, func(conn *sql.Conn) error {
		_, err := rows(ctx, conn, stmt(query, args...), func(r *sql.Rows) (struct{}, error) {
			row, err := columns(r)
			if err == nil {
				err = give(row)
			}
			return struct{}{}, err
		})
		return err
	})
}

func readForeign(ctx context.Context, path string, f func(*sql.Conn) error) error {
	name := dsn(path, defaultBusy, "query_only(1)") + "&mode=ro"
	if closedWAL(path) {
		name += "&immutable=1"
	}
	return wrap("read "+path, withConn(ctx, name, f))
}

// closedWAL reports whether a database has a write-ahead log and no program has it open. SQLite would put two files
// beside it to read it, unless it is taken for one that does not change.
func closedWAL(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 20) // whose bytes 18 and 19 are 2 with a log
	if _, err := io.ReadFull(f, head); err != nil || head[18] != 2 {
		return false
	}
	_, err = os.Lstat(path + "-wal")
	return errors.Is(err, fs.ErrNotExist)
}

// quoted quotes a name of a table.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

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
func RowCounts(ctx context.Context, path string) (map[string]int, error) {
	out := map[string]int{}
	return out, readForeign(ctx, path, func(conn *sql.Conn) error {
		names, err := rows(ctx, conn, stmt(`SELECT name FROM pragma_table_list
			WHERE schema = 'main' AND type = 'table' AND substr(name, 1, 7) <> 'sqlite_'`), one[string])
		for _, name := range names {
			var n int
			if err := stmt("SELECT count(*) FROM "+quoted(name)).scan(ctx, conn, &n); err != nil {
				return fmt.Errorf("table %s: %w", name, err)
			}
			if n > 0 {
				out[name] = n
			}
		}
		return err
	})
}
