package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

func textTables() []stored.TextTable {
	table := stored.NewTextTable
	return append(stored.TextTables(),
		table("memories", "memory", "number", "id",
			"title", "body", "facts", "concepts", "tags", "files", "modified", "tool", "command", "event", "summary", "source",
			"branch", stored.DerivedWords, "key", "note", "standing",
			"anchors", "agent", "prompt_id",
		),
		table("events", "event", "seq", "id", "payload", "tool", "agent_type", "prompt_id", "tool_use_id", "agent_id"),
		table("prompts", "turn", "number", "''", "text", "prompt_id"),
		table("sessions", "session", "number", "short",
			"first_prompt", "last_notification", "nudge", "end_reason", "root", "cwd", "transcript", "project_name", "agent",
			"model", "source", "entrypoint",
		),
		table("changes", "change", "number", "''", "reason"),
	)
}

// Scrub implements mem.Store.
func (s *erasure) Scrub(ctx context.Context, fix bool, clean stored.Clean) (mem.ScanResponse, error) {
	r := &scrubRun{store: s, clean: clean, fix: fix}
	if err := r.run(ctx); err != nil {
		return mem.ScanResponse{}, wrap("scrub", err)
	}
	stored.SortFinds(r.done.Finds)
	return r.done, nil
}

// scrubRun is one call of Scrub.
type scrubRun struct {
	store *erasure
	clean stored.Clean
	fix   bool
	done  mem.ScanResponse
}

func (r *scrubRun) run(ctx context.Context) error {
	if err := r.store.finishEarlierPurge(ctx); err != nil {
		return err
	}
	for _, t := range textTables() {
		if err := r.walk(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t.Where, err)
		}
	}
	r.done.Fixed = r.fix
	if !r.fix {
		return nil
	}
	return r.store.finishEarlierPurge(ctx)
}

// finishEarlierPurge empties the log, which contains the former pages, if a purge or a scrub did not.
func (s *erasure) finishEarlierPurge(ctx context.Context) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return s.finishPurge(ctx, purgeTries)
}

// walk scans a table in steps, so that writers do not wait for long.
func (r *scrubRun) walk(ctx context.Context, t stored.TextTable) error {
	last := ""
	for {
		found, err := r.read(ctx, t, last)
		if err != nil {
			return err
		}
		secret, err := t.Scan(&r.done, found, r.clean)
		if err != nil {
			return err
		}
		if r.fix && len(secret) > 0 {
			if err := r.write(ctx, t, secret); err != nil {
				return err
			}
		}
		if len(found) < stored.ScrubStep {
			return nil
		}
		last = found[len(found)-1].Key
	}
}

func (r *scrubRun) read(ctx context.Context, t stored.TextTable, after string) ([]stored.TextRecord, error) {
	f := &filter{}
	if after != "" {
		f.and(t.Key+" > ?", after)
	}
	return rows(ctx, r.store.read, stmt(t.Query()).where(f).orderBy(t.Key).limit(stored.ScrubStep),
		func(r *sql.Rows) (stored.TextRecord, error) {
			rec, fields := t.Empty()
			err := r.Scan(fields...)
			return *rec, err
		})
}

// write cleans records in one transaction. It reads each again, as it may have changed meanwhile.
func (r *scrubRun) write(ctx context.Context, t stored.TextTable, keys []string) error {
	return r.store.change(ctx, func(w *writer) error {
		if err := w.PutTombstone(ctx, stored.UnfinishedPurge); err != nil {
			return err
		}
		for _, key := range keys {
			if err := r.rewrite(ctx, w, t, key); err != nil {
				return fmt.Errorf("record %s: %w", key, err)
			}
		}
		return nil
	})
}

func (r *scrubRun) rewrite(ctx context.Context, w *writer, t stored.TextTable, key string) error {
	rec, fields := t.Empty()
	found, err := w.find(ctx, stmt(t.Query()+" WHERE "+t.Key+"=?", key), fields...)
	if err != nil || !found {
		return err
	}
	fresh, kinds, err := t.Cleaned(*rec, r.clean)
	if err != nil || len(kinds) == 0 {
		return err
	}
	args := []any{}
	for _, t := range fresh.Texts {
		args = append(args, t)
	}
	// OR REPLACE: of two names that differ only in what was removed, one stays.
	if _, err := w.exec(ctx, "UPDATE OR REPLACE "+t.Table+" SET "+strings.Join(t.Columns, "=?, ")+"=? WHERE "+t.Key+
		"=?", append(args, key)...); err != nil {
		return err
	}
	if t.Table != "memory" {
		return nil
	}
	e := newEntry(w)
	m, _, err := e.oneMemory(ctx, "m.number=?", key)
	if err != nil {
		return err
	}
	m.Broken = true // so that all index rows are written again
	if err := e.UpdateMemory(ctx, m, m.Memory); err != nil {
		return err
	}
	return e.IndexUtterances(ctx)
}
