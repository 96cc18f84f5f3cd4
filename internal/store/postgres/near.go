//go:build postgres || backends

package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"remanence/internal/store/stored"
	"remanence/internal/vector"
)

// The extension pgvector, where the database has it, finds near vectors by an index: a graph (HNSW) over the stored
// bytes as numbers of 16 bits. What it finds is compared as without it. It is no part of the schema: nothing depends on
// it, and DROP EXTENSION vector CASCADE removes the index alone.
const (
	indexedFrom   = 5_000  // vectors of one length; fewer are compared one by one as fast
	longestVector = 4_000  // numbers of a vector that can be indexed
	spare         = 4      // a fourth more than is returned is read of the index, which rounds the question
	listSize      = 200    // length of its list of candidates; a longer one finds more and takes longer
	longestList   = 1_000  // that pgvector allows
	mostScanned   = 40_000 // vectors, if few of them pass the filters
)

// oldestVector is the first version of pgvector that goes on if the nearest do not pass the filters.
const oldestVector = "0.8.0"

// nearIndex is the name of the index over vectors of a length.
func nearIndex(length int) string { return "vector_near_" + strconv.Itoa(length) }

// nearNumbers is how the index has a vector. schema is that of the extension, quoted.
func nearNumbers(column, schema string, length int) string {
	return fmt.Sprintf("near_numbers(%s)::%s.halfvec(%d)", column, schema, length)
}

// installedVector is a column with the schema of a usable version of the extension, "" if there is none.
const installedVector = `coalesce((SELECT quote_ident(nspname) FROM pg_extension
	JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector' AND has_schema_privilege(n.oid, 'USAGE')
	AND string_to_array(regexp_replace(extversion, '[^0-9.].*', ''), '.')::int[] >=
	string_to_array('` + oldestVector + `', '.')::int[]), '')`

// near returns the nearest memories that the index finds. ok is false if it cannot be used, or if too few of what is
// near pass the filters.
func (s *database) near(ctx context.Context, model string, v []float32, where *statement, n int) (
	found []stored.Candidate, ok bool, err error,
) {
	if len(v) > longestVector {
		return nil, false, nil
	}
	var schema string
	var indexed, enough bool // by less than that, comparing them one by one takes no longer
	if err := get(ctx, s.pool, query("SELECT "+installedVector+`, coalesce((SELECT indisvalid FROM pg_index
		WHERE indexrelid = to_regclass(?)), false), (SELECT count(*) >= ? FROM (SELECT FROM memory m WHERE `,
		nearIndex(len(v)), indexedFrom).append(where).add(" LIMIT ?) passing)", indexedFrom), &schema, &indexed,
		&enough); err != nil || schema == "" || !indexed || !enough {
		return nil, false, err
	}
	most := n + max(n/spare, spare)
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		// The order by distance comes from the index alone: the planner may not sort instead.
		if _, err := tx.Exec(ctx, fmt.Sprintf(`SET LOCAL enable_sort = off; SET LOCAL enable_hashjoin = off;
			SET LOCAL enable_mergejoin = off; SET LOCAL max_parallel_workers_per_gather = 0; SET LOCAL jit = off;
			SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = %d;
			SET LOCAL hnsw.max_scan_tuples = %d`, max(listSize, min(2*n, longestList)), mostScanned)); err != nil {
			return err
		}
		found, err = rows(ctx, tx, query(`SELECT m.number, v.data FROM vector v JOIN memory m ON m.number = v.memory
			WHERE v.model = ? AND octet_length(v.data) = `+strconv.Itoa(len(v))+" AND ", model).append(where).
			add(" ORDER BY "+nearNumbers("v.data", schema, len(v))+
				" OPERATOR("+schema+".<=>) ?::text::"+schema+".halfvec LIMIT ?", literal(v), most), compared(v))
		return err
	})
	return found, err == nil && len(found) >= n, err
}

// compared scans the number of a memory and its vector, and compares that with v.
func compared(v []float32) func(pgx.Rows) (stored.Candidate, error) {
	length := vector.Length(v)
	return func(r pgx.Rows) (c stored.Candidate, err error) {
		var data []byte
		if err := r.Scan(&c.Number, &data); err != nil {
			return c, err
		}
		cos, ok := vector.Cosine(v, length, data)
		if !ok {
			return c, stored.ErrUnreadable
		}
		c.Score = cos
		return c, nil
	}
}

// literal is a vector of length 1 as pgvector reads it: a number of 16 bits does not hold every float32.
func literal(v []float32) string {
	length := vector.Length(v)
	out := make([]string, len(v))
	for i, x := range v {
		out[i] = strconv.FormatFloat(float64(x)/length, 'g', 6, 64)
	}
	return "[" + strings.Join(out, ",") + "]"
}

