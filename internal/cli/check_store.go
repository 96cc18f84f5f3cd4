package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"remanence/internal/api"
	"remanence/internal/mem"
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
	// Tagged are the ids of memories and of the newest events whose text holds
	// what the door takes out. Empty where all is well.
	Tagged []string `json:"tagged,omitempty"`
	Index  []string `json:"index,omitempty"`  // what is wrong with the index alone
	Spoilt []string `json:"spoilt,omitempty"` // rows that cannot be read
	Full   bool     `json:"full,omitempty"`   // every row was read
}

// examine answers examineStore. What is wrong with the store is its error, but
// for the index, which is made of the rest, and single rows.
func (h *house) examine(ctx context.Context, _ api.Nothing) (storeHealth, error) {
	got, err := healthOf(h.store.Describe(ctx))
	if err != nil {
		return got, err
	}
	got.Full = closely(h.store)
	found, err := looked(ctx, h.store, got.Full)
	if err == nil {
		err = h.store.Writable(ctx)
	}
	if err != nil {
		return got, err
	}
	got.Spoilt = found.Spoilt
	if got.Index = found.Index; len(got.Index) == 0 {
		got.Tagged, err = tagged(ctx, h.store)
	}
	return got, err
}

// How much is looked through for tags.
const (
	tagHits   = 1000 // memories that hold a tag's word
	tagEvents = 1000 // the newest
)

// tagged looks for tags that no text should hold behind the door. Memories are
// found by the tags' words, since reading all of them would take long.
func tagged(ctx context.Context, st mem.Store) ([]string, error) {
	var ids []string
	hits, err := st.Match(ctx, mem.Query{Terms: []string{"private", "remanence context"}, Hidden: true, Within: "*", Limit: tagHits})
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		if holdsTag(h.Memory.Title + "\n" + h.Memory.Body + "\n" + strings.Join(h.Memory.Facts, "\n")) {
			ids = append(ids, h.Memory.ID)
		}
	}
	events, err := st.Events(ctx, mem.EventQuery{Limit: tagEvents})
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		if holdsTag(e.Text + "\n" + e.Error + "\n" + unescaped(e.Input) + "\n" + unescaped(e.Response)) {
			ids = append(ids, e.ID)
		}
	}
	return ids, nil
}

func holdsTag(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "<private") || strings.Contains(s, "<remanence-context")
}

// unescaped shows the one character of a tag that JSON may write in another way.
func unescaped(raw json.RawMessage) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003C`, "<").Replace(string(raw))
}

func healthOf(h sqlite.Health) (storeHealth, error) {
	return storeHealth{Schema: h.Schema, SQLite: h.SQLite, Journal: h.Journal, Bytes: h.Bytes}, h.Err
}

// checkStore asks the daemon.
func (a *app) checkStore(ctx context.Context) []checkItem {
	if a.brief {
		h, err := ask(ctx, a, describeStore, api.Nothing{})
		if err != nil {
			return a.storeItems(h, err)
		}
		return []checkItem{unread("store", true, "schema %d, %s, not read through", h.Schema, bytesText(h.Bytes))}
	}
	h, err := ask(ctx, a, examineStore, api.Nothing{})
	return a.storeItems(h, err)
}

// unread is a check of something that takes long to look at and was not.
func unread(id string, required bool, format string, args ...any) checkItem {
	c := good(id, required, format, args...)
	c.State = setup.Info
	return c
}

// checkClosedStore opens the database itself, where no daemon does.
func (a *app) checkClosedStore(ctx context.Context) []checkItem {
	if _, err := os.Stat(a.paths.Database()); err != nil {
		return []checkItem{good("store", true, "there is no database yet")}
	}
	lock, err := worker.Acquire(a.paths.Data, drainWait) // a daemon on its way out has it a moment longer
	if errors.Is(err, worker.ErrRunning) {
		if a.answers(ctx) { // and yet it could not say how it is; what it has in hand may be why
			got, err := ask(ctx, a, examineStore, api.Nothing{})
			if err == nil || explain(nil, err).Is(faultCorrupt) {
				return a.storeItems(got, err)
			}
		}
		return []checkItem{unread("store", true, "not looked at: the daemon has it")}
	}
	if err != nil {
		return a.storeItems(storeHealth{}, err)
	}
	defer func() { _ = lock.Release() }()
	h, err := build(ctx, a.sys, a.paths, slog.New(slog.DiscardHandler))
	if err != nil {
		return a.storeItems(storeHealth{}, err)
	}
	defer h.store.Close()
	got, err := h.examine(ctx, api.Nothing{})
	return a.storeItems(got, err)
}

func (a *app) storeItems(h storeHealth, err error) []checkItem {
	if err != nil {
		if errors.Is(err, mem.ErrLocked) {
			if names := holdersOf(a.paths); names != "" {
				err = fmt.Errorf("%w by %s", mem.ErrLocked, names)
			}
		}
		return []checkItem{storeItem(h, err)}
	}
	index := indexItem(h.Index)
	if len(h.Index) > 0 {
		return []checkItem{storeItem(h, nil), rowItem(h), index.safely(a.reindex)}
	}
	return []checkItem{storeItem(h, nil), rowItem(h), index, tagItem(h.Tagged)}
}

// rowsShown is how many rows that cannot be read are named.
const rowsShown = 3

func rowItem(h storeHealth) checkItem {
	switch {
	case len(h.Spoilt) > 0:
		return bad("rows", true, faultRows.because("%s", strings.Join(h.Spoilt[:min(len(h.Spoilt), rowsShown)], "; ")))
	case !h.Full:
		return unread("rows", true, "not read, that takes longer: remanence db check --full")
	}
	return good("rows", true, "every row can be read")
}

func indexItem(problems []string) checkItem {
	if len(problems) == 0 {
		return good("index", false, "every memory is in the search index")
	}
	return bad("index", false, faultIndex.because("%s", strings.Join(problems, ", ")))
}

// reindex makes the index anew, by the daemon or without it.
func (a *app) reindex(ctx context.Context) error {
	_, err := ask(ctx, a, reindexStore, api.Nothing{})
	return err
}

// tagsShown is how many ids are named.
const tagsShown = 5

func tagItem(ids []string) checkItem {
	if len(ids) == 0 {
		return good("tags", false, "no private span and no block of ours is in the store")
	}
	return bad("tags", false, faultTags.because("%s: %s", plural(len(ids), "record", "records"), strings.Join(ids[:min(len(ids), tagsShown)], ", ")))
}

func storeItem(h storeHealth, err error) checkItem {
	if err != nil {
		return bad("store", true, explain(nil, err))
	}
	return good("store", true, "schema %d, %s, integrity ok", h.Schema, bytesText(h.Bytes))
}
