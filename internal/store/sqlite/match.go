package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// maxPhrase bounds one term, in bytes.
const maxPhrase = 400

// Match implements mem.Store. Rare terms are scored by the index, as BM25. Of a common term the index returns only
// the numbers of the memories that contain it: for a score it would look up the length of each of them, which takes
// four fifths of a search, and a second occurrence of a common word means little. The best candidates are filtered,
// and only the memories of the page are read.
func (s *memoryStore) Match(ctx context.Context, q mem.Query) ([]mem.Hit, error) {
	f, err := s.matchFilter(ctx, q)
	if errors.Is(err, mem.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("match: memory %w", err)
	}
	hits, err := s.match(ctx, q, f)
	return hits, wrap("match", err)
}

func (s *memoryStore) match(ctx context.Context, q mem.Query, f *filter) ([]mem.Hit, error) {
	ix := indexOf(q)
	found, err := s.candidates(ctx, ix, q)
	if err != nil {
		return nil, err
	}
	want := stored.LimitOr(q.Limit) + max(q.Offset, 0)
	best, err := s.passing(ctx, ix, f, found, want)
	if err != nil {
		return nil, err
	}
	return s.hits(ctx, stored.Page(best, q.Limit, q.Offset))
}

// matchFilter returns the conditions of q other than terms.
func (s *memoryStore) matchFilter(ctx context.Context, q mem.Query) (*filter, error) {
	if len(q.IDs) == 0 {
		return memoryFilter(q), nil
	}
	numbers, err := resolveIDs(ctx, s.read, q)
	return (&filter{}).in("m.number", array(numbers)), err
}

// index is a full-text table, its scoring expression, and the columns with the
// memory's own text if others hold the text of its neighbours.
type index struct{ table, score, own string }

// indexOf is the index that q searches.
func indexOf(q mem.Query) index {
	if stored.SearchesUtterances(q) {
		// body, ident, who, near, far, day
		return index{"talk_fts", "bm25(talk_fts, 1.0, 0.7, 2.0, 0.5, 0.3, 1.0)", "body ident who day"}
	}
	return index{"memory_fts", "bm25(memory_fts, 1.0, 0.8, 0.7)", ""} // body, title, ident
}

// The rarest terms are scored by the index: as many as together occur in no more than scoredRecords memories, and the
// rarest of all if it occurs in fewer than scoredAlone. On three development sets 250, 500 and 1,000 found the same
// within half a point of recall@10, and a little more than when the index scores all terms. With none, recall fell by
// three points on functions of source code.
const (
	scoredRecords = 500
	scoredAlone   = exactCount // higher counts may not be exact
)

// candidate is a memory that contains terms of a query. No two compare equal, so
// that thousands of them need no stable sort, which takes more than twice as long.
type candidate struct {
	number, created int64
	scored          float64 // by the index
	common          float64 // inverse document frequencies of its common terms
}

func (c candidate) compare(o candidate) int {
	if r := cmp.Compare(o.scored+o.common, c.scored+c.common); r != 0 {
		return r
	}
	return cmp.Or(cmp.Compare(o.created, c.created), cmp.Compare(o.number, c.number))
}

// candidates returns all memories that contain a term, best first; ties break by newest.
func (s *memoryStore) candidates(ctx context.Context, ix index, q mem.Query) ([]candidate, error) {
	corpus, err := s.Count(ctx, q)
	if err != nil || corpus.Size == 0 {
		return nil, err
	}
	rare, common := splitTerms(q.Terms, corpus)
	sums := map[int64]float64{}
	for _, t := range common {
		if err := s.addCommon(ctx, ix, t, corpus.Size, sums); err != nil {
			return nil, err
		}
	}
	var out []candidate
	if len(rare) > 0 {
		scores := ix.match("rowid, -"+ix.score, strings.Join(rare, " OR "))
		out, err = rows(ctx, s.read, scores, func(r *sql.Rows) (c candidate, err error) {
			err = r.Scan(&c.number, &c.scored)
			c.common = sums[c.number]
			delete(sums, c.number)
			return c, err
		})
		if err != nil {
			return nil, err
		}
	}
	for n, sum := range sums {
		out = append(out, candidate{number: n, common: sum})
	}
	slices.SortFunc(out, candidate.compare)
	return out, nil
}

// match selects columns of the rows that match a full-text expression.
func (ix index) match(columns, expression string) statement {
	return stmt("SELECT "+columns+" FROM "+ix.table+" WHERE "+ix.table+" MATCH ?", expression)
}

