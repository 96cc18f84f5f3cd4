// Package storetest is the proof of mem.Store: Run is the contract as tests,
// and Mem is a store in memory that passes them, for the tests of others.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"remanence/internal/mem"
)

// Mem is a mem.Store that forgets everything with its process. It keeps every
// promise of the contract but durability, and takes no care to be fast.
type Mem struct {
	mu     sync.Mutex
	now    func() time.Time
	closed bool

	projects []*project
	aliases  map[string]string // project key -> key it is known under
	commons  map[string]string // git common directory -> project key
	sessions []*session
	turns    []*turn
	events   []*event
	memories []*memory
	receipts []*receipt
	checks   []*checkpoint
	jobs     []*job
	pauses   map[string]mem.Pause
	silences []*silence
	last     map[string]int64 // newest number given, by prefix of the id
	vectors  map[string]meaning
	spent    map[string]mem.Spending // by day
	runs     []mem.Run
	refused  []mem.Dismissal
	web      web
}

var _ mem.Store = (*Mem)(nil)

// Errors that no caller acts on.
var (
	errClosed  = errors.New("store is closed")
	errNoEvent = errors.New("event without an id")
	errNoKey   = errors.New("project without a key")
	errEmpty   = errors.New("nothing to keep")
)

type project struct {
	mem.Project
	roots []string
}

type session struct {
	mem.Session
	checked mem.Checked
}

type turn struct {
	mem.Turn
	session *session
}

type event struct {
	mem.Event
	at      time.Time
	session *session // nil also once it is erased
	erased  bool
}

type memory struct {
	mem.Memory
	number  int64
	session *session
	unwoven bool
}

type receipt struct {
	mem.Receipt
	session *session
}

type checkpoint struct {
	mem.Checkpoint
	session *session
}

type job struct {
	mem.Job
	session *session
	leased  time.Time
}

// NewMem returns an empty store. A nil now means time.Now.
func NewMem(now func() time.Time) *Mem {
	if now == nil {
		now = time.Now
	}
	return &Mem{
		now: now, aliases: map[string]string{}, commons: map[string]string{},
		pauses: map[string]mem.Pause{}, last: map[string]int64{}, spent: map[string]mem.Spending{},
	}
}

// Apply implements mem.Store.
func (s *Mem) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var results []mem.Result
	for _, b := range batches {
		if n := s.known(b.Event); n > 0 {
			results = append(results, mem.Result{Duplicate: true, Seq: n})
			continue
		}
		if err := s.check(b); err != nil {
			return results, fmt.Errorf("apply: %w", err)
		}
		results = append(results, s.apply(b))
	}
	return results, nil
}

// enter begins a call.
func (s *Mem) enter(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errClosed
	}
	return s.mu.Unlock, nil
}

// known returns the place of the event that e repeats, 0 if it is new.
func (s *Mem) known(e *mem.Event) int64 {
	if e == nil {
		return 0
	}
	for i, have := range s.events {
		if have.ID == e.ID {
			return int64(i + 1)
		}
	}
	if e.Key == "" {
		return 0
	}
	for i := len(s.events) - 1; i >= 0; i-- {
		have := s.events[i]
		if have.session == nil || have.session.ID != e.Session {
			continue
		}
		if have.Key == e.Key && e.At.Sub(have.At).Abs() <= mem.Window {
			return int64(i + 1)
		}
		return 0
	}
	return 0
}

// check finds what is wrong with a batch before anything of it is written.
func (s *Mem) check(b mem.Batch) error {
	if b.Event != nil && b.Event.ID == "" {
		return errNoEvent
	}
	if b.Project != nil && b.Project.Key == "" {
		return errNoKey
	}
	for _, m := range b.Memories {
		if m.Title == "" && m.Body == "" {
			return errEmpty
		}
	}
	for _, ed := range b.Edits {
		if s.memory(ed.ID) == nil {
			return fmt.Errorf("edit %s: %w", ed.ID, mem.ErrNotFound)
		}
	}
	return nil
}

// deed is one batch as it is written.
type deed struct {
	*Mem
	at       time.Time
	agent    string
	projects map[string]string // as translated for this batch
	session  *session          // of the event
	turn     *turn             // of the event
}

func (s *Mem) apply(b mem.Batch) mem.Result {
	d := &deed{Mem: s, at: clean(s.now()), projects: map[string]string{}}
	var r mem.Result
	if b.Event != nil {
		d.agent = b.Event.Agent
		if !b.Event.At.IsZero() {
			d.at = clean(b.Event.At)
		}
	}
	if b.Project != nil {
		d.putProject(*b.Project)
	}
	if b.Event != nil {
		r.Seq = d.happen(b)
	}
	if d.turn != nil {
		r.Prompt = d.turn.Number
	}
	for _, m := range b.Memories {
		r.IDs = append(r.IDs, d.putMemory(m))
	}
	for _, ed := range b.Edits {
		d.edit(ed)
	}
	for _, v := range b.Woven {
		d.weave(v)
	}
	for _, c := range b.Checkpoints {
		d.putCheckpoint(c)
	}
	for _, rc := range b.Receipts {
		d.putReceipt(rc)
	}
	d.unhear(b.Unheard)
	for _, f := range b.Fills {
		d.putFill(f)
	}
	for _, id := range b.Idle {
		if s := d.find(id); s != nil {
			s.Processing = false
		}
	}
	d.work(b)
	d.chronicle(b, &r)
	return r
}

// happen writes event, session and turn.
func (d *deed) happen(b mem.Batch) int64 {
	e := *b.Event
	if e.Session != "" {
		if d.session = d.find(e.Session); d.session == nil {
			d.session = d.makeSession(e.Session, "", e.Agent)
			d.session.Root = e.Root
			if b.Project != nil {
				d.session.Project, d.session.ProjectName = d.key(b.Project.Key), b.Project.Name
			}
		}
		if d.at.After(d.session.LastEvent) {
			d.session.LastEvent = d.at
		}
	}
	d.events = append(d.events, &event{Event: copied(e), at: d.at, session: d.session})
	if d.session != nil {
		d.putTurn(e, b.Turn)
		if b.Session != nil {
			d.changeSession(*b.Session)
		}
	}
	return int64(len(d.events))
}

// work writes jobs and pauses.
func (d *deed) work(b mem.Batch) {
	for _, j := range b.Jobs {
		d.putJob(j)
	}
	d.jobs = slices.DeleteFunc(d.jobs, func(j *job) bool { return slices.Contains(b.Done, j.ID) })
	for _, f := range b.Failed {
		for _, j := range d.jobs {
			if j.ID == f.ID {
				j.Error, j.NotBy, j.Dead, j.leased = f.Error, clean(f.NotBy), f.Dead, time.Time{}
			}
		}
	}
	for _, c := range b.Checked {
		if ss := d.find(c.Session); ss != nil {
			ss.checked = c
		}
	}
	for _, p := range b.Pauses {
		p.Target, p.Until = d.key(p.Target), clean(p.Until)
		d.keepSilent(p)
		if p.Lift {
			delete(d.pauses, p.Target)
			continue
		}
		d.pauses[p.Target] = p
	}
	d.addSpent(b.Spent)
}

// Close implements mem.Store.
func (s *Mem) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}
