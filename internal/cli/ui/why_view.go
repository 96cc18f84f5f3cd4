package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/views"
)

// ReceiptView shows the receipt of an injection.
type ReceiptView struct{ views.WhyResponse }

// SchemaName returns the name of the view's schema.
func (ReceiptView) SchemaName() string { return "receipt" }

// Print writes the view for a person.
func (v ReceiptView) Print(p *Printer) {
	if v.Receipt.ID == "" {
		p.Line("Nothing has been injected here yet. What would be injected: remanence next")
		return
	}
	v.Head(p)
	v.items(p)
	v.LeftOut(p)
	v.Hints(p)
}

// Head prints the first lines of a receipt.
func (v ReceiptView) Head(p *Printer) {
	r := v.Receipt
	when := ""
	if !r.At.IsZero() {
		when = " · " + DateTime(r.At, p.Now())
	}
	p.Line("%s%s · %s%s", p.Style(Bold, r.ID), when, r.Trigger,
		quotedQuery(r.Query, p.Width-Cells(r.ID+when+" · "+r.Trigger)))
	p.Line("  %d of %s · %s · %.0f ms", len(r.Items), Plural(r.Candidates, "candidate", "candidates"),
		views.Cost(r), r.TookMS)
	switch r.Outcome {
	case mem.Abstained:
		p.Line("  nothing fit: no memory was relevant enough to the query")
		if d, ok := v.Nearest(); ok && recorded(d) {
			v.Near(p, d)
		}
	case mem.Nothing:
		p.Line("  nothing to inject")
	}
	if c := r.Compaction; c != nil {
		p.Line("  after a compaction: of %d exact pieces of the checkpoint (%s) the summary kept %d, %d were injected at "+
			"once, %d here",
			c.Exact, c.Checkpoint, c.Kept, c.Restored, c.InjectedNow)
	}
}

// quotedQuery returns a query behind a space and in quotes, within a width.
func quotedQuery(query string, width int) string {
	if query == "" {
		return ""
	}
	return ` "` + Clip(OneLine(query), max(8, min(60, width-len(` ""`)))) + `"`
}

func (v ReceiptView) items(p *Printer) {
	cols := []Column{
		{Name: "rank", right: true},
		{Name: "id"},
		{Name: "kind", Drop: 2},
		{Name: "score", Drop: 3, right: true},
		{Name: "title", Flex: true},
		{Name: "now"},
	}
	var rows [][]string
	for _, it := range v.Receipt.Items {
		score := ""
		if len(it.Parts) > 0 {
			score = fmt.Sprintf("%.2f", it.Score)
		}
		rows = append(rows, []string{
			fmt.Sprintf("  %d", it.Rank), it.ID, string(it.Kind), score, OneLine(it.Title),
			v.itemState(it),
		})
	}
	p.tableWith(cols, rows, func(i int) {
		parts := v.Receipt.Items[i].Parts
		switch r, name := relevanceOf(parts); {
		case name != rank.PartRelevance || r >= v.Receipt.Floor:
		case parts[rank.PartShare] > 0:
			p.Line("       injected beside a relevant one: it matches the query %.2f times as well", parts[rank.PartShare])
		case parts[rank.PartMeaning] > 0:
			p.Line("       injected because it is near to the query in meaning")
		}
		v.Parts(p, parts)
	})
}

// itemState returns what happened to an item since the injection.
func (v ReceiptView) itemState(it mem.InjectedItem) string {
	var out []string
	if it.Stale != mem.Fresh {
		out = append(out, map[mem.Freshness]string{
			mem.FileChanged: "file changed since", mem.FileGone: "file gone",
		}[it.Stale])
	}
	if by := v.Agents[it.ID]; by != "" {
		out = append(out, "learned in "+by)
	}
	if v.Used[it.ID] {
		out = append(out, "used since")
	}
	if state := v.States[it.ID]; state != "" {
		out = append(out, "now "+string(state))
	}
	return strings.Join(out, ", ")
}

