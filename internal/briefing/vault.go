package briefing

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
	"remanence/internal/vaultfile"
)

// The vault has a quarter of a briefing's budget at most, before all that is not
// a handoff. Only what is required may take of what others leave, and the
// weighted memories, as others do.
const (
	shareVault   = 25
	shareInVault = 40 // of that, for the index
	poolVault    = "vault"
	maxIndex     = 50  // entries
	maxParagraph = 300 // characters of what stands for a whole file
	MaxLine      = 360 // bytes of a line of a page
	maxWhole     = 40  // lines of a critical memory
)

// shelf is what a briefing tells of the vault.
type shelf struct {
	pages    vaultfile.Pages
	critical []mem.Memory
	others   []mem.Memory // active ones, the weightiest first
	lacking  []mem.LeftOutItem
}

// shelf reads the vault for a briefing. What cannot be read is lacking.
func (g *gather) shelf(ctx context.Context) shelf {
	v := g.e.Event.CurrentVault()
	if v == nil {
		return shelf{lacking: g.withoutVault()}
	}
	var s shelf
	pages, err := v.Pages(g.ec.Settings.Vault.LogLines)
	if err != nil {
		s.lacking = append(s.lacking, absent("vault", "unreadable"))
		g.e.Event.LogDegraded("vault pages", err)
	}
	s.pages = pages
	for _, b := range pages.Bad {
		s.lacking = append(s.lacking, absent(b.File, "unreadable"))
	}
	ms, err := g.e.Event.Noted(ctx)
	if err != nil {
		s.lacking = append(s.lacking, absent("vault", "unreadable"))
		g.e.Event.LogDegraded("vault", err)
	}
	named := map[string]bool{}
	for _, name := range g.ec.Settings.Vault.Critical {
		named[vaultfile.Path(name)] = true
	}
	var rest []mem.Memory
	for _, mm := range ms {
		wanted := mm.Pinned || named[mm.Note.File]
		delete(named, mm.Note.File)
		switch {
		case mm.Status != mem.Active: // the person hid it
		case !wanted:
			rest = append(rest, mm)
		case inject.Injectable(mm):
			s.critical = append(s.critical, mm)
		default:
			s.lacking = append(s.lacking, absent(mm.Note.File, "trust"))
		}
	}
	for _, page := range []vaultfile.Page{pages.Identity, pages.User} {
		if page.Text != "" {
			delete(named, page.File)
		}
	}
	for name := range named {
		s.lacking = append(s.lacking, absent(name, "missing"))
	}
	slices.SortStableFunc(s.critical, func(a, b mem.Memory) int { return strings.Compare(a.Note.File, b.Note.File) })
	s.others = g.use().Order(rest, g.ec.At, func(mm mem.Memory) bool { return recall.Belongs(g.ec, g.hints, mm) })
	return s
}

// withoutVault is what is lacking where no vault is.
func (g *gather) withoutVault() []mem.LeftOutItem {
	var out []mem.LeftOutItem
	for _, name := range g.ec.Settings.Vault.Critical {
		out = append(out, absent(vaultfile.Path(name), "missing"))
	}
	return out
}

func absent(id, gate string) mem.LeftOutItem {
	return mem.LeftOutItem{ID: id, Title: id, Gate: gate, Required: true}
}

// use is how use counts here: the hints may say what belonging counts.
func (g *gather) use() rank.Use {
	u := g.ec.Settings.Use
	if h := g.hints; h.Boost > 0 {
		u.Boost = h.Boost
	}
	return u
}

// persona tells who the agent and the person are.
func (g *gather) persona(s shelf) inject.Section {
	out := inject.Section{
		Name: "persona", Caption: "IDENTITY AND USER (vault)", Share: shareVault, Pool: poolVault,
		Apart: true, Capped: true,
	}
	for _, page := range []vaultfile.Page{s.pages.Identity, s.pages.User} {
		text := g.e.Redactor.Prompt(page.Text)
		id := page.File + "@" + page.Hash[:min(8, len(page.Hash))]
		if text == "" || g.ec.SessionInfo.Injected[id] {
			continue
		}
		lines := TextLines(text)
		out.Items = append(out.Items, inject.Item{
			Text: page.File + ": " + lines[0], More: lines[1:], Required: true,
			Short:    s.pointed(page.File+": "+paragraph(text), page.File),
			Injected: mem.InjectedItem{ID: id, Kind: mem.Preference, Title: page.File},
		})
	}
	return out
}

// invariants tell what holds always, one line for each critical memory.
func (g *gather) invariants(s shelf) inject.Section {
	out := inject.Section{
		Name: "invariants", Caption: "INVARIANTS (vault)", Share: shareVault, Pool: poolVault,
		Apart: true, Capped: true,
	}
	for _, mm := range s.critical {
		if g.known(mm) {
			continue
		}
		out.Items = append(out.Items, inject.Item{
			Text: s.invariant(mm), Required: true, Injected: mem.InjectedItem{ID: mm.ID, Kind: mm.Kind, Title: mm.Title},
		})
	}
	return out
}

