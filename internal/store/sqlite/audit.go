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
)

// maxProblems bounds how many lines of damage are reported.
const maxProblems = 20

// Audit is what a closer look at a database found.
type Audit struct {
	Schema   int
	Damage   []string // of tables and pages; the database is damaged
	Dangling int      // rows that name others which are not there
	Index    []string // what is wrong with the index alone; Reindex mends it
	// Spoilt are rows of sound pages that cannot be read: lists go on without
	// them, Salvage leaves them behind. Only a full look finds them.
	Spoilt []string
}

// Health is what Describe tells of a database.
type Health struct {
	Schema  int
	SQLite  string // version of the library
	Journal string // "wal" where all is well
	Bytes   int64  // of database and log
	Err     error
}

// OK reports that nothing was found.
func (a Audit) OK() bool {
	return len(a.Damage) == 0 && a.Dangling == 0 && len(a.Index) == 0 && len(a.Spoilt) == 0
}

// Describe says what the database is like, without reading much of it: Err is
// nil also where it is damaged.
func (s *maintenance) Describe(ctx context.Context) Health {
	h := Health{Bytes: s.Bytes()}
	err := s.read.QueryRowContext(ctx,
		"SELECT user_version, journal_mode, sqlite_version() FROM pragma_user_version, pragma_journal_mode").
		Scan(&h.Schema, &h.Journal, &h.SQLite)
	if err != nil {
		h.Err = fmt.Errorf("describe %s: %w", s.path, translate(err))
	}
	return h
}

// Bytes is the size of database and log.
func (s *maintenance) Bytes() int64 { return fileSize(s.path) + fileSize(s.path+"-wal") }

// Writable takes the write lock for a moment. mem.ErrLocked means that another
// program has it, mem.ErrReadOnly that nobody may.
func (s *maintenance) Writable(ctx context.Context) error {
	unlock, err := s.lock(ctx)
	if err == nil {
		err = s.provesWritable(ctx)
		unlock()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", s.path, translate(err))
	}
	return nil
}

// Audit looks at tables, references and index without changing anything. Full
// also reads every row and compares it with its indexes; that takes several
// times as long. Where tables are damaged nothing else is looked at.
// The error says that it could not look; damage is no error.
func (s *maintenance) Audit(ctx context.Context, full bool) (Audit, error) {
	a, err := audit(ctx, dsn(s.path, s.busy, "query_only(1)"), full, full)
	if isDamage(err) || len(a.Damage) > 0 {
		err = errors.Join(a.unread(s.path), err)
	}
	if err != nil {
		return a, fmt.Errorf("check %s: %w", s.path, translate(err))
	}
	return a, nil
}

// Inspect audits a database file that nobody writes, such as a backup. It
// returns fs.ErrNotExist, mem.ErrForeign, mem.ErrNewer or mem.ErrCorrupt where
// one of them applies. A fault of the index alone is none here, nor is a row
// that cannot be read.
func Inspect(ctx context.Context, path string) (Audit, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = mem.ErrForeign
	}
	if err != nil {
		return Audit{}, fmt.Errorf("look at %s: %w", path, err)
	}
	a, err := audit(ctx, dsn(path, defaultBusy, "query_only(1)")+"&mode=ro", true, false)
	steps, stepErr := migrations()
	if isDamage(err) || len(a.Damage) > 0 {
		stepErr = errors.Join(a.unread(path), stepErr)
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
	case a.Schema > len(steps):
		err = fmt.Errorf("%w: schema %d, this one knows %d", mem.ErrNewer, a.Schema, len(steps))
	case len(a.Damage) > 0:
		err = fmt.Errorf("%w: %s", mem.ErrCorrupt, a.Damage[0])
	}
	if err != nil {
		return a, fmt.Errorf("look at %s: %w", path, err)
	}
	return a, nil
}

// pageError stands before SQLite's code of why it could not get a page that it
// looked at.
const pageError = "unable to get the page. error code="

