package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

const blankEvent = "UPDATE event SET payload='', prompt_id='', tool='', tool_use_id='', agent_id='', agent_type=''"

// blankSession erases what else of the memory's session holds its text.
func (e *eraser) blankSession(ctx context.Context, m mem.Memory) error {
	if m.Session == "" {
		return nil
	}
	var n int64
	if err := e.get(ctx, "SELECT number FROM session WHERE id=?", []any{m.Session}, &n); err != nil {
		return err
	}
	if e.sessions[n] {
		return nil // all of it goes
	}
	var t traces
	t.add(m)
	f := t.finder()
	for _, blank := range []func(context.Context, int64, *finder) error{e.blankEvents, e.blankTurns, e.doomDerived} {
		if err := blank(ctx, n, f); err != nil {
			return err
		}
	}
	// What the memory was made of may say the same in other words.
	if err := e.doomSaid(ctx, n, m); err != nil {
		return err
	}
	if m.Source.Event == "" && m.Source.ToolUseID == "" {
		return nil
	}
	events, err := e.changed(ctx, blankEvent+
		" WHERE session=? AND payload<>'' AND (id=? OR (tool_use_id<>'' AND tool_use_id=?))",
		n, m.Source.Event, m.Source.ToolUseID)
	e.done.Events += events
	return err
}

func (e *eraser) blankEvents(ctx context.Context, session int64, f *finder) error {
	held, err := e.holding(ctx, "SELECT seq, payload FROM event WHERE session=? AND payload<>''", session, f.inDocument)
	if err != nil {
		return err
	}
	for _, n := range held {
		if _, err := e.exec(ctx, blankEvent+" WHERE seq=?", n); err != nil {
			return err
		}
	}
	e.done.Events += len(held)
	return nil
}

func (e *eraser) blankTurns(ctx context.Context, session int64, f *finder) error {
	held, err := e.holding(ctx, "SELECT number, text FROM turn WHERE session=? AND text<>''", session, f.in)
	if err != nil {
		return err
	}
	for _, n := range held {
		if _, err := e.exec(ctx, "UPDATE turn SET text='' WHERE number=?", n); err != nil {
			return err
		}
	}
	e.done.Turns += len(held)
	return nil
}

// blankElsewhere erases what any session that is left keeps of the memories: open
// items are told to, and saved with, every session of a project. All that is kept
// is read for it, once.
func (e *eraser) blankElsewhere(ctx context.Context) error {
	f := e.traces.finder()
	if err := e.blankDocs(ctx, "checkpoint", f); err != nil {
		return err
	}
	// Later sessions were told what the one that is erased was asked last.
	if err := e.blankDocs(ctx, "receipt", slices.Concat(e.traces, e.asked).finder()); err != nil {
		return err
	}
	if err := e.blankOwn(ctx, f); err != nil {
		return err
	}
	return e.blankTold(ctx, f)
}

// traceSession collects the lines by which other texts give a session away.
func (e *eraser) traceSession(ctx context.Context, n int64) error {
	texts, err := rows(ctx, e.conn,
		"SELECT text FROM turn WHERE session=?1 UNION ALL SELECT first_prompt FROM session WHERE number=?1", []any{n},
		one[string])
	if err != nil {
		return err
	}
	docs, err := rows(ctx, e.conn, "SELECT doc FROM checkpoint WHERE session=?", []any{n}, one[string])
	if err != nil {
		return err
	}
	for _, doc := range docs {
		var cp mem.Checkpoint
		if err := json.Unmarshal([]byte(doc), &cp); err != nil {
			continue // it goes, read or not
		}
		texts = append(texts, cp.Handoff, cp.Note)
	}
	for _, text := range texts {
		e.asked = append(e.asked, chars.TracesOfText(text)...)
	}
	return nil
}

// blankDocs blanks the strings of checkpoints, or of receipts, that hold a trace;
// the rest of them stays.
func (e *eraser) blankDocs(ctx context.Context, table string, f *finder) error {
	if len(f.of) == 0 {
		return nil
	}
	held, err := e.holding(ctx, "SELECT number, doc FROM "+table+" WHERE doc<>?", "", f.inDocument)
	if err != nil {
		return err
	}
	for _, n := range held {
		if err := e.replaceDoc(ctx, table, n, f.blank); err != nil {
			return fmt.Errorf("%s %d: %w", table, n, err)
		}
		if table == "receipt" {
			e.receipts[n] = true
			continue
		}
		e.done.Checkpoints++
	}
	return nil
}

