package views

import (
	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Cost says how many tokens an injection took. The budget is for its items alone; the state of the work, headings and
// the frame stand around them.
func Cost(r mem.Receipt) string {
	items := 0
	for _, it := range r.Items {
		items += it.Tokens
	}
	out := chars.Thousands(r.Tokens) + " tokens"
	if items == 0 {
		return out
	}
	return out + ": " + chars.Thousands(items) + " for items (budget " + chars.Thousands(r.Budget) + "), " +
		chars.Thousands(max(0, r.Tokens-items)) + " around them"
}