// Parts shows the summands of a score with their weights: similarity to the query, properties of the memory,
// and what decided whether it is injected.
func (v ReceiptView) Parts(p *Printer, parts map[string]float64) {
	var words, own, rest []string
	seen := map[string]bool{}
	for _, s := range rank.Summands(parts) {
		seen[s.Part] = true
		part := fmt.Sprintf("%s %.2f×%s", rank.PartName(s.Part), parts[s.Part], Short(s.Weight))
		switch {
		case parts[s.Part] == 0:
		case s.Own:
			own = append(own, part)
		default:
			words = append(words, part)
		}
	}
	if f := parts[rank.PartUse]; f > 0 {
		own = append(own, fmt.Sprintf("%s ×%.2f", rank.PartName(rank.PartUse), f))
	}
	for _, name := range []string{rank.PartUse, rank.PartCoverage, rank.PartRelevance, rank.PartShare} {
		seen[name] = true
	}
	for name, value := range parts {
		if !seen[name] && value != 0 {
			rest = append(rest, fmt.Sprintf("%s %s", rank.PartName(name), Short(value)))
		}
	}
	slices.Sort(rest)
	if r, name := relevanceOf(parts); name != "" && v.Receipt.Floor > 0 {
		rest = append([]string{fmt.Sprintf("%s %.2f (floor %.2f)", rank.PartName(name), r, v.Receipt.Floor)}, rest...)
		if c := parts[rank.PartCoverage]; name == rank.PartRelevance {
			rest = append(rest, fmt.Sprintf("%s %.2f", rank.PartName(rank.PartCoverage), c))
		}
	}
	for _, row := range []struct {
		name string
		list []string
	}{{"words", words}, {"itself", own}, {"floor", rest}} {
		line := Pad(row.name, 8)
		for i, part := range row.list {
			if i > 0 && Cells(line+"  "+part) > p.Width-7 {
				p.Line("       %s", line)
				line = Pad("", 8)
			} else if i > 0 {
				line += "  "
			}
			line += part
		}
		if len(row.list) > 0 {
			p.Line("       %s", line)
		}
	}
}

// Short is a number with at most two decimals.
func Short(f float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 2, 64), "0"), ".")
}

// LeftOut lists what was left out, under the rule that did it.
func (v ReceiptView) LeftOut(p *Printer) {
	var gates []string
	by := map[string][]mem.LeftOutItem{}
	for _, d := range v.Receipt.LeftOut {
		if by[d.Gate] == nil {
			gates = append(gates, d.Gate)
		}
		by[d.Gate] = append(by[d.Gate], d)
	}
	slices.Sort(gates)
	for _, g := range gates {
		p.Line("left out, %s:", v.gate(g))
		for _, d := range by[g] {
			head := fmt.Sprintf("  %s %.2f  ", d.ID, d.Score)
			p.Line("%s%s", head, Clip(OneLine(d.Title), max(minFlex, p.Width-Cells(head))))
			if g == rank.BelowFloor {
				p.Line("       %s", v.missed(d))
			}
			v.Parts(p, d.Parts)
		}
	}
	if more := v.Receipt.Candidates - len(v.Receipt.Items) - len(v.Receipt.LeftOut); more > 0 &&
		len(v.Receipt.LeftOut) > 0 {
		p.Line("left out besides: %d less relevant ones", more)
	}
}

// relevanceOf returns what the floor is compared with, and the name of that part: in
// receipts of earlier versions it is the coverage.
func relevanceOf(parts map[string]float64) (value float64, name string) {
	for _, name := range []string{rank.PartRelevance, rank.PartCoverage} {
		if r, ok := parts[name]; ok {
			return r, name
		}
	}
	return 0, ""
}

// Nearest is the item below the floor that came nearest to it.
func (v ReceiptView) Nearest() (best mem.LeftOutItem, found bool) {
	for _, d := range v.Receipt.LeftOut {
		if d.Gate != rank.BelowFloor {
			continue
		}
		got, _ := relevanceOf(d.Parts)
		if before, _ := relevanceOf(best.Parts); !found || got > before {
			best, found = d, true
		}
	}
	return best, found
}

// Near shows the item nearest to the floor, and by how much it missed.
func (v ReceiptView) Near(p *Printer, d mem.LeftOutItem) {
	p.Line("  nearest: %s %s", d.ID, Clip(OneLine(d.Title), max(minFlex, p.Width-len("  nearest:  ")-Cells(d.ID))))
	p.Line("    %s", v.missed(d))
}

