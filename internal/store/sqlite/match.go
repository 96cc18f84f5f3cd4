package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/mem"
)

// maxPhrase bounds one term, in bytes.
const maxPhrase = 400

// Match implements mem.Store. What rare terms find the index scores itself, as
// BM25; of common ones it gives no more than the numbers of the records that hold
// them. For a score it looks up the length of every record, four fifths of what a
// search takes, and that a common word stands in one twice tells little. The best
// are filtered, and only those that pass and are asked for are read.
func (s *memoryStore) Match(ctx context.Context, q mem.Query) ([]mem.Hit, error) {
	f, err := s.matchFilter(ctx, q)
	if errors.Is(err, mem.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("match: memory %w", err)
	}
	ix := indexOf(q)
	holders, err := s.holders(ctx, ix, q)
	if err != nil {
		return nil, fmt.Errorf("match: %w", translate(err))
	}
	want := limitOr(q.Limit) + max(q.Offset, 0)
	best, err := s.passing(ctx, ix, f, holders, want)
	if err != nil {
		return nil, fmt.Errorf("match: %w", translate(err))
	}
	hits, err := s.hits(ctx, best[min(max(q.Offset, 0), len(best)):min(want, len(best))])
	if err != nil {
		return nil, fmt.Errorf("match: %w", translate(err))
	}
	return hits, nil
}

// matchFilter is what q asks for besides terms.
func (s *memoryStore) matchFilter(ctx context.Context, q mem.Query) (*filter, error) {
	if len(q.IDs) == 0 {
		return memoryFilter(q), nil
	}
	numbers, err := resolveIDs(ctx, s.read, q)
	return (&filter{}).and("m.number IN (SELECT value FROM json_each(?))", array(numbers)), err
}

// index is a full-text table, how it scores, and those of its columns that hold
// what a record says itself, where others hold what was said around it.
type index struct{ table, score, own string }

// indexOf is where the memories that q asks for are found.
func indexOf(q mem.Query) index {
	if slices.Contains(q.Kinds, mem.Utterance) {
		// body, ident, who, near, far, day
		return index{"talk_fts", "bm25(talk_fts, 1.0, 0.7, 2.0, 0.5, 0.3, 1.0)", "body ident who day"}
	}
	return index{"memory_fts", "bm25(memory_fts, 1.0, 0.8, 0.7)", ""} // body, title, ident
}

// The rarest terms are scored by the index: as many as together are held by no
// more than so many records, and the rarest of all if fewer than so many hold
// it. On three development sets 250, 500 and 1,000 found the same within half a
// point of recall@10, and a little more than when the index scores all terms; none
// at all lost three points among functions of source code.
const (
	scoredRecords = 500
	scoredAlone   = countedWhole // more may be counted as just so many
)

// holder is a record that holds terms of a question. No two compare equal, so that
// thousands of them need no stable sort, which takes more than twice as long.
type holder struct {
	number, created int64
	scored          float64 // by the index
	common          float64 // inverse document frequencies of its common terms
}

func (h holder) compare(o holder) int {
	if c := cmp.Compare(o.scored+o.common, h.scored+h.common); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(o.created, h.created), cmp.Compare(o.number, h.number))
}

// holders returns all records that hold a term, best first, the newest first
// among equals.
func (s *memoryStore) holders(ctx context.Context, ix index, q mem.Query) ([]holder, error) {
	corpus, err := s.Count(ctx, q)
	if err != nil || corpus.Size == 0 {
		return nil, err
	}
	rare, common := chosen(q.Terms, corpus)
	sums := map[int64]float64{}
	for _, t := range common {
		if err := s.addCommon(ctx, ix, t, corpus.Size, sums); err != nil {
			return nil, err
		}
	}
	var out []holder
	if len(rare) > 0 {
		query := "SELECT rowid, -" + ix.score + " FROM " + ix.table + " WHERE " + ix.table + " MATCH ?"
		out, err = rows(ctx, s.read, query, []any{strings.Join(rare, " OR ")}, func(r *sql.Rows) (h holder, err error) {
			err = r.Scan(&h.number, &h.scored)
			h.common = sums[h.number]
			delete(sums, h.number)
			return h, err
		})
		if err != nil {
			return nil, err
		}
	}
	for n, sum := range sums {
		out = append(out, holder{number: n, common: sum})
	}
	slices.SortFunc(out, holder.compare)
	return out, nil
}

// chosen tells the terms that the index scores from those that are too common
// for it, as expressions. Terms that nothing holds are neither.
func chosen(terms []string, corpus mem.Corpus) (rare, common []string) {
	type term struct {
		match string
		held  int
	}
	var list []term
	for i, t := range terms[:min(len(terms), mem.MaxTerms)] {
		if match := matchTerm(t); match != "" && corpus.DocFreq[i] > 0 {
			list = append(list, term{match, corpus.DocFreq[i]})
		}
	}
	slices.SortStableFunc(list, func(a, b term) int {
		return cmp.Or(cmp.Compare(a.held, b.held), cmp.Compare(a.match, b.match))
	})
	list = slices.Compact(list)
	left := scoredRecords
	for i, t := range list {
		if left -= t.held; left >= 0 || i == 0 && t.held < scoredAlone {
			rare = append(rare, t.match)
		} else {
			common = append(common, t.match)
		}
	}
	return rare, common
}

// BM25 as FTS5 has it, and how often a term stands in a record that has it only
// around itself.
const (
	k1     = 1.2
	lean   = 0.75 // b
	atSide = 0.5
)

