package ui

import "remanence/internal/views"

// TimelineView shows what was learned around an anchor.
type TimelineView struct {
	views.TimelineResponse
	Typed   string `json:"-"` // the anchor as typed
	Further string `json:"-"` // how to see more
	Around  int    `json:"-"`
}

// SchemaName returns the name of the view's schema.
func (TimelineView) SchemaName() string { return "timeline" }

// List returns the items that --jsonl prints.
func (v TimelineView) List() []any { return Items(v.Entries) }

// Print writes the view for a person.
func (v TimelineView) Print(p *Printer) {
	if len(v.Entries) == 0 {
		around := "here"
		if v.Typed != "" {
			around = "around " + OneLine(v.Typed)
		}
		p.Line("Nothing was learned %s.", around)
		return
	}
	cols := []Column{
		{Name: ""},
		{Name: "when"},
		{Name: "id"},
		{Name: "what", Drop: 1},
		{Name: "title", Flex: true},
		{Name: "session", Drop: 2},
	}
	rows := make([][]string, 0, len(v.Entries))
	for _, e := range v.Entries {
		mark := ""
		if e.ID == v.Anchor && e.ID != "" {
			mark = ">"
		}
		rows = append(rows, []string{mark, DateTime(e.At, p.Now()), e.ID, e.What, OneLine(e.Title), e.Session})
	}
	p.Table(cols, rows)
	if v.More {
		p.Line("more: %s%d", v.Further, 2*v.Around)
	}
}
