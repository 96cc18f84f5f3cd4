package spool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"remanence/internal/mem"
)

// A batch handed over has at most so many events, and so many bytes of JSON
// unless one event alone has more.
const (
	batchEvents = 200
	batchBytes  = 8 << 20
)

const renameWait = 50 * time.Millisecond // how long a drain tries to take the log

// ref names one waiting record.
type ref struct {
	part *part
	i    int // index in part.entries
}

func (r ref) entry() *entry { return &r.part.entries[r.i] }

// Drain hands over up to max waiting events, all with max 0, in batches of at
// most 200. The events of a session come in the order they were written; if
// there are more than one batch, the session written to last comes first. What
// keep acknowledges with nil is deleted; on any other answer Drain stops and
// returns it, and the batch comes again. keep must therefore take care of
// events that it can never keep. A drain killed halfway hands over the events
// of its last batch again. While another process drains there is nothing to do.
func (s *Spool) Drain(ctx context.Context, max int, keep func(ctx context.Context, events []mem.Event) error) (n int,
	err error,
) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Empty() {
		return 0, nil
	}
	unlock, err := s.lockDrain(ctx)
	if errors.Is(err, errBusy) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("drain spool: %w", err)
	}
	defer unlock()
	todo, err := s.waiting(ctx)
	if err != nil {
		return 0, fmt.Errorf("drain spool: %w", err)
	}
	if max > 0 && len(todo) > max {
		todo = todo[:max]
	}
	for len(todo) > 0 && err == nil {
		size := batchSize(todo)
		var kept int
		kept, err = s.handOver(ctx, todo[:size], keep)
		n += kept
		if err == nil {
			todo, s.todo = todo[size:], s.todo[size:]
		}
	}
	return n, errors.Join(err, s.sweep(ctx))
}

func batchSize(todo []ref) int {
	var bytes int64
	for i, r := range todo {
		bytes += r.entry().size()
		if i == batchEvents || i > 0 && bytes > batchBytes {
			return i
		}
	}
	return len(todo)
}

// handOver gives one batch to keep and marks it done.
func (s *Spool) handOver(ctx context.Context, batch []ref, keep func(context.Context, []mem.Event) error) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	files := openFiles{s: s}
	defer files.close()
	events := make([]mem.Event, 0, len(batch))
	var torn []ref
	for _, r := range batch {
		e, err := files.read(r)
		if errors.Is(err, errTorn) {
			torn = append(torn, r)
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("read spool: %w", err)
		}
		events = append(events, e)
	}
	if len(events) > 0 {
		if err := keep(ctx, events); err != nil {
			return 0, err
		}
	}
	for _, r := range torn { // once, however often the batch comes again
		r.part.torn++
	}
	for _, r := range batch {
		// A mark that can not be written costs a second delivery after the end
		// of this process, no more.
		_ = files.mark(r)
	}
	return len(events), nil
}

// sweep deletes the files whose records are all done, and the folder when
// nothing else is in it.
func (s *Spool) sweep(ctx context.Context) error {
	for name, p := range s.parts {
		if p.left > 0 || p.newer {
			continue
		}
		if err := os.Remove(s.pending(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sweep spool: %w", err)
		}
		for range p.torn {
			s.Count("damaged")
		}
		delete(s.parts, name)
	}
	if len(s.parts) > 0 {
		return nil
	}
	unlock, err := s.lockAlone(ctx, 0)
	if err != nil {
		return nil // hooks are writing: the folder is not empty anyway
	}
	defer unlock()
	_ = os.Remove(s.pending("")) // fails, as it should, while a file is in it
	return nil
}

// waiting takes what hooks have written and lists every record still to be
// handed over, in the order of delivery. While the log can not be taken, single
// records stay too: what they came after may be in it.
func (s *Spool) waiting(ctx context.Context) ([]ref, error) {
	taken, err := s.takeLog(ctx)
	if err != nil {
		return nil, err
	}
	changed, err := s.load()
	if err != nil {
		clear(s.parts) // known in part only: begin anew next time
		return nil, err
	}
	if changed || taken != s.whole {
		s.todo, s.whole = order(s.parts, taken), taken
	}
	return s.todo, nil
}

// sessionQueue is what waits of one session.
type sessionQueue struct {
	session uint64
	refs    []ref
	newest  int64
}

// order lists the waiting records of all parts: by time if one batch can take
// them, else session by session.
func order(parts map[string]*part, singles bool) []ref {
	lines := map[uint64]*sessionQueue{}
	total := 0
	for _, p := range inOrder(parts) {
		if p.single && !singles {
			continue
		}
		for i := range p.entries {
			e := &p.entries[i]
			l := lines[e.session]
			if l == nil {
				l = &sessionQueue{session: e.session, newest: e.at}
				lines[e.session] = l
			}
			e.turn = e.at
			if !p.single { // a clock set back must not change the order within the log
				e.turn = max(e.at, l.newest)
			}
			l.newest = max(l.newest, e.turn)
			if e.state != done {
				l.refs = append(l.refs, ref{p, i})
				total++
			}
		}
	}
	sorted := slices.SortedFunc(maps.Values(lines), func(a, b *sessionQueue) int {
		return cmp.Or(cmp.Compare(b.newest, a.newest), cmp.Compare(a.session, b.session))
	})
	todo := make([]ref, 0, total)
	for _, l := range sorted {
		slices.SortStableFunc(l.refs, byTurn)
		todo = append(todo, l.refs...)
	}
	if total <= batchEvents {
		slices.SortStableFunc(todo, byTurn)
	}
	return todo
}

func byTurn(a, b ref) int { return cmp.Compare(a.entry().turn, b.entry().turn) }

// inOrder lists the former logs as they were written, then the single records.
func inOrder(parts map[string]*part) []*part {
	return slices.SortedFunc(maps.Values(parts), func(a, b *part) int {
		if a.single != b.single {
			if b.single {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.name, b.name)
	})
}

// openFiles reads and marks records of several files, each opened once.
type openFiles struct {
	s     *Spool
	files map[*part]*os.File
	buf   []byte
}

func (o *openFiles) file(p *part) (*os.File, error) {
	if f := o.files[p]; f != nil {
		return f, nil
	}
	f, err := os.OpenFile(o.s.pending(p.name), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if o.files == nil {
		o.files = map[*part]*os.File{}
	}
	o.files[p] = f
	return f, nil
}

func (o *openFiles) read(r ref) (mem.Event, error) {
	f, err := o.file(r.part)
	if err != nil {
		return mem.Event{}, err
	}
	_, body, err := readFrame(f, r.entry().off, o.buf)
	o.buf = body
	if err != nil {
		return mem.Event{}, err
	}
	var e mem.Event
	if json.Unmarshal(body, &e) != nil {
		return mem.Event{}, errTorn
	}
	return e, nil
}

func (o *openFiles) mark(r ref) error {
	e := r.entry()
	e.state = done
	r.part.left--
	f, err := o.file(r.part)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{done}, e.off+int64(stateAt))
	return err
}

func (o *openFiles) close() {
	for _, f := range o.files {
		_ = f.Close()
	}
}
