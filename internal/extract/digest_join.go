package extract

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// MaxCarried is how many memories made of the assistant's words a session hands
// on to others. What is more stays with the session.
const MaxCarried = 8

// RepeatsUser reports whether a statement of the assistant's repeats what the person
// laid down in the same turn: "Prices are always in cents, I'll keep to that."
func RepeatsUser(mm, o mem.Memory) bool {
	if !slices.Contains(o.Tags, StatedTag) || slices.Contains(mm.Tags, StatedTag) {
		return false
	}
	terms := rank.Terms(cmp.Or(mm.Body, mm.Title))
	return 4*CountShared(terms, rank.Terms(cmp.Or(o.Body, o.Title))) >= 3*len(terms)
}

// Repeated is a statement that the session made before, under the key of the first,
// so that they become one. The words are those of the turn that it is of now: what
// becomes of that turn becomes of them.
func Repeated(old, mm mem.Memory) mem.Memory {
	mm.Key = old.Key
	return mm
}

// RevertTitle is the title of the change that takes another one back.
func RevertTitle(change string) string {
	file, rest, _ := strings.Cut(change, ": replaced '")
	was, is, ok := strings.Cut(strings.TrimSuffix(rest, "'"), "' with '")
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s: replaced '%s' with '%s'", file, is, was)
}

// Retracts reports whether a prompt begins by taking back what was just done.
func Retracts(prompt string) bool {
	l := lang.CueText(chars.FirstLine(prompt))
	return lang.HasAnyPrefix(
		l, "undo ", "undo,", "revert that", "revert this", "revert it", "roll that back", "roll it back",
		"scrap that", "drop that", "forget that", "never mind", "nevermind", "no, undo", "no, revert",
		"mach das rückgängig", "verwirf das", "annule ça", "annule cela", "deshaz ", "元に戻して", "撤销", "取消刚才",
	)
}

// DoneWith reports whether a sentence says that an item of work is done: one
// clause of it, for another may say what is left.
func DoneWith(item string, s Statement) bool {
	if clause, rest, ok := strings.Cut(s.Text, "; "); ok {
		return DoneWith(item, Statement{Text: clause, Bare: lang.CueText(clause)}) ||
			DoneWith(item, Statement{Text: rest, Bare: lang.CueText(rest)})
	}
	l := s.Bare
	if open(l) || Asks(s.Text) || offers(l) || thoughtOf(l) || announces(l) ||
		lang.ContainsAny(l, " not ", "n't ", " remains", " remain ", " remain.", " nicht ", " noch ", " pas ", " no ") {
		return false
	}
	if !lang.ContainsAny(
		l, " now", " done", " added", " wrote", " written", " implemented", " fixed", " finished", " migrated",
		" removed", " documented", " covered", " updated", " is there", " is up", " are up", " is live", " in place",
		" has a ", " have a ", "erledigt", " jetzt ", "hinzugefügt", "geschrieben", "terminé", "ajouté", "écrit",
		"maintenant", " listo", "añadid", " ahora", "追加しました", "対応しました", "完了", "已", "完成了",
	) &&
		!sameVerb(item, l) {
		return false
	}
	x := ItemTerms(item)
	return len(x) >= 2 && 10*CountShared(x, rank.Terms(s.Text)) >= 8*len(x)
}

// sameVerb reports whether a sentence says that something is done, or does it, in
// the verb that an item of work begins with: "handle refunds", "refunds are handled".
func sameVerb(item, l string) bool {
	verb, _, _ := strings.Cut(strings.TrimSpace(lang.CueText(item)), " ")
	return slices.ContainsFunc(strings.Fields(l), func(w string) bool {
		w = strings.Trim(w, ".,;:!")
		return w != verb && (strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "s")) && sameWordForm(verb, w)
	})
}

