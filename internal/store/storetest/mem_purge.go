package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Purge implements mem.Store.
func (s *Mem) Purge(ctx context.Context, ids ...string) (mem.Purged, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return mem.Purged{}, err
	}
	defer unlock()
	var named []*memory
	var whole []*session
	for _, id := range ids {
		m := s.memory(id)
		i := slices.IndexFunc(s.sessions, func(ss *session) bool { return ss.ID == id || ss.Short == id })
		switch {
		case m != nil:
			named = joined(named, []*memory{m})
		case i >= 0:
			whole = append(whole, s.sessions[i])
		default:
			return mem.Purged{}, fmt.Errorf("purge %s: %w", id, mem.ErrNotFound)
		}
	}
	return s.erase(named, whole), nil
}

func (s *Mem) erase(named []*memory, whole []*session) (done mem.Purged) {
	doomed := slices.Clone(named)
	for _, m := range s.memories {
		if m.session != nil && slices.Contains(whole, m.session) && !slices.Contains(doomed, m) {
			doomed = append(doomed, m)
		}
	}
	doomed = s.withMerged(doomed)
	s.dropProposals(doomed, whole)
	for _, m := range slices.Clone(doomed) {
		if m.session != nil && !slices.Contains(whole, m.session) {
			doomed = joined(doomed, s.blankSession(m, &done))
		}
	}
	doomed = s.withMerged(doomed)
	s.dropProposals(doomed, whole)
	gone := func(ss *session) bool { return ss != nil && slices.Contains(whole, ss) }
	asked := s.asked(gone)
	s.eraseWhole(gone, &done)
	for _, r := range s.receipts { // later sessions were told what the last one was asked
		if asked.inside(r.Receipt) {
			r.Receipt = blanked(asked, r.Receipt)
			done.Receipts++
		}
	}
	for _, m := range doomed {
		s.blankElsewhere(m, &done)
	}
	for _, r := range s.receipts {
		if blankTold(r, doomed) {
			done.Receipts++
		}
	}
	done.Memories = len(doomed)
	s.memories = slices.DeleteFunc(s.memories, func(m *memory) bool { return slices.Contains(doomed, m) })
	return done
}

// dropProposals erases the proposals of other memories that came from an erased
// session or hold the text of an erased memory.
func (s *Mem) dropProposals(doomed []*memory, whole []*session) {
	var t lines
	for _, m := range doomed {
		t = append(t, mem.Traces(m.Memory)...)
	}
	for _, m := range s.memories {
		if slices.Contains(doomed, m) {
			continue
		}
		m.Proposals = slices.DeleteFunc(slices.Clone(m.Proposals), func(p mem.Proposal) bool {
			return slices.ContainsFunc(whole, func(ss *session) bool { return ss.ID == p.Session }) || slices.ContainsFunc(p.Traces(), t.in)
		})
	}
}

// withMerged adds what was merged into the memories: it says the same.
func (s *Mem) withMerged(doomed []*memory) []*memory {
	for i := 0; i < len(doomed); i++ {
		for _, m := range s.memories {
			if m.MergedInto == doomed[i].ID {
				doomed = joined(doomed, []*memory{m})
			}
		}
	}
	return doomed
}

// joined adds the memories that are not there yet.
func joined(a, b []*memory) []*memory {
	for _, m := range b {
		if !slices.Contains(a, m) {
			a = append(a, m)
		}
	}
	return a
}

// eraseWhole erases everything of whole sessions but their memories.
func (s *Mem) eraseWhole(gone func(*session) bool, done *mem.Purged) {
	for _, e := range s.events {
		if gone(e.session) {
			done.Events += ternary(e.erased, 0, 1)
			blankEvent(e)
			e.session = nil
		}
	}
	done.Turns += drop(&s.turns, func(t *turn) bool { return gone(t.session) })
	done.Receipts += drop(&s.receipts, func(r *receipt) bool { return gone(r.session) })
	done.Checkpoints += drop(&s.checks, func(c *checkpoint) bool { return gone(c.session) })
	drop(&s.jobs, func(j *job) bool { return gone(j.session) })
	drop(&s.sessions, gone)
}

// asked are the lines by which other texts give away what was asked and handed
// on in sessions.
func (s *Mem) asked(gone func(*session) bool) (out lines) {
	add := func(texts ...string) {
		for _, text := range texts {
			out = append(out, chars.TracesOfText(text)...)
		}
	}
	for _, ss := range s.sessions {
		if gone(ss) {
			add(ss.FirstPrompt)
		}
	}
	for _, t := range s.turns {
		if gone(t.session) {
			add(t.Text)
		}
	}
	for _, c := range s.checks {
		if gone(c.session) {
			add(c.Handoff, c.Note)
		}
	}
	return out
}

