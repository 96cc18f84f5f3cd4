package views

import "remanence/internal/chars"

// Cost says what a text took of its budget, which the frame comes on top of.
func Cost(tokens, budget int) string {
	return chars.Thousands(tokens) + " tokens (budget " + chars.Thousands(budget) + " + frame)"
}
