package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// maxCarried is how many memories made of the assistant's words a session hands
// on to others. What is more stays with the session.
const maxCarried = 8

// known is what a session made of words before, and what is open in its project.
type known struct {
	made []mem.Memory // newest first
	open []mem.Memory // items of work, likewise
}

func (e *Engine) knownToSession(ctx context.Context, m *moment) (k known, err error) {
	if k.made, err = e.Store.List(ctx, mem.Query{
		Project: m.project.Key, Session: m.Session, Within: m.Session, Tags: []string{madeOfWords, stated}, Order: mem.ByUpdate, Limit: 60,
	}); err != nil {
		return k, fmt.Errorf("what the session said before: %w", err)
	}
	if k.open, err = e.Store.List(ctx, mem.Query{Project: m.project.Key, Kinds: []mem.Kind{mem.Todo}, Open: true, Order: mem.ByUpdate, Limit: 50}); err != nil {
		return k, fmt.Errorf("open items: %w", err)
	}
	return k, nil
}

// joined are the new memories without what is said already: what the turn says
// twice, what the session said before, items of work that are on the list. The
// ones that a session hands on are bounded.
func (k *known) joined(m *moment, fresh []mem.Memory) []mem.Memory {
	var out []mem.Memory
	var toCarry []int
	fresh = k.unlisted(m, fresh)
	for _, mm := range fresh {
		if slices.ContainsFunc(out, func(o mem.Memory) bool { return o.Trust >= mm.Trust && (sameThing(o, mm) || echoes(mm, o)) }) || k.listed(mm) {
			continue
		}
		if i := slices.IndexFunc(k.made, func(o mem.Memory) bool { return o.Kind == mm.Kind && o.Trust == mm.Trust && sameThing(o, mm) }); i >= 0 {
			out = append(out, again(k.made[i], mm))
			continue
		}
		toCarry = append(toCarry, len(out))
		out = append(out, mm)
	}
	slices.SortStableFunc(toCarry, func(a, b int) int { return cmp.Compare(out[b].Importance, out[a].Importance) })
	for _, i := range toCarry {
		out[i] = k.carried(m, out[i])
	}
	return out
}

// echoes reports whether a statement of the assistant's repeats what the person
// laid down in the same turn: "Prices are always in cents, I'll keep to that."
func echoes(mm, o mem.Memory) bool {
	if !slices.Contains(o.Tags, stated) || slices.Contains(mm.Tags, stated) {
		return false
	}
	terms := rank.Terms(cmp.Or(mm.Body, mm.Title))
	return 4*shared(terms, rank.Terms(cmp.Or(o.Body, o.Title))) >= 3*len(terms)
}

// unlisted are the new memories without the items of work that stand on the
// session's own list in other words. An item of the list stands for one of them.
func (k *known) unlisted(m *moment, fresh []mem.Memory) []mem.Memory {
	gone := map[int]bool{}
	for _, o := range k.open {
		if o.Session != m.Session || !slices.Contains(o.Tags, listedTag) {
			continue
		}
		best, most := -1, 0.0
		for i, mm := range fresh {
			if like := sameWork(o.Title, mm.Title); mm.Kind == mem.Todo && mm.Trust <= o.Trust && !gone[i] && like > most {
				best, most = i, like
			}
		}
		if best >= 0 {
			gone[best] = true
		}
	}
	var out []mem.Memory
	for i, mm := range fresh {
		if !gone[i] {
			out = append(out, mm)
		}
	}
	return out
}

// listed reports whether an item of work is open already, by a word that is
// worth as much, or tells over several that are.
func (k *known) listed(mm mem.Memory) bool {
	if mm.Kind != mem.Todo {
		return false
	}
	of, told := workTerms(mm.Title), []string{}
	items := 0
	for _, o := range k.open {
		if o.Trust < mm.Trust {
			continue
		}
		if (o.Session != mm.Session || slices.Contains(o.Tags, listedTag)) && sameItem(o.Title, mm.Title) {
			return true
		}
		if x := workTerms(o.Title); len(x) >= 2 && 3*shared(x, of) >= 2*len(x) {
			items++
			told = append(told, x...)
		}
	}
	return items >= 2 && 4*shared(of, told) >= 3*len(of)
}

