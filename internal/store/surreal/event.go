//go:build surreal || backends

package surreal

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

const defaultEvents = 100

// FindEvent returns the position of an event, 0 if there is none.
func (tx *transaction) FindEvent(ctx context.Context, id string) (int64, error) {
	seq, _, err := first(ctx, tx, query("SELECT seq FROM event WHERE ref = ?", id), number("seq"))
	return seq, err
}

// FindErasedEvent returns the position of an erased event with a key, 0 if there is none.
func (tx *transaction) FindErasedEvent(ctx context.Context, key string) (int64, error) {
	seq, _, err := first(ctx, tx, query("SELECT seq FROM event WHERE key = ? AND ref > ? AND ref < ? AND payload = '' "+
		"LIMIT 1", key, "e_"+key+".", "e_"+key+"/"), number("seq"))
	return seq, err
}

// LastEvent returns the position, key and time of the last event of a session; 0 if there is none.
func (tx *transaction) LastEvent(ctx context.Context, session string) (int64, string, time.Time, error) {
	seq, _, err := first(ctx, tx, query("SELECT last_seq FROM session WHERE sid = ?", session), number("last_seq"))
	if err != nil || seq == 0 {
		return 0, "", time.Time{}, err
	}
	r, _, err := first(ctx, tx, selectRecords("seq, key, created_at", "event", []int64{seq}), whole)
	return r.number("seq"), r.text("key"), r.time("created_at"), err
}

// InsertEvent writes the event's row and returns its position.
func (e *entry) InsertEvent(ctx context.Context, session any, payload string) (int64, error) {
	seq, err := e.Next(ctx, "event")
	if err != nil {
		return 0, err
	}
	ev := e.Event
	if session != nil {
		if err := e.exec(ctx, query("UPDATE type::record('session', ?) SET last_seq = ? RETURN NONE", session,
			seq)); err != nil {
			return 0, err
		}
	}
	return seq, e.exec(ctx, put("event", seq, map[string]any{
		"seq": seq, "ref": ev.ID, "key": ev.Key, "session": numberOf(session), "prompt_id": ev.PromptID, "kind": ev.Kind,
		"tool": ev.Tool, "tool_use_id": ev.ToolUseID, "agent_id": ev.AgentID, "agent_type": ev.AgentType,
		"ok": stored.Succeeded(ev), "exit_code": stored.ExitCode(ev), "duration_ms": ev.DurationMS,
		"dropped": ev.PayloadDropped, "payload": payload, "created_at": stored.Stamp(e.At),
	}))
}

// Events implements mem.Store. Erased events are left out.
func (s *Store) Events(ctx context.Context, q mem.EventQuery) ([]mem.Event, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultEvents
	}
	where, err := s.eventsWhere(ctx, q)
	if err != nil {
		return nil, wrap("events", err)
	}
	read := func(more string, args ...any) []mem.Event {
		if err != nil {
			return nil
		}
		var found []mem.Event
		found, err = rows(ctx, s, query("SELECT seq, payload FROM event WHERE payload != ''").append(where).add(more, args...),
			eventOf)
		return found
	}
	if q.Around == "" {
		events := read(" ORDER BY seq DESC LIMIT ?", limit)
		return events, wrap("events", err)
	}
	seq, err := get(ctx, s, query("SELECT seq FROM event WHERE ref = ? AND payload != ''", q.Around), number("seq"))
	if err != nil {
		return nil, wrap("event "+q.Around, err)
	}
	before := read(" AND seq < ? ORDER BY seq DESC LIMIT ?", seq, limit)
	slices.Reverse(before)
	after := read(" AND seq > ? ORDER BY seq LIMIT ?", seq, limit)
	where = &statement{}
	anchor := read(" AND seq = ?", seq)
	return slices.Concat(before, anchor, after), wrap("events", err)
}

func eventOf(r row) (mem.Event, error) { return decode[mem.Event]("event", r.text("payload")) }

