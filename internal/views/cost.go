package views

import "remanence/internal/chars"

// Cost formats the tokens of a text against its budget. Headings are not counted in the budget.
func Cost(tokens, budget int) string {
	return chars.Thousands(tokens) + " tokens (budget " + chars.Thousands(budget) + " without headings)"
}