// again is a statement that the session made before, under the key of the first,
// so that they become one. The words are those of the turn that it is of now: what
// becomes of that turn becomes of them.
func again(old, mm mem.Memory) mem.Memory {
	mm.Key = old.Key
	return mm
}

// carried bounds what the session hands on. The least important of it, or the
// new one if that is, stays with the session.
func (k *known) carried(m *moment, mm mem.Memory) mem.Memory {
	if !slices.Contains(mm.Tags, madeOfWords) {
		return mm
	}
	var least *mem.Memory
	n := 0
	for i := range k.made {
		o := &k.made[i]
		if o.Scope != mem.ScopeProject || !slices.Contains(o.Tags, madeOfWords) {
			continue
		}
		n++
		if o.ID != "" && !o.Pinned && o.Uses == 0 && o.Trust <= mm.Trust && (least == nil || o.Importance <= least.Importance) { // the oldest of them
			least = o
		}
	}
	if n >= maxCarried {
		if least == nil || least.Importance > mm.Importance {
			mm.Scope = mem.ScopeSession
			return mm
		}
		within := mem.ScopeSession
		m.batch.Edits = append(m.batch.Edits, mem.Edit{ID: least.ID, Scope: &within})
		least.Scope = mem.ScopeSession
	}
	k.made = append([]mem.Memory{mm}, k.made...)
	return mm
}

// settled are the changes that a turn makes to what is known: items of work that
// it did, and decisions that the person took back in the next turn, or corrected so
// that something was changed.
func (k *known) settled(m *moment, all []said, own []mem.Memory) []mem.Edit {
	if m.turn.Trust == mem.TrustNone {
		return nil
	}
	var out []mem.Edit
	yes, over := true, mem.Superseded
	for _, o := range k.open {
		if o.Trust == mem.TrustUser || o.Source.PromptID == m.PromptID && o.Session == m.Session {
			continue
		}
		if slices.ContainsFunc(all, func(s said) bool { return doneWith(o.Title, s) }) {
			out = append(out, mem.Edit{ID: o.ID, Resolved: &yes})
		}
	}
	back := takesBack(m.turn.Text)
	if !back && (len(m.turn.Text) > pasted || !slices.ContainsFunc(own, func(o mem.Memory) bool { return o.Kind == mem.Change })) {
		return out
	}
	for _, o := range k.made {
		before := m.turn.Number - o.Source.Prompt
		if o.Kind != mem.Decision || o.ID == "" || o.Trust >= mem.TrustUser || o.Pinned || before < 1 || o.Source.Prompt < 1 {
			continue
		}
		if before == 1 && (back || corrects(m.turn.Text, o.Text())) || changesMind(m.turn.Text, o.Text()) {
			out = append(out, mem.Edit{ID: o.ID, Status: &over})
		}
	}
	return out
}

// restated are the changes to open items of which a new one says what is still left:
// the new one stands for them.
func (k *known) restated(fresh []mem.Memory) []mem.Edit {
	var out []mem.Edit
	over := mem.Superseded
	for _, mm := range fresh {
		left := itemTerms(mm.Title)
		if mm.Kind != mem.Todo || len(left) < 2 || !holds(cueText(mm.Title), " still ", " noch ", " encore ", " todavía ", " aún ") {
			continue
		}
		for _, o := range k.open {
			if of := rank.Terms(o.Title); o.Session == mm.Session && o.Trust <= mm.Trust && !o.Pinned && len(of) > len(left) && shared(left, of) == len(left) {
				out = append(out, mem.Edit{ID: o.ID, Status: &over})
			}
		}
	}
	return out
}

