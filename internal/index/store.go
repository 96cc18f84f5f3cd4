package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"remanence/internal/mem"
)

// Store is a store with an index of its memories in RAM. Run builds the index; until it is built, and while it is
// rebuilt, Search does not answer and the caller uses Match. Every change passes through this Store: it notes which
// memories a change touched and reads those again from the store before the next search. So a search finds what was
// committed before it began, whatever the store made of the change.
type Store struct {
	mem.Store
	// GiveWay is called between small parts of building the index. It waits a bounded time while others need the
	// processors. Nil does not wait.
	GiveWay func(ctx context.Context)

	began   atomic.Bool   // Run was called
	awaited atomic.Int32  // callers of Await
	large   chan struct{} // closed once more than mostAwaited memories were read
	isLarge sync.Once

	mu      sync.Mutex        // guards what follows
	built   *indexes          // nil while there is no index
	running bool              // changes are noted
	touched map[string]bool   // ids of memories that may differ from the index
	tainted map[turn]bool     // turns whose memories may have lost trust
	resets  int               // how often the index was dropped
	shared  bool              // others write to the store too
	paused  bool              // what others write is not known, so there is no index
	wake    chan struct{}     // has an element if the index is to be rebuilt
	refresh chan struct{}     // has an element while touched memories are read; before mu
	tried   chan struct{}     // closed once Run has tried to build the index
	aliases map[string]string // key of a project → the key of its memories
}

type turn struct{ session, prompt string }

// indexes are the two sorts of memories.
type indexes struct{ memories, utterances *Index }

func (x *indexes) of(q mem.Query) *Index {
	if slices.Contains(q.Kinds, mem.Utterance) {
		return x.utterances
	}
	return x.memories
}

func (x *indexes) put(ms ...mem.Memory) {
	x.memories.Put(ms...)
	x.utterances.Put(ms...)
}

func (x *indexes) load(ms ...mem.Memory) {
	x.memories.load(ms...)
	x.utterances.load(ms...)
}

func (x *indexes) remove(ids ...string) {
	x.memories.Remove(ids...)
	x.utterances.Remove(ids...)
}

// NewStore returns a Store over st that has no index yet.
func NewStore(st mem.Store) *Store {
	return &Store{
		Store: st, touched: map[string]bool{}, tainted: map[turn]bool{}, wake: make(chan struct{}, 1),
		refresh: make(chan struct{}, 1), aliases: map[string]string{}, tried: make(chan struct{}), large: make(chan struct{}),
	}
}

// NewSharedStore returns a Store over one that others write to as well. It has an index only between Resume and Pause,
// while Touch gets what they write.
func NewSharedStore(st mem.Store) *Store {
	s := NewStore(st)
	s.shared, s.paused = true, true
	return s
}

// Touch says that others changed memories.
func (s *Store) Touch(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running {
		return
	}
	for _, id := range ids {
		s.touched[id] = true
	}
}

// Resume says that from now on Touch gets what others write: the index is made anew.
func (s *Store) Resume() {
	s.mu.Lock()
	s.paused = false
	s.mu.Unlock()
	s.reset()
}

// Pause says that changes of others may be missed from now on: the index is dropped.
func (s *Store) Pause() {
	s.mu.Lock()
	s.paused = true
	s.mu.Unlock()
	s.reset()
}

// retryBuild is how long Run waits after an index could not be built.
const retryBuild = time.Minute

// Tried is closed once Run has built the index, or failed to. What searches much and can wait, waits for it: without an
// index each search reads the store.
func (s *Store) Tried() <-chan struct{} { return s.tried }

// mostAwaited is how many memories an index has that is worth waiting for, as Await does.
const mostAwaited = 8000

