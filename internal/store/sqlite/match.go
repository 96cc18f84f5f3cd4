package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"remanence/internal/mem"
)

const (
	maxTerms  = 64  // 20,000 would take a second
	maxPhrase = 400 // bytes of one term
)

// Match implements mem.Store. The full-text table drives: it is asked once, by
// terms alone, and what it finds is filtered, scored and cut before a single
// memory is read.
func (s *Store) Match(ctx context.Context, q mem.Query) ([]mem.Hit, error) {
	terms := matchTerms(q.Terms)
	if terms == "" {
		return nil, nil
	}
	f := memoryFilter(q)
	if len(q.IDs) > 0 {
		numbers, err := s.numbers(ctx, q)
		if errors.Is(err, mem.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("match: memory %w", err)
		}
		f = (&filter{}).and("m.number IN (SELECT value FROM json_each(?))", array(numbers))
	}
	args := append([]any{terms}, f.args...)
	args = append(args, limitOr(q.Limit), max(q.Offset, 0))
	ix := indexOf(q)
	if passesMost(q) {
		for _, n := range heads {
			hits, more, err := s.matchHead(ctx, ix, n, f, args)
			if err != nil || !more || len(hits) == limitOr(q.Limit) {
				return hits, err
			}
		}
	}
	hits, err := rows(ctx, s.read, ix.matchQuery(f), args, func(r *sql.Rows) (mem.Hit, error) { return scanHit(r) })
	if err != nil {
		return nil, fmt.Errorf("match: %w", translate(err))
	}
	return hits, nil
}

// index is a full-text table and how it scores.
type index struct{ table, score string }

// indexOf is where the memories that q asks for are found.
func indexOf(q mem.Query) index {
	if slices.Contains(q.Kinds, mem.Utterance) {
		return index{"talk_fts", "bm25(talk_fts, 1.0, 0.7, 2.0, 0.5, 0.3, 1.0)"} // body, ident, who, near, far, day
	}
	return index{"memory_fts", "bm25(memory_fts, 1.0, 0.8, 0.7)"} // body, title, ident
}

// heads are how many of the best matches are looked at before all are: few, and
// if they do not give enough, more. Reading the memory of a match to see whether
// it passes costs more than scoring it, and common words match thousands. Among
// more than these with one score, the newest by number count as the best.
var heads = [...]int{200, 2000}

// passesMost reports whether most matches pass the filters of q, so that the
// best that pass are among the best.
func passesMost(q mem.Query) bool {
	return !isNarrow(q) && len(q.IDs) == 0 && len(q.Tags) == 0 && (len(q.Kinds) == 0 || onlyTalk(q)) && q.File == ""
}

// onlyTalk reports whether nothing but utterances is asked for.
func onlyTalk(q mem.Query) bool { return len(q.Kinds) == 1 && q.Kinds[0] == mem.Utterance }

// matchHead is Match among the best matches; more says that there are others.
func (s *Store) matchHead(ctx context.Context, ix index, head int, f *filter, args []any) (hits []mem.Hit, more bool, err error) {
	more = true // if nothing passes, nobody knows
	hits, err = rows(ctx, s.read, ix.headQuery(f, head), args, func(r *sql.Rows) (mem.Hit, error) {
		var seen int
		h, err := scanHit(r, &seen)
		more = seen == head
		return h, err
	})
	if err != nil {
		return nil, false, fmt.Errorf("match: %w", translate(err))
	}
	return hits, more, nil
}

func (ix index) headQuery(f *filter, head int) string {
	return `WITH head AS MATERIALIZED (
		SELECT rowid AS number, ` + ix.score + ` AS score FROM ` + ix.table + ` WHERE ` + ix.table + ` MATCH ?
		ORDER BY score, rowid DESC LIMIT ` + strconv.Itoa(head) + `),
	best AS (SELECT m.number, head.score, m.created FROM head CROSS JOIN memory m ON m.number = head.number
		WHERE ` + f.where() + `
		ORDER BY head.score, m.created DESC, m.number DESC LIMIT ?+0 OFFSET ?+0)
	SELECT (SELECT count(*) FROM head), -best.score, ` + memoryColumns + ` FROM best CROSS JOIN memory m ON m.number = best.number
	LEFT JOIN session s ON s.number = m.session ORDER BY best.score, best.created DESC, best.number DESC`
}

// matchQuery asks for all matches that pass. CROSS JOIN keeps the order of the
// tables: with a filter that looks selective the planner would else ask the
// full-text table once per memory.
func (ix index) matchQuery(f *filter) string {
	return `WITH best AS (
		SELECT m.number, ` + ix.score + ` AS score, m.created
		FROM ` + ix.table + ` CROSS JOIN memory m ON m.number = ` + ix.table + `.rowid
		WHERE ` + ix.table + ` MATCH ? AND ` + f.where() + `
		ORDER BY score, m.created DESC, m.number DESC LIMIT ?+0 OFFSET ?+0)
	SELECT -best.score, ` + memoryColumns + ` FROM best CROSS JOIN memory m ON m.number = best.number
	LEFT JOIN session s ON s.number = m.session ORDER BY best.score, best.created DESC, best.number DESC`
}

// scanHit reads a hit, and into before what stands before its columns.
func scanHit(r *sql.Rows, before ...any) (mem.Hit, error) {
	var row memoryRow
	var h mem.Hit
	if err := r.Scan(append(append(before, &h.Score), row.fields()...)...); err != nil {
		return h, err
	}
	row.Index = ""
	err := row.unpack()
	h.Memory = row.Memory
	return h, err
}

// matchTerms writes the terms as a full-text expression in which every one is
// a quoted string: nothing in them is syntax.
func matchTerms(terms []string) string {
	seen := map[string]bool{}
	var quoted []string
	for _, t := range terms {
		t = quotable(t)
		if t == "" || seen[t] {
			continue
		}
		seen[t] = true
		quoted = append(quoted, `"`+strings.ReplaceAll(t, `"`, `""`)+`"`)
		if len(quoted) == maxTerms {
			break
		}
	}
	return strings.Join(quoted, " OR ")
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
