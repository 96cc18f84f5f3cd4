package hook

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// minPartialRead is the number of bytes of an event that must be read before it may be stored
// without its end. Shorter input is incomplete, not long.
const minPartialRead = 64 << 10

// readLimit is the time for reading. The rest of the hard limit is for handling.
func (r *call) readLimit(hard time.Duration) time.Duration { return hard*3/5 + r.Slack/2 }

// deadlineReader reads an input until a time limit, which may interrupt a Read. The limit
// applies only after minPartialRead bytes; shorter input has the time of the whole call. It
// never reads more than requested. After the limit every Read returns
// context.DeadlineExceeded, and the rest of the input is discarded so that its writer can
// finish.
type deadlineReader struct {
	end      *time.Timer
	requests chan int // bytes wanted; closed after the last request
	chunks   chan chunk
	drained  chan struct{} // closed at the end of the input after a timeout
	n        int64
	timedOut atomic.Bool // the limit was reached
	closed   bool        // no further requests
}

type chunk struct {
	bytes []byte
	err   error
}

// newDeadlineReader starts reading r. The caller must call close.
func newDeadlineReader(r io.Reader, limit time.Duration) *deadlineReader {
	t := &deadlineReader{
		end: time.NewTimer(limit), requests: make(chan int), chunks: make(chan chunk, 1),
		drained: make(chan struct{}),
	}
	go t.serve(r)
	return t
}

// serve reads the requested bytes, and after a timeout discards the rest.
func (t *deadlineReader) serve(r io.Reader) {
	defer close(t.drained)
	defer func() { _ = recover() }() // a panicking reader must not change the exit status
	var buf []byte
	for n := range t.requests {
		if len(buf) < n {
			buf = make([]byte, n)
		}
		c := chunk{err: io.ErrUnexpectedEOF}
		func() {
			defer func() { t.chunks <- c }()
			n, err := r.Read(buf[:n])
			c = chunk{buf[:n], err}
		}()
	}
	if t.timedOut.Load() {
		_, _ = io.Copy(io.Discard, r)
	}
}

// Read implements io.Reader.
func (t *deadlineReader) Read(p []byte) (int, error) {
	if t.timedOut.Load() || t.closed {
		return 0, context.DeadlineExceeded
	}
	t.requests <- len(p)
	var end <-chan time.Time // no limit yet
	if t.n >= minPartialRead {
		end = t.end.C
	}
	select {
	case c := <-t.chunks:
		n := copy(p, c.bytes)
		t.n += int64(n)
		return n, c.err
	case <-end:
		t.timedOut.Store(true)
		t.close()
		return 0, context.DeadlineExceeded
	}
}

// close stops reading.
func (t *deadlineReader) close() {
	if !t.closed {
		t.closed = true
		t.end.Stop()
		close(t.requests)
	}
}

// drain waits at most d until the rest is discarded. Without a timeout it returns at once.
func (t *deadlineReader) drain(d time.Duration) {
	if !t.timedOut.Load() || d <= 0 {
		return
	}
	select {
	case <-t.drained:
	case <-time.After(d):
	}
}