// Await waits until the index is built, or could not be, but not longer than a time, nor for a large index. Meanwhile
// building gives way to nothing. It does not wait if Run was not called.
func (s *Store) Await(ctx context.Context, most time.Duration) {
	if !s.began.Load() {
		return
	}
	s.awaited.Add(1)
	defer s.awaited.Add(-1)
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-s.tried:
	case <-s.large:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Run builds the index, rebuilds it when it was dropped, and returns when ctx ends. A failed attempt is passed to log.
// It is called once.
func (s *Store) Run(ctx context.Context, log func(error)) {
	s.began.Store(true)
	for first := true; ; first = false {
		var retry <-chan time.Time
		if err := s.Build(ctx); err != nil && ctx.Err() == nil {
			log(err)
			retry = time.After(retryBuild)
		}
		if first {
			close(s.tried)
		}
		select {
		case <-ctx.Done():
			return
		case <-retry:
		case <-s.wake:
		}
	}
}

// Build builds the index from the store. Changes that are made meanwhile are in it.
func (s *Store) Build(ctx context.Context) error {
	s.mu.Lock()
	paused, resets := s.paused, s.resets
	s.running = !paused
	s.mu.Unlock()
	if paused {
		return nil
	}
	fresh := &indexes{New(false), New(true)}
	for _, kinds := range [][]mem.Kind{nil, {mem.Utterance}} {
		if err := s.readAll(ctx, kinds, fresh.load); err != nil {
			return fmt.Errorf("build index: %w", err)
		}
	}
	fresh.trim()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.resets == resets { // else it may hold what was erased meanwhile, and Run is woken
		s.built = fresh
	}
	return nil
}

// Len returns the number of memories in the index, 0 while there is none.
func (s *Store) Len() int {
	s.mu.Lock()
	x := s.built
	s.mu.Unlock()
	if x == nil {
		return 0
	}
	return x.memories.Len() + x.utterances.Len()
}

func (x *indexes) trim() {
	x.memories.Trim()
	x.utterances.Trim()
}

// page is how many memories are read at a time.
const page = 1000

// readAll passes all memories of the kinds, oldest first, to put, and reads on meanwhile.
func (s *Store) readAll(ctx context.Context, kinds []mem.Kind, put func(...mem.Memory)) error {
	var reading sync.WaitGroup
	var err error
	pages := make(chan []mem.Memory)
	reading.Go(func() {
		defer close(pages)
		err = s.readPages(ctx, kinds, pages)
	})
	for ms := range pages {
		put(ms...)
	}
	reading.Wait()
	return err
}

func (s *Store) readPages(ctx context.Context, kinds []mem.Kind, pages chan<- []mem.Memory) error {
	q := mem.Query{
		Kinds: kinds, Statuses: []mem.Status{mem.Active, mem.Archived}, Within: "*", Order: mem.Oldest, Limit: page,
	}
	n, seen := 0, map[string]bool{} // how many, and the ids of those created at q.After, with which the next page begins
	for {
		if s.GiveWay != nil && s.awaited.Load() == 0 {
			s.GiveWay(ctx)
		}
		ms, err := s.List(ctx, q)
		if err != nil {
			return err
		}
		fresh := slices.DeleteFunc(slices.Clone(ms), func(m mem.Memory) bool { return seen[m.ID] })
		pages <- fresh
		if n += len(fresh); n > mostAwaited {
			s.isLarge.Do(func() { close(s.large) })
		}
		if len(ms) < q.Limit {
			return nil
		}
		last := ms[len(ms)-1].Created
		if !last.Equal(q.After) {
			clear(seen)
		}
		for _, m := range fresh {
			if m.Created.Equal(last) {
				seen[m.ID] = true
			}
		}
		q.After, q.Limit = last, page+len(seen)
	}
}

// reset drops the index, so that nothing of it remains, and has it rebuilt.
func (s *Store) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.built = nil
	s.resets++
	clear(s.touched)
	clear(s.tainted)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// mostTouched is how many touched memories wait for the next search.
const mostTouched = 500

// Apply implements mem.Store.
func (s *Store) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	results, err := s.Store.Apply(ctx, batches...)
	if t := mem.TransactionOf(ctx); t != nil { // until it has ended, others read what was before
		t.After(func(err error) { s.wrote(ctx, batches, results, err) })
		return results, err
	}
	s.wrote(ctx, batches, results, err)
	return results, err
}

// Begin implements mem.Transactor. A store without transactions writes each batch at once.
func (s *Store) Begin(ctx context.Context) (*mem.Transaction, error) {
	if st, ok := s.Store.(mem.Transactor); ok {
		return st.Begin(ctx)
	}
	return &mem.Transaction{}, nil
}

// wrote notes batches that were written, or not.
func (s *Store) wrote(ctx context.Context, batches []mem.Batch, results []mem.Result, err error) {
	switch {
	case errors.Is(err, mem.ErrDisk): // whether the last batch was written is not known
		s.reset()
	case s.note(batches[:min(len(results), len(batches))], results):
		_, _ = s.current(context.WithoutCancel(ctx)) // what could not be read is read by the next search
	}
}

// note notes what written batches touched. It reports whether so much is touched that it is read at once.
func (s *Store) note(batches []mem.Batch, results []mem.Result) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running {
		return false
	}
	for i, b := range batches {
		for _, id := range results[i].IDs {
			s.touched[id] = true
		}
		for _, m := range b.Memories {
			if m.Supersedes != "" {
				s.touched[m.Supersedes] = true
			}
		}
		for _, e := range b.Edits {
			s.touched[e.ID] = true
		}
		if b.Turn != nil && b.Turn.Tainted && b.Event != nil {
			s.tainted[turn{b.Event.Session, b.Event.PromptID}] = true
		}
		if b.Project != nil {
			clear(s.aliases)
		}
	}
	return s.built != nil && len(s.touched) > mostTouched
}

