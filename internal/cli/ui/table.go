package ui

import (
	"slices"
	"strings"
	"unicode"

	"remanence/internal/chars"
)

// Column is one column of a table.
type Column struct {
	Name  string // shown where each field has a line of its own
	Drop  int    // 0 stays; where nothing else makes a row fit, the highest goes first
	Flex  bool   // is cut where a row is too long, or gets a line of its own
	Path  bool   // is a path, whose front is cut first
	right bool
}

const (
	roomy    = 100 // columns from which nothing is left out of a table
	cramped  = 60  // columns under which each field has a line of its own
	minFlex  = 16
	minPath  = 16
	readable = 28 // columns under which a flexible column gets a line of its own
	gap      = 2
	inset    = "    " // before a flexible column on a line of its own
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
	own := p.fit(cols, widths)
	for at, row := range rows {
		var sb strings.Builder
		for i, cell := range row {
			if widths[i] == 0 {
				continue
			}
			if cols[i].Path {
				cell = clipFront(cell, widths[i])
			}
			cell = Clip(cell, widths[i])
			if cols[i].right {
				cell = strings.Repeat(" ", widths[i]-Cells(cell)) + cell
			}
			sb.WriteString(Pad(cell, widths[i]+gap))
		}
		p.Line("%s", sb.String())
		if own >= 0 && row[own] != "" {
			p.Line("%s%s", inset, Clip(row[own], p.Width-len(inset)))
		}
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

// fit makes the widths fit the terminal: paths are cut, then the flexible column. On a narrow terminal that column gets
// a line of its own before it becomes unreadable, and fit returns it, else -1. Only then other columns go. Output that
// is not limited by a terminal is left whole.
func (p *Printer) fit(cols []Column, widths []int) (own int) {
	if p.Whole {
		return -1
	}
	natural := slices.Clone(widths)
	cut(widths, p.Width, minPath, func(i int) bool { return cols[i].Path })
	over := excess(widths, p.Width)
	if over <= 0 {
		return -1
	}
	flex := slices.IndexFunc(cols, func(c Column) bool { return c.Flex })
	mayDrop := slices.ContainsFunc(cols, func(c Column) bool { return c.Drop > 0 })
	if flex < 0 || p.Width >= roomy || !mayDrop || widths[flex]-over >= readable {
		cut(widths, p.Width, minFlex, func(i int) bool { return i == flex })
		return -1
	}
	copy(widths, natural)
	widths[flex] = 0
	cut(widths, p.Width, minPath, func(i int) bool { return cols[i].Path })
	for excess(widths, p.Width) > 0 {
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
	return flex
}

// cut takes from the chosen columns what a row is too wide, down to least.
func cut(widths []int, room, least int, chosen func(int) bool) {
	for i, w := range widths {
		if over := excess(widths, room); over > 0 && chosen(i) {
			widths[i] = max(min(least, w), w-over)
		}
	}
}

// excess is by how much a row is wider than there is room.
func excess(widths []int, room int) int {
	n := -gap
	for _, w := range widths {
		if w > 0 {
			n += w + gap
		}
	}
	return n - room
}

// clipFront cuts the front of s to a width on the terminal; a cut text begins with an ellipsis.
func clipFront(s string, width int) string {
	if Cells(s) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && Cells(string(r)) > width-1 {
		r = r[1:]
	}
	return "…" + string(r)
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
