package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"

	"remanence/internal/api"
	"remanence/internal/setup"
	"remanence/internal/store/sqlite"
	"remanence/internal/worker"
)

// examineStore has whoever owns the database read all of it.
var examineStore = api.Route[api.Nothing, storeHealth]{Name: "examine"}

// storeHealth is what came out.
type storeHealth struct {
	Schema  int    `json:"schema"`
	SQLite  string `json:"sqlite"`
	Journal string `json:"journal"`
	Bytes   int64  `json:"bytes"`
}

// examine answers examineStore. What is wrong with the store is its error.
func (h *house) examine(ctx context.Context, _ api.Nothing) (storeHealth, error) {
	return healthOf(h.store.Check(ctx))
}

func healthOf(h sqlite.Health) (storeHealth, error) {
	return storeHealth{Schema: h.Schema, SQLite: h.SQLite, Journal: h.Journal, Bytes: h.Bytes}, h.Err
}

// checkStore asks the daemon.
func (a *app) checkStore(ctx context.Context) checkItem {
	return storeItem(ask(ctx, a, examineStore, api.Nothing{}))
}

// checkClosedStore opens the database itself, where no daemon does.
func (a *app) checkClosedStore(ctx context.Context) checkItem {
	if _, err := os.Stat(a.paths.Database()); err != nil {
		return good("store", true, "there is no database yet")
	}
	lock, err := worker.Acquire(a.paths.Data, 0)
	if errors.Is(err, worker.ErrRunning) {
		c := good("store", true, "not looked at: the daemon has it")
		c.State = setup.Info
		return c
	}
	if err != nil {
		return bad("store", true, explain(nil, err))
	}
	defer func() { _ = lock.Release() }()
	h, err := build(ctx, a.sys, a.paths, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		return bad("store", true, explain(nil, err))
	}
	defer h.store.Close()
	return storeItem(h.examine(ctx, api.Nothing{}))
}

func storeItem(h storeHealth, err error) checkItem {
	if err != nil {
		return bad("store", true, explain(nil, err))
	}
	return good("store", true, "schema %d, %s, integrity ok", h.Schema, bytesText(h.Bytes))
}
