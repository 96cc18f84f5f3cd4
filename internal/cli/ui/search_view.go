package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
)

// SearchView shows the response to a search.
type SearchView struct {
	recall.SearchResponse
	Query   string      `json:"-"`
	Explain bool        `json:"-"` // what each score is made of
	IDs     bool        `json:"-"` // only these
	Filters []string    `json:"-"` // flags in force, in the order in which to drop them
	Before  mem.Project `json:"-"` // that this one may have been; without a key there is none
}

// SchemaName returns the name of the view's schema.
func (SearchView) SchemaName() string { return "search" }

// List returns the hits.
func (v SearchView) List() []any { return Items(v.Hits) }

// Print writes the view for a person.
func (v SearchView) Print(p *Printer) {
	if v.IDs {
		for _, h := range v.Hits {
			p.Line("%s", h.ID)
		}
		return
	}
	if len(v.Hits) == 0 {
		v.nothing(p)
		return
	}
	cols := []Column{
		{Name: "id"},
		{Name: "kind", Drop: 1},
		{Name: "title", Flex: true},
		{Name: "when", Drop: 3},
		{Name: "file", Drop: 2, Path: true},
		{Name: "score", Drop: 4},
	}
	if v.severalAgents() {
		cols = append(cols, Column{Name: "agent", Drop: 3})
	}
	rows := make([][]string, 0, len(v.Hits))
	for _, h := range v.Hits {
		rows = append(rows, v.row(h, p.Now()))
	}
	if !v.Explain {
		p.Table(cols, rows)
	}
	for i, h := range v.Hits {
		if v.Explain {
			p.Table(cols, rows[i:i+1])
			p.Line("    %s", scoreParts(h.Parts))
		}
	}
	more := ""
	if v.Next != "" {
		more = " · more: --next " + v.Next
	}
	of := ""
	if v.Searched > 0 {
		of = fmt.Sprintf(" of %d", v.Searched)
	}
	p.Hint("%d%s · %.0f ms · details: remanence show %s%s", len(v.Hits), of, v.TookMS, v.Hits[0].ID, more)
}

func (v SearchView) row(h mem.Hit, now time.Time) []string {
	file, score, when := "", "", ""
	if len(h.Files) > 0 {
		file = OneLine(h.Files[0])
	}
	if v.Query != "" {
		score = fmt.Sprintf("%.2f", h.Score)
	}
	if !h.Created.IsZero() {
		when = Date(h.Created, now)
	}
	row := []string{h.ID, string(h.Kind), OneLine(h.Title), when, file, score}
	if v.severalAgents() {
		row = append(row, OneLine(h.Source.Agent))
	}
	return row
}

// severalAgents reports whether the hits were learned in more than one agent.
func (v SearchView) severalAgents() bool {
	agents := map[string]bool{}
	for _, h := range v.Hits {
		if h.Source.Agent != "" {
			agents[h.Source.Agent] = true
		}
	}
	return len(agents) > 1
}

// nothing shows what was searched and which filter to drop.
func (v SearchView) nothing(p *Printer) {
	where := "every project"
	if v.Project.Name != "" {
		where = OneLine(v.Project.Name)
	}
	what := "Nothing"
	if v.Query != "" {
		what = "Nothing for " + InQuotes(chars.Clip(v.Query, 200))
	}
	p.Line("%s among %s of %s.", what, Plural(v.Searched, "memory", "memories"), where)
	switch {
	case len(v.Filters) > 0:
		p.Line("Try without %s.", v.Filters[0])
	case v.Searched == 0 && v.Before.Key != "":
		p.Line("Nothing is remembered here yet. %s is not there any more; what was remembered there: --project %s",
			OneLine(v.Before.Root), v.Before.Key)
	case v.Searched == 0 && v.Project.Name != "":
		p.Line("Nothing is remembered here yet. Every project: --project all")
	case v.Project.Name != "":
		p.Hint("Try fewer words, or every project: --project all")
	}
}

// scoreParts lists what a score is made of, the most important first.
func scoreParts(m map[string]float64) string {
	names := slices.Collect(maps.Keys(m))
	slices.SortStableFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(m[y], m[x]), cmp.Compare(x, y))
	})
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%s %.2f", rank.PartName(n), m[n]))
	}
	return strings.Join(out, "  ")
}
