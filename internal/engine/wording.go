package engine

import (
	"strings"
	"unicode"

	"remanence/internal/mem"
)

// sentences splits prose into single-line sentences and list items. Code
// fences, headings and table rows are left out, emphasis and list marks removed.
func sentences(text string) []string {
	var out []string
	fenced := false
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced || t == "" || t[0] == '#' || t[0] == '|' || t[0] == '>' {
			continue
		}
		t = strings.TrimSpace(strings.TrimLeft(t, "-*•0123456789.) "))
		t = strings.NewReplacer("**", "", "__", "").Replace(t)
		out = append(out, split(t)...)
	}
	return out
}

// split cuts a line after ., ! and ? that end a sentence: a space and a capital
// or a wide character follows. A full stop inside a name or a number does not.
func split(line string) []string {
	var out []string
	rs := []rune(line)
	start := 0
	for i, r := range rs {
		end := strings.ContainsRune("。！？", r)
		if strings.ContainsRune(".!?", r) {
			end = i+1 == len(rs) || i+2 < len(rs) && rs[i+1] == ' ' && (unicode.IsUpper(rs[i+2]) || rs[i+2] == '`' || mem.Wide(rs[i+2]))
		}
		if end {
			if s := strings.TrimSpace(string(rs[start : i+1])); s != "" {
				out = append(out, s)
			}
			start = i + 1
		}
	}
	if s := strings.TrimSpace(string(rs[start:])); s != "" {
		out = append(out, s)
	}
	return out
}

// meaning tells what kind of statement of the assistant's a sentence is. Most
// sentences are none.
func meaning(s string) (mem.Kind, bool) {
	if n := len([]rune(s)); n < minStatement || n > maxStatement || strings.HasSuffix(s, "?") {
		return "", false
	}
	l := " " + strings.ToLower(mem.Line(s)) + " "
	switch {
	case holds(l, "root cause", "the problem was", "the issue was", "the bug was", "the cause was", "was caused by", "is caused by", "turned out", "fixed by", "the fix was", "the fix is", " fixed it", "the failure was"):
		return mem.ErrorFix, true
	case holds(l, " decided ", "decision:", "going with ", "we'll use ", "we will use ", "i chose ", "we chose ", " chose to ", "settled on ", "opted for ", "opted to ", "instead of ", "rather than ", "switched to ", "switched from "):
		return mem.Decision, true
	case holds(l, "trade-off", "tradeoff", "at the cost of", "the downside"):
		return mem.TradeOff, true
	case holds(l, "convention", " always ", " never ", "by convention", "must be named", "naming rule", "style rule"):
		return mem.Convention, true
	case holds(l, "careful", "beware", "watch out", "gotcha", "caveat", "pitfall", "be aware", "does not work", "doesn't work", "must not ", "breaks if", "breaks when", "fails if", "fails when", "note that", "only works"):
		return mem.Gotcha, true
	case holds(l, "todo", "still need", "remaining:", "remains to", "next step", "left to do", "not yet ", "follow-up", "follow up", "next:", "next, ", "still open"):
		return mem.Todo, true
	case holds(l, "to run the", "run it with", "can be run with", "how to ", "to reproduce", "to build"):
		return mem.Howto, true
	case holds(l, "the reason is", "this is because", "the reason for", "so that the "):
		return mem.Rationale, true
	}
	return "", false
}

// laidDown tells whether a sentence of the person's lays something down, and as
// what. An outburst does not: it takes words that name a rule, a choice or the
// wish to have it remembered.
func laidDown(s string) (mem.Kind, bool) {
	if n := len([]rune(s)); n < 12 || n > maxStatement || strings.HasSuffix(s, "?") {
		return "", false
	}
	l := " " + strings.ToLower(mem.Line(s)) + " "
	switch {
	case holds(l, " remember that ", " remember: ", "note for later", "for the record", "keep in mind"):
		return mem.Fact, true
	case holds(l, " we decided ", " we've decided ", " let's go with ", " we go with ", " we will use ", " we'll use ", " the decision is "):
		return mem.Decision, true
	case holds(l, " from now on", " in this project ", " in this repo", " our convention", " the convention ", " we use ", " we always ", " we never ", " our style ", " by default we "):
		return mem.Convention, true
	case holds(l, " i prefer ", " i'd rather ", " i always want ", " i never want "):
		return mem.Preference, true
	}
	return "", false
}

// narrates reports whether a sentence tells of the work instead of the thing.
func narrates(s string) bool {
	l := strings.ToLower(s)
	for _, p := range []string{"i'll", "i will", "let me", "now i", "i have", "i've", "done", "i am", "i'm", "first, i", "all done", "here is", "here's"} {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	return false
}

func holds(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
