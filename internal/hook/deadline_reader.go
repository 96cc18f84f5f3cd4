package hook

import (
	"context"
	"io"
	"sync/atomic"
	"time"
)

// keepFrom is how much of an event has to be read for it to be kept without its
// end, in bytes. Less is no long output, but input that stopped.
const keepFrom = 64 << 10

// readLimit is how long a call of the kind may read. The rest of its hard limit is
// for what was read.
func (r *call) readLimit(hard time.Duration) time.Duration { return hard*3/5 + r.Slack/2 }

// timely is an input that is read until its time is up, wherever a Read stands
// then, but not before keepFrom bytes are there: what is shorter has the time of
// the whole call. It reads no further than it is asked to. When the time is up
// every Read fails with context.DeadlineExceeded, and what is still coming is
// read and thrown away, so that whoever writes it can finish.
type timely struct {
	end  *time.Timer
	ask  chan int // bytes wanted; closed when no more are
	got  chan chunk
	rest chan struct{} // closed at the input's end, once the time is up
	n    int64
	up   atomic.Bool // the time is up
	over bool        // nothing more is asked for
}

type chunk struct {
	bytes []byte
	err   error
}

// newTimely begins with an input. The caller calls close.
func newTimely(r io.Reader, limit time.Duration) *timely {
	t := &timely{end: time.NewTimer(limit), ask: make(chan int), got: make(chan chunk, 1), rest: make(chan struct{})}
	go t.serve(r)
	return t
}

// serve reads what is asked for, and the rest where the time was up.
func (t *timely) serve(r io.Reader) {
	defer close(t.rest)
	defer func() { _ = recover() }() // a defect of a reader must not end the process with a status
	var buf []byte
	for n := range t.ask {
		if len(buf) < n {
			buf = make([]byte, n)
		}
		c := chunk{err: io.ErrUnexpectedEOF}
		func() {
			defer func() { t.got <- c }()
			n, err := r.Read(buf[:n])
			c = chunk{buf[:n], err}
		}()
	}
	if t.up.Load() {
		_, _ = io.Copy(io.Discard, r)
	}
}

// Read implements io.Reader.
func (t *timely) Read(p []byte) (int, error) {
	if t.up.Load() || t.over {
		return 0, context.DeadlineExceeded
	}
	t.ask <- len(p)
	var end <-chan time.Time // none yet
	if t.n >= keepFrom {
		end = t.end.C
	}
	select {
	case c := <-t.got:
		n := copy(p, c.bytes)
		t.n += int64(n)
		return n, c.err
	case <-end:
		t.up.Store(true)
		t.close()
		return 0, context.DeadlineExceeded
	}
}

// close ends the reading.
func (t *timely) close() {
	if !t.over {
		t.over = true
		t.end.Stop()
		close(t.ask)
	}
}

// drain waits until the rest is read, no longer than d. It returns at once where
// the time was not up.
func (t *timely) drain(d time.Duration) {
	if !t.up.Load() || d <= 0 {
		return
	}
	select {
	case <-t.rest:
	case <-time.After(d):
	}
}
