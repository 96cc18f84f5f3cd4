package extract

import (
	"strings"

	"remanence/internal/mem"
)

// kind names what a passage is, by its heading or label and by its cues. Whether it is
// kept is not decided here.
func (w TurnFacts) kind(p passage) mem.Kind {
	has := func(classes ...uint8) bool {
		for _, s := range p.all {
			if s.cues.Has(classes...) {
				return true
			}
		}
		return false
	}
	switch {
	case has(cueCause) && (w.Trouble || has(cueFix)) && p.under() != mem.Todo:
		return mem.ErrorFix
	case p.open() && p.all[0].stands != aside:
		return mem.Todo
	case p.under() != "" && !(p.under() == mem.Todo && p.all[0].stands >= suggested):
		return p.under()
	case has(cueWarn):
		return mem.Gotcha
	case p.list() != 0 && w.Changed && !w.Reported && (saysEdit(p.all[0].Text) || w.inEdits(p)) &&
		!has(cueCause, cueDecide): // an item of a list of changes
		return mem.Discovery
	case has(cueCause):
		return mem.ErrorFix
	case has(cueDecide) && !has(cueAgainst):
		return mem.Decision
	case has(cueTradeOff):
		return mem.TradeOff
	case has(cueConvention):
		return mem.Convention
	case has(cueLimit):
		return mem.Gotcha
	case w.Trouble && has(cueReason, cueFix, cuePast) && !has(cueVerify, cuePraise, cueInventory):
		return mem.ErrorFix
	case has(cueContrast) && has(cueReason):
		return mem.Decision
	case has(cueHowto):
		return mem.Howto
	case has(cueReason):
		return mem.Rationale
	case has(cuePlace):
		return mem.Fact
	}
	return mem.Discovery
}

// open reports whether a passage names work that is left.
func (p passage) open() bool {
	for _, s := range p.all {
		if open(s.Bare) {
			return true
		}
	}
	return false
}

// MaxFact bounds a fact, in runes.
const MaxFact = 200

// KindOf returns the kind of a memory by the name that a model gives it, in any of the usual vocabularies. Any other
// name is a discovery.
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
