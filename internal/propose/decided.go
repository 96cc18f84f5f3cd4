package propose

import (
	"slices"
	"strings"

	"remanence/internal/blame"
	"remanence/internal/mem"
)

// reportsLine reports whether a text names a line of a file in brackets, as a report of a change does: "(line ~97)".
func reportsLine(text string) bool {
	for _, lead := range []string{"(line ", "(lines "} {
		if _, number, ok := strings.Cut(text, lead); ok {
			return strings.TrimLeft(strings.TrimPrefix(number, "~"), "0123456789") != strings.TrimPrefix(number, "~")
		}
	}
	return false
}

// explained begin a statement on what was wrong or what was changed, in lower case.
var explained = []string{
	"the fix:", "fix:", "the cause:", "cause:", "root cause:", "the problem:", "problem:", "the bug:",
}

// LaysDown reports whether a decision, convention or the like is more than a report of a change or a request for the
// work of its turn: "Ensure the label is shown".
func LaysDown(m mem.Memory) bool {
	if m.Trust < mem.TrustUser {
		title := strings.ToLower(m.Title)
		return !reportsLine(title) && !slices.ContainsFunc(explained, func(lead string) bool {
			return strings.HasPrefix(title, lead)
		})
	}
	if m.Kind == mem.Decision || m.Kind == mem.TradeOff {
		return true
	}
	return !IsTask(m.Title) && !onceOnly(strings.ToLower(m.Title))
}

// Words of an instruction, in lower case.
var (
	// onceLeads begin one that asks to see to something.
	onceLeads = []string{
		"ensure the ", "ensure that the ", "make sure the ", "make sure that the ", "stell sicher, dass ",
		"assure-toi que ", "asegúrate de que ",
	}
	// ruleWords say that it holds more than once.
	ruleWords = []string{
		"always", "never", "every", "everyone", "everything", "everywhere", "each", "before", "whenever",
		"immer", "nie", "niemals", "jede", "jedem", "jeden", "jeder", "jedes", "jedesmal", "bevor",
		"toujours", "jamais", "chaque", "avant", "siempre", "nunca", "cada", "antes",
	}
)

// onceOnly reports whether an instruction, in lower case, asks to see to one thing and not to a rule.
func onceOnly(text string) bool {
	if !slices.ContainsFunc(onceLeads, func(lead string) bool { return strings.HasPrefix(text, lead) }) {
		return false
	}
	return !slices.ContainsFunc(blame.Words(text), func(w string) bool { return slices.Contains(ruleWords, w) })
}
