package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

// SQL names the columns first and then lists the values of each row: INSERT INTO t (a, b) VALUES (1, 2), (3, 4), and in
// PostgreSQL dumps, COPY t (a, b) FROM stdin with a line for each row.

// findInserted returns the values of the column whose name s[at:end] is part of, and the position of the rows; ok is
// false if it is no column.
func findInserted(s string, at, end int) (values []Span, rows Span, ok bool) {
	left, right := nameAround(s, at, end)
	next := ascii.SkipAny(s, right, " `\"]\n\t", 8)
	if next == len(s) || s[next] != ',' && s[next] != ')' {
		return nil, Span{}, false
	}
	before := s[max(0, left-maxHeader):left]
	open := strings.LastIndexByte(before, '(')
	closing := strings.IndexByte(s[next:min(len(s), next+maxHeader)], ')')
	if open < 0 || closing < 0 || strings.ContainsAny(before[open:], ")'=;") {
		return nil, Span{}, false
	}
	i := ascii.SkipAny(s, next+closing+1, " \n\r\t", 16)
	a := assignment{class: names.Classify(s[left:right]), name: s[left:right], quoted: true}
	n := strings.Count(before[open:], ",")
	switch {
	case a.class == noSecret:
		return nil, Span{}, false
	case ascii.HasFoldPrefix(s[i:], "values"):
		values, end = a.findTuples(s, i+len("values"), n)
	case ascii.HasFoldPrefix(s[i:], "from stdin;\n"):
		a.quoted, a.strong = false, true
		values, end = a.findCells(s, i+len("from stdin;\n"), "\t", n)
	default:
		return nil, Span{}, false
	}
	return values, Span{From: i, To: end}, true
}

// findTuples returns the quoted texts in position n, from 0, of the rows at s[i:], and the end of the rows.
func (a *assignment) findTuples(s string, i, n int) (found []Span, end int) {
	limit := min(len(s), i+maxTable)
	depth, at := 0, 0
	for i < limit {
		switch c := s[i]; {
		case c == '(':
			if depth++; depth == 1 {
				at = 0
			}
		case c == ')':
			depth--
		case c == ',' && depth == 1:
			at++
		case c == '\'' || c == '"':
			to := closingQuote(s, i+1, c, 0)
			if depth > 0 && at == n {
				a.value = s[i+1 : to]
				if a.isSecret() {
					found = append(found, Span{From: i + 1, To: to})
				}
			}
			i = to
		case depth == 0 && c != ',' && c > ' ':
			return found, i
		}
		i++
	}
	return found, min(i, limit)
}
