package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/mem"
)

const defaultEvents = 100

// known returns the place of the event that e repeats, 0 if it is new.
func (w *writer) known(ctx context.Context, e mem.Event) (int64, error) {
	var seq int64
	if found, err := w.find(ctx, "SELECT seq FROM event WHERE id=?", []any{e.ID}, &seq); found || err != nil {
		return seq, err
	}
	if e.Key == "" {
		return 0, nil
	}
	if seq, err := w.erased(ctx, e); seq != 0 || err != nil {
		return seq, err
	}
	var key string
	var at int64
	found, err := w.find(ctx, `SELECT e.seq, e.key, e.created_at FROM event e JOIN session s ON s.number = e.session
		WHERE s.id=? ORDER BY e.seq DESC LIMIT 1`, []any{e.Session}, &seq, &key, &at)
	if err != nil || !found || key != e.Key {
		return 0, err
	}
	if e.At.Sub(moment(at)).Abs() > mem.DuplicateWindow {
		return 0, nil
	}
	return seq, nil
}

// putEvent writes the event's row and returns its place.
func (e *entry) putEvent(ctx context.Context) (int64, error) {
	ev := e.event
	payload, err := text(ev)
	if err != nil {
		return 0, err
	}
	var session any
	if e.session != nil {
		session = e.session.Number
	}
	res, err := e.exec(ctx, `INSERT INTO event (id, key, session, prompt_id, kind, tool, tool_use_id, agent_id, agent_type,
		ok, exit_code, duration_ms, payload, created_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		ev.ID, ev.Key, session, ev.PromptID, string(ev.Kind), ev.Tool, ev.ToolUseID, ev.AgentID, ev.AgentType,
		ev.Kind != mem.PostToolUseFailure && ev.Kind != mem.StopFailure, exitCode(ev), ev.DurationMS, payload, stamp(e.at))
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// exitCode reads the code that failed commands report in words; nil if there is none.
func exitCode(e mem.Event) any {
	rest, ok := strings.CutPrefix(e.Error, "Exit code ")
	if !ok {
		return nil
	}
	word, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil {
		return nil
	}
	return n
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
	seq, err := s.eventSeq(ctx, q.Around)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", q.Around, translate(err))
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
	f := &filter{}
	if q.Session != "" {
		f.and("e.session = (SELECT number FROM session WHERE id=?)", q.Session)
	}
	if q.PromptID != "" {
		f.and("e.prompt_id = ?", q.PromptID)
	}
	if len(q.Kinds) > 0 {
		f.and("e.kind IN (SELECT value FROM json_each(?))", array(q.Kinds))
	}
	switch {
	case strings.Contains(q.Tool, "*"):
		f.and("e.tool GLOB (? || '')", q.Tool) // a bare ? would have it planned anew
	case q.Tool != "":
		f.and("e.tool = ?", q.Tool)
	}
	if q.Project != "" {
		f.and("e.session IN (SELECT number FROM session WHERE project = "+knownKey+")", q.Project, q.Project)
	}
	if !q.After.IsZero() { // along the indexes: an event has none by its time
		f.and("e.session IN (SELECT number FROM session WHERE last_event >= ?) AND e.created_at >= ?", stamp(q.After),
			stamp(q.After))
	}
	if q.AgentID != nil {
		f.and("e.agent_id = ?", *q.AgentID)
	}
	return f
}

func (s *eventStore) eventSeq(ctx context.Context, id string) (seq int64, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT seq FROM event WHERE id=? AND payload<>''", id).Scan(&seq)
	return seq, err
}

// events reads the payloads that pass; direction is ASC or DESC.
func (s *eventStore) events(ctx context.Context, f *filter, direction string, limit int) ([]mem.Event, error) {
	f.and("e.payload <> ''")
	query := "SELECT e.payload FROM event e WHERE " + f.where() + " ORDER BY e.seq " + direction + " LIMIT ?+0"
	events, err := rows(ctx, s.read, query, append(f.args, limit), func(r *sql.Rows) (ev mem.Event, err error) {
		var payload string
		if err := r.Scan(&payload); err != nil {
			return ev, err
		}
		return undoc[mem.Event]("event", payload)
	})
	if err != nil {
		return nil, fmt.Errorf("events: %w", translate(err))
	}
	return events, nil
}