// drop deletes and returns how many.
func drop[T any](v *[]T, gone func(T) bool) int {
	n := len(*v)
	*v = slices.DeleteFunc(*v, gone)
	return n - len(*v)
}

// blankEvent leaves what tells the event from others.
func blankEvent(e *event) {
	e.Event = mem.Event{ID: e.ID, Key: e.Key, Kind: e.Kind, At: e.At, Session: e.Session}
	e.erased = true
}

// blankSession erases what else of the memory's session holds its text, and
// returns the memories that do and what was said that it was made of.
func (s *Mem) blankSession(m *memory, done *mem.Purged) (derived []*memory) {
	t := lines(mem.Traces(m.Memory))
	for _, e := range s.events {
		if e.session == m.session && !e.erased && (e.ID == m.Source.Event || e.ToolUseID != "" && e.ToolUseID == m.Source.ToolUseID || t.inside(e.Event)) {
			blankEvent(e)
			done.Events++
		}
	}
	for _, v := range s.turns {
		if v.session == m.session && t.in(v.Text) {
			v.Text = ""
			done.Turns++
		}
	}
	for _, o := range s.memories {
		made := o.Kind == mem.Utterance && m.MadeOf(o.Source.PromptID, o.Who)
		if o != m && o.session == m.session && (made || t.inside(o.Memory) || t.in(o.Index)) {
			derived = append(derived, o)
		}
	}
	return derived
}

// blankElsewhere erases what any session that is left keeps of the memory.
func (s *Mem) blankElsewhere(m *memory, done *mem.Purged) {
	t := lines(mem.Traces(m.Memory))
	for _, c := range s.checks {
		if t.inside(c.Checkpoint) {
			c.Checkpoint = blanked(t, c.Checkpoint)
			done.Checkpoints++
		}
	}
	for _, r := range s.receipts {
		if t.inside(r.Receipt) {
			r.Receipt = blanked(t, r.Receipt)
			done.Receipts++
		}
	}
	for _, ss := range s.sessions {
		for _, field := range []*string{&ss.FirstPrompt, &ss.LastNotification, &ss.Nudge} {
			if t.in(*field) {
				*field = ""
			}
		}
	}
	drop(&s.jobs, func(j *job) bool { return t.in(j.Data) || t.in(j.Error) })
}

// blankTold takes erased memories out of a receipt.
func blankTold(r *receipt, doomed []*memory) bool {
	changed := false
	for _, m := range doomed {
		for i := range r.Items {
			if r.Items[i].ID == m.ID && (r.Items[i].Title != "" || r.Text != "") {
				r.Items[i].Title, r.Text, changed = "", "", true
			}
		}
		for i := range r.Dropped {
			if r.Dropped[i].ID == m.ID && r.Dropped[i].Title != "" {
				r.Dropped[i].Title, r.Text, changed = "", "", true
			}
		}
	}
	return changed
}

// lines are what other texts give an erased memory away by.
type lines []string

func (t lines) in(text string) bool {
	text = chars.Folded(text)
	return slices.ContainsFunc(t, func(line string) bool { return strings.Contains(text, line) })
}

// inside reports whether any string of v holds a line.
func (t lines) inside(v any) bool {
	found := false
	each(tree(v), func(s string) string {
		found = found || t.in(s)
		return s
	})
	return found
}

// blanked is v with empty strings for those that hold a line.
func blanked[T any](t lines, v T) (out T) {
	b, err := json.Marshal(each(tree(v), func(s string) string { return ternary(t.in(s), "", s) }))
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		panic(err) // it came from JSON
	}
	return out
}

func tree(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the nouns of mem can all be written
	}
	return copied(json.RawMessage(b))
}

// each replaces every string of a document.
func each(v any, f func(string) string) any {
	switch v := v.(type) {
	case json.RawMessage:
		var plain any
		if json.Unmarshal(v, &plain) != nil {
			return v
		}
		return each(plain, f)
	case string:
		return f(v)
	case []any:
		for i := range v {
			v[i] = each(v[i], f)
		}
	case map[string]any:
		for k := range v {
			v[k] = each(v[k], f)
		}
	}
	return v
}
