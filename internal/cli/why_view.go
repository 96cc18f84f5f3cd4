package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/views"
)

func (v receiptView) schema() string { return v.name }

func (v receiptView) human(p *printer) {
	if v.ID == nil {
		p.line("Nothing has been told here yet. What would be told: remanence next")
		return
	}
	v.head(p)
	v.items(p)
	v.leftOut(p)
	v.hints(p)
}

func (v receiptView) head(p *printer) {
	when := ""
	if v.At != nil {
		when = " · " + at(*v.At, p.now())
	}
	p.line("%s%s · %s%s", p.style(bold, *v.ID), when, v.Trigger, question(v.Asked, p.width-cells(*v.ID+when+" · "+v.Trigger)))
	p.line("  %d of %s · %s · %.0f ms", len(v.Items), plural(v.Candidates, "candidate", "candidates"), views.Cost(v.Tokens, v.Budget), v.TookMS)
	switch v.Outcome {
	case mem.Abstained:
		p.line("  abstained: nothing had enough in common with what was asked")
		if d, ok := v.nearest(); ok {
			v.near(p, d)
		}
	case mem.Nothing:
		p.line("  nothing to tell")
	}
	if c := v.Compaction; c != nil {
		p.line("  after a compaction: of %d exact pieces in hand (%s) the summary kept %d, %d were told at once, %d here", c.Exact, c.Checkpoint, c.Kept, c.Restored, c.Told)
	}
}

// question is what was asked, behind a space and in quotes, within a width.
func question(asked *string, width int) string {
	if asked == nil {
		return ""
	}
	return ` "` + clip(oneLine(*asked), max(8, min(60, width-len(` ""`)))) + `"`
}

func (v receiptView) items(p *printer) {
	cols := []column{{name: "rank", right: true}, {name: "id"}, {name: "kind", drop: 2}, {name: "score", drop: 3, right: true}, {name: "title", flex: true}, {name: "now"}}
	var rows [][]string
	for _, it := range v.Items {
		score := ""
		if len(it.Parts) > 0 {
			score = fmt.Sprintf("%.2f", it.Score)
		}
		rows = append(rows, []string{fmt.Sprintf("  %d", it.Rank), it.ID, string(it.Kind), score, oneLine(it.Title), it.standing()})
	}
	p.tableWith(cols, rows, func(i int) { v.parts(p, v.Items[i].Parts) })
}

// standing is what is to be said of an item beside its score.
func (it toldItem) standing() string {
	var out []string
	if it.Stale != nil {
		out = append(out, map[string]string{string(mem.FileChanged): "file changed since", string(mem.FileGone): "file gone"}[*it.Stale])
	}
	if it.Used != nil && *it.Used {
		out = append(out, "used since")
	}
	if it.State != nil {
		out = append(out, "now "+*it.State)
	}
	return strings.Join(out, ", ")
}

// parts shows what a score is the sum of: each part and its weight, first what
// the text has in common with the question, then what is known of the memory
// itself, then what decided whether it is told at all.
func (v receiptView) parts(p *printer, parts map[string]float64) {
	var words, own, rest []string
	seen := map[string]bool{}
	for _, s := range rank.Summands(parts) {
		seen[s.Part] = true
		part := fmt.Sprintf("%s %.2f×%s", s.Part, parts[s.Part], short(s.Weight))
		switch {
		case parts[s.Part] == 0:
		case s.Own:
			own = append(own, part)
		default:
			words = append(words, part)
		}
	}
	if f := parts[rank.PartUse]; f > 0 {
		own = append(own, fmt.Sprintf("use ×%.2f", f))
	}
	seen[rank.PartUse], seen[rank.PartCoverage] = true, true
	for name, value := range parts {
		if !seen[name] && value != 0 {
			rest = append(rest, fmt.Sprintf("%s %s", name, short(value)))
		}
	}
	slices.Sort(rest)
	if c, ok := parts[rank.PartCoverage]; ok && v.Floor > 0 {
		rest = append([]string{fmt.Sprintf("coverage %.2f (floor %.2f)", c, v.Floor)}, rest...)
	}
	for _, row := range []struct {
		name string
		list []string
	}{{"words", words}, {"itself", own}, {"floor", rest}} {
		line := pad(row.name, 8)
		for i, part := range row.list {
			if i > 0 && cells(line+"  "+part) > p.width-7 {
				p.line("       %s", line)
				line = pad("", 8)
			} else if i > 0 {
				line += "  "
			}
			line += part
		}
		if len(row.list) > 0 {
			p.line("       %s", line)
		}
	}
}

// short is a number with at most two decimals.
func short(f float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), ".")
}

// leftOut names what was not told, under the rule that cut it.
func (v receiptView) leftOut(p *printer) {
	var gates []string
	by := map[string][]cutItem{}
	for _, d := range v.Dropped {
		if by[d.Gate] == nil {
			gates = append(gates, d.Gate)
		}
		by[d.Gate] = append(by[d.Gate], d)
	}
	slices.Sort(gates)
	for _, g := range gates {
		p.line("left out, %s:", v.gate(g))
		for _, d := range by[g] {
			head := fmt.Sprintf("  %s %.2f  ", d.ID, d.Score)
			p.line("%s%s", head, clip(oneLine(d.Title), max(minFlex, p.width-cells(head))))
			if g == rank.BelowFloor {
				p.line("       %s", v.missed(d))
			}
			v.parts(p, d.Parts)
		}
	}
	if more := v.Candidates - len(v.Items) - len(v.Dropped); more > 0 && len(v.Dropped) > 0 {
		p.line("left out besides: %d that fit the question less", more)
	}
}

// nearest is the item below the floor that came nearest to it.
func (v receiptView) nearest() (best cutItem, found bool) {
	for _, d := range v.Dropped {
		if d.Gate == rank.BelowFloor && (!found || d.Parts[rank.PartCoverage] > best.Parts[rank.PartCoverage]) {
			best, found = d, true
		}
	}
	return best, found
}

// near names what came nearest, and by how much it missed.
func (v receiptView) near(p *printer, d cutItem) {
	p.line("  nearest: %s %s", d.ID, clip(oneLine(d.Title), max(minFlex, p.width-len("  nearest:  ")-cells(d.ID))))
	p.line("    %s", v.missed(d))
}

// missed says by how much an item missed the floor.
func (v receiptView) missed(d cutItem) string {
	covers, words := d.Parts[rank.PartCoverage], int(d.Parts[rank.PartTelling])
	with := plural(words, "telling word", "telling words")
	if covers < v.Floor {
		return fmt.Sprintf("covers %.2f of the question with %s, %.2f short", covers, with, v.Floor-covers)
	}
	return fmt.Sprintf("covers %.2f of the question, but with %s only", covers, with)
}

// gate says in words why something was left out.
func (v receiptView) gate(g string) string {
	switch g {
	case rank.BelowFloor:
		return fmt.Sprintf("too little of the question (needs %.2f of it with 2 telling words)", v.Floor)
	case "budget":
		return "no room in the budget"
	case "already_told":
		return "told to this session before"
	case "in_conversation":
		return "learned in this conversation, where it is still in view"
	case "done":
		return "done since"
	case "stale":
		return "the file it is about is gone"
	case "trust":
		return "not trusted enough to be told unasked"
	case "duplicate":
		return "says the same as another"
	case "forgotten":
		return "holds what was forgotten"
	case "limit":
		return "enough without it"
	}
	return strings.ReplaceAll(g, "_", " ")
}