// SameThing reports whether two memories say nearly the same.
func SameThing(a, b mem.Memory) bool {
	if a.Kind == mem.Todo && b.Kind == mem.Todo {
		return SameItem(a.Title, b.Title)
	}
	return SamePoint(ClaimOf(a), ClaimOf(b)) && CompareMemories(a, b).Agrees()
}

// SamePoint reports whether two statements say nearly the same: one has all the
// words of the other and few more, and the same names. Two statements that differ
// in one word each may be about two things.
func SamePoint(a, b string) bool {
	return a == b || len(a) <= 3*len(b) && len(b) <= 3*len(a) && gistOf(a).same(gistOf(b))
}

// Covers reports whether a statement holds all that another says: its words, in any form, and its names and figures,
// and the one is not the contrary of the other. Statements that differ in one word may be about two things.
func Covers(whole, part mem.Memory) bool {
	a, b := gistOf(ClaimOf(whole)), gistOf(ClaimOf(part))
	if len(b.terms) < leastCovered || len(a.terms) < len(b.terms) || !b.within(a) {
		return false
	}
	for _, name := range b.names {
		if !slices.Contains(a.names, name) {
			return false
		}
	}
	return CompareMemories(whole, part).Relation != lang.Opposite
}

// OnlyReports reports whether a statement reports what another one explains: it decides nothing, says neither why nor
// what to heed, and shares at least half of its names, two or more, and three in ten of its words with the other.
func OnlyReports(explained, part mem.Memory) bool {
	if part.Kind == mem.Decision || Explains(ClaimOf(part)) || !Explains(ClaimOf(explained)) {
		return false
	}
	a, b := codeNames(ClaimOf(explained)), codeNames(ClaimOf(part))
	terms, of := rank.Terms(ClaimOf(part)), rank.Terms(ClaimOf(explained))
	shared := len(b) - len(Missing(b, a))
	return shared >= 2 && 2*shared >= min(len(a), len(b)) && 10*CountShared(terms, of) >= 3*min(len(terms), len(of))
}

const leastCovered = 5 // words of a statement that another may cover

// gist contains the words that distinguish a statement from others.
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
	return CountShared(few, many) == len(few)
}

// CountShared is how many of some words are among others, in any form.
func CountShared(words, among []string) int {
	n := 0
	for _, w := range words {
		if slices.ContainsFunc(among, func(o string) bool { return sameWordForm(w, o) }) {
			n++
		}
	}
	return n
}

// sameWordForm reports whether two words are forms of one: they begin alike and are of
// nearly one length.
func sameWordForm(a, b string) bool {
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
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("`'\"(),;:!?", r) || chars.Wide(r)
	})
	var out []string
	for _, w := range words {
		w = strings.Trim(w, ".")
		if strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) &&
			strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// SameItem reports whether two items of work are one: the words of the shorter
// are in the other, which has few more, and the names are the same.
func SameItem(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, y := gist{namesIn(a), ItemTerms(a)}, gist{namesIn(b), ItemTerms(b)}
	less, more := min(len(x.terms), len(y.terms)), max(len(x.terms), len(y.terms))
	return less >= 2 && 2*less >= more && slices.Equal(x.names, y.names) && x.within(y)
}

