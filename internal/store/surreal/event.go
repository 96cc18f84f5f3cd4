//go:build surreal || backends

package surreal

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
)

const defaultEvents = 100

// FindEvent returns the position of an event, 0 if there is none.
func (tx *transaction) FindEvent(ctx context.Context, id string) (int64, error) {
	seq, _, err := first(ctx, tx, query("SELECT seq FROM event WHERE ref = ?", id), number("seq"))
	return seq, err
}

// FindErasedEvent returns the position of an erased event with a key, 0 if there is none.
func (tx *transaction) FindErasedEvent(ctx context.Context, key string) (int64, error) {
	seq, _, err := first(ctx, tx, query("SELECT seq FROM event WHERE erased = ?", key), number("seq"))
	return seq, err
}

// LastEvent returns the position, key and time of the last event of a session; 0 if there is none.
func (tx *transaction) LastEvent(ctx context.Context, session string) (int64, string, time.Time, error) {
	seq, _, err := first(ctx, tx, query("SELECT last_seq FROM session WHERE sid = ?", session), number("last_seq"))
	if err != nil || seq == 0 {
		return 0, "", time.Time{}, err
	}
	r, _, err := first(ctx, tx, selectRecords("seq, key, created_at", "event", []int64{seq}), whole)
	return r.Number("seq"), r.Text("key"), r.Time("created_at"), err
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
	where, of, err := s.eventsWhere(ctx, q)
	if err != nil {
		return nil, wrap("events", err)
	}
	if q.Around == "" {
		events, err := s.eventsBefore(ctx, where, of, 0, limit)
		return events, wrap("events", err)
	}
	seq, err := get(ctx, s, query("SELECT seq FROM event WHERE ref = ? AND payload != ''", q.Around), number("seq"))
	if err != nil {
		return nil, wrap("event "+q.Around, err)
	}
	before, err := s.eventsBefore(ctx, where, of, seq, limit)
	if err != nil {
		return nil, wrap("events", err)
	}
	slices.Reverse(before)
	anchor, err := rows(ctx, s, selectRecords("payload", "event", []int64{seq}), eventOf)
	if err != nil {
		return nil, wrap("events", err)
	}
	later, err := rows(ctx, s, query(fmt.Sprintf("SELECT seq FROM event:%d.. WHERE ", seq+1)).Append(where), number("seq"))
	if err != nil {
		return nil, wrap("events", err)
	}
	slices.Sort(later)
	after, err := s.events(ctx, later[:min(limit, len(later))])
	return slices.Concat(before, anchor, after), wrap("events", err)
}

func eventOf(r row) (mem.Event, error) { return stored.Decode[mem.Event]("event", r.Text("payload")) }

// events reads events in the order of their positions.
func (s *database) events(ctx context.Context, positions []int64) ([]mem.Event, error) {
	found, err := inTurn(ctx, s, "seq, payload", "event", "seq", positions)
	if err != nil {
		return nil, err
	}
	return scanned(found, eventOf)
}

// eventsBefore reads the last events before a position, 0 for all, that meet a condition, the last first. of says that
// it names sessions.
func (s *database) eventsBefore(ctx context.Context, where *statement, of bool, seq int64, limit int) ([]mem.Event,
	error,
) {
	cond := query("true")
	if seq > 0 {
		cond = query("seq < ?", seq)
	}
	cond.Add(" AND ").Append(where)
	q := surql.Newest("event", "seq", cond, limit, 0)
	if of { // they have an index
		q = query("SELECT seq FROM event WHERE ").Append(cond)
	}
	positions, err := rows(ctx, s, q, number("seq"))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(positions, descending)
	return s.events(ctx, positions[:min(limit, len(positions))])
}

// eventsWhere returns the conditions of q, and whether they name sessions.
func (s *database) eventsWhere(ctx context.Context, q mem.EventQuery) (w *statement, of bool, err error) {
	w = query("payload != ''").Equal("prompt_id", q.PromptID)
	if q.Session != "" {
		n, err := sessionNumber(ctx, s, q.Session)
		if err != nil {
			return w, of, err
		}
		of = true
		w.And("session = ?", n)
	}
	if len(q.Kinds) > 0 {
		w.And("kind IN ?", texts(q.Kinds))
	}
	if strings.Contains(q.Tool, "*") { // only * is special
		parts := strings.Split(q.Tool, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		w.And("string::matches(tool, ?)", "(?s)^"+strings.Join(parts, ".*")+"$")
	} else {
		w.Equal("tool", q.Tool)
	}
	if q.Project != "" || !q.After.IsZero() { // events have no index by time, sessions have
		sessions, err := s.sessionsSince(ctx, s, q.Project, q.After)
		if err != nil {
			return w, of, err
		}
		w.And("session IN ?", sessions)
	}
	if !q.After.IsZero() {
		w.And("created_at >= ?", stored.Stamp(q.After))
	}
	if !q.Before.IsZero() {
		w.And("created_at < ?", stored.Stamp(q.Before))
	}
	if q.AgentID != nil {
		w.And("agent_id = ?", *q.AgentID)
	}
	return w, of, nil
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
				Kind: mem.EventKind(r.Text("kind")), At: r.Time("created_at"), PromptID: r.Text("prompt_id"),
				ToolUseID: r.Text("tool_use_id"),
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
	next, _, err = first(ctx, s, query(fmt.Sprintf("SELECT seq FROM event:%d.. LIMIT 1 START ?", from), n), number("seq"))
	if err != nil {
		return from, 0, wrap("drop payloads", err)
	}
	end := ""
	if next > 0 {
		end = fmt.Sprint(next)
	}
	old, err := rows(ctx, s, query(fmt.Sprintf("SELECT seq FROM event:%d..%s WHERE ", from, end)+
		"created_at < ? AND payload != '' AND dropped = false", stored.Stamp(before)), number("seq"))
	slices.Sort(old)
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