// recorded reports whether a receipt says how relevant an item was. Those of the first versions do not.
func recorded(d mem.LeftOutItem) bool {
	_, name := relevanceOf(d.Parts)
	return name != ""
}

// missed returns by how much an item missed the floor.
func (v ReceiptView) missed(d mem.LeftOutItem) string {
	if !recorded(d) {
		return "how relevant it was is not recorded"
	}
	r, name := relevanceOf(d.Parts)
	coverage, n := d.Parts[rank.PartCoverage], int(d.Parts[rank.PartWords])
	words := Plural(n, "distinctive word", "distinctive words")
	switch {
	case name == rank.PartRelevance && coverage == 0 && n == 0:
		return fmt.Sprintf("relevance %.2f, %s: shares no distinctive word with the query", r, v.short(r))
	case name == rank.PartRelevance:
		return fmt.Sprintf("relevance %.2f, %s: has %.2f of the query, %s", r, v.short(r), coverage, words)
	case r < v.Receipt.Floor:
		return fmt.Sprintf("covers %.2f of the query with %s, %s", r, words, v.short(r))
	}
	return fmt.Sprintf("covers %.2f of the query, but with %s only", r, words)
}

// short is by how much a relevance misses the floor.
func (v ReceiptView) short(relevance float64) string {
	if by := v.Receipt.Floor - relevance; by >= 0.005 {
		return fmt.Sprintf("%.2f short", by)
	}
	return "just short"
}

// gate describes the rule by which an item was left out.
func (v ReceiptView) gate(g string) string {
	switch g {
	case rank.BelowFloor:
		return fmt.Sprintf("not relevant enough (needs %.2f)", v.Receipt.Floor)
	case event.OtherFailure:
		return "about another failure"
	case "budget":
		return "no room in the budget"
	case "already_told":
		return "injected into this session before"
	case "in_conversation":
		return "learned in this conversation, where it is still in view"
	case "done":
		return "done since"
	case "stale":
		return "the file it is about is gone"
	case "disputed":
		return "an agent reported it as wrong; decide in `remanence review`"
	case event.InInstructions:
		return "the agent reads it in CLAUDE.md, AGENTS.md or the like"
	case "trust":
		return "not trusted enough to be injected unasked"
	case event.Narration:
		return "accompanies the work, and explains nothing"
	case event.Pasted:
		return "a pasted document or output, not the person's words"
	case "duplicate":
		return "a duplicate of another one"
	case "forgotten":
		return "holds what was forgotten"
	case "limit":
		return "limit reached"
	}
	return strings.ReplaceAll(g, "_", " ")
}

// Hints returns what could be done about what was left out.
func (v ReceiptView) Hints(p *Printer) {
	if v.Later != nil {
		since, rest := "since then "+v.Later.Trigger, " injected nothing: remanence why "+v.Later.ID
		p.Hint("%s%s%s", since, quotedQuery(v.Later.Query, p.Width-len(since+rest)), rest)
	}
	if len(v.Receipt.Items) == 0 {
		return
	}
	if id := v.lastMemory(); id != "" {
		p.Hint("remove one: remanence forget %s", id)
	}
	if key := budgetKey(v.Receipt.Trigger); key != "" {
		p.Hint("less of this: remanence config set %s %d", key, v.Receipt.Budget/2)
	}
}

// lastMemory is the last item that can be forgotten: sessions of the index can not.
func (v ReceiptView) lastMemory() string {
	for _, it := range slices.Backward(v.Receipt.Items) {
		if strings.HasPrefix(it.ID, "m_") {
			return it.ID
		}
	}
	return ""
}

// budgetKey is the setting that bounds the injections of a trigger.
func budgetKey(trigger string) string {
	switch trigger {
	case "session_start":
		return "hooks.session_start.token_budget"
	case "resume":
		return "hooks.resume.token_budget"
	case "compact":
		return "hooks.compact.token_budget"
	case "prompt", "compaction":
		return "hooks.user_prompt.token_budget"
	case "file":
		return "hooks.pre_read.token_budget"
	case "command":
		return "hooks.pre_bash.token_budget"
	case "subagent":
		return "hooks.pre_task.token_budget"
	}
	return ""
}
