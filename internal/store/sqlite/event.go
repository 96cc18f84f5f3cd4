package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

const defaultEvents = 100

// FindEvent returns the position of an event, 0 if there is none.
func (w *writer) FindEvent(ctx context.Context, id string) (seq int64, err error) {
	_, err = w.find(ctx, stmt("SELECT seq FROM event WHERE id=?", id), &seq)
	return seq, err
}

// FindErasedEvent returns the position of an erased event with a key, 0 if there is none.
func (w *writer) FindErasedEvent(ctx context.Context, key string) (seq int64, err error) {
	_, err = w.find(ctx, stmt("SELECT seq FROM event WHERE id > ? AND id < ? AND key=? AND payload='' LIMIT 1",
		"e_"+key+".", "e_"+key+"/", key), &seq)
	return seq, err
}

// LastEvent returns the position, key and time of the last event of a session; 0 if there is none.
func (w *writer) LastEvent(ctx context.Context, session string) (seq int64, key string, at time.Time, err error) {
	_, err = w.find(ctx, stmt(`SELECT e.seq, e.key, e.created_at FROM event e JOIN session s ON s.number = e.session
		WHERE s.id=? ORDER BY e.seq DESC LIMIT 1`, session), &seq, &key, timeAt(&at))
	return seq, key, at, err
}

// InsertEvent writes the event's row and returns its position.
func (e *entry) InsertEvent(ctx context.Context, session any, payload string) (int64, error) {
	ev := e.Event
	res, err := e.exec(ctx, `INSERT INTO event (id, key, session, prompt_id, kind, tool, tool_use_id, agent_id, agent_type,
		ok, exit_code, duration_ms, payload, created_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		ev.ID, ev.Key, session, ev.PromptID, string(ev.Kind), ev.Tool, ev.ToolUseID, ev.AgentID, ev.AgentType,
		stored.Succeeded(ev), stored.ExitCode(ev), ev.DurationMS, payload,
		stored.Stamp(e.At))
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// Events implements mem.Store. Erased events are left out.
func (s *eventStore) Events(ctx context.Context, q mem.EventQuery) ([]mem.Event, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultEvents
	}
	if q.Around == "" {
		return s.events(ctx, eventFilter(q), "DESC", limit)
	}
	var seq int64
	err := s.read.QueryRowContext(ctx, "SELECT seq FROM event WHERE id=? AND payload<>''", q.Around).Scan(&seq)
	if err != nil {
		return nil, wrap("event "+q.Around, err)
	}
	before, err := s.events(ctx, eventFilter(q).and("e.seq < ?", seq), "DESC", limit)
	if err != nil {
		return nil, err
	}
	slices.Reverse(before)
	anchor, err := s.events(ctx, (&filter{}).and("e.seq = ?", seq), "ASC", 1)
	if err != nil {
		return nil, err
	}
	after, err := s.events(ctx, eventFilter(q).and("e.seq > ?", seq), "ASC", limit)
	if err != nil {
		return nil, err
	}
	return slices.Concat(before, anchor, after), nil
}

func eventFilter(q mem.EventQuery) *filter {
	f := (&filter{}).session("e.session", q.Session).equal("e.prompt_id", q.PromptID)
	if len(q.Kinds) > 0 {
		f.in("e.kind", array(q.Kinds))
	}
	if strings.Contains(q.Tool, "*") {
		f.and("e.tool GLOB (? || '')", q.Tool) // with a bare ? SQLite would plan the statement again for each value
	} else {
		f.equal("e.tool", q.Tool)
	}
	if q.Project != "" {
		f.and("e.session IN (SELECT number FROM session WHERE project = "+canonicalKey+")", q.Project, q.Project)
	}
	if !q.After.IsZero() { // events have no index by time, sessions have
		f.and("e.session IN (SELECT number FROM session WHERE last_event >= ?) AND e.created_at >= ?", stored.Stamp(q.After),
			stored.Stamp(q.After))
	}
	if !q.Before.IsZero() {
		f.and("e.created_at < ?", stored.Stamp(q.Before))
	}
	if q.AgentID != nil {
		f.and("e.agent_id = ?", *q.AgentID)
	}
	return f
}

// events reads the payloads that pass a filter; direction is ASC or DESC.
func (s *eventStore) events(ctx context.Context, f *filter, direction string, limit int) ([]mem.Event, error) {
	events, err := rows(ctx, s.read, stmt("SELECT e.payload FROM event e").where(f.and("e.payload <> ''")).
		orderBy("e.seq "+direction).limit(limit), scanDoc[mem.Event]("event"))
	return events, wrap("events", err)
}

// CountEvents implements mem.Store.
func (s *eventStore) CountEvents(ctx context.Context, session string) (int, error) {
	f := eventFilter(mem.EventQuery{Session: session}).and("e.payload <> ''")
	n, _, err := first(ctx, s.read, stmt("SELECT count(*) FROM event e").where(f), one[int])
	return n, wrap("events of "+session, err)
}

// EventHeaders implements mem.Store.
func (s *eventStore) EventHeaders(ctx context.Context, session string) ([]mem.EventHeader, error) {
	f := (&filter{}).and("e.session = (SELECT number FROM session WHERE id=?)", session).
		and("(e.agent_id = '' OR e.kind IN ('PostToolUse', 'PostToolUseFailure'))")
	headers, err := rows(ctx, s.read, stmt(`SELECT e.kind, e.created_at, e.prompt_id, e.tool_use_id,
		CASE WHEN e.kind IN ('SessionStart', 'Stop') AND json_valid(e.payload)
			THEN coalesce(e.payload ->> '$.source', '') ELSE '' END
		FROM event e`).where(f).orderBy("e.seq"), func(r *sql.Rows) (h mem.EventHeader, err error) {
		err = r.Scan(&h.Kind, timeAt(&h.At), &h.PromptID, &h.ToolUseID, &h.Source)
		return h, err
	})
	return headers, wrap("events of "+session, err)
}
