package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/store/served"
	"remanence/internal/store/stored"
	"remanence/internal/worker"
)

// checkStore checks the store through the daemon.
func (a *Checks) checkStore(ctx context.Context) []Check {
	if a.Brief {
		h, err := daemon.Ask(ctx, a.Connection, daemon.DescribeStore, api.Nothing{})
		if err != nil {
			return a.storeItems(h, err)
		}
		if h.Server != nil {
			return ServerItems(*h.Server)
		}
		return []Check{unread("store", true, "schema %d, %s, not read through", h.Schema, ui.BytesText(h.Bytes))}
	}
	h, err := daemon.Ask(ctx, a.Connection, daemon.ExamineStore, api.Nothing{})
	return a.storeItems(h, err)
}

// unread is a check of something that takes long to look at and was not.
func unread(id string, required bool, format string, args ...any) Check {
	c := Good(id, required, format, args...)
	c.State = setup.Info
	return c
}

// CheckClosedStore opens the database itself, where no daemon does.
func (a *Checks) CheckClosedStore(ctx context.Context) []Check {
	if _, err := os.Stat(a.Paths.Database()); err != nil && !daemon.OnServer(a.Paths, a.Sys.Getenv) {
		return []Check{Good("store", true, "there is no database yet")}
	}
	lock, err := worker.Acquire(a.Paths.Data, daemon.LockTimeout) // an ending daemon may hold it a little longer
	if errors.Is(err, worker.ErrRunning) {
		if a.Answers(ctx) { // and yet it could not report its state; its current work may be why
			got, err := daemon.Ask(ctx, a.Connection, daemon.ExamineStore, api.Nothing{})
			if err == nil || daemon.Explain(err).Is(fault.Corrupt) {
				return a.storeItems(got, err)
			}
		}
		return []Check{unread("store", true, "not looked at: the daemon has it")}
	}
	if err != nil {
		return a.storeItems(daemon.StoreHealth{}, err)
	}
	defer func() { _ = lock.Release() }()
	h, err := daemon.New(ctx, a.Sys, a.Paths, slog.New(slog.DiscardHandler), daemon.Extension{})
	if err != nil {
		return a.storeItems(daemon.StoreHealth{}, err)
	}
	defer h.Store.Close()
	got, err := h.Examine(ctx, api.Nothing{})
	return a.storeItems(got, err)
}

func (a *Checks) storeItems(h daemon.StoreHealth, err error) []Check {
	if err != nil {
		if errors.Is(err, mem.ErrLocked) {
			if names := holdersOf(a.Paths); names != "" {
				err = fmt.Errorf("%w by %s", mem.ErrLocked, names)
			}
		}
		return []Check{StoreItem(h, err)}
	}
	if h.Server != nil {
		return append(ServerItems(*h.Server), append(TeamItems(h.Team), tagItem(h.Tagged))...)
	}
	index := indexItem(h.Index)
	if len(h.Index) > 0 {
		return append([]Check{StoreItem(h, nil), rowItem(h), index.Safely(a.reindex)}, TeamItems(h.Team)...)
	}
	return append([]Check{StoreItem(h, nil), rowItem(h), index, tagItem(h.Tagged)}, TeamItems(h.Team)...)
}

// slowServer is how long a statement may take that does nothing: a recall takes several.
const slowServer = 50 * time.Millisecond

// clockOff is by how much the clocks of this machine and of the server may differ.
const clockOff = time.Minute

