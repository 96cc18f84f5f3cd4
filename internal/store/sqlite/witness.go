package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"remanence/internal/mem"
)

// EventHeaders implements mem.Store.
func (s *eventStore) EventHeaders(ctx context.Context, session string) ([]mem.EventHeader, error) {
	heard, err := rows(ctx, s.read, `SELECT e.kind, e.created_at, e.prompt_id, e.tool_use_id,
		CASE WHEN e.kind = 'SessionStart' AND json_valid(e.payload) THEN coalesce(e.payload ->> '$.source', '') ELSE '' END
		FROM event e WHERE e.session = (SELECT number FROM session WHERE id=?)
		AND (e.agent_id = '' OR e.kind IN ('PostToolUse', 'PostToolUseFailure')) ORDER BY e.seq`,
		[]any{session}, func(r *sql.Rows) (h mem.EventHeader, err error) {
			var at int64
			err = r.Scan(&h.Kind, &at, &h.PromptID, &h.ToolUseID, &h.Source)
			h.At = moment(at)
			return h, err
		})
	if err != nil {
		return nil, fmt.Errorf("reports of %s: %w", session, translate(err))
	}
	return heard, nil
}

// TranscriptPosition implements mem.Store.
func (s *sessionStore) TranscriptPosition(ctx context.Context, session string) (mem.TranscriptPosition, error) {
	found, err := rows(ctx, s.read, "SELECT checked_to, checked_hash FROM session WHERE id=?", []any{session},
		func(r *sql.Rows) (mem.TranscriptPosition, error) {
			c := mem.TranscriptPosition{Session: session}
			return c, r.Scan(&c.To, &c.Hash)
		})
	if err != nil {
		return mem.TranscriptPosition{}, fmt.Errorf("mark of session %s: %w", session, translate(err))
	}
	if len(found) == 0 {
		return mem.TranscriptPosition{Session: session}, nil
	}
	return found[0], nil
}

// PausedPeriods implements mem.Store.
func (s *sessionStore) PausedPeriods(ctx context.Context, targets ...string) ([]mem.PausedPeriod, error) {
	list, err := rows(ctx, s.read, "SELECT begun, ended FROM silence WHERE target IN (SELECT value FROM json_each(?)) "+
		"ORDER BY begun",
		[]any{array(targets)}, func(r *sql.Rows) (mem.PausedPeriod, error) {
			var begun, ended int64
			err := r.Scan(&begun, &ended)
			return mem.PausedPeriod{Begun: moment(begun), Ended: moment(ended)}, err
		})
	if err != nil {
		return nil, fmt.Errorf("silences: %w", translate(err))
	}
	return list, nil
}

// keepSilent remembers a pause beyond its end. A new one of the same target
// ends the one before.
func (e *entry) keepSilent(ctx context.Context, target string, p mem.Pause) error {
	now := stamp(e.at)
	if _, err := e.exec(ctx, "UPDATE silence SET ended=? WHERE target=? AND (ended=0 OR ended>?)", now, target,
		now); err != nil {
		return err
	}
	if p.Lift || p.InjectOnly {
		return nil
	}
	_, err := e.exec(ctx, "INSERT INTO silence (target, begun, ended) VALUES (?,?,?)", target, now, stamp(p.Until))
	return err
}
