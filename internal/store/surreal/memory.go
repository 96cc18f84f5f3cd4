//go:build surreal || backends

package surreal

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/form"
)

// memories reads the memories that meet a condition.
func (tx *transaction) memories(ctx context.Context, condition string, args ...any) ([]stored.MemoryRow, error) {
	return rows(ctx, tx, query("SELECT "+form.MemoryFields+" FROM memory WHERE "+condition, args...), form.StoredMemory)
}

// oneMemory finds a memory that is to be written again.
func (tx *transaction) oneMemory(ctx context.Context, condition string, args ...any) (r stored.MemoryRow, found bool,
	err error,
) {
	all, err := tx.memories(ctx, condition, args...)
	if len(all) == 0 {
		return r, false, err
	}
	return all[0], true, err
}

// FindMemory finds a memory by its id.
func (tx *transaction) FindMemory(ctx context.Context, id string) (stored.MemoryRow, bool, error) {
	return tx.oneMemory(ctx, "ref = ?", id)
}

// FindMemoryByKey finds a memory of the session, or without one of the project, by its key.
func (tx *transaction) FindMemoryByKey(ctx context.Context, session any, project, key string) (stored.MemoryRow, bool,
	error,
) {
	return tx.oneMemory(ctx, "known = ?", form.KnownBy(numberOf(session), project, key))
}

// MemoriesOfTurn reads the memories of a turn of the session of the event.
func (e *entry) MemoriesOfTurn(ctx context.Context, promptID string) ([]stored.MemoryRow, error) {
	return e.memories(ctx, "session = ? AND prompt_id = ?", e.Session.Number, promptID)
}

// InsertMemory writes a new memory.
func (e *entry) InsertMemory(ctx context.Context, r stored.MemoryRow) error {
	return e.saveMemory(ctx, r)
}

// UpdateMemory writes a changed memory. The vector of a text that changes is deleted.
func (e *entry) UpdateMemory(ctx context.Context, old stored.MemoryRow, now mem.Memory) error {
	r := old
	r.Memory, r.Outdated = now, old.Outdated || old.OutdatesLinks(now)
	if stored.IsUtterance(old.Memory) && !stored.IsUtterance(now) {
		e.Spans.Add(old.SessionNumber, old.Number)
	}
	if err := e.saveMemory(ctx, r); err != nil {
		return err
	}
	if !old.Broken && !stored.VectorChanged(old.Memory, now) {
		return nil
	}
	return e.exec(ctx, query("DELETE type::record('vector', ?) RETURN NONE", old.Number))
}

// saveMemory writes a memory, new or not, with all that is derived from it. Utterances are indexed later, with their
// neighbours.
func (e *entry) saveMemory(ctx context.Context, r stored.MemoryRow) error {
	fields, err := form.OfMemory(r)
	if err != nil {
		return err
	}
	if !stored.IsUtterance(r.Memory) {
		form.SetIndex(fields, "stems", stored.IndexMemory(r.Memory))
	} else {
		e.Spans.Add(r.SessionNumber, r.Number)
		if n := numberOf(r.SessionNumber); n != 0 {
			if err := e.exec(ctx, noteSpoken(n, r.Number)); err != nil {
				return err
			}
		}
	}
	e.wrote(r.ID)
	return e.exec(ctx, put("memory", r.Number, fields))
}

// firstReach is how many numbers before and after an utterance its neighbours are looked for first. It grows while they
// are further away.
const firstReach = 64

// UtterancesBefore reads the last utterances of a session before a row, the nearest first.
func (tx *transaction) UtterancesBefore(ctx context.Context, session any, n int64, most int) ([]stored.Utterance,
	error,
) {
	ends, err := tx.spokenEnds(ctx, session)
	begin := ends.Number("first_spoken")
	if err != nil || begin == 0 || n <= begin {
		return nil, err
	}
	for reach := int64(firstReach); ; reach *= 8 {
		from := max(begin, n-reach)
		found, err := tx.utterances(ctx, session, from, n-1)
		if err != nil {
			return nil, err
		}
		if len(found) >= most || from == begin {
			slices.Reverse(found)
			return tx.spoken(ctx, found[:min(most, len(found))])
		}
	}
}

// UtterancesWithin reads the utterances of a session in a span.
func (tx *transaction) UtterancesWithin(ctx context.Context, session any, s stored.Span) ([]stored.Utterance, error) {
	found, err := tx.utterances(ctx, session, s.First, s.Last)
	if err != nil {
		return nil, err
	}
	return tx.spoken(ctx, found)
}

// UtterancesAfter reads the first utterances of a session after a row.
func (tx *transaction) UtterancesAfter(ctx context.Context, session any, n int64, most int) ([]stored.Utterance,
	error,
) {
	ends, err := tx.spokenEnds(ctx, session)
	end := ends.Number("last_spoken")
	if err != nil || n >= end {
		return nil, err
	}
	for reach := int64(firstReach); ; reach *= 8 {
		to := min(end, n+reach)
		found, err := tx.utterances(ctx, session, n+1, to)
		if err != nil {
			return nil, err
		}
		if len(found) >= most || to == end {
			return tx.spoken(ctx, found[:min(most, len(found))])
		}
	}
}

// spokenEnds reads the numbers of the first and of the last utterance that a session ever had. Those without a session
// have no neighbours.
func (tx *transaction) spokenEnds(ctx context.Context, session any) (row, error) {
	if session == nil {
		return nil, nil
	}
	r, _, err := first(ctx, tx, selectRecords("first_spoken, last_spoken", "session", []int64{numberOf(session)}), whole)
	return r, err
}

// noteSpoken is the statement that widens the ends of a session.
func noteSpoken(session, n int64) *statement {
	return query("UPDATE type::record('session', ?) SET first_spoken = IF first_spoken = NONE OR first_spoken > ? THEN ? "+
		"ELSE first_spoken END, last_spoken = IF last_spoken = NONE OR last_spoken < ? THEN ? ELSE last_spoken END "+
		"RETURN NONE", session, n, n, n, n)
}

// IndexUtterance writes the indexed words of an utterance.
func (tx *transaction) IndexUtterance(ctx context.Context, u stored.IndexedUtterance) error {
	fields := map[string]any{}
	form.SetIndex(fields, "spoken", stored.IndexUtterance(u))
	return tx.exec(ctx, query("UPDATE type::record('memory', ?) MERGE ? RETURN NONE", u.Number, fields))
}

// utterances returns the numbers of the utterances of a session in a span, in order.
func (tx *transaction) utterances(ctx context.Context, session any, from, to int64) ([]int64, error) {
	found, err := rows(ctx, tx, query(fmt.Sprintf("SELECT number FROM memory:%d..=%d WHERE ", from, to)+
		"session = ? AND kind = 'utterance'", numberOf(session)), number("number"))
	slices.Sort(found)
	return found, err
}

// spoken reads utterances in the order of their numbers.
func (tx *transaction) spoken(ctx context.Context, numbers []int64) ([]stored.Utterance, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	found, err := rows(ctx, tx, selectRecords(form.MemoryFields, "memory", numbers), form.StoredMemory)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b stored.MemoryRow) int {
		return cmp.Compare(slices.Index(numbers, a.Number), slices.Index(numbers, b.Number))
	})
	out := make([]stored.Utterance, 0, len(found))
	for _, m := range found {
		out = append(out, m.Utterance())
	}
	return out, nil
}