// replaceDoc writes what blank makes of a document. One that cannot be read may
// hold what is erased, so it goes as a whole.
func (e *eraser) replaceDoc(ctx context.Context, table string, n int64, blank func(string) (string, error)) error {
	var doc string
	if err := e.get(ctx, "SELECT doc FROM "+table+" WHERE number=?", []any{n}, &doc); err != nil {
		return err
	}
	if _, err := decode(doc); err != nil {
		_, err := e.exec(ctx, "DELETE FROM "+table+" WHERE number=?", n)
		return err
	}
	fresh, err := blank(doc)
	if err != nil {
		return err
	}
	_, err = e.exec(ctx, "UPDATE "+table+" SET doc=? WHERE number=?", fresh, n)
	return err
}

// blankOwn blanks the texts of sessions and drops the jobs that hold a trace.
func (e *eraser) blankOwn(ctx context.Context, f *finder) error {
	for _, column := range []string{"first_prompt", "last_notification", "nudge"} {
		held, err := e.holding(ctx, "SELECT number, "+column+" FROM session WHERE "+column+"<>?", "", f.in)
		if err != nil {
			return err
		}
		for _, n := range held {
			if _, err := e.exec(ctx, "UPDATE session SET "+column+"='' WHERE number=?", n); err != nil {
				return err
			}
		}
	}
	jobs, err := e.holding(ctx, "SELECT number, data || char(10) || error FROM job WHERE data || error <> ?", "", f.in)
	if err != nil {
		return err
	}
	for _, n := range jobs {
		if _, err := e.exec(ctx, "DELETE FROM job WHERE number=?", n); err != nil {
			return err
		}
	}
	return nil
}

// doomDerived erases the other memories of the session that hold a trace.
func (e *eraser) doomDerived(ctx context.Context, session int64, f *finder) error {
	held, err := e.holding(ctx,
		`SELECT number, title || char(10) || body || char(10) || facts || char(10) || summary || char(10)
		|| command || char(10) || words || char(10) || standing FROM memory WHERE session=?`, session, f.in)
	if err != nil {
		return err
	}
	for _, n := range held {
		if _, err := e.add(ctx, "m.number=?", n); err != nil {
			return err
		}
	}
	return nil
}

// doomSaid erases what was said in the session that the memory was made of.
func (e *eraser) doomSaid(ctx context.Context, session int64, m mem.Memory) error {
	// Also one that cannot be read as a whole: its text is there.
	said, err := rows(ctx, e.conn, "SELECT number, who FROM memory WHERE session=? AND kind='utterance' AND prompt_id=?",
		[]any{session, m.Source.PromptID}, func(r *sql.Rows) (u utterance, err error) {
			err = r.Scan(&u.number, &u.who)
			return u, err
		})
	if err != nil {
		return err
	}
	for _, u := range said {
		if !m.DerivedFrom(m.Source.PromptID, u.who) {
			continue
		}
		if _, err := e.add(ctx, "m.number=?", u.number); err != nil {
			return err
		}
	}
	return nil
}

// blankTold takes the erased memories out of every receipt that named them,
// whatever session it was given to.
func (e *eraser) blankTold(ctx context.Context, f *finder) error {
	for _, m := range e.memories {
		named, err := rows(ctx, e.conn,
			"SELECT number FROM receipt WHERE number IN (SELECT receipt FROM receipt_item WHERE memory=?)", []any{m.ID},
			one[int64])
		if err != nil {
			return err
		}
		for _, n := range named {
			err := e.replaceDoc(ctx, "receipt", n, func(doc string) (string, error) { return f.blankReceipt(doc, m.ID) })
			if errors.Is(err, errUnchanged) {
				continue
			}
			if err != nil {
				return fmt.Errorf("receipt %d: %w", n, err)
			}
			e.receipts[n] = true
		}
	}
	return nil
}
