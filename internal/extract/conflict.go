package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Contradictory is the share of common words at which a negated statement contradicts the other one.
const Contradictory = 0.5

// CanConflict are the kinds that lay something down, so that two of them can be at odds.
func CanConflict(k mem.Kind) bool {
	switch k {
	case mem.Decision, mem.Convention, mem.Preference, mem.TradeOff, mem.Gotcha, mem.Fact, mem.Howto:
		return true
	}
	return false
}

// MayConflict reports whether two statements cannot both hold, as far as their
// wording shows it: one denies what the other says, one puts something in the
// place of what the other has, they give two numbers for one thing, or two answers
// to one question. It is a question to a person, and no judgement.
func MayConflict(now, then mem.Memory) bool {
	if !CanConflict(now.Kind) || !CanConflict(then.Kind) ||
		now.Project != then.Project && now.Scope != mem.ScopeUser && then.Scope != mem.ScopeUser {
		return false
	}
	a, b := cmp.Or(now.Body, now.Title), cmp.Or(then.Body, then.Title)
	return negates(a) != negates(b) && rank.Alike(now, then) >= Contradictory || replaces(a, b) || replaces(b, a) ||
		strings.ContainsAny(a, "0123456789") && otherNumber(a, b) || lang.Revises(a, b, "")
}

// RolesSwapped reports whether two statements give the same words other roles: from
// one to the other and back.
func RolesSwapped(now, then mem.Memory) bool {
	return CanConflict(now.Kind) && CanConflict(then.Kind) &&
		CompareMemories(now, then) == lang.Judgement{Relation: lang.Opposite, Reason: lang.ByOrder}
}

// negates reports whether a text says what is not, or not any more, to be.
func negates(s string) bool {
	gone, _ := displaced(s)
	return denies(s) || len(gone) > 0
}

// displacing are the words behind which stands what is not to be any more.
var displacing = []string{
	" instead of ", " rather than ", " in place of ", " no longer ", " not any more ", " replaces ", " away from ",
	" statt ", " anstelle von ", " au lieu de ", " en lugar de ", " en vez de ", " вместо ",
}

// switching are the beginnings of verbs after which "from X to Y" says that X is not to be any more.
var switching = []string{" switch", " migrat", " chang"}

// displaced is what a text says is not to be any more, of each such place, and the
// rest of the text.
func displaced(s string) (gone []string, rest string) {
	rest = " " + strings.ToLower(chars.Line(s)) + " "
	for _, w := range displacing {
		for {
			before, after, found := strings.Cut(rest, w)
			if !found {
				break
			}
			what, beyond := after, ""
			if i := strings.IndexAny(after, ",.;:()"); i >= 0 {
				what, beyond = after[:i], after[i:]
			}
			words := strings.Fields(what)
			if n := slices.IndexFunc(words, func(w string) bool {
				return slices.Contains([]string{
					"for", "in", "to", "when", "because", "since", "so", "as", "on", "at", "und", "für", "im", "bei",
					"weil", "pour", "para",
				}, w)
			}); n > 0 {
				words, beyond = words[:n], " "+strings.Join(words[n:], " ")+beyond
			}
			gone = append(gone, strings.Join(words[:min(len(words), 4)], " "))
			rest = before + " " + beyond
		}
	}
	before, after, found := strings.Cut(rest, " from ")
	clause := before[strings.LastIndexAny(before, ",.;:()")+1:]
	if was, now, ok := strings.Cut(after, " to "); found && ok && len(strings.Fields(was)) <= 4 &&
		lang.ContainsAny(clause, switching...) {
		gone, rest = append(gone, was), before+" "+now
	}
	return gone, rest
}

// replaces reports whether a text puts something in the place of what the other has, and is about the rest of it: a
// fifth of its words, since two long texts share one by chance.
func replaces(now, then string) bool {
	return takesPlace(now, then, func(shared, others int) bool { return 5*shared >= others })
}

// takesPlace reports whether a text puts something in the place of what the other has. Of the words that the other one
// has besides, enough judges how many are shared.
func takesPlace(now, then string, enough func(shared, others int) bool) bool {
	gone, rest := displaced(now)
	if len(gone) == 0 {
		return false
	}
	was, kept := displaced(then)
	about, has := rank.Terms(rest), rank.Terms(kept)
	return !denies(kept) && slices.ContainsFunc(gone, func(g string) bool {
		x := rank.Terms(g)
		others := slices.DeleteFunc(slices.Clone(has), func(t string) bool { return CountShared([]string{t}, x) > 0 })
		return len(x) > 0 && !slices.Contains(was, g) && CountShared(x, has) == len(x) &&
			enough(CountShared(others, about), len(others))
	})
}

// ChangesCourse reports whether a statement says that something is to be otherwise than before.
func ChangesCourse(s string) bool {
	gone, _ := displaced(s)
	return len(gone) > 0 || returns(s)
}

// returns reports whether the speaker of a sentence comes back to something.
func returns(s string) bool { return lang.Returns(s) || cuesIn(lang.CueText(s)).Has(cueReverse) }

