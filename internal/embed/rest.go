package embed

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
	// mostWait bounds what a server may ask for.
	mostWait = 10 * time.Minute
)

// errResting is what calls get while the server is left alone.
var errResting = errors.New("the server is left alone for a while after it failed")

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
	if wait := r.until.Sub(r.now()); r.fails > 0 && wait > 0 && wait <= mostWait { // a clock that was set back holds nobody up
		return mem.Later{Wait: wait, Err: fmt.Errorf("%w: %w", errResting, r.cause)}
	}
	return nil
}

// begin lets the server rest for as long as it asked, else longer each time.
func (r *rest) begin(why mem.Later) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails++
	pause := min(leastRest<<min(r.fails-1, 10), mostRest)
	if why.Wait > 0 {
		pause = min(why.Wait, mostWait)
	}
	r.until, r.cause = r.now().Add(pause), why.Err
}

func (r *rest) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails, r.cause = 0, nil
}
