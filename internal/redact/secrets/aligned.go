package secrets

import (
	"strings"

	"remanence/internal/redact/names"
)

// Commands print tables whose columns are aligned by blanks. The values of a column begin or end where its name does.

const maxAlignedRows = 200

// findAligned returns the values below the name that s[at:end] is part of, and the position of the rows; ok is false if
// the name heads no column.
func findAligned(s string, at, end int) (below []Span, rows Span, ok bool) {
	left, right := nameAround(s, at, end)
	if right < len(s) && strings.IndexByte(" \r\n", s[right]) < 0 || right+1 < len(s) && s[right] == ' ' &&
		strings.IndexByte(" \r\n", s[right+1]) < 0 {
		return nil, Span{}, false
	}
	a := assignment{class: names.Classify(s[left:right]), name: s[left:right]}
	if a.class == noSecret {
		return nil, Span{}, false
	}
	start := max(0, left-maxHeader)
	start += strings.LastIndexByte(s[start:left], '\n') + 1
	for left > start+1 && s[left-1] == ' ' && s[left-2] != ' ' { // the words before it
		left -= 1 + len(wordBefore(s[start:left-1], left-1-start))
	}
	column := left - start
	if column > 0 && (column < 2 || s[left-1] != ' ' || s[left-2] != ' ') {
		return nil, Span{}, false
	}
	line, _, found := strings.Cut(s[start:min(len(s), start+maxTable)], "\n")
	line = strings.TrimRight(line, " \r")
	if !found || !strings.Contains(line, "  ") || column == 0 && right-start >= len(line) {
		return nil, Span{}, false
	}
	body := start + strings.IndexByte(s[start:], '\n') + 1
	i := body
	for range maxAlignedRows {
		row, _, more := strings.Cut(s[i:min(len(s), i+maxHeader)], "\n")
		if strings.TrimSpace(row) == "" {
			break
		}
		if from, to := alignedField(row, column, right-start); strings.Trim(row, "-=+ \r") != "" && to > from {
			if v := row[from:to]; a.class == password && isStrongPassword(v) || a.class != password && isVendorKey(v, false) {
				below = append(below, Span{From: i + from, To: i + to})
			}
		}
		i += len(row) + 1
		if !more || i >= len(s) {
			break
		}
	}
	return below, Span{From: body, To: min(i, len(s))}, len(below) > 0
}

// alignedField returns the position of the word of a row that begins at from or ends at to.
func alignedField(row string, from, to int) (first, last int) {
	if from < len(row) && row[from] != ' ' && (from == 0 || row[from-1] == ' ') {
		last = from
		for last < len(row) && row[last] > ' ' {
			last++
		}
		return from, last
	}
	if to <= len(row) && row[to-1] > ' ' && (to == len(row) || row[to] <= ' ') {
		first = to
		for first > 0 && row[first-1] > ' ' {
			first--
		}
		return first, to
	}
	return 0, 0
}
