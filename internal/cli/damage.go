package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

// Reading all of a database that was called damaged takes at most so long, and
// is not done again for so long where it was found sound.
const (
	lookWithin = time.Minute
	lookAgain  = time.Minute
)

// wary hands events on and looks at what the store answers.
type wary struct {
	next mem.Handler
	h    *house
}

// Handle implements mem.Handler.
func (w wary) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	r, err := w.next.Handle(ctx, e)
	return r, w.h.judged(err)
}

// replay keeps spooled events.
func (h *house) replay(ctx context.Context, events []mem.Event) error {
	return h.judged(h.engine.Replay(ctx, events))
}

// work does a job.
func (h *house) work(ctx context.Context, j mem.Job) (mem.Batch, error) {
	b, err := h.engine.Work(ctx, j)
	return b, h.judged(err)
}

// judgedRoutes are the routes whose errors are judged.
func (h *house) judgedRoutes() []api.Binding {
	routes := h.bindings()
	for i := range routes {
		routes[i] = routes[i].Judged(h.judged)
	}
	return routes
}

// judged passes an error on. If it says that the database is damaged, all of it
// is read, and if that says so too the worker ends: what is written into a
// damaged database may be lost with it. From then on events wait in the spool,
// and the person is told.
func (h *house) judged(err error) error {
	if !sqlite.Damaged(err) || h.end == nil || !h.looking.TryLock() {
		return err
	}
	defer h.looking.Unlock()
	if !h.looked.IsZero() && time.Since(h.looked) < lookAgain {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), lookWithin)
	defer stop()
	found := sound(ctx, h.store, h.log)
	h.looked = time.Now()
	if errors.Is(found, mem.ErrCorrupt) {
		h.end(found)
		return found
	}
	h.log.Warn("the database was called damaged, but is not", "error", err, "found", found)
	return err
}

// sound reads all of a database, and again where it finds damage, before it
// returns mem.ErrCorrupt. What is wrong with the index alone is mended: the
// index is made of the rest.
func sound(ctx context.Context, st *sqlite.Store, log *slog.Logger) error {
	var found error
	for range 2 {
		a, err := st.Audit(ctx, false)
		switch {
		case sqlite.Damaged(err):
			found = err
		case err != nil:
			return err
		case len(a.Damage) > 0:
			found = errors.New(a.Damage[0])
		case len(a.Index) > 0:
			n, err := st.Reindex(ctx)
			log.Warn("the index was damaged and is made anew", "was", a.Index[0], "memories", n, "error", err)
			return err
		default:
			return nil
		}
	}
	return fmt.Errorf("%w: %w", mem.ErrCorrupt, found)
}

// soundAgain looks at a database that was damaged when it was last used, before
// anything is written into it.
func soundAgain(ctx context.Context, st *sqlite.Store, paths Paths, log *slog.Logger) error {
	if readTrouble(paths).Code != faultCorrupt.Code {
		return nil
	}
	if err := sound(ctx, st, log); errors.Is(err, mem.ErrCorrupt) {
		return err
	}
	return nil
}