// eventsWhere returns the conditions of q, each after AND.
func (s *database) eventsWhere(ctx context.Context, q mem.EventQuery) (*statement, error) {
	w := (&statement{}).equal("prompt_id", q.PromptID)
	if q.Session != "" {
		n, err := sessionNumber(ctx, s, q.Session)
		if err != nil {
			return w, err
		}
		w.and("session = ?", n)
	}
	if len(q.Kinds) > 0 {
		w.and("kind IN ?", texts(q.Kinds))
	}
	if strings.Contains(q.Tool, "*") { // only * is special
		parts := strings.Split(q.Tool, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		w.and("string::matches(tool, ?)", "(?s)^"+strings.Join(parts, ".*")+"$")
	} else {
		w.equal("tool", q.Tool)
	}
	if q.Project != "" || !q.After.IsZero() { // events have no index by time, sessions have
		sessions, err := s.sessionsSince(ctx, s, q.Project, q.After)
		if err != nil {
			return w, err
		}
		w.and("session IN ?", sessions)
	}
	if !q.After.IsZero() {
		w.and("created_at >= ?", stored.Stamp(q.After))
	}
	if !q.Before.IsZero() {
		w.and("created_at < ?", stored.Stamp(q.Before))
	}
	if q.AgentID != nil {
		w.and("agent_id = ?", *q.AgentID)
	}
	return w, nil
}

// CountEvents implements mem.Store.
func (s *Store) CountEvents(ctx context.Context, session string) (int, error) {
	n, err := sessionNumber(ctx, s, session)
	if err != nil {
		return 0, wrap("events of "+session, err)
	}
	count, err := countOf(ctx, s, "event", query("session = ? AND payload != ''", n))
	return count, wrap("events of "+session, err)
}

// EventHeaders implements mem.Store.
func (s *Store) EventHeaders(ctx context.Context, session string) ([]mem.EventHeader, error) {
	n, err := sessionNumber(ctx, s, session)
	if err != nil {
		return nil, wrap("events of "+session, err)
	}
	headers, err := rows(ctx, s, query(`SELECT seq, kind, created_at, prompt_id, tool_use_id,
		IF kind IN ['SessionStart', 'Stop'] THEN payload ELSE '' END AS payload FROM event
		WHERE session = ? AND (agent_id = '' OR kind IN ['PostToolUse', 'PostToolUseFailure']) ORDER BY seq`, n),
		func(r row) (mem.EventHeader, error) {
			h := mem.EventHeader{
				Kind: mem.EventKind(r.text("kind")), At: r.time("created_at"), PromptID: r.text("prompt_id"),
				ToolUseID: r.text("tool_use_id"),
			}
			if e, err := eventOf(r); err == nil {
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
	next, _, err = first(ctx, s, query("SELECT seq FROM event WHERE seq >= ? ORDER BY seq LIMIT 1 START ?", from, n),
		number("seq"))
	if err != nil {
		return from, 0, wrap("drop payloads", err)
	}
	q := query("SELECT seq FROM event WHERE seq >= ? AND created_at < ? AND payload != '' AND dropped = false", from,
		stored.Stamp(before))
	if next > 0 {
		q.and("seq < ?", next)
	}
	old, err := rows(ctx, s, q.add(" ORDER BY seq"), number("seq"))
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

// dropPayload drops the payload of an event. An event that was erased meanwhile stays erased, and a damaged payload
// stays as it is.
func (tx *transaction) dropPayload(ctx context.Context, seq int64) error {
	e, found, err := first(ctx, tx, query("SELECT payload FROM event WHERE seq = ? AND payload != ''", seq), eventOf)
	if err != nil || !found {
		return err
	}
	payload, err := stored.Text(e.WithoutPayload())
	if err != nil {
		return err
	}
	return tx.exec(ctx, query("UPDATE type::record('event', ?) SET payload = ?, dropped = true RETURN NONE", seq, payload))
}
