package sqlite

import (
	"database/sql"
	"reflect"
	"testing"

	"modernc.org/libc"
	code "modernc.org/sqlite/lib"
)

// plansHold fails if SQLite planned a prepared statement again. It does so at every
// use for a bare parameter after LIMIT or in a comparison with the column of a
// partial index, which takes longer than the query. Every test that opens a store
// checks it.
func plansHold(t testing.TB, s *Store) {
	t.Helper()
	if s.read == nil {
		return
	}
	tls := libc.NewTLS()
	defer tls.Close()
	for _, stmts := range []map[string]*sql.Stmt{s.stmts, s.read.stmts} {
		for query, st := range stmts {
			if query == "BEGIN IMMEDIATE" { // prepared before the schema
				continue
			}
			for _, handle := range handles(st) {
				const reprepared = 5 // SQLITE_STMTSTATUS_REPREPARE
				if n := code.Xsqlite3_stmt_status(tls, handle, reprepared, 0); n > 0 {
					t.Errorf("planned again %d times: %s", n, query)
				}
			}
		}
	}
}

// handles returns SQLite's handles of a statement, one for each connection that ran it.
func handles(st *sql.Stmt) []uintptr {
	v := reflect.ValueOf(st).Elem()
	prepared := []reflect.Value{v.FieldByName("cgds")}
	for i := range v.FieldByName("css").Len() {
		prepared = append(prepared, v.FieldByName("css").Index(i).FieldByName("ds"))
	}
	var out []uintptr
	for _, ds := range prepared {
		if ds.IsNil() {
			continue
		}
		if h := ds.Elem().FieldByName("si").Elem().Elem().FieldByName("pstmt").Uint(); h != 0 {
			out = append(out, uintptr(h))
		}
	}
	return out
}