// Purge implements mem.Store. The index is dropped: what else was erased or changed only the store knows.
func (s *Store) Purge(ctx context.Context, ids ...string) (mem.Purged, error) {
	done, err := s.Store.Purge(ctx, ids...)
	if !errors.Is(err, mem.ErrNotFound) {
		s.reset()
	}
	return done, err
}

// Scrub implements mem.Store. The index is dropped if texts may have changed.
func (s *Store) Scrub(ctx context.Context, fix bool, may func(texts []byte) bool,
	clean func(doc []byte) ([]byte, map[string]int, error),
) (mem.ScanResponse, error) {
	out, err := s.Store.Scrub(ctx, fix, may, clean)
	if fix {
		s.reset()
	}
	return out, err
}

// FreeMemory frees what only changes of the index need.
func (s *Store) FreeMemory() {
	s.mu.Lock()
	x := s.built
	s.mu.Unlock()
	if x != nil {
		x.trim()
	}
}

// Search returns the best matches of q.Text, as Index.Search. ok is false if the index cannot answer: it is not
// built, cannot apply a filter of q, or the store could not be read. It does not know what a transaction has written.
func (s *Store) Search(ctx context.Context, q Query) (r Result, ok bool) {
	if !Filters(q.Query) || mem.TransactionOf(ctx) != nil {
		return Result{}, false
	}
	x, err := s.current(ctx)
	if x == nil || err != nil {
		return Result{}, false
	}
	if q.Project, err = s.alias(ctx, x, q.Project); err != nil {
		return Result{}, false
	}
	return x.of(q.Query).Search(q), true
}

// current returns the indexes with all committed changes; nil if there are none.
func (s *Store) current(ctx context.Context) (*indexes, error) {
	select {
	case s.refresh <- struct{}{}:
		defer func() { <-s.refresh }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	x := s.built
	if x == nil || len(s.touched)+len(s.tainted) == 0 {
		s.mu.Unlock()
		return x, nil
	}
	touched, tainted := s.touched, s.tainted
	s.touched, s.tainted = map[string]bool{}, map[turn]bool{}
	s.mu.Unlock()
	err := s.reread(ctx, x, touched, tainted)
	if err == nil {
		return x, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range touched {
		s.touched[id] = true
	}
	for t := range tainted {
		s.tainted[t] = true
	}
	return nil, err
}

// reread brings touched memories in x to what the store has.
func (s *Store) reread(ctx context.Context, x *indexes, touched map[string]bool, tainted map[turn]bool) error {
	for t := range tainted {
		for _, kinds := range [][]mem.Kind{nil, {mem.Utterance}} {
			ms, err := s.List(ctx, mem.Query{
				Session: t.session, PromptID: t.prompt, Kinds: kinds, Hidden: true, Limit: page,
			})
			if err != nil {
				return err
			}
			for _, m := range ms {
				touched[m.ID] = true
			}
		}
	}
	ids := make([]string, 0, len(touched))
	for id := range touched {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for part := range slices.Chunk(ids, page) {
		ms, err := s.List(ctx, mem.Query{IDs: part, ExactIDs: true, Hidden: true, Within: "*"})
		if err != nil {
			return err
		}
		ms = slices.DeleteFunc(ms, func(m mem.Memory) bool { return m.Status != mem.Active && m.Status != mem.Archived })
		slices.SortStableFunc(ms, func(a, b mem.Memory) int { return a.Created.Compare(b.Created) })
		for _, m := range ms {
			delete(touched, m.ID)
		}
		x.put(ms...)
	}
	gone := make([]string, 0, len(touched))
	for _, id := range ids {
		if touched[id] {
			gone = append(gone, id)
		}
	}
	x.remove(gone...)
	return nil
}

// alias returns the key that a project's memories have. A project may be known under several keys.
func (s *Store) alias(ctx context.Context, x *indexes, key string) (string, error) {
	if key == "" || x.memories.hasProject(key) || x.utterances.hasProject(key) {
		return key, nil
	}
	s.mu.Lock()
	known, ok := s.aliases[key]
	s.mu.Unlock()
	if ok {
		return known, nil
	}
	ps, err := s.Projects(ctx, key)
	if err != nil && !errors.Is(err, mem.ErrAmbiguous) {
		return "", err
	}
	known = key
	if len(ps) == 1 {
		known = ps[0].Key
	}
	if s.shared { // others may give the project another key
		return known, nil
	}
	s.mu.Lock()
	s.aliases[key] = known
	s.mu.Unlock()
	return known, nil
}
