package daemon

import (
	"context"
	"slices"
	"sync"
	"time"

	"remanence/internal/mem"
	"remanence/internal/views"
)

// meter measures how long hooks take: the time before the hook sent its event, and the daemon's answer.
type meter struct {
	next  mem.Handler
	shown func() // called when the reply was written; may be nil

	mu          sync.Mutex
	newest      [512]time.Duration // a ring
	count       int64
	errors      int64
	timeouts    int64 // events whose hook stopped waiting
	failedInRow int64 // errors since the last success
	running     int   // events that are being answered
	jobs        int   // that are being run, without the slow ones
	requests    int   // of the viewer, the command line and tools that are being answered
	answered    time.Time
}

// Handle implements mem.Handler.
func (m *meter) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	begun := time.Now()
	m.mu.Lock()
	m.running++
	m.mu.Unlock()
	r, err := m.next.Handle(ctx, e)
	if err == nil && r.Notice != "" && m.shown != nil {
		m.shown()
	}
	took := time.Duration(e.SpentUS)*time.Microsecond + time.Since(begun)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running, m.answered = m.running-1, time.Now()
	m.newest[m.count%int64(len(m.newest))] = took
	m.count++
	switch {
	case err == nil:
		m.failedInRow = 0
	case ctx.Err() != nil: // the hook stopped waiting, or the daemon ends: the hook spools the event, which is no loss
		m.timeouts++
	default:
		m.errors++
		m.failedInRow++
	}
	return r, err
}

// patience is for what giveWay waits, besides events that are being answered: until no event came for quiet, but not
// longer than most.
type patience struct {
	quiet, most    time.Duration
	jobs, requests bool // also while other jobs are run, or while requests are answered
}

// A backfill can wait: an agent that works sends an event every few seconds, and its next hook needs a processor before
// the daemon knows of it. Other jobs have little time, and they may be part of a request. The index is built of a
// hundred parts at most as a rule, and without it searches take longer.
var (
	ofJobs     = patience{quiet: 30 * time.Millisecond, most: 200 * time.Millisecond}
	ofBackfill = patience{quiet: 250 * time.Millisecond, most: time.Second, jobs: true}
	ofIndex    = patience{most: 100 * time.Millisecond, requests: true}
)

// workPatience is the patience of a backfill, which waits for jobs too, or of other jobs.
func workPatience(jobs bool) patience {
	if jobs {
		return ofBackfill
	}
	return ofJobs
}

// waitBit is the time between two looks of giveWay.
const waitBit = 5 * time.Millisecond

// giveWay waits while events are being answered, and a while longer, since they come in groups.
func (m *meter) giveWay(ctx context.Context, p patience) {
	for begun := time.Now(); m.busy(p) && time.Since(begun) < p.most; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(waitBit):
		}
	}
}

// answering reports whether an event is being answered.
func (m *meter) answering() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.running > 0
}

func (m *meter) busy(p patience) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.running > 0 || p.jobs && m.jobs > 0 || p.requests && m.requests > 0 || time.Since(m.answered) < p.quiet
}

// job notes that a job is being run, until the returned function is called.
func (m *meter) job() (end func()) { return m.during(&m.jobs) }

// request notes that a request is being answered, until the returned function is called.
func (m *meter) request() (end func()) { return m.during(&m.requests) }

// during adds one to a count, until the returned function is called.
func (m *meter) during(count *int) (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*count++
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		*count--
	}
}

// read fills in what was measured.
func (m *meter) read(h *views.Health) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h.Hooks, h.HookErrors, h.HookTimeouts, h.FailedInRow = m.count, m.errors, m.timeouts, m.failedInRow
	seen := slices.Clone(m.newest[:min(m.count, int64(len(m.newest)))])
	if len(seen) == 0 {
		return
	}
	slices.Sort(seen)
	at := func(share int) float64 { return Millis(seen[(len(seen)-1)*share/100]) }
	h.HookP50MS, h.HookP95MS = at(50), at(95)
}

// Millis is d in milliseconds.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Series are the newest hooks' times in milliseconds, oldest first.
func (m *meter) Series() []float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := int64(len(m.newest))
	seen := slices.Clone(m.newest[:min(m.count, n)])
	if m.count > n {
		seen = slices.Concat(m.newest[m.count%n:], m.newest[:m.count%n])
	}
	out := make([]float64, 0, len(seen))
	for _, d := range seen {
		out = append(out, Millis(d))
	}
	return out
}
