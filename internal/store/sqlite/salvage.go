package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	code "modernc.org/sqlite/lib"

	"remanence/internal/mem"
)

const (
	// maxFailures bounds the tries to read on behind damage, in each table.
	maxFailures = 4000
	// furthest is the last row looked for where a table cannot say what its last is.
	furthest = int64(1) << 40
)

// Salvaged says what could still be read of a damaged database.
type Salvaged struct {
	Rows  map[string]int // by table
	Gaps  int            // places where rows could not be read
	Aside string         // where the damaged database is
	Empty bool           // nothing at all could be read: the new database is empty
}

// Salvage makes a new database of what can still be read of a damaged one, and
// keeps that aside as it is. Rows that are damaged themselves are left behind,
// as is what belonged to a session that is lost; memories stay without it. If
// nothing at all can be read, the new database is empty. The caller holds the
// worker's lock. mem.ErrNewer if a newer version wrote it.
func Salvage(ctx context.Context, path string, now time.Time) (Salvaged, error) {
	return salvageWhere(ctx, path, now, func(bool) error { return nil })
}

// salvageWhere is Salvage for a database that allow permits: it is told whether
// anything can be read, before any of that is copied.
func salvageWhere(ctx context.Context, path string, now time.Time, allow func(readable bool) error) (Salvaged, error) {
	scratch, next := path+".scratch", path+".next"
	var got Salvaged
	err := mem.ErrCorrupt
	if !isOther(path) { // else nothing can be read of it
		got, err = salvage(ctx, path, scratch, next, allow)
	}
	if nothingReadable(err) && !errors.Is(err, errDecide) {
		if err = allow(false); err == nil {
			got, err = Salvaged{Empty: true}, errors.Join(removeAll(next), settle(ctx, next))
		}
	}
	if err == nil {
		got.Aside, err = takePlace(path, next, now)
	}
	err = errors.Join(err, removeAll(scratch))
	if err != nil {
		return got, errors.Join(fmt.Errorf("salvage %s: %w", path, translate(err)), removeAll(next))
	}
	return got, nil
}

// nothingReadable reports whether an error means that nothing of a database can be read.
func nothingReadable(err error) bool {
	return errors.Is(err, mem.ErrCorrupt) || isDamage(err) || primary(err) == code.SQLITE_NOTADB
}

func salvage(ctx context.Context, path, scratch, next string, allow func(readable bool) error) (Salvaged, error) {
	none := Salvaged{}
	steps, err := migrations()
	if err != nil {
		return none, err
	}
	for _, name := range []string{scratch, next} {
		if err := removeAll(name); err != nil {
			return none, err
		}
	}
	// With an empty database SQLite would throw away the log as soon as it looks.
	if fileSize(path) > 0 {
		if _, err := contents(ctx, path, "&mode=ro"); isLocked(err) {
			return none, err
		}
	}
	for _, suffix := range []string{"", "-wal", "-journal"} {
		if err := CopyFile(path+suffix, scratch+suffix); err != nil && (suffix == "" || !errors.Is(err, fs.ErrNotExist)) {
			return none, err
		}
	}
	version, err := readable(ctx, scratch, len(steps))
	if err != nil {
		return none, err
	}
	if err := allow(true); err != nil {
		return none, err
	}
	r := &rescue{rows: map[string]int{}}
	if err := r.run(ctx, scratch, next, steps[:version]); err != nil {
		return none, err
	}
	return Salvaged{Rows: r.rows, Gaps: r.gaps}, settle(ctx, next)
}

// readable makes the table of contents of a damaged database readable, with
// that of a new one if need be, and returns the schema it has.
func readable(ctx context.Context, path string, newest int) (int, error) {
	var version int
	var err error
	if fileSize(path) > 0 {
		version, err = contents(ctx, path, "")
	}
	if err == nil && version > newest {
		return 0, fmt.Errorf("%w: schema %d, this one knows %d", mem.ErrNewer, version, newest)
	}
	if err == nil && version > 0 {
		return version, nil
	}
	if err := graft(ctx, path); err != nil {
		return 0, err
	}
	if version, err = contents(ctx, path, ""); err != nil || version == 0 {
		return 0, errors.Join(mem.ErrCorrupt, err)
	}
	return version, nil
}

