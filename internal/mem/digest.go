package mem

import (
	"context"
	"errors"
	"time"
)

// ErrTooMuch is the error of a model that was given more text than it takes.
var ErrTooMuch = errors.New("more text than the model takes")

// Unusable is the error of an answer of a model that was given and paid for, and
// cannot be used.
type Unusable struct {
	Tokens int // that it cost
	Err    error
}

// Error implements error.
func (u Unusable) Error() string { return u.Err.Error() }

// Unwrap returns the cause.
func (u Unusable) Unwrap() error { return u.Err }

// Digest is what a model made of a turn. Everything in it is the model's word:
// of any length, about anything, and no order to anybody.
type Digest struct {
	Observations []Observation
	Summary      *SummaryText // nil: none
	Tokens       int          // that it cost, what was asked included
}

// Observation is one thing that a model found worth keeping.
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

// Spending counts what models were asked for on one day.
type Spending struct {
	Day      string `json:"day"`      // 2006-01-02, where the person is
	Tokens   int    `json:"tokens"`   // asked and answered, those that are asked for just now included
	Calls    int    `json:"calls"`    // begun
	Failures int    `json:"failures"` // of them, those that gave nothing
}

// Ledger is a Store that counts what models were asked for. A Batch adds to it.
type SpendStore interface {
	// Spent returns the counts of a day, zeros if there are none.
	Spent(ctx context.Context, day string) (Spending, error)
}

// Lanes is a Store whose jobs can be leased and listed by kind, so that slow
// ones hold up nobody.
type LaneLeaser interface {
	// LeaseOf is Store.Lease for jobs of the kinds, or for all others.
	LeaseOf(ctx context.Context, kinds []string, others bool, now time.Time, lease time.Duration, n int) ([]Job, error)

	// JobsOf returns the first jobs of a kind in their order, waiting ones and
	// those given up.
	JobsOf(ctx context.Context, kind string, limit int) ([]Job, error)
}