// unread returns mem.ErrDisk if not all of a database that looks damaged can be
// read: SQLite takes some of what it cannot read for damage.
func (a Audit) unread(path string) error {
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

// audit opens a connection of its own: one that checked before compares what is
// there now with what it remembers of the index.
func audit(ctx context.Context, source string, full, read bool) (a Audit, err error) {
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return a, err
	}
	defer conn.Close()
	if a.Schema, err = identify(ctx, conn); err != nil || a.Schema == 0 {
		return a, err
	}
	if err := a.integrity(ctx, conn, full); err != nil || len(a.Damage) > 0 {
		return a, err
	}
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM pragma_foreign_key_check").Scan(&a.Dangling); err != nil {
		return a, err
	}
	if read {
		if err := a.readability(ctx, conn); err != nil {
			return a, err
		}
	}
	return a, a.completeness(ctx, conn)
}

// readability reads every row that is more than text and numbers.
func (a *Audit) readability(ctx context.Context, conn *sql.Conn) error {
	memories, err := spoiltMemories(ctx, conn)
	if err != nil {
		return err
	}
	others, err := spoiltRows(ctx, conn)
	for _, s := range append(memories, others...) {
		if len(a.Spoilt) < maxProblems {
			a.Spoilt = append(a.Spoilt, strings.TrimPrefix(s.err.Error(), errUnreadable.Error()+": "))
		}
	}
	return err
}

// integrity has SQLite check the file. What it says of the index is told apart
// by checking every other table alone.
func (a *Audit) integrity(ctx context.Context, conn *sql.Conn, full bool) error {
	check := "quick_check"
	if full {
		check = "integrity_check"
	}
	whole, err := checked(ctx, conn, check, "")
	if err != nil || len(whole) == 0 {
		return err
	}
	tables, err := rows(ctx, conn, "SELECT name FROM sqlite_schema WHERE type='table' AND rootpage > 0", nil, one[string])
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

// checked returns what an integrity check says of a table, or of all for "";
// nothing where all is well.
func checked(ctx context.Context, conn *sql.Conn, check, table string) ([]string, error) {
	arg := fmt.Sprint(maxProblems)
	if table != "" {
		arg = `"` + strings.ReplaceAll(table, `"`, `""`) + `"`
	}
	said, err := rows(ctx, conn, "PRAGMA "+check+"("+arg+")", nil, one[string])
	if isMisread(err) {
		return []string{err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	if len(said) == 1 && said[0] == "ok" {
		return nil, nil
	}
	return said[:min(len(said), maxProblems)], nil
}

// completeness looks whether every memory is in the index and nothing else is.
func (a *Audit) completeness(ctx context.Context, conn *sql.Conn) error {
	for _, q := range []struct{ query, what string }{
		{
			"SELECT count(*) FROM memory WHERE kind <> 'utterance' AND number NOT IN (SELECT id FROM memory_fts_docsize)",
			"%d memories are not in it",
		},
		{
			"SELECT count(*) FROM memory WHERE kind = 'utterance' AND number NOT IN (SELECT id FROM talk_fts_docsize)",
			"%d utterances are not in it",
		},
		{
			"SELECT count(*) FROM memory_fts_docsize WHERE id NOT IN (SELECT number FROM memory)",
			"it has %d memories that are gone",
		},
		{
			"SELECT count(*) FROM talk_fts_docsize WHERE id NOT IN (SELECT number FROM memory)",
			"it has %d utterances that are gone",
		},
	} {
		var n int
		if err := conn.QueryRowContext(ctx, q.query).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			a.Index = append(a.Index, fmt.Sprintf(q.what, n))
		}
	}
	return nil
}

// missing reports whether there is no file.
func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// Steps says how far a database is behind this version: the schema that it has,
// 0 if it holds nothing yet or is not there, and the names of the steps to come.
// It changes nothing.
func Steps(ctx context.Context, path string) (have int, pending []string, err error) {
	entries, err := schemas.ReadDir("schema")
	if err != nil {
		return 0, nil, err
	}
	if !missing(path) {
		if have, err = versionOf(ctx, path); err != nil {
			return 0, nil, fmt.Errorf("look at %s: %w", path, translate(err))
		}
	}
	if have > len(entries) {
		return have, nil, fmt.Errorf("look at %s: %w: schema %d, this one knows %d", path, mem.ErrNewer, have, len(entries))
	}
	for _, e := range entries[have:] {
		pending = append(pending, strings.TrimSuffix(e.Name(), ".sql"))
	}
	return have, pending, nil
}

func versionOf(ctx context.Context, path string) (have int, err error) {
	db, err := sql.Open("sqlite", dsn(path, lockWait)+"&mode=ro")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	return identify(ctx, conn)
}
