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

	code "modernc.org/sqlite/lib"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// maxProblems bounds how many problems of a kind are reported.
const maxProblems = 20

// Audit is the result of a check of a database.
type Audit struct {
	Schema   int
	Damage   []string // of tables and pages; the database is damaged
	Dangling int      // rows that refer to rows that do not exist
	Index    []string // problems of the index alone; Reindex repairs it
	// Unreadable names rows on sound pages that cannot be decoded: lists leave them
	// out, Salvage does not copy them. Only a full check finds them.
	Unreadable []string
}

// Health is the result of Describe.
type Health struct {
	Schema  int
	SQLite  string // version of the library
	Journal string // "wal", or "delete" on a shared file system
	Bytes   int64  // of database and write-ahead log
	Err     error
}

// OK reports whether nothing was found.
func (a Audit) OK() bool {
	return len(a.Damage) == 0 && a.Dangling == 0 && len(a.Index) == 0 && len(a.Unreadable) == 0
}

// Describe returns the database's properties without reading much of it. Err may
// be nil even if the database is damaged.
func (s *maintenance) Describe(ctx context.Context) Health {
	h := Health{Bytes: s.Bytes()}
	err := s.read.QueryRowContext(ctx,
		"SELECT user_version, journal_mode, sqlite_version() FROM pragma_user_version, pragma_journal_mode").
		Scan(&h.Schema, &h.Journal, &h.SQLite)
	h.Err = wrap("describe "+s.path, err)
	return h
}

// Bytes is the size of database and write-ahead log.
func (s *maintenance) Bytes() int64 { return fileSize(s.path) + fileSize(s.path+"-wal") }

// Writable takes the write lock once. mem.ErrLocked means that another program has
// it, mem.ErrReadOnly that the file cannot be written.
func (s *maintenance) Writable(ctx context.Context) error {
	return wrap("write "+s.path, s.change(ctx, func(*writer) error { return nil }))
}

// Audit checks tables, references and index without changing anything. A full
// check also decodes every row and compares it with its indexes, which takes
// several times as long. If tables are damaged nothing else is checked. An error
// means that the check could not be made; damage is no error.
func (s *maintenance) Audit(ctx context.Context, full bool) (Audit, error) {
	a, err := audit(ctx, dsn(s.path, s.busy, "query_only(1)"), full, full)
	if isDamage(err) || len(a.Damage) > 0 {
		err = errors.Join(a.readError(s.path), err)
	}
	return a, wrap("check "+s.path, err)
}

// Inspect audits a database file that no program writes, such as a backup. It
// returns fs.ErrNotExist, mem.ErrForeign, mem.ErrNewer or mem.ErrCorrupt if one of
// them applies. A problem of the index alone is no error, nor is a row that cannot
// be decoded.
func Inspect(ctx context.Context, path string) (Audit, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = mem.ErrForeign
	}
	if err != nil {
		return Audit{}, fmt.Errorf("inspect %s: %w", path, err)
	}
	a, err := audit(ctx, dsn(path, defaultBusy, "query_only(1)")+"&mode=ro", true, false)
	steps, stepErr := migrations()
	if isDamage(err) || len(a.Damage) > 0 {
		stepErr = errors.Join(a.readError(path), stepErr)
	}
	switch {
	case errors.Is(stepErr, mem.ErrDisk):
		err = stepErr
	case isDamage(err):
		err = fmt.Errorf("%w: %w", mem.ErrCorrupt, err)
	case err != nil:
		err = translate(err)
	case stepErr != nil:
		err = stepErr
	case a.Schema == 0:
		err = mem.ErrForeign
	case len(a.Damage) > 0 && a.Schema <= len(steps):
		err = fmt.Errorf("%w: %s", mem.ErrCorrupt, a.Damage[0])
	default:
		err = notNewer(a.Schema, len(steps))
	}
	if err != nil {
		return a, fmt.Errorf("inspect %s: %w", path, err)
	}
	return a, nil
}

// pageError precedes an error code in SQLite's message about a page that it could
// not read.
const pageError = "unable to get the page. error code="

// readError returns mem.ErrDisk if part of a database that looks damaged cannot be
// read from the disk: SQLite reports some read errors as damage.
func (a Audit) readError(path string) error {
	for _, line := range a.Damage {
		for _, rest := range strings.Split(line, pageError)[1:] {
			var n int
			if _, err := fmt.Sscan(rest, &n); err == nil && n&0xff == code.SQLITE_IOERR {
				return fmt.Errorf("%w: %s%d", mem.ErrDisk, pageError, n)
			}
		}
	}
	for _, name := range []string{path, path + "-wal"} {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			_, err = io.Copy(io.Discard, f)
			_ = f.Close()
		}
		if err != nil {
			return fmt.Errorf("%w: %w", mem.ErrDisk, err)
		}
	}
	return nil
}

// withConn runs f on a new connection, and closes it.
func withConn(ctx context.Context, source string, f func(*sql.Conn) error) (err error) {
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return f(conn)
}

