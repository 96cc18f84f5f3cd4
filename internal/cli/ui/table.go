package ui

import (
	"strings"
	"unicode"

	"remanence/internal/chars"
)

// Column is one column of a table.
type Column struct {
	Name  string // shown where each field has a line of its own
	Drop  int    // 0 stays; on a narrow terminal the highest goes first
	Flex  bool   // is cut where a row is too long
	right bool
}

const (
	roomy   = 100 // columns from which nothing is left out of a table
	cramped = 60  // columns under which each field has a line of its own
	minFlex = 16
	gap     = 2
)

// Table prints rows without boxes. Cells are plain one-line text.
func (p *Printer) Table(cols []Column, rows [][]string) {
	p.tableWith(cols, rows, func(int) {})
}

// tableWith is table with more lines below each row.
func (p *Printer) tableWith(cols []Column, rows [][]string, below func(row int)) {
	if p.Width < cramped {
		p.cards(cols, rows, below)
		return
	}
	widths := make([]int, len(cols))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], Cells(cell))
		}
	}
	p.fit(cols, widths)
	for at, row := range rows {
		var sb strings.Builder
		for i, cell := range row {
			if widths[i] == 0 {
				continue
			}
			cell = Clip(cell, widths[i])
			if cols[i].right {
				cell = strings.Repeat(" ", widths[i]-Cells(cell)) + cell
			}
			sb.WriteString(Pad(cell, widths[i]+gap))
		}
		p.Line("%s", sb.String())
		below(at)
	}
}

// cards prints one field per line.
func (p *Printer) cards(cols []Column, rows [][]string, below func(row int)) {
	for i, row := range rows {
		if i > 0 {
			p.Line("")
		}
		for j, cell := range row {
			if cell != "" {
				p.Line("%s %s", Pad(cols[j].Name, 9), cell)
			}
		}
		below(i)
	}
}

// fit makes the widths fit the terminal: first columns go, then the flexible one is cut.
func (p *Printer) fit(cols []Column, widths []int) {
	total := func() int {
		n := -gap
		for _, w := range widths {
			if w > 0 {
				n += w + gap
			}
		}
		return n
	}
	for p.Width < roomy && total() > p.Width {
		worst := -1
		for i, c := range cols {
			if c.Drop > 0 && widths[i] > 0 && (worst < 0 || c.Drop > cols[worst].Drop) {
				worst = i
			}
		}
		if worst < 0 {
			break
		}
		widths[worst] = 0
	}
	for i, c := range cols {
		if over := total() - p.Width; c.Flex && over > 0 {
			widths[i] = max(min(minFlex, widths[i]), widths[i]-over)
		}
	}
}

// Cells is the width of s on a terminal.
func Cells(s string) int {
	n := 0
	for _, r := range s {
		n += cellsOf(r)
	}
	return n
}

func cellsOf(r rune) int {
	switch {
	case unicode.Is(unicode.Mn, r), r == '\u200c', r == '\u200d':
		return 0
	case chars.Wide(r), r >= 0x1F300 && r < 0x1FB00, r >= 0x20000 && r < 0x40000, r >= 0xFF01 && r <= 0xFF60,
		r >= 0x3000 && r <= 0x303F:
		return 2
	}
	return 1
}

// Pad returns s with spaces up to a width on the terminal.
func Pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-Cells(s)))
}

// Clip cuts s to a width on the terminal; a cut text ends in an ellipsis.
func Clip(s string, width int) string {
	if Cells(s) <= width {
		return s
	}
	n := 0
	for i, r := range s {
		if n += cellsOf(r); n > width-1 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// InQuotes is the beginning of a text, as one safe line in quotes.
func InQuotes(s string) string { return `"` + Clip(OneLine(s), 60) + `"` }

// OneLine is text of a memory as one safe line.
func OneLine(s string) string { return Safe(chars.Line(s)) }
