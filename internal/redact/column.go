package redact

import "strings"

// A name may head the column of a table, and what stands below it in every row is its value: in Markdown, and in the
// files with separators that password managers write.

const (
	maxHeader = 512      // bytes of the line with the names
	maxTable  = 64 << 10 // bytes of the rows that are looked at
)

// columns returns the values below the name that s[at:end] is part of, and the place of the rows; ok is false if it heads
// no column.
func columns(s string, at, end int) (below []span, rows span, ok bool) {
	left, right := nameRound(s, at, end)
	next := skipAny(s, right, " \t`*\"", 8)
	sep := byte('\n') // the last column's
	if next < len(s) {
		sep = s[next]
	}
	if strings.IndexByte("|,;\t\r\n", sep) < 0 {
		return nil, span{}, false
	}
	start := strings.LastIndexByte(s[max(0, left-maxHeader):left], '\n') + 1 + max(0, left-maxHeader)
	if start > 0 && s[start-1] != '\n' {
		return nil, span{}, false // the line is longer: which column it is cannot be told
	}
	header, rest, found := strings.Cut(s[start:min(len(s), left+maxHeader)], "\n")
	if !found {
		return nil, span{}, false
	}
	body := start + len(header) + 1
	switch sep {
	case '|':
		line, _, found := strings.Cut(rest, "\n")
		if !found || header[0] != '|' || strings.Trim(line, "|-: \r") != "" || !strings.Contains(line, "--") {
			return nil, span{}, false
		}
		body += len(line) + 1
	case '\r', '\n':
		if i := strings.LastIndexAny(s[start:left], ",;\t"); i >= 0 {
			sep = s[start+i]
		}
		fallthrough
	default:
		if !isHeader(header, sep) || firstCell(header, sep) == firstCell(rest, sep) {
			return nil, span{}, false
		}
	}
	a := assignment{class: classify(s[left:right]), name: s[left:right], strong: true}
	if a.class == noSecret {
		return nil, span{}, false
	}
	below, end = a.cells(s, body, sep, strings.Count(s[start:left], string(sep)))
	return below, span{from: body, to: end}, true
}

// isHeader reports whether a line holds names and nothing else, without the blanks that a sentence has.
func isHeader(line string, sep byte) bool {
	names := strings.Split(strings.TrimRight(line, "\r"), string(sep))
	for _, name := range names {
		name = strings.Trim(name, "\"")
		if name == "" || len(name) > maxName || isAll(name, isDigit) || isBlank(name[0]) || !isAll(name, func(c byte) bool { return isNamePart(c) || c == ' ' }) {
			return false
		}
	}
	return len(names) > 1
}

// firstCell returns what the first row of a table has before its first separator.
func firstCell(rows string, sep byte) string {
	row, _, _ := strings.Cut(rows, "\n")
	cell, _, _ := strings.Cut(row, string(sep))
	return cell
}

// cells returns the values in column number n, from 0, of the rows at s[i:], and where the rows end.
func (a *assignment) cells(s string, i int, sep byte, n int) (found []span, end int) {
	for limit := min(len(s), i+maxTable); i < limit; {
		row, _, _ := strings.Cut(s[i:], "\n")
		if strings.Trim(row, " \r") == "" || sep == '|' && row[0] != '|' {
			break
		}
		from, to, ok := cell(row, sep, n)
		quoted := strings.Trim(row[from:to], " `\r")
		from += strings.Index(row[from:to], quoted)
		a.value = strings.Trim(quoted, "\"")
		from += strings.Index(quoted, a.value)
		if ok && a.value != "" && !strings.Contains(a.value, " ") && a.judge() {
			found = append(found, span{from: i + from, to: i + from + len(a.value)})
		}
		i += len(row) + 1
	}
	return found, i
}

// cell returns the place of cell number n of a row. A separator between quotes is none.
func cell(row string, sep byte, n int) (from, to int, ok bool) {
	quoted := false
	for to = range len(row) {
		switch {
		case row[to] == '"':
			quoted = !quoted
		case row[to] != sep || quoted:
		case n == 0:
			return from, to, true
		default:
			n--
			from = to + 1
		}
	}
	return from, len(row), n == 0
}