// indexVectors makes the index over the vectors of the length that most have, if the database has the extension, there
// are enough of them, and it is missing. It takes a while, and others write meanwhile.
func (s *database) indexVectors(ctx context.Context) error {
	var schema string
	length := 0
	err := get(ctx, s.pool, query("SELECT "+installedVector+`, coalesce((SELECT octet_length(data) FROM vector
		WHERE octet_length(data) BETWEEN 1 AND ? GROUP BY 1 HAVING count(*) >= ? ORDER BY count(*) DESC LIMIT 1), 0)`,
		longestVector, indexedFrom), &schema, &length)
	if err != nil || schema == "" || length == 0 {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	err = buildIndex(ctx, conn, s.schema, schema, length)
	_ = conn.Close(context.WithoutCancel(ctx)) // no other use: it has the lock, and its own settings
	return err
}

// buildIndex makes the index over vectors of a length, unless it is there or another daemon is at it.
func buildIndex(ctx context.Context, conn *pgx.Conn, of, schema string, length int) error {
	var mine, valid bool
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtextextended('remanence vectors ' || $1, 0)),
		coalesce((SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($2)), false)`, of,
		nearIndex(length)).Scan(&mine, &valid); err != nil || !mine || valid {
		return err
	}
	if err := dropNearIndexes(ctx, conn); err != nil { // one that an earlier attempt did not finish, or of another length
		return err
	}
	for _, text := range []string{
		"SET statement_timeout = 0", "SET maintenance_work_mem = '" + buildMemory + "'",
		`CREATE OR REPLACE FUNCTION near_numbers(data bytea) RETURNS ` + schema + `.halfvec LANGUAGE sql IMMUTABLE STRICT
		 PARALLEL SAFE RETURN ARRAY(SELECT (get_byte(data, i) # 128) - 128
		 FROM generate_series(0, octet_length(data) - 1) i)::` + schema + `.halfvec`,
	} {
		if _, err := conn.Exec(ctx, text); err != nil {
			return fmt.Errorf("index vectors: %w", err)
		}
	}
	return leave(ctx, conn, fmt.Sprintf("CREATE INDEX CONCURRENTLY %s ON vector USING hnsw ((%s) %s.halfvec_cosine_ops) "+
		"WHERE octet_length(data) = %d", nearIndex(length), nearNumbers("data", schema, length), schema, length))
}

// leave runs a statement. If ctx ends before it does, the server goes on with it alone: a job may not take as long.
func leave(ctx context.Context, conn *pgx.Conn, statement string) error {
	c, err := conn.PgConn().Hijack() // which would ask the server to stop
	if err != nil {
		return err
	}
	defer c.Conn.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Conn.Close() })()
	c.Frontend.SendQuery(&pgproto3.Query{String: statement})
	if err := c.Frontend.Flush(); err != nil {
		return err
	}
	for failed := error(nil); ; {
		message, err := c.Frontend.Receive()
		switch m := message.(type) {
		case *pgproto3.ErrorResponse:
			failed = fmt.Errorf("index vectors: %w", pgconn.ErrorResponseToPgError(m))
		case *pgproto3.ReadyForQuery:
			return failed
		}
		if err != nil && ctx.Err() != nil {
			return nil
		} else if err != nil {
			return fmt.Errorf("index vectors: %w", err)
		}
	}
}

// buildMemory is how much memory the server may use to make the index. Without enough of it that takes much longer.
const buildMemory = "256MB"

// indexWait is how long a purge waits for the index, which the server makes alone then.
const indexWait = 100 * time.Millisecond

// dropNearIndexes drops the indexes over vectors, which keep those of deleted rows.
func dropNearIndexes(ctx context.Context, conn *pgx.Conn) error {
	names, err := rows(ctx, conn, query("SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "+
		"WHERE i.indrelid = to_regclass('vector') AND starts_with(c.relname, 'vector_near_')"), one[string])
	for _, name := range names {
		if _, dropErr := conn.Exec(ctx, "DROP INDEX IF EXISTS "+pgx.Identifier{name}.Sanitize()); dropErr != nil {
			return dropErr
		}
	}
	return err
}

// vectorSearch says how many vectors there are, and how they are searched.
func (s *database) vectorSearch(ctx context.Context) (v stored.VectorSearch, err error) {
	var installed, available string
	var indexed bool
	err = s.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM vector WHERE octet_length(data) > 0),
		coalesce((SELECT extversion FROM pg_extension WHERE extname = 'vector'), ''),
		coalesce((SELECT default_version FROM pg_available_extensions WHERE name = 'vector'), ''),
		(SELECT count(*) > 0 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indisvalid AND
			i.indrelid = to_regclass('vector') AND starts_with(c.relname, 'vector_near_')), `+installedVector+" <> ''").
		Scan(&v.Vectors, &installed, &available, &indexed, &v.Usable)
	v.Indexed = indexed && v.Usable
	switch {
	case installed != "":
		v.Extension = "pgvector " + installed
	case available != "":
		v.Available = "pgvector " + available
	}
	return v, err
}
