//go:build postgres || backends

package postgres

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

const defaultEvents = 100

// FindEvent returns the position of an event, 0 if there is none.
func (tx *transaction) FindEvent(ctx context.Context, id string) (seq int64, err error) {
	_, err = tx.find(ctx, query("SELECT seq FROM event WHERE id = ?", id), &seq)
	return seq, err
}

// FindErasedEvent returns the position of an erased event with a key, 0 if there is none.
func (tx *transaction) FindErasedEvent(ctx context.Context, key string) (seq int64, err error) {
	_, err = tx.find(ctx, query("SELECT seq FROM event WHERE id > ? AND id < ? AND key = ? AND payload = '' LIMIT 1",
		"e_"+key+".", "e_"+key+"/", key), &seq)
	return seq, err
}

// LastEvent returns the position, key and time of the last event of a session; 0 if there is none.
func (tx *transaction) LastEvent(ctx context.Context, session string) (seq int64, key string, at time.Time, err error) {
	_, err = tx.find(ctx, query(`SELECT e.seq, e.key, e.created_at FROM event e JOIN session s ON s.number = e.session
		WHERE s.id = ? ORDER BY e.seq DESC LIMIT 1`, session), &seq, &key, timeAt(&at))
	return seq, key, at, err
}

// InsertEvent writes the event's row and returns its position.
func (e *entry) InsertEvent(ctx context.Context, session any, payload string) (int64, error) {
	seq, err := e.Next(ctx, "event")
	if err != nil {
		return 0, err
	}
	ev := e.Event
	return seq, e.exec(ctx, query(`INSERT INTO event (seq, id, key, session, prompt_id, kind, tool, tool_use_id, agent_id,
		agent_type, ok, exit_code, duration_ms, dropped, payload, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		seq, ev.ID, ev.Key, session, ev.PromptID, ev.Kind, ev.Tool, ev.ToolUseID, ev.AgentID, ev.AgentType,
		stored.Succeeded(ev), stored.ExitCode(ev), ev.DurationMS, ev.PayloadDropped, payload, stored.Stamp(e.At)))
}

// Events implements mem.Store. Erased events are left out.
func (s *Store) Events(ctx context.Context, q mem.EventQuery) ([]mem.Event, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultEvents
	}
	if q.Around == "" {
		events, err := s.events(ctx, eventsWhere(q).add(" ORDER BY e.seq DESC LIMIT ?", limit))
		return events, wrap("events", err)
	}
	var seq int64
	err := get(ctx, s.pool, query("SELECT seq FROM event WHERE id = ? AND payload <> ''", q.Around), &seq)
	if err != nil {
		return nil, wrap("event "+q.Around, err)
	}
	before, err := s.events(ctx, eventsWhere(q).and("e.seq < ?", seq).add(" ORDER BY e.seq DESC LIMIT ?",
		limit))
	if err != nil {
		return nil, wrap("events", err)
	}
	slices.Reverse(before)
	anchor, err := s.events(ctx, eventsWhere(mem.EventQuery{}).and("e.seq = ?", seq))
	if err != nil {
		return nil, wrap("events", err)
	}
	after, err := s.events(ctx, eventsWhere(q).and("e.seq > ?", seq).add(" ORDER BY e.seq LIMIT ?", limit))
	return slices.Concat(before, anchor, after), wrap("events", err)
}

func (s *database) events(ctx context.Context, q *statement) ([]mem.Event, error) {
	return rows(ctx, s.pool, q, document[mem.Event]("event"))
}

// eventsWhere selects the stored events that pass q.
func eventsWhere(q mem.EventQuery) *statement {
	s := query("SELECT e.payload FROM event e WHERE e.payload <> ''").session("e.session", q.Session).
		equal("e.prompt_id", q.PromptID)
	if len(q.Kinds) > 0 {
		s.and("e.kind = ANY(?)", texts(q.Kinds))
	}
	if strings.Contains(q.Tool, "*") {
		// Only * is special in the query, so all else is quoted for LIKE.
		s.and("e.tool LIKE ?", strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`, "*", "%").Replace(q.Tool))
	} else {
		s.equal("e.tool", q.Tool)
	}
	if q.Project != "" {
		s.and("e.session IN (SELECT number FROM session WHERE project = "+canonicalKey+")", q.Project, q.Project)
	}
	if !q.After.IsZero() { // events have no index by time, sessions have
		at := stored.Stamp(q.After)
		s.and("e.session IN (SELECT number FROM session WHERE last_event >= ?) AND e.created_at >= ?", at, at)
	}
	if !q.Before.IsZero() {
		s.and("e.created_at < ?", stored.Stamp(q.Before))
	}
	if q.AgentID != nil {
		s.and("e.agent_id = ?", *q.AgentID)
	}
	return s
}

