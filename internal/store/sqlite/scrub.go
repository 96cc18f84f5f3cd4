package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
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
func (s *erasure) Scrub(ctx context.Context, fix bool, may stored.May, clean stored.Clean) (
	done mem.ScanResponse, err error,
) {
	if err = s.finishEarlierPurge(ctx); err == nil {
		done, err = stored.Scrub(ctx, scrubber{s.database}, textTables(), fix, may, clean)
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

// Records reads the next records of a table. Of a record that may is asked about, all texts are read as one, which
// takes a quarter of the time of reading each.
func (s scrubber) Records(ctx context.Context, t stored.TextTable, after string, may stored.May) (
	[]stored.TextRecord, error,
) {
	f := &filter{}
	if after != "" {
		f.and(t.Key+" > ?", after)
	}
	if may != nil {
		keys, err := s.keysOf(ctx, t, f, may)
		if err != nil || len(keys) == 0 {
			return nil, err
		}
		f = (&filter{}).and(t.Key+" IN (?"+strings.Repeat(",?", len(keys)-1)+")", keys...)
	}
	return rows(ctx, s.read, stmt(t.Query()).where(f).orderBy(t.Key).limit(stored.ScrubStep),
		func(r *sql.Rows) (stored.TextRecord, error) {
			rec, fields := t.Empty()
			err := r.Scan(fields...)
			return *rec, err
		})
}

// keysOf returns the keys of the first records of a filter for which may is true.
func (s scrubber) keysOf(ctx context.Context, t stored.TextTable, f *filter, may stored.May) (keys []any, err error) {
	texts := slices.DeleteFunc(slices.Clone(t.Columns), func(c string) bool { return c == stored.DerivedWords })
	q := stmt("SELECT " + t.Key + ", concat_ws(char(10), " + strings.Join(texts, ", ") + ") FROM " + t.Table).where(f)
	rs, err := s.read.QueryContext(ctx, q.orderBy(t.Key).text, q.args...)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	for rs.Next() && len(keys) < stored.ScrubStep {
		var key, all sql.RawBytes
		if err := rs.Scan(&key, &all); err != nil {
			return nil, err
		}
		if may(all) {
			keys = append(keys, string(key))
		}
	}
	return keys, rs.Err()
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
