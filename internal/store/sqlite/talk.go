package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"remanence/internal/mem"
)

// reach is how many utterances before and after one it is also found by.
const reach = 2

// talk notes which utterances of a session came, went or changed, so that their
// index rows, and those of the ones said next to them, are written once.
type talk map[any]span

// span is a stretch of a session, by row numbers, both ends included.
type span struct{ first, last int64 }

func (t talk) touch(session any, n int64) {
	s, ok := t[session]
	if !ok {
		s = span{n, n}
	}
	t[session] = span{min(s.first, n), max(s.last, n)}
}

// utterance is what the index needs of one.
type utterance struct {
	number      int64
	body, ident string
	who         string
	at          int64
	hidden      bool // it is found by nobody else's words, and nobody by its
}

// indexTalk writes the index rows of all that was touched.
func (e *entry) indexTalk(ctx context.Context) error {
	for session, s := range e.talk {
		if err := e.indexSpan(ctx, session, s); err != nil {
			return err
		}
	}
	clear(e.talk)
	return nil
}

func (e *entry) indexSpan(ctx context.Context, session any, s span) error {
	lead, err := e.utterances(ctx, session, "number < ? ORDER BY number DESC LIMIT 4", s.first)
	if err != nil {
		return err
	}
	said := make([]utterance, 0, len(lead))
	for i := len(lead) - 1; i >= 0; i-- {
		said = append(said, lead[i])
	}
	within, err := e.utterances(ctx, session, "number BETWEEN ? AND ? ORDER BY number", s.first, s.last)
	if err != nil {
		return err
	}
	after, err := e.utterances(ctx, session, "number > ? ORDER BY number LIMIT 4", s.last)
	if err != nil {
		return err
	}
	said = append(append(said, within...), after...)
	from, to := max(0, len(lead)-reach), len(said)-max(0, len(after)-reach)
	if session == nil { // without a session nothing was said next to it
		from, to = len(lead), len(lead)+len(within)
	}
	for i := from; i < to; i++ {
		near, far := around(said, i, session != nil)
		u := said[i]
		if _, err := e.exec(ctx, "INSERT OR REPLACE INTO talk_fts (rowid, body, ident, who, near, far, day) VALUES "+
			"(?,?,?,?,?,?,?)",
			u.number, u.body, u.ident, mem.Memory{Who: u.who}.SpeakerName(), near, far,
			moment(u.at).Local().Format("January 2006 2")); err != nil {
			return err
		}
	}
	return nil
}

// around returns the texts at distance one and two from the one at i.
func around(said []utterance, i int, talking bool) (near, far string) {
	if !talking {
		return "", ""
	}
	at := func(i int) string {
		if i < 0 || i >= len(said) || said[i].hidden {
			return ""
		}
		return said[i].body
	}
	return strings.TrimSpace(at(i-1) + "\n" + at(i+1)), strings.TrimSpace(at(i-2) + "\n" + at(i+2))
}

// utterances returns those of a session that meet the condition.
func (e *entry) utterances(ctx context.Context, session any, condition string, args ...any) ([]utterance, error) {
	where := "session = ?"
	if session == nil {
		where = "session IS ?"
	}
	//nolint:sqlclosecheck // kept for the next call
	st, err := e.prepare(ctx, "SELECT number, title, body, words, who, created, status <> 'active' FROM memory WHERE "+
		where+" AND kind = 'utterance' AND "+condition)
	if err != nil {
		return nil, err
	}
	rs, err := st.QueryContext(ctx, append([]any{session}, args...)...)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var out []utterance
	for rs.Next() {
		u, err := scanUtterance(rs)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, rs.Err()
}

func scanUtterance(rs *sql.Rows) (u utterance, err error) {
	var title string
	if err := rs.Scan(&u.number, &title, &u.body, &u.ident, &u.who, &u.at, &u.hidden); err != nil {
		return u, err
	}
	if u.body == "" {
		u.body = title
	}
	return u, nil
}

// isTalk reports whether a memory stands in the index of what was said.
func isTalk(m mem.Memory) bool { return m.Kind == mem.Utterance }