// CountEvents implements mem.Store.
func (s *Store) CountEvents(ctx context.Context, session string) (n int, err error) {
	err = get(ctx, s.pool, query("SELECT count(*) FROM event WHERE payload <> ''").
		and("session = (SELECT number FROM session WHERE id = ?)", session), &n)
	return n, wrap("events of "+session, err)
}

// EventHeaders implements mem.Store.
func (s *Store) EventHeaders(ctx context.Context, session string) ([]mem.EventHeader, error) {
	headers, err := rows(ctx, s.pool, query(`SELECT e.kind, e.created_at, e.prompt_id, e.tool_use_id,
		CASE WHEN e.kind IN ('SessionStart', 'Stop') THEN e.payload ELSE '' END FROM event e
		WHERE e.session = (SELECT number FROM session WHERE id = ?)
		AND (e.agent_id = '' OR e.kind IN ('PostToolUse', 'PostToolUseFailure')) ORDER BY e.seq`, session),
		func(r pgx.Rows) (h mem.EventHeader, err error) {
			var payload string
			if err := r.Scan(&h.Kind, timeAt(&h.At), &h.PromptID, &h.ToolUseID, &payload); err != nil || payload == "" {
				return h, err
			}
			if e, err := stored.Decode[mem.Event]("event", payload); err == nil {
				h.Source = e.Source
			}
			return h, nil
		})
	return headers, wrap("events of "+session, err)
}

// maxDropped is how many payloads one transaction drops. New events wait for it.
const maxDropped = 100

// DropPayloads implements mem.Store.
func (s *Store) DropPayloads(ctx context.Context, before time.Time, from int64, n int) (next int64, dropped int,
	err error,
) {
	next, _, err = first(ctx, s.pool, query("SELECT seq FROM event WHERE seq >= ? ORDER BY seq LIMIT 1 OFFSET ?", from, n),
		one[int64])
	if err != nil {
		return from, 0, wrap("drop payloads", err)
	}
	q := query("SELECT seq FROM event WHERE seq >= ? AND created_at < ? AND payload <> '' AND NOT dropped", from,
		stored.Stamp(before))
	if next > 0 {
		q.and("seq < ?", next)
	}
	old, err := rows(ctx, s.pool, q.add(" ORDER BY seq"), one[int64])
	for part := range slices.Chunk(old, maxDropped) {
		err = s.transact(ctx, func(tx *transaction) error { return stored.Each(ctx, "event", part, tx.dropPayload) })
		if err != nil {
			break
		}
		dropped += len(part)
	}
	if err != nil {
		return from, dropped, wrap("drop payloads", err)
	}
	return next, dropped, nil
}

// dropPayload drops the payload of an event. An event that was erased meanwhile stays erased.
func (tx *transaction) dropPayload(ctx context.Context, seq int64) error {
	var payload string
	found, err := tx.find(ctx, query("SELECT payload FROM event WHERE seq = ? AND payload <> ''", seq), &payload)
	if err != nil || !found {
		return err
	}
	e, err := stored.Decode[mem.Event]("event", payload)
	if err != nil {
		return nil //nolint:nilerr // a damaged payload stays as it is
	}
	if payload, err = stored.Text(e.WithoutPayload()); err != nil {
		return err
	}
	return tx.exec(ctx, query("UPDATE event SET payload = ?, dropped = true WHERE seq = ?", payload, seq))
}
