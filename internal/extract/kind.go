package extract

import "remanence/internal/mem"

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