// SameWork returns how similar an item of a list is to a sentence, or 0 if they are about different work. For the same
// work, one contains the names of the other, and they share most words, or half of them beside the same names.
func SameWork(item, said string) float64 {
	x, y := WorkTerms(item), WorkTerms(said)
	if len(x) > len(y) {
		x, y = y, x
	}
	a, b := namesIn(item), namesIn(said)
	if len(a) > len(b) {
		a, b = b, a
	}
	both := CountShared(x, y)
	for _, n := range a {
		if !slices.ContainsFunc(
			b,
			func(o string) bool { return n == o || figure(n) != "" && figure(n) == figure(o) },
		) {
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

// WorkTerms are the words of an item of work but for those of the names in it.
func WorkTerms(s string) []string {
	names := strings.Join(namesIn(s), " ")
	return slices.DeleteFunc(ItemTerms(s), func(t string) bool { return strings.Contains(names, t) })
}

// ItemTerms are the words of an item of work but for those that say that it is one.
func ItemTerms(s string) []string {
	return slices.DeleteFunc(rank.Terms(s), func(t string) bool {
		switch t {
		case "still",
			"open", "left", "need", "needs", "todo", "remaining", "next", "step", "yet", "missing", "add", "write",
			"get", "what's", "follow-up", "follow", "up", "offen", "noch", "reste", "queda",
			"pendiente":
			return true
		}
		return false
	})
}

// Bounds of a fix that is joined with its cause, in characters: an injected item holds about 400 bytes of both.
const (
	maxCause         = 250
	maxJoined        = 320 // with the error
	maxJoinedCommand = 40
)

// ErrorFact begins the fact of a fix that says what the error was.
const ErrorFact = "error: "

// JoinFix makes one memory of the cause of a problem and the fix that a command proved: what failed and what was
// changed. The fix is superseded. The error is named if there is room for it; the facts always have it.
// Nothing is joined if the two are about different files, or if the statement is too long to be only a cause.
func JoinFix(cause, fix mem.Memory, own []mem.Memory) mem.Memory {
	said := cmp.Or(cause.Body, cause.Title)
	if !sharesFile(cause.Files, fix.Files) || fix.ID == "" || fix.Pinned || len([]rune(said)) > maxCause {
		return cause
	}
	cause.Supersedes, cause.Command, cause.ExitCode = fix.ID, fix.Command, fix.ExitCode
	cause.Facts = append(errorFacts(fix), cause.Facts...)
	failed := fmt.Sprintf("%s\nIt made `%s` fail (exit %d", said, chars.Clip(fix.Command, maxJoinedCommand), fix.ExitCode)
	changed := ""
	for _, change := range wholeChanges(own, cause.Files) {
		if len([]rune(failed+changed+change)) < MaxStatement {
			changed += "; " + change
		}
	}
	changed = "); fixed in " + cmp.Or(strings.TrimPrefix(changed, "; "), FilesPhrase(fix.Files))
	for _, fact := range errorFacts(fix) {
		if with := failed + ": " + strings.TrimPrefix(fact, ErrorFact); len([]rune(with+changed)) <= maxJoined {
			failed = with
		}
	}
	cause.Body = failed + changed
	return cause
}

// wholeChanges returns the changes of some files that are shown uncut, as "a.go: replaced 'x' with 'y'", those of tests
// last.
func wholeChanges(own []mem.Memory, files []string) []string {
	var code, tests []string
	for _, o := range own {
		_, change, ok := strings.Cut(o.Title, ": ")
		if o.Kind != mem.Change || o.Trust <= mem.TrustNone || !ok || !sharesFile(o.Files, files) ||
			strings.HasSuffix(change, "…'") {
			continue
		}
		name := path.Base(o.Files[0])
		if strings.Contains(strings.ToLower(name), "test") {
			tests = append(tests, name+": "+change)
		} else {
			code = append(code, name+": "+change)
		}
	}
	return append(code, tests...)
}

// sharesFile reports whether two lists of files have one in common.
func sharesFile(a, b []string) bool {
	return slices.ContainsFunc(a, func(f string) bool { return slices.Contains(b, f) })
}

// errorFacts returns the error that a fix names, as the facts of a memory.
func errorFacts(fix mem.Memory) []string {
	for _, fact := range fix.Facts {
		if strings.HasPrefix(fact, ErrorFact) {
			return []string{fact}
		}
	}
	_, said, _ := strings.Cut(fix.Title, failedMark)
	end := strings.LastIndex(said, "), ")
	if end < 0 {
		return nil
	}
	if said = said[:end]; strings.HasPrefix(said, "exit ") { // older titles have the code before the error
		_, said, _ = strings.Cut(said, ": ")
	}
	if said == "" {
		return nil
	}
	return []string{ErrorFact + said}
}