// contents returns the schema of a database whose table of contents can be read
// and knows our tables; 0 if it does not.
func contents(ctx context.Context, path, how string) (version int, err error) {
	db, err := sql.Open("sqlite", dsn(path, lockWait)+how)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var app, tables int
	err = db.QueryRowContext(ctx,
		"SELECT count(*) FROM sqlite_schema WHERE type='table' AND name IN ('memory', 'session')").Scan(&tables)
	if err == nil {
		err = db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app)
	}
	if err == nil {
		err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	}
	if err != nil || app != applicationID || tables != 2 {
		return 0, err
	}
	return version, nil
}

// rescue is one salvage on its way.
type rescue struct {
	src  *sql.Conn
	dst  *writer
	rows map[string]int
	gaps int
}

// run fills a new database of a schema with what the other still has.
func (r *rescue) run(ctx context.Context, from, to string, steps []string) (err error) {
	src, err := sql.Open("sqlite", dsn(from, defaultBusy, "query_only(1)", "cell_size_check(1)"))
	if err != nil {
		return err
	}
	defer src.Close()
	if r.src, err = src.Conn(ctx); err != nil {
		return err
	}
	defer r.src.Close()
	s, err := bare(ctx, to, steps)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.conn.ExecContext(ctx, "PRAGMA foreign_keys=OFF"); err != nil { // until all is there
		return err
	}
	return s.transact(ctx, func(w *writer) error {
		r.dst = w
		tables, err := rows(ctx, w.conn, `SELECT name FROM pragma_table_list WHERE schema='main' AND type='table'
			AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'memory\_fts%' ESCAPE '\'
			AND name NOT LIKE 'talk\_fts%' ESCAPE '\' ORDER BY name`, nil, one[string])
		if err != nil {
			return err
		}
		for _, t := range tables {
			if err := r.table(ctx, t); err != nil {
				return fmt.Errorf("table %s: %w", t, err)
			}
		}
		if err := r.sequences(ctx); err != nil {
			return err
		}
		return r.mend(ctx)
	})
}