// audit uses a new connection: FTS5 keeps data of its index in memory, and a
// connection that checked before would compare it with newer tables.
func audit(ctx context.Context, source string, full, decode bool) (a Audit, err error) {
	err = withConn(ctx, source, func(conn *sql.Conn) (err error) {
		if a.Schema, err = identify(ctx, conn); err != nil || a.Schema == 0 {
			return err
		}
		if err := a.integrity(ctx, conn, full); err != nil || len(a.Damage) > 0 {
			return err
		}
		if err := stmt("SELECT count(*) FROM pragma_foreign_key_check").scan(ctx, conn, &a.Dangling); err != nil {
			return err
		}
		if decode {
			if err := a.readability(ctx, conn); err != nil {
				return err
			}
		}
		return a.completeness(ctx, conn)
	})
	return a, err
}

// readability decodes every row that has JSON documents.
func (a *Audit) readability(ctx context.Context, conn *sql.Conn) error {
	memories, err := unreadableMemories(ctx, conn)
	if err != nil {
		return err
	}
	others, err := unreadableRows(ctx, conn)
	for _, row := range append(memories, others...) {
		if len(a.Unreadable) < maxProblems {
			a.Unreadable = append(a.Unreadable, strings.TrimPrefix(row.err.Error(), stored.ErrUnreadable.Error()+": "))
		}
	}
	return err
}

// integrity runs SQLite's check of the file. It separates problems of the index
// from damage by checking each table alone.
func (a *Audit) integrity(ctx context.Context, conn *sql.Conn, full bool) error {
	check := "quick_check"
	if full {
		check = "integrity_check"
	}
	whole, err := checked(ctx, conn, check, "")
	if err != nil || len(whole) == 0 {
		return err
	}
	tables, err := rows(ctx, conn, stmt("SELECT name FROM sqlite_schema WHERE type='table' AND rootpage > 0"), one[string])
	if err != nil {
		return err
	}
	for _, t := range tables {
		found, err := checked(ctx, conn, check, t)
		if err != nil {
			return err
		}
		a.Damage = append(a.Damage, found...)
	}
	var index []string
	for _, t := range []string{"memory_fts", "talk_fts"} {
		found, err := checked(ctx, conn, check, t)
		if err != nil {
			return err
		}
		index = append(index, found...)
	}
	if len(a.Damage) == 0 && len(index) > 0 {
		a.Index = index
		return nil
	}
	a.Damage = whole
	return nil
}

// checked returns the problems that a check finds in a table, or in all tables for "".
func checked(ctx context.Context, conn *sql.Conn, check, table string) ([]string, error) {
	arg := fmt.Sprint(maxProblems)
	if table != "" {
		arg = quoted(table)
	}
	found, err := rows(ctx, conn, stmt("PRAGMA "+check+"("+arg+")"), one[string])
	if isMisread(err) {
		return []string{err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	if len(found) == 1 && found[0] == "ok" {
		return nil, nil
	}
	return found[:min(len(found), maxProblems)], nil
}

// completeness compares the index with the memories.
func (a *Audit) completeness(ctx context.Context, conn *sql.Conn) error {
	for _, q := range []struct{ from, what string }{
		{"memory WHERE kind <> 'utterance' AND number NOT IN (SELECT id FROM memory_fts_docsize)", "%d memories are missing"},
		{"memory WHERE kind = 'utterance' AND number NOT IN (SELECT id FROM talk_fts_docsize)", "%d utterances are missing"},
		{"memory_fts_docsize WHERE id NOT IN (SELECT number FROM memory)", "it contains %d deleted memories"},
		{"talk_fts_docsize WHERE id NOT IN (SELECT number FROM memory)", "it contains %d deleted utterances"},
	} {
		var n int
		if err := stmt("SELECT count(*) FROM "+q.from).scan(ctx, conn, &n); err != nil {
			return err
		}
		if n > 0 {
			a.Index = append(a.Index, fmt.Sprintf(q.what, n))
		}
	}
	return nil
}

// isMissing reports whether no file has the name.
func isMissing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// Steps returns the schema of a database, 0 if it is empty or does not exist, and
// the names of the migrations that this version would apply. It changes nothing.
func Steps(ctx context.Context, path string) (have int, pending []string, err error) {
	entries, err := schemas.ReadDir("schema")
	if err != nil {
		return 0, nil, err
	}
	if !isMissing(path) {
		err := withConn(ctx, dsn(path, lockWait)+"&mode=ro", func(conn *sql.Conn) (err error) {
			have, err = identify(ctx, conn)
			return err
		})
		if err != nil {
			return 0, nil, wrap("inspect "+path, err)
		}
	}
	if err := notNewer(have, len(entries)); err != nil {
		return have, nil, fmt.Errorf("inspect %s: %w", path, err)
	}
	for _, e := range entries[have:] {
		pending = append(pending, strings.TrimSuffix(e.Name(), ".sql"))
	}
	return have, pending, nil
}
