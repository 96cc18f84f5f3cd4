package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// Errors of a copy of a whole store.
var (
	// ErrOther is the error of a store to copy into that has rows which the other one does not have, or not so.
	ErrOther = errors.New("it has rows that the other store does not have")
	// ErrDiffers is the error of a copy that is not the same.
	ErrDiffers = errors.New("the copy is not the same")
)

// How much is written at a time.
const (
	chunkRows  = 500
	chunkBytes = 2 << 20
)

// Copy copies all rows of a store into another one, and compares both afterwards. Rows that are there already, since an
// earlier copy was interrupted, are not written again.
type Copy struct {
	From, To mem.MoveStore
	// Report is called after each part that was written; nil means it is not.
	Report func(table string, rows int)
}

// TableSum is the number of rows of a table, and a sum of the hashes of their contents, whatever their order.
type TableSum struct {
	Table string `json:"table"`
	Rows  int    `json:"rows"`
	Sum   string `json:"sum"` // 32 bytes in hexadecimal

	sum [4]uint64
}

// Copied is what a copy did.
type Copied struct {
	Tables  []TableSum `json:"tables"`  // of both stores
	Rows    int        `json:"rows"`    // all of them
	Known   int        `json:"known"`   // of those, the ones that an earlier copy wrote
	Cleaned int        `json:"cleaned"` // rows in which bytes that are no text were replaced by U+FFFD
}

// Moved is what a move of a store did, or would do.
type Moved struct {
	DryRun bool   `json:"dry_run"`
	From   string `json:"from"` // a file, or the address of a server
	To     string `json:"to"`
	Copied
	Before  string  `json:"before"` // the SQLite file of before, if it was in the place of the new one; "" if not
	Server  string  `json:"server"` // program and version of the server to move to, of a dry run; "" for a file
	Seconds float64 `json:"seconds"`
}

// Run copies, and returns ErrOther before it writes anything, or ErrDiffers afterwards.
func (c Copy) Run(ctx context.Context) (done Copied, err error) {
	known, err := c.known(ctx)
	if err != nil {
		return done, err
	}
	var part []mem.Record
	var size int
	flush := func(table string) error {
		if len(part) == 0 {
			return nil
		}
		if err := c.To.AddRecords(ctx, part); err != nil {
			return err
		}
		part, size = part[:0], 0
		if c.Report != nil {
			c.Report(table, done.Rows)
		}
		return nil
	}
	var from sums
	table := ""
	err = records(ctx, c.From, func(r mem.Record, hash [sha256.Size]byte, cleaned bool) error {
		if table = r.Table; cleaned {
			done.Cleaned++
		}
		from.add(r.Table, hash)
		done.Rows++
		if known.take(r.Table, hash) {
			done.Known++
			return nil
		}
		part, size = append(part, r), size+weight(r)
		if len(part) < chunkRows && size < chunkBytes {
			return nil
		}
		return flush(table)
	})
	if err == nil {
		err = flush(table)
	}
	if err == nil {
		err = c.To.FinishRecords(ctx)
	}
	if err != nil {
		return done, err
	}
	to, err := Sums(ctx, c.To)
	done.Tables = from.list()
	return done, errors.Join(err, compare(done.Tables, to))
}

// known returns the rows that are in the store to copy into, or ErrOther if the other one does not have them all.
func (c Copy) known(ctx context.Context) (rowSet, error) {
	known := rowSet{}
	err := records(ctx, c.To, func(r mem.Record, hash [sha256.Size]byte, _ bool) error {
		known.put(r.Table, hash)
		return nil
	})
	if err != nil || len(known) == 0 {
		return known, err
	}
	left := known.clone()
	err = records(ctx, c.From, func(r mem.Record, hash [sha256.Size]byte, _ bool) error {
		left.take(r.Table, hash)
		return nil
	})
	if err == nil && len(left) > 0 {
		err = ErrOther
	}
	return known, err
}

// rowSet counts rows by the beginnings of their hashes. It does not have the counters, which change with each row.
type rowSet map[[16]byte]int