// bare opens a new database of some of the steps, for writing only.
func bare(ctx context.Context, path string, steps []string) (*database, error) {
	db := &database{path: path, now: time.Now, busy: defaultBusy, stmts: map[string]*sql.Stmt{}, queue: newQueue()}
	err := prepareFile(path)
	if err == nil {
		db.write, err = sql.Open("sqlite", dsn(path, defaultBusy))
	}
	if err == nil {
		db.conn, err = db.write.Conn(ctx)
	}
	if err == nil {
		err = db.migrateTo(ctx, steps)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// table copies what can be read of one table.
func (r *rescue) table(ctx context.Context, name string) error {
	var keyed bool // without row numbers
	if err := r.dst.conn.QueryRowContext(ctx, "SELECT wr FROM pragma_table_list WHERE schema='main' AND name=?",
		name).Scan(&keyed); err != nil {
		return err
	}
	columns, err := rows(ctx, r.dst.conn, "SELECT name FROM pragma_table_info(?)", []any{name}, one[string])
	if err != nil {
		return err
	}
	list := strings.Join(columns, ", ")
	c := &copying{
		rescue: r, table: name, width: len(columns),
		insert: "INSERT OR IGNORE INTO " + name + " (" + list + ") VALUES (?" + strings.Repeat(",?", len(columns)-1) + ")",
		from:   "SELECT " + list + " FROM " + name,
	}
	if keyed {
		key, err := rows(ctx, r.dst.conn, "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", []any{name},
			one[string])
		if err != nil {
			return err
		}
		return c.fromBothEnds(ctx, key)
	}
	c.from = "SELECT rowid, " + list + " FROM " + name + " WHERE rowid BETWEEN ? AND ? ORDER BY rowid"
	c.numbered = true
	last, gaps := furthest, r.gaps
	if err := r.src.QueryRowContext(ctx, "SELECT coalesce(max(rowid), 0) FROM "+name).Scan(&last); err != nil {
		r.gaps++
	}
	if err := c.span(ctx, 1, last); err != nil {
		return err
	}
	beyond, broken, err := c.read(ctx, c.from, last, last+1, furthest) // if the damage is in the last number
	if r.gaps == gaps && (c.failures > 0 || beyond > last || broken) {
		r.gaps++
	}
	return err
}

// sequences keeps the numbers of rows that were erased from being given again.
func (r *rescue) sequences(ctx context.Context) error {
	type seq struct {
		table string
		n     int64
	}
	seqs, err := rows(ctx, r.src, "SELECT name, seq FROM sqlite_sequence WHERE typeof(seq) = 'integer'", nil,
		func(rs *sql.Rows) (s seq, err error) {
			err = rs.Scan(&s.table, &s.n)
			return s, err
		})
	if err != nil { // then they go on behind the last row
		return ctx.Err()
	}
	for _, s := range seqs {
		if _, err := r.dst.exec(ctx, "UPDATE sqlite_sequence SET seq=? WHERE name=? AND seq<?", s.n, s.table,
			s.n); err != nil {
			return err
		}
		// None of its rows came along: then the table has no number yet.
		if _, err := r.dst.exec(ctx, `INSERT INTO sqlite_sequence (name, seq) SELECT name, ? FROM sqlite_schema
			WHERE type='table' AND name=? AND name NOT IN (SELECT name FROM sqlite_sequence)`, s.n, s.table); err != nil {
			return err
		}
	}
	return nil
}

// mend drops what cannot be used by itself, makes the index, and then drops what
// names something that is not there, for as long as that leaves others without.
func (r *rescue) mend(ctx context.Context) error {
	found, err := spoiltRows(ctx, r.dst.conn)
	if err != nil {
		return err
	}
	for _, s := range found {
		query := "DELETE FROM " + s.table + " WHERE number=?"
		if s.table == "event" { // what it was is known still
			query = "UPDATE event SET payload='' WHERE seq=?"
		}
		if err := r.drop(ctx, s.table, query, s.number); err != nil {
			return err
		}
	}
	_, err = r.dst.reindex(ctx, func(m memoryRow, _ error) error {
		return r.drop(ctx, "memory", "DELETE FROM memory WHERE number=?", m.number)
	})
	for before := -1; err == nil && before != r.gaps; {
		before = r.gaps
		err = r.unlink(ctx)
	}
	for _, table := range []string{"memory_file", "memory_tag"} { // counted with the memories that they are of
		delete(r.rows, table)
	}
	return err
}

// unlink takes out what names a row that is not there. Memories and events stay,
// and name nothing.
func (r *rescue) unlink(ctx context.Context) error {
	type link struct{ table, column, parent, key string }
	links, err := rows(ctx, r.dst.conn,
		`SELECT t.name, f."from", f."table", f."to" FROM pragma_table_list t, pragma_foreign_key_list(t.name) f
		WHERE t.schema='main'`, nil, func(rs *sql.Rows) (l link, err error) {
			err = rs.Scan(&l.table, &l.column, &l.parent, &l.key)
			return l, err
		})
	if err != nil {
		return err
	}
	for _, l := range links {
		lost := fmt.Sprintf(" WHERE %s IS NOT NULL AND %s NOT IN (SELECT %s FROM %s)", l.column, l.column, l.key, l.parent)
		query := "DELETE FROM " + l.table + lost
		if l.table == "memory" || l.table == "event" {
			query = "UPDATE " + l.table + " SET " + l.column + "=NULL" + lost
		}
		if err := r.drop(ctx, l.table, query); err != nil {
			return err
		}
	}
	return nil
}

// drop takes damaged rows out, or their damaged part.
func (r *rescue) drop(ctx context.Context, table, query string, args ...any) error {
	res, err := r.dst.conn.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	r.gaps += int(n)
	if strings.HasPrefix(query, "DELETE") {
		r.rows[table] -= int(n)
	}
	return err
}
