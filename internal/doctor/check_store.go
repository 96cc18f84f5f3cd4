package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/worker"
)

// How much is looked through for tags.
const ()

// checkStore checks the store through the daemon.
func (a *Checks) checkStore(ctx context.Context) []Check {
	if a.Brief {
		h, err := daemon.Ask(ctx, a.Connection, daemon.DescribeStore, api.Nothing{})
		if err != nil {
			return a.storeItems(h, err)
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
	if _, err := os.Stat(a.Paths.Database()); err != nil {
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
		return []Check{storeItem(h, err)}
	}
	index := indexItem(h.Index)
	if len(h.Index) > 0 {
		return []Check{storeItem(h, nil), rowItem(h), index.Safely(a.reindex)}
	}
	return []Check{storeItem(h, nil), rowItem(h), index, tagItem(h.Tagged)}
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

func storeItem(h daemon.StoreHealth, err error) Check {
	if err != nil {
		return Bad("store", true, daemon.Explain(err))
	}
	return Good("store", true, "schema %d, %s, integrity ok", h.Schema, ui.BytesText(h.Bytes))
}
