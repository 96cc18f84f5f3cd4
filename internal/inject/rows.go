package inject

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// maxTitle is the largest length of a title without its body, in characters.
const maxTitle = 160

// maxRowTitle is the largest length of a title in the index, in characters. A row says that a memory exists; its full
// text is one command away.
const maxRowTitle = 100

// Row is one line of the index: a memory or a session.
type Row struct {
	ID     string
	At     time.Time // shown in its own location
	File   string    // the first it is about; empty for none
	Kind   mem.Kind
	Title  string
	Tokens int // what the full text costs
}

func (r Row) injected() mem.InjectedItem {
	return mem.InjectedItem{ID: r.ID, Kind: r.Kind, Title: r.Title}
}

func (r Row) glyph() string {
	info, _ := r.Kind.Info()
	return info.Glyph
}

func (r Row) format(clock, mark string) string {
	return fmt.Sprintf("| %s | %s | %s | %s | ~%d |\n", r.ID, clock, mark, r.Title, max(0, r.Tokens))
}

// shown returns the rows as the table shows them: one line each, neutralised. The table is laid out again for each
// row that fits, so this is done once.
func shown(rows []Row) []Row {
	out := make([]Row, len(rows))
	for i, r := range rows {
		r.ID, r.Title, r.File = cell(r.ID), cell(chars.Clip(Neutral(r.Title), maxRowTitle)), group(r.File)
		out[i] = r
	}
	return out
}

// cell keeps a text inside its cell of a table.
func cell(s string) string { return strings.ReplaceAll(Neutral(s), "|", "¦") }

// arrange puts rows of one day together, and in it those of one file: days and
// files in the order in which they first appear. A file with one row has no group, whose head takes more tokens.
func arrange(rows []Row) []Row {
	of := map[[2]string]int{}
	for _, r := range rows {
		of[[2]string{r.day(), r.File}]++
	}
	rows = slices.Clone(rows)
	for i, r := range rows {
		if of[[2]string{r.day(), r.File}] == 1 {
			rows[i].File = general
		}
	}
	var days []string
	files := map[string][]string{}
	groups := map[[2]string][]Row{}
	for _, r := range rows {
		day := r.day()
		if files[day] == nil {
			days = append(days, day)
		}
		at := [2]string{day, r.File}
		if groups[at] == nil {
			files[day] = append(files[day], r.File)
		}
		groups[at] = append(groups[at], r)
	}
	out := make([]Row, 0, len(rows))
	for _, day := range days {
		for _, file := range files[day] {
			out = append(out, groups[[2]string{day, file}]...)
		}
	}
	return out
}

func (r Row) day() string { return r.At.Format("Jan 2, 2006") }

// table lays rows out by day and file under a legend of the glyphs they use.
// The rows are as shown makes them. No rows give no text.
func table(rows []Row, plain bool) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# [remanence] recent context\n")
	if !plain {
		b.WriteString(legend(rows))
	}
	day, file, clock := "", "", ""
	for i, r := range arrange(rows) {
		newDay := r.day()
		if newDay != day {
			fmt.Fprintf(&b, "### %s\n", newDay)
		}
		if newDay != day || r.File != file || i == 0 {
			fmt.Fprintf(&b, "**%s**\n| ID | Time | T | Title | Tokens |\n|---|---|---|---|---|\n", r.File)
			clock = ""
		}
		day, file = newDay, r.File
		at := r.At.Format("3:04 PM")
		if at == clock {
			at = "″"
		} else {
			clock = at
		}
		mark := r.glyph()
		if plain {
			mark = cell(string(r.Kind))
		}
		b.WriteString(r.format(at, mark))
	}
	b.WriteString("Full text: remanence show ID\n")
	return b.String()
}

func group(file string) string {
	if f := chars.Clip(Neutral(file), maxTitle); f != "" {
		return strings.ReplaceAll(f, "*", "∗")
	}
	return general
}

// general heads the rows that are in no group of a file.
const general = "General"

// legend names the glyphs in use, in the order of mem.Kinds.
func legend(rows []Row) string {
	var used []string
	for _, info := range mem.Kinds() {
		for _, r := range rows {
			if r.Kind == info.Kind {
				used = append(used, info.Glyph+" "+legendName(info.Kind))
				break
			}
		}
	}
	if len(used) == 0 {
		return ""
	}
	return "**Legend:** " + strings.Join(used, " | ") + "\n"
}

// legendName is the kind's name; a request stands for its session.
func legendName(k mem.Kind) string {
	if k == mem.Request {
		return "session-request"
	}
	return string(k)
}
