package views

import (
	"cmp"
	"slices"
	"strings"

	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/propose"
)

// maxRecapText is the length of a statement in a recap, in characters.
const maxRecapText = 240

// recapText returns what a recap says of a memory: more than its title, which is cut to a line of a briefing. The
// changed files and the fixed commands that an outcome names are left out, as they are sections of their own, and what
// the agent could not do itself.
func recapText(m mem.Memory) string {
	text := cmp.Or(m.Body, m.Title)
	if m.Kind == mem.Summary && m.Summary != nil && m.Summary.Completed != "" {
		parts := slices.DeleteFunc(strings.Split(m.Summary.Completed, "; "), elsewhere)
		text = cmp.Or(strings.Join(parts, "; "), m.Title)
	}
	return extract.WholeTitle(text, maxRecapText)
}

// elsewhere reports whether a part of an outcome stands in another section, as "changed fee.go, export.go", "`make`
// works now" and "fixed: `make`" do, or came to nothing.
func elsewhere(part string) bool {
	if files, ok := strings.CutPrefix(part, "changed "); ok {
		first, _, _ := strings.Cut(files, ", ")
		return strings.ContainsAny(first, "./") && !strings.Contains(first, " ")
	}
	if strings.HasPrefix(part, "I can't ") || strings.HasPrefix(part, "I cannot ") {
		return true
	}
	command, ok := strings.CutPrefix(part, "fixed: ")
	if !ok {
		command, ok = strings.CutSuffix(part, " works now")
	}
	return ok && len(command) > 2 && strings.Count(command, "`") == 2 && command[0] == '`' &&
		command[len(command)-1] == '`'
}

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

// laysDown reports whether a decision, convention or the like is more than a report of a change or a request for the
// work of its turn: "Ensure the label is shown".
func laysDown(m mem.Memory) bool {
	if m.Trust < mem.TrustUser {
		title := strings.ToLower(m.Title)
		return !reportsLine(title) && !slices.ContainsFunc(explained, func(lead string) bool {
			return strings.HasPrefix(title, lead)
		})
	}
	if m.Kind == mem.Decision || m.Kind == mem.TradeOff {
		return true
	}
	return !propose.IsTask(m.Title) && !onceOnly(strings.ToLower(m.Title))
}

// onceOnly reports whether an instruction, in lower case, asks to see to one thing and not to a rule.
func onceOnly(text string) bool {
	return slices.ContainsFunc([]string{
		"ensure the ", "ensure that the ", "make sure the ", "make sure that the ", "stell sicher, dass ",
		"assure-toi que ", "asegúrate de que ",
	}, func(lead string) bool { return strings.HasPrefix(text, lead) }) && !slices.ContainsFunc([]string{
		"always", "never", "every", "each", "before", "whenever", "immer", "nie", "jede", "bevor", "toujours",
		"jamais", "chaque", "avant", "siempre", "nunca", "cada", "antes",
	}, func(word string) bool { return strings.Contains(text, word) })
}