// dropForbidden puts aside what helped in the session, if the person does not want
// it to be done or the agent took it back: nobody is told to do it again.
func (e *Engine) dropForbidden(ctx context.Context, m *moment, own []mem.Memory) error {
	if m.turn.Number == 0 || len(m.turn.Text) > pasted {
		return nil
	}
	fixes, err := e.Store.List(ctx, mem.Query{Project: m.project.Key, Session: m.Session, Kinds: []mem.Kind{mem.ErrorFix}, Tags: []string{autoCaptured}, Limit: 20})
	if err != nil {
		return fmt.Errorf("what helped: %w", err)
	}
	over := mem.Superseded
	for _, o := range fixes {
		if o.Pinned {
			continue
		}
		if slices.ContainsFunc(strings.Split(o.Body, "\n"), func(act string) bool {
			return len(o.Files) == 0 && forbids(m.turn.Text, act) || slices.ContainsFunc(own, func(c mem.Memory) bool {
				return c.Kind == mem.Change && c.Updated.After(o.Updated) && c.Title != act && c.Title == swapped(act)
			})
		}) {
			m.batch.Edits = append(m.batch.Edits, mem.Edit{ID: o.ID, Status: &over})
		}
	}
	return nil
}

// swapped is the title of the change that takes another one back.
func swapped(change string) string {
	file, rest, _ := strings.Cut(change, ": replaced '")
	was, is, ok := strings.Cut(strings.TrimSuffix(rest, "'"), "' with '")
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s: replaced '%s' with '%s'", file, is, was)
}

// takesBack reports whether a prompt begins by taking back what was just done.
func takesBack(prompt string) bool {
	l := cueText(mem.FirstLine(prompt))
	return begins(l, "undo ", "undo,", "revert that", "revert this", "revert it", "roll that back", "roll it back", "scrap that", "drop that", "forget that", "never mind", "nevermind", "no, undo", "no, revert", "mach das rückgängig", "verwirf das", "annule ça", "annule cela", "deshaz ", "元に戻して", "撤销", "取消刚才")
}

// doneWith reports whether a sentence says that an item of work is done: one
// clause of it, for another may say what is left.
func doneWith(item string, s said) bool {
	if clause, rest, ok := strings.Cut(s.text, "; "); ok {
		return doneWith(item, said{text: clause, bare: cueText(clause)}) || doneWith(item, said{text: rest, bare: cueText(rest)})
	}
	l := s.bare
	if open(l) || asks(s.text) || offers(l) || thoughtOf(l) || announces(l) || holds(l, " not ", "n't ", " remains", " remain ", " remain.", " nicht ", " noch ", " pas ", " no ") {
		return false
	}
	if !holds(l, " now", " done", " added", " wrote", " written", " implemented", " fixed", " finished", " migrated", " removed", " documented", " covered", " updated", " is there", " is up", " are up", " is live", " in place", " has a ", " have a ", "erledigt", " jetzt ", "hinzugefügt", "geschrieben", "terminé", "ajouté", "écrit", "maintenant", " listo", "añadid", " ahora", "追加しました", "対応しました", "完了", "已", "完成了") && !sameVerb(item, l) {
		return false
	}
	x := itemTerms(item)
	return len(x) >= 2 && 10*shared(x, rank.Terms(s.text)) >= 8*len(x)
}

// sameVerb reports whether a sentence says that something is done, or does it, in
// the verb that an item of work begins with: "handle refunds", "refunds are handled".
func sameVerb(item, l string) bool {
	verb, _, _ := strings.Cut(strings.TrimSpace(cueText(item)), " ")
	return slices.ContainsFunc(strings.Fields(l), func(w string) bool {
		w = strings.Trim(w, ".,;:!")
		return w != verb && (strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "s")) && kin(verb, w)
	})
}

// sameThing reports whether two memories say nearly the same.
func sameThing(a, b mem.Memory) bool {
	if a.Kind == mem.Todo && b.Kind == mem.Todo {
		return sameItem(a.Title, b.Title)
	}
	return samePoint(claimOf(a), claimOf(b)) && compared(a, b).Agrees()
}

