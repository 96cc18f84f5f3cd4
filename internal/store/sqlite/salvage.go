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
	// maxFailures bounds the attempts to read on behind damage, in each table.
	maxFailures = 4000
	// furthest is the last row number to look for if a table's last one cannot be read.
	furthest = int64(1) << 40
)

// Salvaged is the result of a salvage.
type Salvaged struct {
	Rows  map[string]int // by table
	Gaps  int            // places where rows could not be read
	Aside string         // where the damaged database is
	Empty bool           // nothing could be read: the new database is empty
}

// Salvage makes a new database from the readable rows of a damaged one, and keeps
// that aside unchanged. It leaves out rows that are damaged, and those of a session
// that is lost, except memories. If nothing can be read, the new database is empty.
// The caller holds the worker's lock. mem.ErrNewer if a newer version wrote it.
func Salvage(ctx context.Context, path string, now time.Time) (Salvaged, error) {
	return salvageIf(ctx, path, now, func(bool) error { return nil })
}

// salvageIf is Salvage if allow returns no error. It calls allow before it copies
// anything, with whether anything can be read.
func salvageIf(ctx context.Context, path string, now time.Time, allow func(readable bool) error) (Salvaged, error) {
	scratch, next := path+".scratch", path+".next"
	var got Salvaged
	err := mem.ErrCorrupt
	if !isNotFile(path) { // else nothing can be read
		got, err = salvage(ctx, path, scratch, next, allow)
	}
	if nothingReadable(err) && !errors.Is(err, errNeedsDecision) {
		if err = allow(false); err == nil {
			got, err = Salvaged{Empty: true}, errors.Join(removeAll(next), prepareCopy(ctx, next))
		}
	}
	if err == nil {
		got.Aside, err = replaceDatabase(path, next, now)
	}
	err = errors.Join(err, removeAll(scratch))
	if err != nil {
		return got, errors.Join(wrap("salvage "+path, err), removeAll(next))
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
	// SQLite deletes the log of an empty database when it opens it.
	if fileSize(path) > 0 {
		if _, err := schemaOf(ctx, path, "&mode=ro"); isLocked(err) {
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
	r := &salvager{rows: map[string]int{}}
	if err := r.run(ctx, scratch, next, steps[:version]); err != nil {
		return none, err
	}
	return Salvaged{Rows: r.rows, Gaps: r.gaps}, prepareCopy(ctx, next)
}

// readable makes the schema table of a damaged database readable, with that of a
// new database if necessary, and returns the number of the schema.
func readable(ctx context.Context, path string, newest int) (int, error) {
	var version int
	var err error
	if fileSize(path) > 0 {
		version, err = schemaOf(ctx, path, "")
	}
	if err == nil {
		if err := notNewer(version, newest); err != nil || version > 0 {
			return version, err
		}
	}
	if err := repairFirstPage(ctx, path); err != nil {
		return 0, err
	}
	if version, err = schemaOf(ctx, path, ""); err != nil || version == 0 {
		return 0, errors.Join(mem.ErrCorrupt, err)
	}
	return version, nil
}

// schemaOf returns the schema of a database of ours whose schema table can be read,
// 0 for any other. options end the data source name.
func schemaOf(ctx context.Context, path, options string) (version int, err error) {
	var app, tables int
	err = withConn(ctx, dsn(path, lockWait)+options, func(conn *sql.Conn) error {
		if err := stmt("SELECT count(*) FROM sqlite_schema WHERE type='table' AND name IN ('memory', 'session')").
			scan(ctx, conn, &tables); err != nil {
			return err
		}
		return stmt("SELECT application_id, user_version FROM pragma_application_id, pragma_user_version").
			scan(ctx, conn, &app, &version)
	})
	if err != nil || app != applicationID || tables != 2 {
		return 0, err
	}
	return version, nil
}

// salvager copies readable rows from one database to another.
type salvager struct {
	src  *sql.Conn
	dst  *writer
	rows map[string]int
	gaps int
}

// run fills a new database of a schema with the readable rows of another.
func (r *salvager) run(ctx context.Context, from, to string, steps []string) (err error) {
	src, err := sql.Open("sqlite", dsn(from, defaultBusy, "query_only(1)", "cell_size_check(1)"))
	if err != nil {
		return err
	}
	defer src.Close()
	if r.src, err = src.Conn(ctx); err != nil {
		return err
	}
	defer r.src.Close()
	s, err := openForSalvage(ctx, to, steps)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, err := s.conn.ExecContext(ctx, "PRAGMA foreign_keys=OFF"); err != nil { // until all rows are copied
		return err
	}
	return s.transact(ctx, func(w *writer) error {
		r.dst = w
		tables, err := rows(ctx, w.conn, stmt(`SELECT name FROM pragma_table_list WHERE schema='main' AND type='table'
			AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'memory\_fts%' ESCAPE '\'
			AND name NOT LIKE 'talk\_fts%' ESCAPE '\' ORDER BY name`), one[string])
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
		return r.repair(ctx)
	})
}

// openForSalvage opens a new database with some of the migrations, for writing only.
func openForSalvage(ctx context.Context, path string, steps []string) (*database, error) {
	db := newDatabase(Config{Path: path})
	err := prepareFile(path)
	if err == nil {
		err = db.connectWriter(ctx)
	}
	if err == nil {
		err = db.migrateTo(ctx, steps)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// table copies the readable rows of one table.
func (r *salvager) table(ctx context.Context, name string) error {
	var keyed bool // without row numbers
	if err := r.dst.conn.QueryRowContext(ctx, "SELECT wr FROM pragma_table_list WHERE schema='main' AND name=?",
		name).Scan(&keyed); err != nil {
		return err
	}
	columns, err := rows(ctx, r.dst.conn, stmt("SELECT name FROM pragma_table_info(?)", name), one[string])
	if err != nil {
		return err
	}
	list := strings.Join(columns, ", ")
	c := &tableCopy{
		salvager: r, table: name, width: len(columns),
		insert: "INSERT OR IGNORE INTO " + name + " (" + list + ") VALUES (?" + strings.Repeat(",?", len(columns)-1) + ")",
		from:   "SELECT " + list + " FROM " + name,
	}
	if keyed {
		key, err := rows(ctx, r.dst.conn, stmt("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", name),
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
	if err := c.copyRange(ctx, 1, last); err != nil {
		return err
	}
	beyond, broken, err := c.read(ctx, c.from, last, last+1, furthest) // the last number itself may be damaged
	if r.gaps == gaps && (c.failures > 0 || beyond > last || broken) {
		r.gaps++
	}
	return err
}

// sequences copies the last numbers of tables, so that numbers of erased rows are not used again.
func (r *salvager) sequences(ctx context.Context) error {
	type seq struct {
		table string
		n     int64
	}
	seqs, err := rows(ctx, r.src, stmt("SELECT name, seq FROM sqlite_sequence WHERE typeof(seq) = 'integer'"),
		func(rs *sql.Rows) (s seq, err error) {
			err = rs.Scan(&s.table, &s.n)
			return s, err
		})
	if err != nil { // numbers then continue after the last copied row
		return ctx.Err()
	}
	for _, s := range seqs {
		if _, err := r.dst.exec(ctx, "UPDATE sqlite_sequence SET seq=? WHERE name=? AND seq<?", s.n, s.table,
			s.n); err != nil {
			return err
		}
		// A table of which no row was copied has no number yet.
		if _, err := r.dst.exec(ctx, `INSERT INTO sqlite_sequence (name, seq) SELECT name, ? FROM sqlite_schema
			WHERE type='table' AND name=? AND name NOT IN (SELECT name FROM sqlite_sequence)`, s.n, s.table); err != nil {
			return err
		}
	}
	return nil
}

// repair deletes rows that cannot be decoded, rebuilds the index, and then deletes
// rows that refer to missing ones until there are none.
func (r *salvager) repair(ctx context.Context) error {
	found, err := unreadableRows(ctx, r.dst.conn)
	if err != nil {
		return err
	}
	for _, s := range found {
		query := "DELETE FROM " + s.table + " WHERE number=?"
		if s.table == "event" { // its other columns can be used
			query = "UPDATE event SET payload='' WHERE seq=?"
		}
		if err := r.drop(ctx, s.table, query, s.number); err != nil {
			return err
		}
	}
	_, err = r.dst.reindex(ctx, func(m memoryRow, _ error) error {
		return r.drop(ctx, "memory", "DELETE FROM memory WHERE number=?", m.Number)
	})
	for before := -1; err == nil && before != r.gaps; {
		before = r.gaps
		err = r.dropDangling(ctx)
	}
	for _, table := range []string{"memory_file", "memory_tag"} { // counted with their memories
		delete(r.rows, table)
	}
	return err
}

// dropDangling deletes rows that refer to a missing row. Memories and events stay
// without the reference.
func (r *salvager) dropDangling(ctx context.Context) error {
	type link struct{ table, column, parent, key string }
	links, err := rows(ctx, r.dst.conn,
		stmt(`SELECT t.name, f."from", f."table", f."to" FROM pragma_table_list t, pragma_foreign_key_list(t.name) f
		WHERE t.schema='main'`), func(rs *sql.Rows) (l link, err error) {
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

// drop runs a statement that removes damaged rows, or their damaged part.
func (r *salvager) drop(ctx context.Context, table, query string, args ...any) error {
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