// saturated is what a term counts that stands so often in a record of average length.
func saturated(times float64) float64 { return times * (k1 + 1) / (times + k1) }

// addCommon adds what a term counts to the sums of the records that hold it.
func (s *memoryStore) addCommon(ctx context.Context, ix index, term string, size int, sums map[int64]float64) error {
	query := "SELECT coalesce(group_concat(rowid), '') FROM " + ix.table + " WHERE " + ix.table + " MATCH ?"
	lists, err := lookUp(ctx, s.read, query, []any{term}, scanNumbers)
	if err != nil {
		return err
	}
	held := float64(len(lists[0]))
	idf := max(1e-6, math.Log((float64(size)-held+0.5)/(held+0.5)))
	anywhere := 1.0
	if ix.own != "" {
		anywhere = saturated(atSide)
		own, err := lookUp(ctx, s.read, query, []any{"{" + ix.own + "} : " + term}, scanNumbers)
		if err != nil {
			return err
		}
		for _, n := range own[0] {
			sums[n] += idf * (1 - anywhere)
		}
	}
	for _, n := range lists[0] {
		sums[n] += idf * anywhere
	}
	return nil
}

// scanNumbers reads numbers that SQLite put into one text: as rows they take
// twice as long.
func scanNumbers(r *sql.Rows) ([]int64, error) {
	var list sql.RawBytes
	if err := r.Scan(&list); err != nil || len(list) == 0 {
		return nil, err
	}
	out := make([]int64, 0, 1+bytes.Count(list, []byte(",")))
	var n int64
	for _, c := range list {
		if c == ',' {
			out, n = append(out, n), 0
			continue
		}
		n = 10*n + int64(c-'0')
	}
	return append(out, n), nil
}

// heads are how many of the best are looked at, in turn, until enough of them
// pass: to read a memory to see whether it passes costs more than all before.
var heads = [...]int{150, 2000, 20_000}

// passing returns holders that pass, best first: want of them or more, if there
// are so many. What they hold of common terms counts the more the shorter they are.
func (s *memoryStore) passing(ctx context.Context, ix index, f *filter, holders []holder, want int) ([]holder, error) {
	if len(holders) == 0 {
		return nil, nil
	}
	mean, err := s.meanLength(ctx, ix)
	if err != nil {
		return nil, err
	}
	var out []holder
	for i := 0; len(holders) > 0 && len(out) < want; i++ {
		head := holders[:min(len(holders), max(want, heads[min(i, len(heads)-1)]))]
		holders = holders[len(head):]
		pass, err := rows(ctx, s.read, ix.passQuery(f), append([]any{listOf(head)}, f.args...),
			func(r *sql.Rows) (holder, error) {
				var place int
				var created int64
				var sizes sql.RawBytes
				if err := r.Scan(&place, &created, &sizes); err != nil {
					return holder{}, err
				}
				h := head[place]
				h.created = created
				h.common *= (k1 + 1) / (1 + k1*(1-lean+lean*float64(length(sizes))/mean))
				return h, nil
			})
		if err != nil {
			return nil, err
		}
		out = append(out, pass...)
	}
	slices.SortFunc(out, holder.compare)
	return out, nil
}

// passQuery asks which of a list of numbers pass, and how long they are. CROSS
// JOIN keeps the order of the tables: with a filter that looks selective the
// planner would begin with that.
func (ix index) passQuery(f *filter) string {
	return "SELECT head.key, m.created, size.sz FROM json_each(?) head CROSS JOIN memory m ON m.number = head.value " +
		"CROSS JOIN " +
		ix.table + "_docsize size ON size.id = m.number WHERE " + f.where()
}

// hits reads the memories of holders, in their order. They are put into it here:
// SQLite would copy every memory once more.
func (s *memoryStore) hits(ctx context.Context, holders []holder) ([]mem.Hit, error) {
	if len(holders) == 0 {
		return nil, nil
	}
	type placed struct {
		mem.Hit
		place int
	}
	found, err := rows(ctx, s.read, "SELECT head.key, "+memoryColumns+
		` FROM json_each(?) head CROSS JOIN memory m ON m.number = head.value
		LEFT JOIN session s ON s.number = m.session`, []any{listOf(holders)}, func(r *sql.Rows) (h placed, err error) {
		var row memoryRow
		if err := r.Scan(append([]any{&h.place}, row.fields()...)...); err != nil {
			return h, err
		}
		err = row.unpack()
		row.Index = ""
		h.Hit = mem.Hit{Memory: row.Memory, Score: holders[h.place].scored + holders[h.place].common}
		return h, err
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	out := make([]mem.Hit, len(found))
	for i, h := range found {
		out[i] = h.Hit
	}
	return out, nil
}

func listOf(list []holder) string {
	numbers := make([]int64, len(list))
	for i, h := range list {
		numbers[i] = h.number
	}
	return array(numbers)
}

// matchTerm writes a term as a full-text expression: a quoted string, in which
// nothing is syntax. It is empty if the term holds no word.
func matchTerm(t string) string {
	if t = quotable(t); t == "" {
		return ""
	}
	return `"` + strings.ReplaceAll(t, `"`, `""`) + `"`
}

// quotable returns a term without control characters, or nothing if it holds no word.
func quotable(t string) string {
	if len(t) > maxPhrase {
		t = t[:maxPhrase]
	}
	word := false
	t = strings.Map(func(r rune) rune {
		switch {
		case r == unicode.ReplacementChar || unicode.IsControl(r):
			return ' '
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r):
			word = true
		}
		return r
	}, t)
	if !word {
		return ""
	}
	return t
}