// CourseChanges returns the sentences of a prompt that say that something is to be otherwise than before. Pasted text
// has none.
func CourseChanges(prompt string) []string {
	if len(prompt) > PastedLength || isPlan(prompt) {
		return nil
	}
	return slices.DeleteFunc(Sentences(prompt), func(s string) bool { return Asks(s) || !ChangesCourse(s) })
}

// Reverses reports whether a statement ends what an earlier one laid down: it puts something in the place of what that
// one has, returns to what that one put aside, or comes back with another answer to the same question: "let's put
// attachments on S3 after all". Only main clauses are compared, and much of one must be in the other, since the person
// is not asked. A pronoun stands for what the text about it names.
func Reverses(now, then, about string) bool {
	was := mainClause(then)
	return slices.ContainsFunc(Sentences(now), func(s string) bool {
		if Asks(s) {
			return false
		}
		is := mainClause(s)
		gone, rest := displaced(is)
		return !denies(rest) && (takesPlace(is, was, isMost) || resumes(is, was)) ||
			len(gone) == 0 && returns(s) && lang.Revises(s, then, about)
	})
}

// isMost reports whether shared words are at least half of all, and two of them.
func isMost(shared, all int) bool { return shared > 0 && shared >= min(2, all) && 2*shared >= all }

// mainClause is a text up to its first comma or other mark that ends a clause.
func mainClause(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return strings.ContainsRune(",;:(", r) })
	if sentence := strings.Index(s, ". "); end < 0 || sentence >= 0 && sentence < end {
		end = sentence
	}
	if end < 0 {
		return s
	}
	return s[:end]
}

// resumes reports whether a statement that changes course takes up what the other one puts aside. Only one of its words
// may be new, such as the verb.
func resumes(now, then string) bool {
	if !returns(now) {
		return false
	}
	gone, kept := displaced(then)
	says, about := rank.Terms(strings.TrimPrefix(strings.ToLower(now), "let's ")), rank.Terms(kept)
	return slices.ContainsFunc(gone, func(g string) bool {
		x := rank.Terms(g)
		shared := CountShared(says, about)
		return len(x) > 0 && CountShared(x, says) == len(x) && CountShared(x, about) == 0 && shared > 0 &&
			len(says)-CountShared(says, x)-shared <= 1
	})
}

// otherNumber reports whether two texts are the same but for numbers.
func otherNumber(a, b string) bool {
	x, y := NumbersOf(a), NumbersOf(b)
	if len(x.Numbers) == 0 || len(x.Numbers) != len(y.Numbers) || slices.Equal(x.Numbers, y.Numbers) ||
		!slices.Equal(x.counters, y.counters) {
		return false
	}
	less, more := min(len(x.words), len(y.words)), max(len(x.words), len(y.words))
	return less >= 3 && 4*CountShared(x.words, y.words) >= 3*more
}

// Figures are the numbers of a statement.
type Figures struct {
	Numbers, words []string
	counters       []string // numbers that say which of several things it is: step 2
}

// NumbersOf returns the numbers that a text names, and what they count.
func NumbersOf(s string) (f Figures) {
	before := ""
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.'
	}) {
		w = strings.Trim(w, ".")
		switch {
		case w == "":
		case strings.Trim(w, "0123456789.") == "":
			f.Numbers = append(f.Numbers, w)
			if isOrdinalLabel(before) {
				f.counters = append(f.counters, w)
			}
		case len([]rune(w)) > 2:
			f.words = append(f.words, w)
		}
		before = w
	}
	return f
}

// isOrdinalLabel reports whether a number behind a word says which one it is, and not how many.
func isOrdinalLabel(word string) bool {
	switch word {
	case "number", "no", "nr", "nummer", "numéro", "número", "step", "stage", "phase", "part", "point", "item", "rule",
		"chapter", "section", "case", "example", "option", "task", "issue", "ticket", "schritt", "stufe", "teil",
		"punkt", "regel", "étape", "partie", "paso", "parte":
		return true
	}
	return false
}

// ClaimOf returns the text by which a memory is compared with others.
func ClaimOf(m mem.Memory) string { return cmp.Or(m.Body, m.Title) }

// CompareMemories compares the texts of two memories. Titles beside a body may differ, but not contradict each other.
func CompareMemories(a, b mem.Memory) lang.Judgement {
	j := lang.Compare(ClaimOf(a), ClaimOf(b))
	if j.Agrees() && a.Body != "" && b.Body != "" {
		if titles := lang.Compare(a.Title, b.Title); titles.Relation == lang.Opposite {
			return titles
		}
	}
	return j
}

// denies reports whether a text says that something is not, or is not to be.
func denies(s string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\'' && r != '’'
	}) {
		switch strings.ReplaceAll(w, "’", "'") {
		case "not", "never", "no", "don't", "doesn't", "isn't", "aren't", "won't", "can't", "cannot", "avoid", "without",
			"stop", "forbidden":
			return true
		}
	}
	return false
}