// invariant is the line of a critical memory: what it says holds always, else how
// it begins, and where the rest is.
func (s shelf) invariant(mm mem.Memory) string {
	if mm.Invariant != "" {
		return mm.ID + ": " + mm.Invariant
	}
	text, p := mm.Title, paragraph(mm.Body)
	if !strings.HasPrefix(p, text) {
		text = strings.TrimRight(text, ".:") + ": " + p
	} else if p != "" {
		text = p
	}
	line := mm.ID + ": " + text
	if chars.Line(mm.Body) == p && utf8.RuneCountInString(text) <= maxParagraph && len(line) <= MaxLine {
		return line
	}
	return s.pointed(line, mm.Note.File)
}

// pointed is how a text begins, and the file that holds all of it.
func (s shelf) pointed(text, file string) string {
	return inject.Ended(chars.Clip(text, maxParagraph), " (all of it: "+
		filepath.Join(s.pages.Dir, filepath.FromSlash(file))+")")
}

// critical tells critical memories whole, where there is room.
func (g *gather) critical(s shelf) inject.Section {
	out := inject.Section{
		Name: "critical", Caption: "CRITICAL MEMORIES (vault)", Share: shareVault, Pool: poolVault,
		Capped: true,
	}
	for _, mm := range s.critical {
		if g.known(mm) {
			continue
		}
		lines := TextLines(mm.Body)
		g.injected[mm.ID], g.injected[recall.Saying(mm)] = true, true
		if mm.Body == "" || mm.Invariant == "" && len(lines) == 1 { // said already
			continue
		}
		if len(lines) > maxWhole {
			continue
		}
		out.Items = append(out.Items, inject.Item{
			Text: mm.ID + ", " + mm.Title + ": " + lines[0], More: lines[1:],
			Injected: mem.InjectedItem{ID: "whole:" + mm.ID, Kind: mm.Kind, Title: mm.Title},
		})
	}
	return out
}

// contents list what else the vault has: what is told elsewhere only by a name of
// its own. Where not all of it fits with what it is about, the names alone are told.
func (g *gather) contents(s shelf, budget int) inject.Section {
	out := inject.Section{
		Name: "contents", Caption: "VAULT INDEX (MEMORY.md)", Share: shareVault, Pool: poolVault,
		Part: shareInVault, Apart: true, Capped: true,
	}
	if g.resumed() {
		return out
	}
	var full, names []inject.Item
	tokens := 0
	for _, mm := range s.others {
		if len(names) == maxIndex {
			break
		}
		name, about := cmp.Or(strings.Join(mm.Concepts, ", "), mm.Title), mm.Title
		if g.injected[mm.ID] && name == mm.Title || !inject.Injectable(mm) {
			continue
		}
		if g.injected[mm.ID] {
			about = ""
		}
		text := vaultfile.IndexEntry(name, about, mm.Note.File)
		full, tokens = append(full, inject.Item{Text: text}), tokens+chars.Tokens("- "+text+"\n")
		names = append(names, inject.Item{Text: vaultfile.IndexEntry(name, "", mm.Note.File)})
	}
	out.Items = full
	if tokens > budget*shareVault/100*shareInVault/100 {
		out.Items = names
	}
	return out
}

// weighted are the weightiest memories of the vault.
func (g *gather) weighted(s shelf) inject.Section {
	out := inject.Section{Name: "weighted", Caption: "WEIGHTED MEMORIES (vault)", Share: shareVault, Pool: poolVault}
	for _, mm := range s.others {
		if len(out.Items) == g.ec.Settings.Vault.TopK {
			break
		}
		if item, ok := inject.Line(mem.Hit{Memory: mm}, g.ec.At, mem.Fresh); ok && g.news(mm) {
			out.Items = append(out.Items, item)
		}
	}
	return out
}

// journal is the end of the vault's journal, the newest at the end.
func (g *gather) journal(s shelf) inject.Section {
	out := inject.Section{
		Name: "journal", Caption: "LOG (vault/LOG.md)", Share: shareVault, Pool: poolVault,
		Apart: true, Capped: true, Last: true,
	}
	if g.resumed() {
		return out
	}
	if !slices.ContainsFunc(s.pages.Log, func(l string) bool {
		return strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "#")
	}) {
		return out // headings of nothing
	}
	for _, l := range s.pages.Log {
		if l = g.e.Redactor.Prompt(l); strings.TrimSpace(l) != "" && !inject.Suspicious(l) {
			out.Items = append(out.Items, inject.Item{Text: l})
		}
	}
	return out
}

// TextLines are the lines of a text that say something, none too long to be told.
func TextLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for len(line) > MaxLine {
			cut := strings.LastIndexByte(line[:MaxLine], ' ')
			if cut <= 0 { // a script without spaces, or one long word
				for cut = MaxLine; cut > MaxLine-utf8.UTFMax && !utf8.RuneStart(line[cut]); {
					cut--
				}
			}
			out, line = append(out, line[:cut]), strings.TrimLeft(line[cut:], " ")
		}
		if line != "" {
			out = append(out, line)
		}
	}
	if len(out) == 0 {
		return []string{""}
	}
	return out
}

// paragraph is the first one of a text that is no heading, in one line.
func paragraph(text string) string {
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		lines := slices.DeleteFunc(strings.Split(part, "\n"), func(l string) bool { return strings.HasPrefix(l, "#") })
		if p := chars.Line(strings.Join(lines, " ")); p != "" {
			return p
		}
	}
	return chars.Line(text)
}