const counters = "counter"

func (s rowSet) put(table string, hash [sha256.Size]byte) {
	if table != counters {
		s[[16]byte(hash[:16])]++
	}
}

// take takes a row out and reports whether it was there.
func (s rowSet) take(table string, hash [sha256.Size]byte) bool {
	key := [16]byte(hash[:16])
	switch n := s[key]; {
	case table == counters || n == 0:
		return false
	case n == 1:
		delete(s, key)
	default:
		s[key] = n - 1
	}
	return true
}

func (s rowSet) clone() rowSet {
	out := make(rowSet, len(s))
	for key, n := range s {
		out[key] = n
	}
	return out
}

// records passes on each record of a store in the form in which all have it, with its hash, and whether it had bytes
// that are no text. Numbers of tables without rows say nothing.
func records(ctx context.Context, s mem.MoveStore, each func(mem.Record, [sha256.Size]byte, bool) error) error {
	return s.Records(ctx, mem.RecordQuery{Work: true}, func(r mem.Record) error {
		cleaned := clean(r.Row)
		r, err := stored.SameForm(r)
		if err != nil {
			return err
		}
		text, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Table, err)
		}
		return each(r, sha256.Sum256(text), cleaned)
	})
}

// clean replaces what a text of PostgreSQL cannot hold, and reports whether there was any.
func clean(row map[string]any) (cleaned bool) {
	for name, v := range row {
		s, ok := v.(string)
		if !ok {
			continue
		}
		if text := strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd"); text != s {
			row[name], cleaned = text, true
		}
	}
	return cleaned
}

// weight is about how many bytes a record has.
func weight(r mem.Record) (n int) {
	for _, v := range r.Row {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return n
}

// sums are the sums of tables, in the order in which they were read.
type sums []TableSum

func (s *sums) add(table string, hash [sha256.Size]byte) {
	i := slices.IndexFunc(*s, func(t TableSum) bool { return t.Table == table })
	if i < 0 {
		*s, i = append(*s, TableSum{Table: table}), len(*s)
	}
	t := &(*s)[i]
	t.Rows++
	for i := range t.sum {
		t.sum[i] += binary.BigEndian.Uint64(hash[8*i:])
	}
}

func (s sums) list() []TableSum {
	for i := range s {
		var b []byte
		for _, n := range s[i].sum {
			b = binary.BigEndian.AppendUint64(b, n)
		}
		s[i].Sum = hex.EncodeToString(b)
	}
	return s
}

// Sums counts the rows of a store and adds up their hashes.
func Sums(ctx context.Context, s mem.MoveStore) ([]TableSum, error) {
	var out sums
	err := records(ctx, s, func(r mem.Record, hash [sha256.Size]byte, _ bool) error {
		out.add(r.Table, hash)
		return nil
	})
	return out.list(), err
}

// Compare counts the rows of two stores and returns ErrDiffers if they are not the same.
func Compare(ctx context.Context, from, to mem.MoveStore) (done Copied, err error) {
	done.Tables, err = Sums(ctx, from)
	for _, t := range done.Tables {
		done.Rows += t.Rows
	}
	done.Known = done.Rows
	if err != nil {
		return done, err
	}
	have, err := Sums(ctx, to)
	return done, errors.Join(err, compare(done.Tables, have))
}

// compare returns ErrDiffers with the tables that are not the same.
func compare(from, to []TableSum) error {
	have := map[string]TableSum{}
	for _, t := range to {
		have[t.Table] = t
	}
	var differ []string
	for _, t := range from {
		if got := have[t.Table]; got != t {
			differ = append(differ, fmt.Sprintf("%s: %d rows of %d, or other ones", t.Table, got.Rows, t.Rows))
		}
		delete(have, t.Table)
	}
	for table, t := range have {
		differ = append(differ, fmt.Sprintf("%s: %d rows of none", table, t.Rows))
	}
	if len(differ) == 0 {
		return nil
	}
	slices.Sort(differ)
	return fmt.Errorf("%w: %s", ErrDiffers, strings.Join(differ, "; "))
}
