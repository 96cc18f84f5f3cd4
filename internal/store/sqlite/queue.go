package sqlite

import (
	"slices"
	"sync"
	"sync/atomic"

	"remanence/internal/mem"
)

// call is one caller's part of a group.
type call struct {
	batches []mem.Batch
	results []mem.Result
	err     error
	done    chan struct{} // closed when results and err are set
}

// isAcknowledged reports whether a batch holds more than an event that its transcript or the spool still has. Only
// then must it survive a power cut at once: without a sync, a cut loses the last batches, never one before another.
func (c *call) isAcknowledged() bool {
	kept := func(b mem.Batch) bool { return b.Event == nil || !b.Event.Recovered && !b.SyncedLater }
	return slices.ContainsFunc(c.batches, kept)
}

// queue holds the calls that wait for a leader.
type queue struct {
	lead chan struct{} // holds a token while a leader writes
	gone chan struct{} // closed after the last write

	locking atomic.Int32 // callers that wait to write alone

	mu      sync.Mutex
	waiting []*call
	closed  bool
}

func newQueue() *queue { return &queue{lead: make(chan struct{}, 1), gone: make(chan struct{})} }

func (q *queue) add(c *call) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	q.waiting = append(q.waiting, c)
	return nil
}

// wanted reports whether a caller waits to write.
func (q *queue) wanted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) > 0 || q.locking.Load() > 0
}

// take removes the calls of the next group, oldest first, at least one if any wait.
func (q *queue) take() []*call {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, batches := 0, 0
	for n < len(q.waiting) {
		batches += len(q.waiting[n].batches)
		if n > 0 && batches > maxGroup {
			break
		}
		n++
	}
	group := q.waiting[:n:n]
	q.waiting = append([]*call(nil), q.waiting[n:]...)
	return group
}

// withdraw removes a call that was not taken yet. It reports whether it did.
func (q *queue) withdraw(c *call) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, w := range q.waiting {
		if w == c {
			q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// close refuses new calls and returns when all waiting ones are written. It
// returns false if the queue was closed before.
func (q *queue) close() bool {
	q.mu.Lock()
	was := q.closed
	q.closed = true
	q.mu.Unlock()
	if was {
		return false
	}
	for {
		q.lead <- struct{}{}
		q.mu.Lock()
		n := len(q.waiting)
		q.mu.Unlock()
		if n == 0 {
			close(q.gone)
			return true // the token is kept, so that there is no other leader
		}
		<-q.lead // let a waiting call lead
	}
}
