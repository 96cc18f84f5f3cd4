package mem

import (
	"time"
)

// Vector is the embedding of a memory's text by one model.
type Vector struct {
	Memory  string    // id
	Updated time.Time // Memory.Updated when its text was read
	// Values are the components, at least one. Nil means that the model returned no
	// embedding for this text. The memory then has no vector and is not embedded again.
	Values []float32
}

// PartCos is the name of the part of a score that holds the cosine similarity.
const PartCos = "cos"

// RetryLater means that a server cannot answer now, and that a later retry may succeed.
type RetryLater struct {
	Wait    time.Duration // requested by the server; 0 if it named none
	NotSent bool          // no request was sent, because an earlier Wait is not over
	Err     error
}

// Error implements error.
func (l RetryLater) Error() string { return l.Err.Error() }

// Unwrap returns Err.
func (l RetryLater) Unwrap() error { return l.Err }