// samePoint reports whether two statements say nearly the same: one has all the
// words of the other and few more, and the same names. Two statements that differ
// in one word each may be about two things.
func samePoint(a, b string) bool {
	return a == b || len(a) <= 3*len(b) && len(b) <= 3*len(a) && gistOf(a).same(gistOf(b))
}

// gist is what a statement is told from others by.
type gist struct{ names, terms []string }

func gistOf(s string) gist { return gist{namesIn(s), rank.Terms(s)} }

func (g gist) same(o gist) bool {
	if !slices.Equal(g.names, o.names) {
		return false
	}
	less, more := min(len(g.terms), len(o.terms)), max(len(g.terms), len(o.terms))
	return less >= 3 && 3*less >= 2*more && g.within(o)
}

// within reports whether the one of two statements with fewer words has none
// that the other has not.
func (g gist) within(o gist) bool {
	few, many := g.terms, o.terms
	if len(few) > len(many) {
		few, many = many, few
	}
	return shared(few, many) == len(few)
}

// shared is how many of some words are among others, in any form.
func shared(words, among []string) int {
	n := 0
	for _, w := range words {
		if slices.ContainsFunc(among, func(o string) bool { return kin(w, o) }) {
			n++
		}
	}
	return n
}

// kin reports whether two words are forms of one: they begin alike and are of
// nearly one length.
func kin(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 4 && len(b)-len(a) <= 3 && a[0] < utf8.RuneSelf && strings.HasPrefix(b, a[:len(a)-1])
}

// namesIn are the words of a text that hold more than letters, in order.
func namesIn(s string) []string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("`'\"(),;:!?", r) || mem.Wide(r) })
	var out []string
	for _, w := range words {
		w = strings.Trim(w, ".")
		if strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) && strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sameItem reports whether two items of work are one: the words of the shorter
// are in the other, which has few more, and the names are the same.
func sameItem(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, y := gist{namesIn(a), itemTerms(a)}, gist{namesIn(b), itemTerms(b)}
	less, more := min(len(x.terms), len(y.terms)), max(len(x.terms), len(y.terms))
	return less >= 2 && 2*less >= more && slices.Equal(x.names, y.names) && x.within(y)
}

// sameWork is how alike an item of a list is to one that is told in a sentence,
// 0 if they are not one: the names of the one are in the other, and most of their
// words, or half of them beside the same names.
func sameWork(item, said string) float64 {
	x, y := workTerms(item), workTerms(said)
	if len(x) > len(y) {
		x, y = y, x
	}
	a, b := namesIn(item), namesIn(said)
	if len(a) > len(b) {
		a, b = b, a
	}
	both := shared(x, y)
	for _, n := range a {
		if !slices.ContainsFunc(b, func(o string) bool { return n == o || figure(n) != "" && figure(n) == figure(o) }) {
			return 0
		}
	}
	if both >= 2 && 4*both >= 3*len(x) || both > 0 && len(a) > 0 && len(a) == len(b) && 2*both >= len(x) {
		return float64(both) / float64(len(y))
	}
	return 0
}

// figure is the number that a name begins with: 48 of 48h.
func figure(name string) string {
	return name[:len(name)-len(strings.TrimLeft(name, "0123456789"))]
}

// workTerms are the words of an item of work but for those of the names in it.
func workTerms(s string) []string {
	names := strings.Join(namesIn(s), " ")
	return slices.DeleteFunc(itemTerms(s), func(t string) bool { return strings.Contains(names, t) })
}

// itemTerms are the words of an item of work but for those that say that it is one.
func itemTerms(s string) []string {
	return slices.DeleteFunc(rank.Terms(s), func(t string) bool {
		switch t {
		case "still", "open", "left", "need", "needs", "todo", "remaining", "next", "step", "yet", "missing", "add", "write", "get", "what's", "follow-up", "follow", "up", "offen", "noch", "reste", "queda", "pendiente":
			return true
		}
		return false
	})
}
