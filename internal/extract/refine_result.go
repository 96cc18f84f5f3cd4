package extract

import (
	"strings"

	"remanence/internal/mem"
)

// MaxFact bounds a fact, in runes.
const MaxFact = 200

// KindOf is the kind of a memory by what a model calls it, in any of the usual
// vocabularies. What is called otherwise is a discovery.
func KindOf(called string) mem.Kind {
	switch strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(called))) {
	case "decision":
		return mem.Decision
	case "error_fix", "bugfix", "bug_fix", "fix", "problem_solution":
		return mem.ErrorFix
	case "gotcha", "trap", "pitfall", "warning":
		return mem.Gotcha
	case "howto", "how_to":
		return mem.Howto
	case "rationale", "why_it_exists", "reason":
		return mem.Rationale
	case "trade_off", "tradeoff":
		return mem.TradeOff
	case "convention", "pattern":
		return mem.Convention
	case "todo", "open", "next_step":
		return mem.Todo
	case "fact":
		return mem.Fact
	}
	return mem.Discovery
}
