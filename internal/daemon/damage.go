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
	"time"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/hookclient"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

// Reading all of a database that was called damaged takes at most so long, and
// is not done again for so long where it was found sound.
const (
	checkTimeout  = time.Minute
	checkInterval = time.Minute
)

// wary hands events on and looks at what the store answers.
type damageHandler struct {
	next mem.Handler
	h    *Daemon
}

// Handle implements mem.Handler.
func (w damageHandler) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	r, err := w.next.Handle(ctx, e)
	return r, w.h.checkDamage(err)
}

// replay keeps spooled events.
func (h *Daemon) replay(ctx context.Context, events []mem.Event) error {
	return h.checkDamage(h.Engine.Replay(ctx, events))
}

// Work does a job.
func (h *Daemon) Work(ctx context.Context, j mem.Job) (mem.Batch, error) {
	b, err := h.Engine.Work(ctx, j)
	return b, h.checkDamage(err)
}

// CheckedRoutes are the routes whose errors are judged.
func (h *Daemon) CheckedRoutes() []api.Binding {
	routes := h.Bindings()
	for i := range routes {
		routes[i] = routes[i].MapErrors(h.checkDamage)
	}
	return routes
}

// judged passes an error on. If it may come of a damaged database, all of that
// is read, and if that says so too the worker ends: what is written into a
// damaged database may be lost with it. From then on events wait in the spool,
// and the person is told. Whoever comes while that is found out waits for it: to
// say anything else would send the person elsewhere.
func (h *Daemon) checkDamage(err error) error {
	if !sqlite.Suspect(err) || h.stop == nil {
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
	found := checkSound(ctx, h.Store, h.log)
	h.checkedAt = time.Now()
	if errors.Is(found, mem.ErrCorrupt) {
		h.damage = found
		h.stop(found)
		return found
	}
	h.log.Warn("the database was called damaged, but is not", "error", err, "found", found)
	return err
}

// sound reads all of a database and returns mem.ErrCorrupt if it is damaged. What
// is wrong with the index alone is mended: the index is made of the rest.
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

// looked audits a database, and again where that finds damage, before it returns
// mem.ErrCorrupt.
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

// closeMost is up to which size every row is looked at without being asked to,
// in bytes: that takes about a second.
const maxFullAudit = 64 << 20

// closely reports whether a database is small enough for a full look.
func fitsFullAudit(st *sqlite.Store) bool { return st.Bytes() <= maxFullAudit }

// soundAgain looks at a database that was damaged when it was last used, before
// anything is written into it.
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
