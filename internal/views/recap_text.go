package views

import (
	"cmp"
	"slices"
	"strings"

	"remanence/internal/extract"
	"remanence/internal/mem"
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
	if files, ok := strings.CutPrefix(part, extract.ChangedPrefix); ok {
		first, _, _ := strings.Cut(files, ", ")
		return strings.ContainsAny(first, "./") && !strings.Contains(first, " ")
	}
	if strings.HasPrefix(part, "I can't ") || strings.HasPrefix(part, "I cannot ") {
		return true
	}
	command, ok := strings.CutPrefix(part, extract.FixedPrefix)
	if !ok {
		command, ok = strings.CutSuffix(part, extract.WorksNowSuffix)
	}
	return ok && len(command) > 2 && strings.Count(command, "`") == 2 && command[0] == '`' &&
		command[len(command)-1] == '`'
}
