package egress

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"remanence/internal/mem"
)

const (
	leastRest = time.Second
	mostRest  = time.Minute
	// MostWait bounds what a server may ask for.
	MostWait = 10 * time.Minute
)

// ErrResting is what a mem.Later of Due wraps while the server is left alone.
var ErrResting = errors.New("the server is left alone for a while after it failed")

// rest is how long a server that failed is left alone: who asks meanwhile
// neither waits nor makes it worse.
type rest struct {
	now func() time.Time

	mu    sync.Mutex
	fails int // in a row
	until time.Time
	cause error
}

// due fails while the server rests.
func (r *rest) due() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	// a clock that was set back causes no wait
	if wait := r.until.Sub(r.now()); r.fails > 0 && wait > 0 && wait <= MostWait {
		return mem.RetryLater{Wait: wait, NotSent: true, Err: fmt.Errorf("%w: %w", ErrResting, r.cause)}
	}
	return nil
}

// begin lets the server rest for as long as it asked, else longer each time.
func (r *rest) begin(why mem.RetryLater) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails++
	pause := min(leastRest<<min(r.fails-1, 10), mostRest)
	if why.Wait > 0 {
		pause = min(why.Wait, MostWait)
	}
	r.until, r.cause = r.now().Add(pause), why.Err
}

func (r *rest) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails, r.cause = 0, nil
}

// Due fails while the server is left alone: after a Note of an error, for a while.
func (s *Server) Due() error { return s.rest.due() }

// Note says how a request went. After a mem.Later the server is left alone for
// as long as it asked, else longer each time; after any other it is not.
func (s *Server) Note(err error) {
	if later, ok := errors.AsType[mem.RetryLater](err); ok {
		s.rest.begin(later)
		return
	}
	s.rest.end()
}

// Wake ends the time in which the server is left alone.
func (s *Server) Wake() { s.rest.end() }
