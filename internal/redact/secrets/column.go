package secrets

import (
	"slices"
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

// A name may head the column of a table, and each row has a value for it: in Markdown, in the output of databases, and
// in the CSV files that password managers export.

const (
	maxHeader = 512      // bytes of the line with the names
	maxTable  = 64 << 10 // bytes of the rows that are searched
)

// bars stand between the columns of a drawn table.
var bars = [...]string{"|", "│", "┃"}

// findColumns returns the values below the name that s[at:end] is part of, and the position of the rows; ok is false if
// the name heads no column.
func findColumns(s string, at, end int) (below []Span, rows Span, ok bool) {
	left, right := nameAround(s, at, end)
	sep := separatorOf(s[ascii.SkipAny(s, labelEnds(s, right), " \t`*\"", 8):])
	if sep == "" {
		return nil, Span{}, false
	}
	start := strings.LastIndexByte(s[max(0, left-maxHeader):left], '\n') + 1 + max(0, left-maxHeader)
	if start > 0 && s[start-1] != '\n' {
		return nil, Span{}, false // the line is longer than maxHeader: the number of the column is unknown
	}
	header, rest, found := strings.Cut(s[start:min(len(s), left+maxHeader)], "\n")
	if !found {
		return nil, Span{}, false
	}
	if sep == "\n" { // of the last column
		sep = lastSeparator(s[start:left])
	}
	body := start + len(header) + 1
	strict := false // without a ruler the values must look like secrets by themselves
	if isBar(sep) {
		line, _, _ := strings.Cut(rest, "\n")
		if isRuler(line) {
			body += len(line) + 1
		} else if strict = strings.Count(line, sep) == strings.Count(header, sep) && isHeader(header, sep); !strict {
			return nil, Span{}, false
		}
	} else if sep == "" || firstCell(header, sep) == firstCell(rest, sep) || !isHeader(header, sep) {
		return nil, Span{}, false
	}
	a := assignment{class: names.Classify(s[left:right]), name: s[left:right], strong: true}
	if a.class == noSecret {
		return nil, Span{}, false
	}
	// Tests pass, too, and a sentence has commas.
	a.listed = ascii.HasFoldPrefix(a.name, "pass") && len(a.name) == len("pass") || !isBar(sep) &&
		strings.Contains(header, sep+" ")
	n := strings.Count(s[start:left], sep)
	if sep == "┃" { // only the header has thick bars
		sep = "│"
	}
	below, end = a.findCells(s, body, sep, n)
	if strict {
		below = slices.DeleteFunc(below, func(p Span) bool {
			return a.class == password && !isStrongPassword(s[p.From:p.To]) ||
				a.class != password && !isVendorKey(s[p.From:p.To], false)
		})
		return below, Span{From: body, To: end}, len(below) > 0
	}
	return below, Span{From: body, To: end}, true
}

// separatorOf returns the separator of columns that s begins with, or "".
func separatorOf(s string) string {
	for _, sep := range [...]string{"|", "│", "┃", ",", ";", "\t", "\n", "\r"} {
		if strings.HasPrefix(s, sep) {
			return strings.Replace(sep, "\r", "\n", 1)
		}
	}
	return ""
}

// lastSeparator returns the last separator of a line, or "".
func lastSeparator(line string) (sep string) {
	last := -1
	for _, s := range [...]string{"|", "│", "┃", ",", ";", "\t"} {
		if i := strings.LastIndex(line, s); i > last {
			last, sep = i, s
		}
	}
	return sep
}

func isBar(sep string) bool { return sep == bars[0] || sep == bars[1] || sep == bars[2] }

// isRuler reports whether line separates the rows of a table.
func isRuler(line string) bool {
	return strings.Trim(line, "|-+=: \r─━═┼╇┿╪├┤┡┩╞╡│") == "" &&
		(strings.Contains(line, "--") || strings.Contains(line, "==") || strings.Contains(line, "──") ||
			strings.Contains(line, "━━") ||
			strings.Contains(line, "══"))
}

// isHeader reports whether a line contains only names, without the blanks of a sentence.
func isHeader(line, sep string) bool {
	names := strings.Split(strings.TrimRight(line, "\r"), sep)
	for _, name := range names {
		name = strings.Trim(strings.TrimRight(name, " "), "\"")
		if name == "" || len(name) > maxName || ascii.All(name, ascii.IsDigit) || ascii.IsBlank(name[0]) &&
			strings.Count(name, " ") > 2 ||
			!ascii.All(name, func(c byte) bool { return isNamePart(c) || c == ' ' || c == '"' }) {
			return false
		}
	}
	return len(names) > 1
}

// firstCell returns the first cell of the first row.
func firstCell(rows, sep string) string {
	row, _, _ := strings.Cut(rows, "\n")
	cell, _, _ := strings.Cut(row, sep)
	return cell
}

// findCells returns the values in column n, from 0, of the rows at s[i:], and the end of the rows.
func (a *assignment) findCells(s string, i int, sep string, n int) (found []Span, end int) {
	for limit := min(len(s), i+maxTable); i < limit; {
		row, _, _ := strings.Cut(s[i:], "\n")
		if isBar(sep) && isRuler(row) { // between two rows
			i += len(row) + 1
			continue
		}
		if strings.Trim(row, " \r") == "" || isBar(sep) && !strings.Contains(row, sep) {
			break
		}
		from, to, ok := cell(row, sep, n)
		quoted := strings.Trim(row[from:to], " `\r")
		from += strings.Index(row[from:to], quoted)
		a.value = strings.Trim(quoted, "\"")
		from += strings.Index(quoted, a.value)
		if ok && a.value != "" && !strings.Contains(a.value, " ") && a.isSecret() {
			found = append(found, Span{From: i + from, To: i + from + len(a.value)})
		}
		i += len(row) + 1
	}
	return found, i
}

// cell returns the position of cell n, from 0, of a row. A separator between quotes does not count.
func cell(row, sep string, n int) (from, to int, ok bool) {
	quoted := false
	for to = range len(row) {
		switch {
		case row[to] == '"':
			quoted = !quoted
		case quoted || !strings.HasPrefix(row[to:], sep):
		case n == 0:
			return from, to, true
		default:
			n--
			from = to + len(sep)
		}
	}
	return from, len(row), n == 0
}
