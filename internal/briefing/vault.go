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

// The vault has at most a quarter of a briefing's budget, after the handoff. Only required items and the weighted
// memories may use what others leave.
const (
	shareVault   = 25
	shareInVault = 40 // of that, for the index
	poolVault    = "vault"
	maxIndex     = 50  // entries
	maxParagraph = 300 // characters of the paragraph that replaces a whole file
	MaxLine      = 360 // bytes of a line of a page
	maxWhole     = 40  // lines of a critical memory
)

// shelf is what a briefing contains of the vault.
type shelf struct {
	pages    vaultfile.Pages
	critical []mem.Memory
	others   []mem.Memory // active ones, the weightiest first
	missing  []mem.LeftOutItem
}

// shelf reads the vault for a briefing. Unreadable files are reported as missing.
func (g *gather) shelf(ctx context.Context) shelf {
	v := g.e.Event.CurrentVault()
	if v == nil {
		return shelf{missing: g.withoutVault()}
	}
	var s shelf
	pages, err := v.Pages(g.ec.Settings.Vault.LogLines)
	if err != nil {
		s.missing = append(s.missing, absent("vault", "unreadable"))
		g.e.Event.LogDegraded("vault pages", err)
	}
	s.pages = pages
	for _, b := range pages.Bad {
		s.missing = append(s.missing, absent(b.File, "unreadable"))
	}
	ms, err := g.e.Event.Noted(ctx)
	if err != nil {
		s.missing = append(s.missing, absent("vault", "unreadable"))
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
			s.missing = append(s.missing, absent(mm.Note.File, "trust"))
		}
	}
	for _, page := range []vaultfile.Page{pages.Identity, pages.User} {
		if page.Text != "" {
			delete(named, page.File)
		}
	}
	for name := range named {
		s.missing = append(s.missing, absent(name, "missing"))
	}
	slices.SortStableFunc(s.critical, func(a, b mem.Memory) int { return strings.Compare(a.Note.File, b.Note.File) })
	s.others = g.use().Order(rest, g.ec.At, func(mm mem.Memory) bool { return recall.Belongs(g.ec, g.hints, mm) })
	return s
}

// withoutVault returns what is missing if there is no vault.
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

// use returns the weights of past use; the hints may change that of the project.
func (g *gather) use() rank.Use {
	u := g.ec.Settings.Use
	if h := g.hints; h.Boost > 0 {
		u.Boost = h.Boost
	}
	return u
}

// persona returns the section about the agent and the person.
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

// invariants returns the section of invariants, one line for each critical memory.
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

// invariant returns the line of a critical memory: its invariant, else its beginning, and its file.
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

// pointed returns the beginning of a text and the file that contains all of it.
func (s shelf) pointed(text, file string) string {
	return inject.Ended(chars.Clip(text, maxParagraph), " (all of it: "+
		filepath.Join(s.pages.Dir, filepath.FromSlash(file))+")")
}

// critical returns critical memories in full, as far as they fit.
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
		g.injected[mm.ID], g.injected[recall.BriefText(mm)] = true, true
		if mm.Body == "" || mm.Invariant == "" && len(lines) == 1 { // the invariant contains it
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

// contents lists the other files of the vault, and those injected elsewhere under another name. If not all
// descriptions fit, only the names are listed.
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

// weighted returns the memories of the vault with the highest weight.
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

// journal returns the end of the vault's journal, the newest last.
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
		return out // headings only
	}
	for _, l := range s.pages.Log {
		if l = g.e.Redactor.Prompt(l); strings.TrimSpace(l) != "" && !inject.Suspicious(l) {
			out.Items = append(out.Items, inject.Item{Text: l})
		}
	}
	return out
}

// TextLines returns the non-empty lines of a text, split at the largest injected length.
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

// paragraph returns the first paragraph of a text that is no heading, in one line.
func paragraph(text string) string {
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n") {
		lines := slices.DeleteFunc(strings.Split(part, "\n"), func(l string) bool { return strings.HasPrefix(l, "#") })
		if p := chars.Line(strings.Join(lines, " ")); p != "" {
			return p
		}
	}
	return chars.Line(text)
}
