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
func (s *erasure) Scrub(ctx context.Context, fix bool, clean stored.Clean) (done mem.ScanResponse, err error) {
	if err = s.finishEarlierPurge(ctx); err == nil {
		done, err = stored.Scrub(ctx, scrubber{s.database}, textTables(), fix, clean)
	}
	if err == nil && fix {
		err = s.finishEarlierPurge(ctx)
	}
	if err != nil {
		return mem.ScanResponse{}, wrap("scrub", err)
	}
	return done, nil
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

// scrubber implements stored.Scrubber.
type scrubber struct{ *database }

// Records reads the next records of a table.
func (s scrubber) Records(ctx context.Context, t stored.TextTable, after string) ([]stored.TextRecord, error) {
	f := &filter{}
	if after != "" {
		f.and(t.Key+" > ?", after)
	}
	return rows(ctx, s.read, stmt(t.Query()).where(f).orderBy(t.Key).limit(stored.ScrubStep),
		func(r *sql.Rows) (stored.TextRecord, error) {
			rec, fields := t.Empty()
			err := r.Scan(fields...)
			return *rec, err
		})
}

// CleanRecords cleans records in one transaction.
func (s scrubber) CleanRecords(ctx context.Context, t stored.TextTable, keys []string, clean stored.Clean) error {
	return s.change(ctx, func(w *writer) error {
		if err := w.PutTombstone(ctx, stored.UnfinishedPurge); err != nil {
			return err
		}
		e := newEntry(w)
		for _, key := range keys {
			if err := e.rewrite(ctx, t, key, clean); err != nil {
				return fmt.Errorf("record %s: %w", key, err)
			}
		}
		return e.IndexUtterances(ctx)
	})
}

// rewrite cleans one record. It reads it again, as it may have changed meanwhile.
func (e *entry) rewrite(ctx context.Context, t stored.TextTable, key string, clean stored.Clean) error {
	rec, fields := t.Empty()
	found, err := e.find(ctx, stmt(t.Query()+" WHERE "+t.Key+"=?", key), fields...)
	if err != nil || !found {
		return err
	}
	fresh, kinds, err := t.Cleaned(*rec, clean)
	if err != nil || len(kinds) == 0 {
		return err
	}
	args := []any{}
	for _, t := range fresh.Texts {
		args = append(args, t)
	}
	// OR REPLACE: of two names that differ only in what was removed, one stays.
	if _, err := e.exec(ctx, "UPDATE OR REPLACE "+t.Table+" SET "+strings.Join(t.Columns, "=?, ")+"=? WHERE "+t.Key+
		"=?", append(args, key)...); err != nil {
		return err
	}
	if t.Table != "memory" {
		return nil
	}
	m, _, err := e.oneMemory(ctx, "m.number=?", key)
	if err != nil {
		return err
	}
	m.Broken = true // so that all index rows are written again
	return e.UpdateMemory(ctx, m, m.Memory)
}
