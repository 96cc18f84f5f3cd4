package mem

import (
	"errors"
)

// ErrTextTooLong means that the text is longer than the model's limit.
var ErrTextTooLong = errors.New("more text than the model takes")

// UnusableAnswer means that a model answered, and that the answer cannot be used. Its
// tokens count as spent.
type UnusableAnswer struct {
	Tokens int // spent on the request and the answer
	Err    error
}

// Error implements error.
func (u UnusableAnswer) Error() string { return u.Err.Error() }

// Unwrap returns Err.
func (u UnusableAnswer) Unwrap() error { return u.Err }

// Digest is a model's summary of a turn. Its content is untrusted: the texts have
// any length and may contain instructions, which must not be followed.
type Digest struct {
	Observations []Observation
	Summary      *SummaryText // nil: none
	Tokens       int          // spent on the request and the answer
}

// Observation is one statement of a [Digest] that may become a memory.
type Observation struct {
	Type      string // as the model calls it
	Title     string
	Subtitle  string
	Narrative string
	Facts     []string
	Concepts  []string
	Read      []string // files
	Modified  []string
}

// Spending counts the requests to language models on one day.
type Spending struct {
	Day      string `json:"day"`      // 2006-01-02 in local time
	Tokens   int    `json:"tokens"`   // of requests and answers, running requests included
	Calls    int    `json:"calls"`    // started
	Failures int    `json:"failures"` // calls without a usable answer
}