// splitTerms separates the terms that the index scores from those that are too
// common for it, as expressions. Terms that occur nowhere are in neither.
func splitTerms(terms []string, corpus mem.Corpus) (rare, common []string) {
	type term struct {
		match string
		count int
	}
	var list []term
	for i, t := range terms[:min(len(terms), mem.MaxTerms)] {
		if match := matchTerm(t); match != "" && corpus.DocFreq[i] > 0 {
			list = append(list, term{match, corpus.DocFreq[i]})
		}
	}
	slices.SortStableFunc(list, func(a, b term) int {
		return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.match, b.match))
	})
	list = slices.Compact(list)
	left := scoredRecords
	for i, t := range list {
		if left -= t.count; left >= 0 || i == 0 && t.count < scoredAlone {
			rare = append(rare, t.match)
		} else {
			common = append(common, t.match)
		}
	}
	return rare, common
}

// neighbourTerm is how often a term counts that occurs only in the text of a memory's neighbours.
const neighbourTerm = 0.5

// addCommon adds the weight of a term to the sums of the memories that contain it.
func (s *memoryStore) addCommon(ctx context.Context, ix index, term string, size int, sums map[int64]float64) error {
	const numbers = "coalesce(group_concat(rowid), '')"
	lists, err := lookUp(ctx, s.read, ix.match(numbers, term), scanNumbers)
	if err != nil {
		return err
	}
	idf := stored.InverseFrequency(size, len(lists[0]))
	anywhere := 1.0
	if ix.own != "" {
		anywhere = stored.BM25(neighbourTerm, 1)
		own, err := lookUp(ctx, s.read, ix.match(numbers, "{"+ix.own+"} : "+term), scanNumbers)
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

// scanNumbers reads numbers that SQLite joined into one text: one row for each takes twice as long.
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

// heads are the numbers of best candidates that are filtered, in turn, until
// enough of them pass: reading a memory to filter it costs more than all steps before.
var heads = [...]int{150, 2000, 20_000}

// passing returns candidates that pass the filter, best first: want of them or more, if there are so many. The weight
// of common terms is scaled by length, as in BM25.
func (s *memoryStore) passing(ctx context.Context, ix index, f *filter, found []candidate, want int) ([]candidate,
	error,
) {
	if len(found) == 0 {
		return nil, nil
	}
	mean, err := s.meanLength(ctx, ix)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for i := 0; len(found) > 0 && len(out) < want; i++ {
		head := found[:min(len(found), max(want, heads[min(i, len(heads)-1)]))]
		found = found[len(head):]
		pass, err := rows(ctx, s.read, ix.passQuery(head, f), func(r *sql.Rows) (candidate, error) {
			var place int
			var created int64
			var sizes sql.RawBytes
			if err := r.Scan(&place, &created, &sizes); err != nil {
				return candidate{}, err
			}
			c := head[place]
			c.created = created
			c.common *= stored.BM25(1, float64(length(sizes))/mean)
			return c, nil
		})
		if err != nil {
			return nil, err
		}
		out = append(out, pass...)
	}
	slices.SortFunc(out, candidate.compare)
	return out, nil
}

// passQuery selects the candidates that pass a filter, with their lengths. CROSS JOIN keeps the order of the tables:
// the planner would begin with a filter that looks selective.
func (ix index) passQuery(head []candidate, f *filter) statement {
	return stmt(`SELECT head.key, m.created, size.sz FROM json_each(?) head
		CROSS JOIN memory m ON m.number = head.value
		CROSS JOIN `+ix.table+`_docsize size ON size.id = m.number`, numberList(head)).where(f)
}

// hits reads the memories of candidates, in their order. They are sorted here:
// SQLite would copy every memory once more.
func (s *memoryStore) hits(ctx context.Context, found []candidate) ([]mem.Hit, error) {
	if len(found) == 0 {
		return nil, nil
	}
	type placed struct {
		mem.Hit
		place int
	}
	read, err := rows(ctx, s.read, stmt("SELECT list.key, "+memoryColumns+listedMemories, numberList(found)),
		func(r *sql.Rows) (h placed, err error) {
			var row memoryRow
			if err := r.Scan(append([]any{&h.place}, row.fields()...)...); err != nil {
				return h, err
			}
			err = row.unpack()
			row.Index = ""
			h.Hit = mem.Hit{Memory: row.Memory, Score: found[h.place].scored + found[h.place].common}
			return h, err
		})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(read, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	out := make([]mem.Hit, len(read))
	for i, h := range read {
		out[i] = h.Hit
	}
	return out, nil
}

func numberList(list []candidate) string {
	numbers := make([]int64, len(list))
	for i, c := range list {
		numbers[i] = c.number
	}
	return array(numbers)
}

// matchTerm writes a term as a full-text expression: a quoted string, in which
// nothing is syntax. It is empty if the term contains no word.
func matchTerm(t string) string {
	if t = quotable(t); t == "" {
		return ""
	}
	return `"` + strings.ReplaceAll(t, `"`, `""`) + `"`
}

// quotable returns a term without control characters, or "" if it contains no word.
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
