package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"remanence/internal/mem"
)

// partOf is the part that a table belongs to, with its indexes.
var partOf = map[string]mem.PartName{
	"event": mem.PartEvents, "memory": mem.PartMemories, "memory_file": mem.PartMemories, "memory_tag": mem.PartMemories,
	"session": mem.PartSessions, "turn": mem.PartSessions, "told": mem.PartSessions,
	"receipt": mem.PartReceipts, "receipt_item": mem.PartReceipts, "checkpoint": mem.PartCheckpoints,
	"vector": mem.PartIndex,
	"run":    mem.PartMemories, "change": mem.PartMemories, "dismissed": mem.PartMemories,
	"relation": mem.PartMemories, "entity": mem.PartMemories, "mention": mem.PartMemories,
}

// part is the part that a table belongs to, "" if to none.
func part(table string) mem.PartName {
	if strings.HasPrefix(table, "memory_fts") || strings.HasPrefix(table, "talk_fts") {
		return mem.PartIndex
	}
	return partOf[table]
}

// Sizes implements mem.Store.
func (s *statistics) Sizes(ctx context.Context) ([]mem.Part, error) {
	parts, err := s.sizes(ctx)
	if err != nil {
		return nil, wrap("sizes", err)
	}
	log := fileSize(s.path + "-wal")
	return append(parts, mem.Part{Name: mem.PartWAL, Bytes: log}), nil
}

// sizes reads everything in one transaction, so that the parts are consistent.
func (s *statistics) sizes(ctx context.Context) ([]mem.Part, error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	tables, err := tableSizes(ctx, tx)
	if err != nil {
		return nil, err
	}
	bytes, err := spaceOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	for table, n := range tables {
		if p := part(table); p != "" {
			bytes[p] += n
			bytes[mem.PartOther] -= n
		}
	}
	parts, err := countedParts(ctx, tx)
	for i := range parts {
		parts[i].Bytes = bytes[parts[i].Name]
	}
	return parts, err
}

// spaceOf returns the sizes that do not come from a table: at first all used pages
// count as other. The bytes of payloads are subtracted from those of events.
func spaceOf(ctx context.Context, tx *sql.Tx) (map[mem.PartName]int64, error) {
	var whole, free, payloads int64
	err := tx.QueryRowContext(ctx, `SELECT page_count * page_size, freelist_count * page_size
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&whole, &free)
	if err != nil {
		return nil, err
	}
	// The length is in the header of a row: no payload is read.
	err = tx.QueryRowContext(ctx, "SELECT coalesce(sum(octet_length(payload)), 0) FROM event").Scan(&payloads)
	return map[mem.PartName]int64{
		mem.PartFree: free, mem.PartOther: whole - free, mem.PartPayloads: payloads, mem.PartEvents: -payloads,
	}, err
}

// countedParts returns the parts of the database with their row counts, in the
// order of a report and without their bytes.
func countedParts(ctx context.Context, tx *sql.Tx) ([]mem.Part, error) {
	var parts []mem.Part
	for _, p := range []struct {
		name mem.PartName
		rows string
	}{
		{mem.PartPayloads, "event WHERE payload <> ''"},
		{mem.PartEvents, "event"},
		{mem.PartMemories, "memory"},
		{mem.PartIndex, ""},
		{mem.PartSessions, "session"},
		{mem.PartReceipts, "receipt"},
		{mem.PartCheckpoints, "checkpoint"},
		{mem.PartOther, ""},
		{mem.PartFree, ""},
	} {
		part := mem.Part{Name: p.name}
		if p.rows != "" {
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM "+p.rows).Scan(&part.Count); err != nil {
				return nil, err
			}
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// tableSizes returns the bytes of each table with its indexes.
func tableSizes(ctx context.Context, tx *sql.Tx) (map[string]int64, error) {
	sizes := map[string]int64{}
	_, err := rows(ctx, tx, stmt(`SELECT coalesce(o.tbl_name, d.name), sum(d.pgsize) FROM dbstat d
		LEFT JOIN sqlite_schema o ON o.name = d.name WHERE d.aggregate = TRUE GROUP BY 1`),
		func(r *sql.Rows) (n int64, err error) {
			var table string
			err = r.Scan(&table, &n)
			sizes[table] = n
			return n, err
		})
	return sizes, err
}
