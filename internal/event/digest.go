package event

import "remanence/internal/mem"

// Digesting is how it stands with the digest by a model.
type Digesting struct {
	Provider string       `json:"provider"`
	Model    string       `json:"model"`
	URL      string       `json:"url,omitempty"` // without what may be secret; empty for a command
	Limit    int          `json:"daily_tokens"`
	Today    mem.Spending `json:"today"`
	Waiting  int          `json:"waiting"` // turns
	GivenUp  int          `json:"given_up"`
	Next     string       `json:"next,omitempty"`  // why the first that waits was put off; empty if it was not
	Error    string       `json:"error,omitempty"` // what keeps the model from being asked, or its newest failure

	// Of a DigestAsk with Redo.
	Turns   int  `json:"turns,omitempty"`   // that are, or would be, digested again
	Tokens  int  `json:"tokens,omitempty"`  // that this may cost at most
	Refused bool `json:"refused,omitempty"` // what is left of today is not enough for the first
}