// ServerItems checks a database server that has the store.
func ServerItems(s stored.Server) []Check {
	size := ""
	if s.Bytes > 0 { // not every server says
		size = ui.BytesText(s.Bytes) + ", "
	}
	list := []Check{Good("store", true, "%s %s at %s, schema %d, %sanswers in %.1f ms", s.Engine, s.Version, s.Address,
		s.Number, size, float64(s.Latency)/float64(time.Millisecond))}
	warn := func(message, why, fix string) {
		c := Bad("store", false, fault.ServerSetup.WithMessage("%s", message).Because("%s", why).FixedBy(fix))
		c.State = setup.Warn
		list = append(list, c)
	}
	if s.Latency > slowServer {
		warn("the database server is slow", fmt.Sprintf("an empty statement took %s", s.Latency.Round(time.Millisecond)),
			"move the server nearer, or: remanence config set store.dsn sqlite:")
	}
	if !s.Durable {
		warn("the database server may lose what it has confirmed", "fsync or synchronous_commit is off",
			"ALTER SYSTEM SET fsync = on; ALTER SYSTEM SET synchronous_commit = on")
	}
	if s.Superuser {
		why, fix := "it is a superuser; owning the schema is enough", "ALTER ROLE … NOSUPERUSER"
		if s.Engine == "SurrealDB" {
			why, fix = "it is one of the whole server; one of the database is enough", "DEFINE USER … ON DATABASE … ROLES OWNER"
		}
		warn("the role may do everything on the database server", why, fix)
	}
	if s.ReadOnly {
		warn("the role may not write everything on the database server", "what it may not write waits in the spool",
			"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "+s.Schema+" TO …")
	}
	if s.CannotMigrate {
		warn("the role may not change the schema on the database server", "a newer version will have to, and a purge too",
			"ALTER SCHEMA "+s.Schema+" OWNER TO …, and its tables")
	}
	if off := s.Ahead.Abs(); off > clockOff {
		warn("the clock of the database server is another", fmt.Sprintf("it differs by %s from that of this machine; "+
			"machines that share a memory should agree", off.Round(time.Second)), "set the clock of the one that is wrong")
	}
	if !s.Local && !s.Encrypted {
		warn("what is remembered crosses the network unencrypted", "the connection does not use TLS",
			served.Of(s.Address).Secure())
	}
	return append(list, vectorItems(s.VectorSearch)...)
}

// manyVectors is from how many vectors on comparing all of them takes longer than a recall should.
const manyVectors = 20_000

// vectorItems says how the vectors on a server are searched, if there are any.
func vectorItems(v stored.VectorSearch) []Check {
	const compared = "compared one by one"
	switch {
	case v.Vectors == 0:
		return nil
	case v.Indexed:
		return []Check{Good("vectors", false, "%d, searched by %s", v.Vectors, v.Extension)}
	case v.Usable:
		return []Check{Good("vectors", false, "%d, %s; %s is used from 5,000 on", v.Vectors, compared, v.Extension)}
	case v.Vectors < manyVectors:
		return []Check{Good("vectors", false, "%d, %s", v.Vectors, compared)}
	}
	why := "the server has no pgvector"
	fix := "install pgvector 0.8 or later there, then as a superuser: CREATE EXTENSION vector"
	switch {
	case v.Extension != "":
		why = "the role may not use " + v.Extension + ", or it is older than 0.8"
		fix = "ALTER EXTENSION vector UPDATE, and GRANT USAGE ON SCHEMA … TO …"
	case v.Available != "":
		why, fix = "the database lacks the extension, which the server has ("+v.Available+")",
			"in this database, as a superuser: CREATE EXTENSION vector"
	}
	c := Bad("vectors", false, fault.ServerSetup.WithMessage("%d vectors are %s", v.Vectors, compared).Because("%s", why).
		FixedBy(fix))
	c.State = setup.Warn
	return []Check{c}
}

// rowsShown is how many rows that cannot be read are named.
const rowsShown = 3

func rowItem(h daemon.StoreHealth) Check {
	switch {
	case len(h.Unreadable) > 0:
		return Bad("rows", true, fault.Rows.Because("%s", strings.Join(h.Unreadable[:min(len(h.Unreadable), rowsShown)],
			"; ")))
	case !h.Full:
		return unread("rows", true, "not read, that takes longer: remanence db check --full")
	}
	return Good("rows", true, "every row can be read")
}

func indexItem(problems []string) Check {
	if len(problems) == 0 {
		return Good("index", false, "every memory is in the search index")
	}
	return Bad("index", false, fault.Index.Because("%s", strings.Join(problems, ", ")))
}

// reindex makes the index anew, by the daemon or without it.
func (a *Checks) reindex(ctx context.Context) error {
	_, err := daemon.Ask(ctx, a.Connection, daemon.ReindexStore, api.Nothing{})
	return err
}

// tagsShown is how many ids are named.
const tagsShown = 5

func tagItem(ids []string) Check {
	if len(ids) == 0 {
		return Good("tags", false, "no private span and no block of ours is in the store")
	}
	return Bad("tags", false, fault.Tags.Because("%s: %s", ui.Plural(len(ids), "record", "records"),
		strings.Join(ids[:min(len(ids), tagsShown)], ", ")))
}

// StoreItem is the check of a store that could be opened, or of the error that kept it from that.
func StoreItem(h daemon.StoreHealth, err error) Check {
	if err != nil {
		return Bad("store", true, daemon.Explain(err))
	}
	return Good("store", true, "schema %d, %s, integrity ok", h.Schema, ui.BytesText(h.Bytes))
}
