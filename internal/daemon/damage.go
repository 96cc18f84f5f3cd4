package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/hookclient"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

// checkTimeout bounds a full read of a database that was reported as damaged. After it was found undamaged, it
// is not read again for checkInterval.
const (
	checkTimeout  = time.Minute
	checkInterval = time.Minute
)

// damageHandler passes events on and checks the errors of the store.
type damageHandler struct {
	next mem.Handler
	h    *Daemon
}

// Handle implements mem.Handler.
func (w damageHandler) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	r, err := w.next.Handle(ctx, e)
	return r, w.h.checkDamage(err)
}

// replay stores spooled events.
func (h *Daemon) replay(ctx context.Context, events []mem.Event) error {
	return h.checkDamage(h.replaySafely(ctx, events...))
}

// slowJobs are the kinds of jobs that may take minutes.
func slowJobs() []string { return []string{event.JobRefine, event.JobBackfill} }

// Work does a job.
func (h *Daemon) Work(ctx context.Context, j mem.Job) (mem.Batch, error) {
	if !slices.Contains(slowJobs(), j.Kind) {
		defer h.Meter.job()()
	}
	if j.Kind == event.JobBackfill {
		defer collectByGarbage()()
	}
	b, err := h.Engine.Work(ctx, j)
	return b, h.checkDamage(err)
}

// CheckedRoutes returns the routes with their requests counted and their errors checked for damage.
func (h *Daemon) CheckedRoutes() []api.Binding {
	routes := h.Bindings()
	for i := range routes {
		routes[i] = routes[i].Around(func(answer func() (any, error)) (any, error) {
			defer h.Meter.request()()
			rep, err := answer()
			if err != nil {
				err = h.checkDamage(err)
			}
			return rep, err
		})
	}
	return routes
}

// checkDamage passes an error on. If it may come from a damaged database, the whole database is read, and if
// that confirms it the daemon ends: later writes could be lost. From then on events wait in the spool, and the
// person is notified. Concurrent callers wait for the result.
func (h *Daemon) checkDamage(err error) error {
	if h.file == nil || !sqlite.Suspect(err) || h.stop == nil {
		return err
	}
	h.checking.Lock()
	defer h.checking.Unlock()
	if h.damage != nil {
		return h.damage
	}
	if !h.checkedAt.IsZero() && time.Since(h.checkedAt) < checkInterval {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), checkTimeout)
	defer stop()
	found := checkSound(ctx, h.file, h.log)
	h.checkedAt = time.Now()
	if errors.Is(found, mem.ErrCorrupt) {
		h.damage = found
		h.stop(found)
		return found
	}
	h.log.Warn("the database was called damaged, but is not", "error", err, "found", found)
	return err
}

// checkSound reads the whole database and returns mem.ErrCorrupt if it is damaged. A damaged index is rebuilt
// from the other tables.
func checkSound(ctx context.Context, st *sqlite.Store, log *slog.Logger) error {
	a, err := auditTwice(ctx, st, fitsFullAudit(st))
	switch {
	case err != nil:
		return err
	case len(a.Index) > 0:
		n, err := st.Reindex(ctx)
		log.Warn("the index was damaged and is made anew", "was", a.Index[0], "memories", n, "error", err)
		return err
	case len(a.Unreadable) > 0:
		log.Warn("rows cannot be read", "first", a.Unreadable[0], "rows", len(a.Unreadable))
	}
	return nil
}

// auditTwice audits a database, and again if it finds damage, before it returns mem.ErrCorrupt.
func auditTwice(ctx context.Context, st *sqlite.Store, full bool) (sqlite.Audit, error) {
	var found error
	for range 2 {
		a, err := st.Audit(ctx, full)
		switch {
		case sqlite.Damaged(err):
			found = err
		case err != nil:
			return a, err
		case len(a.Damage) > 0:
			found = errors.New(a.Damage[0])
		default:
			return a, nil
		}
	}
	return sqlite.Audit{}, fmt.Errorf("%w: %w", mem.ErrCorrupt, found)
}

// maxFullAudit is the size in bytes up to which every row is read without a request. That takes about a
// second.
const maxFullAudit = 64 << 20

// fitsFullAudit reports whether a database is small enough for a full audit.
func fitsFullAudit(st *sqlite.Store) bool { return st.Bytes() <= maxFullAudit }

// recheck checks a database that was damaged when it was last used, before anything is written to it.
func recheck(ctx context.Context, st *sqlite.Store, paths config.Paths, log *slog.Logger) error {
	if hookclient.ReadTrouble(paths).Code != fault.Corrupt.Code {
		return nil
	}
	if err := checkSound(ctx, st, log); errors.Is(err, mem.ErrCorrupt) {
		return err
	}
	return nil
}

func writeTrouble(paths config.Paths, now time.Time, err error) {
	f := Explain(err)
	t := hookclient.Trouble{Since: now, Code: f.Code, Why: f.Why}
	var old hookclient.Trouble
	if b, err := config.ReadSmall(paths.TroubleFile()); err == nil && json.Unmarshal(b, &old) == nil &&
		old.Code == f.Code {
		t.Since = old.Since // the same since then
	}
	t.Text = fmt.Sprintf("remanence: nothing is remembered since %s: %s. Fix: remanence doctor",
		t.Since.Local().Format("2 Jan 15:04"), f.What)
	b, merr := json.Marshal(t)
	if merr != nil || os.MkdirAll(filepath.Dir(paths.TroubleFile()), 0o700) != nil {
		return
	}
	_ = os.WriteFile(paths.TroubleFile(), b, 0o600)
}

func clearTrouble(paths config.Paths) {
	if err := os.Remove(paths.TroubleFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
}
