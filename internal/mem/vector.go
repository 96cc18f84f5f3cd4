package mem

import (
	"context"
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

// Vectors is a store that can keep a vector beside each memory. A vector goes
// with its memory when that is erased, and when its text becomes another.
type Vectors interface {
	// PutVectors keeps vectors of a model in place of those that the memories
	// had. One is left out whose memory is gone, is not active or was changed
	// after its Updated. Those of the model that have another length than these
	// are erased: its name stands for another model by now.
	PutVectors(ctx context.Context, model string, vs []Vector) error

	// Near returns the n memories that pass q's filters and whose vectors of the
	// model are nearest to v, nearest first, with the cosine, -1…1, as Score and
	// as Parts["cos"]. With q.IDs it returns those of them that have a vector. It
	// may miss a memory that others are nearly as near as. Vectors of another
	// model or of another length than v do not count.
	Near(ctx context.Context, model string, v []float32, q Query, n int) ([]Hit, error)

	// Without returns up to n active memories that have no vector of the model,
	// newest first, of the memories older than the one with the id before; empty
	// means of all. next is the before of the next call, empty at the end. It
	// looks at a bounded number of memories and so may return none before the end.
	Without(ctx context.Context, model, before string, n int) (ms []Memory, next string, err error)

	// CountVectors returns how many memories have a vector of the model.
	CountVectors(ctx context.Context, model string) (int, error)

	// DropVectors erases the vectors of every other model, with an empty one all.
	DropVectors(ctx context.Context, model string) error
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
