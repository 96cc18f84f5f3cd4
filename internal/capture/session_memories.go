package capture

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// sessionMemories are the statements that a session stored before, and the open items
// of its project.
type sessionMemories struct {
	made  []mem.Memory // statements, last changed first
	open  []mem.Memory // items of work, last changed first
	notes []mem.Memory // notes that the agent kept by itself, last changed first
}

func (s *Service) sessionMemories(ctx context.Context, ec event.Context) (k sessionMemories, err error) {
	if k.made, err = s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, Within: ec.Session,
		Tags:  []string{extract.DigestTag, extract.StatedTag},
		Order: mem.ByUpdate, Limit: 60,
	}); err != nil {
		return k, fmt.Errorf("earlier statements of the session: %w", err)
	}
	if k.open, err = s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Kinds: []mem.Kind{mem.Todo}, Open: true,
		Order: mem.ByUpdate, Limit: 50,
	}); err != nil {
		return k, fmt.Errorf("open items: %w", err)
	}
	recent, err := s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, Within: ec.Session,
		NotKinds: []mem.Kind{mem.Change, mem.Command, mem.Summary}, Order: mem.ByUpdate, Limit: 60,
	})
	if err != nil {
		return k, fmt.Errorf("notes of the session: %w", err)
	}
	for _, mm := range recent {
		if mm.Origin == mem.FromMCP {
			k.notes = append(k.notes, mm)
		}
	}
	return k, nil
}

// notesOf is how many notes the agent kept in a turn.
func (k *sessionMemories) notesOf(promptID string) (n int) {
	for _, note := range k.notes {
		if note.Source.PromptID == promptID {
			n++
		}
	}
	return n
}

// isNoted reports whether the agent kept a note that says the same.
func (k *sessionMemories) isNoted(mm mem.Memory) bool {
	return mm.Trust < mem.TrustUser && slices.ContainsFunc(k.notes, func(note mem.Memory) bool {
		return note.Trust >= mm.Trust && extract.SameThing(note, mm)
	})
}

// notedEdits supersedes statements made by rule that the agent repeated in a note since.
func (k *sessionMemories) notedEdits() []mem.Edit {
	var out []mem.Edit
	over := mem.Superseded
	for _, o := range k.made {
		if o.ID != "" && !o.Pinned && slices.Contains(o.Tags, extract.DigestTag) && k.isNoted(o) {
			out = append(out, mem.Edit{ID: o.ID, Status: &over})
		}
	}
	return out
}

// digested is how many statements of the assistant's the session made.
func (k *sessionMemories) digested() (n int) {
	for _, o := range k.made {
		if slices.Contains(o.Tags, extract.DigestTag) {
			n++
		}
	}
	return n
}

// merge returns the new memories without repetitions: within the turn, of the session,
// and of listed items of work. It bounds how many memories of the session have project
// scope; the edits take that scope from older ones.
func (k *sessionMemories) merge(ec event.Context, fresh []mem.Memory) (out []mem.Memory, edits []mem.Edit) {
	var toCarry []int
	fresh = k.withoutListed(ec, fresh)
	for _, mm := range fresh {
		if slices.ContainsFunc(out, func(o mem.Memory) bool {
			return o.Trust >= mm.Trust && (extract.SameThing(o, mm) || extract.RepeatsUser(mm, o))
		}) || k.isListed(mm) || k.isNoted(mm) || isCovered(mm, k.made) || isCovered(mm, fresh) {
			continue
		}
		if i := slices.IndexFunc(k.made, func(o mem.Memory) bool {
			return (o.Kind == mm.Kind || o.Kind != mem.Todo && mm.Kind != mem.Todo) && o.Trust == mm.Trust &&
				slices.Equal(o.Tags, mm.Tags) && extract.SameThing(o, mm)
		}); i >= 0 {
			out = append(out, extract.Repeated(k.made[i], mm))
			continue
		}
		toCarry = append(toCarry, len(out))
		out = append(out, mm)
	}
	slices.SortStableFunc(toCarry, func(a, b int) int { return cmp.Compare(out[b].Importance, out[a].Importance) })
	for _, i := range toCarry {
		var demoted []mem.Edit
		out[i], demoted = k.limitCarried(out[i])
		edits = append(edits, demoted...)
	}
	return out, edits
}

// isCovered reports whether a statement of the assistant is part of a longer one of the session with no less trust, or
// only reports what another one of its turn explains.
func isCovered(mm mem.Memory, by []mem.Memory) bool {
	if mm.Kind == mem.Todo || !slices.Contains(mm.Tags, extract.DigestTag) {
		return false
	}
	return slices.ContainsFunc(by, func(o mem.Memory) bool {
		return o.Trust >= mm.Trust && o.Kind != mem.Todo && o.Text() != mm.Text() && (extract.Covers(o, mm) ||
			o.Source.PromptID == mm.Source.PromptID && o.Source.PromptID != "" && extract.OnlyReports(o, mm))
	})
}

// withoutListed removes new items of work that the session's own list has in other
// words. One listed item removes at most one of them.
func (k *sessionMemories) withoutListed(ec event.Context, fresh []mem.Memory) []mem.Memory {
	gone := map[int]bool{}
	for _, o := range k.open {
		if o.Session != ec.Session || !slices.Contains(o.Tags, extract.ListedTag) {
			continue
		}
		best, most := -1, 0.0
		for i, mm := range fresh {
			if like := extract.SameWork(o.Title, mm.Title); mm.Kind == mem.Todo && mm.Trust <= o.Trust && !gone[i] &&
				like > most {
				best, most = i, like
			}
		}
		if best >= 0 {
			gone[best] = true
		}
	}
	var out []mem.Memory
	for i, mm := range fresh {
		if !gone[i] {
			out = append(out, mm)
		}
	}
	return out
}

// isListed reports whether an item of work is already open with at least the same
// trust, or combines several such items.
func (k *sessionMemories) isListed(mm mem.Memory) bool {
	if mm.Kind != mem.Todo {
		return false
	}
	of, named := extract.WorkTerms(mm.Title), []string{}
	items := 0
	for _, o := range k.open {
		if o.Trust < mm.Trust {
			continue
		}
		if (o.Session != mm.Session || slices.Contains(o.Tags, extract.ListedTag)) &&
			extract.SameItem(o.Title, mm.Title) {
			return true
		}
		if x := extract.WorkTerms(o.Title); len(x) >= 2 && 3*extract.CountShared(x, of) >= 2*len(x) {
			items++
			named = append(named, x...)
		}
	}
	return items >= 2 && 4*extract.CountShared(of, named) >= 3*len(of)
}

// limitCarried bounds how many memories of a session have project scope. Above
// MaxCarried the least important one gets session scope: mm, or an older one by an edit.
func (k *sessionMemories) limitCarried(mm mem.Memory) (mem.Memory, []mem.Edit) {
	if !slices.Contains(mm.Tags, extract.DigestTag) {
		return mm, nil
	}
	var edits []mem.Edit
	var least *mem.Memory
	n := 0
	for i := range k.made {
		o := &k.made[i]
		if o.Scope != mem.ScopeProject || !slices.Contains(o.Tags, extract.DigestTag) {
			continue
		}
		n++
		if o.ID != "" && !o.Pinned && o.Uses == 0 && o.Trust <= mm.Trust &&
			(least == nil || o.Importance <= least.Importance) { // the oldest of them
			least = o
		}
	}
	if n >= extract.MaxCarried {
		if least == nil || least.Importance > mm.Importance {
			mm.Scope = mem.ScopeSession
			return mm, nil
		}
		edits = []mem.Edit{{ID: least.ID, Scope: new(mem.ScopeSession)}}
		least.Scope = mem.ScopeSession
	}
	k.made = append([]mem.Memory{mm}, k.made...)
	return mm, edits
}

// settledEdits returns the edits a turn makes to known memories: it resolves items
// of work that are done, and supersedes decisions that the user revoked or corrected.
func (k *sessionMemories) settledEdits(t turn) []mem.Edit {
	if t.Turn.Trust == mem.TrustNone {
		return nil
	}
	var out []mem.Edit
	yes, over := true, mem.Superseded
	for _, o := range k.open {
		if o.Trust == mem.TrustUser || o.Source.PromptID == t.PromptID && o.Session == t.Session {
			continue
		}
		if slices.ContainsFunc(t.statements, func(s extract.Statement) bool { return extract.DoneWith(o.Title, s) }) {
			out = append(out, mem.Edit{ID: o.ID, Resolved: &yes})
		}
	}
	retracts := extract.Retracts(t.Turn.Text)
	changed := slices.ContainsFunc(t.did, func(o mem.Memory) bool { return o.Kind == mem.Change })
	if !retracts && (len(t.Turn.Text) > extract.PastedLength || !changed) {
		return out
	}
	for _, o := range k.made {
		before := t.Turn.Number - o.Source.Prompt
		if o.Kind != mem.Decision || o.ID == "" || o.Trust >= mem.TrustUser || o.Pinned || before < 1 ||
			o.Source.Prompt < 1 {
			continue
		}
		if before == 1 && (retracts || extract.Corrects(t.Turn.Text, o.Text())) ||
			extract.ChangesMind(t.Turn.Text, o.Text()) {
			out = append(out, mem.Edit{ID: o.ID, Status: &over})
		}
	}
	return out
}

// restatedEdits supersedes open items that a new item restates with less left to do.
func (k *sessionMemories) restatedEdits(fresh []mem.Memory) []mem.Edit {
	var out []mem.Edit
	over := mem.Superseded
	for _, mm := range fresh {
		left := extract.ItemTerms(mm.Title)
		if mm.Kind != mem.Todo || len(left) < 2 ||
			!lang.ContainsAny(lang.CueText(mm.Title), " still ", " noch ", " encore ", " todavía ", " aún ") {
			continue
		}
		for _, o := range k.open {
			if of := rank.Terms(o.Title); o.Session == mm.Session && o.Trust <= mm.Trust && !o.Pinned &&
				len(of) > len(left) &&
				extract.CountShared(left, of) == len(left) {
				out = append(out, mem.Edit{ID: o.ID, Status: &over})
			}
		}
	}
	return out
}

// forbiddenFixes returns edits that supersede fixes of the session which the user forbids
// or the agent reverted, so that they are not injected again.
func (s *Service) forbiddenFixes(ctx context.Context, t turn) ([]mem.Edit, error) {
	if t.Turn.Number == 0 || len(t.Turn.Text) > extract.PastedLength {
		return nil, nil
	}
	fixes, err := s.Store.List(ctx, mem.Query{
		Project: t.Project.Key, Session: t.Session, Kinds: []mem.Kind{mem.ErrorFix}, Limit: 20,
	})
	if err != nil {
		return nil, fmt.Errorf("fixes of the session: %w", err)
	}
	var out []mem.Edit
	over := mem.Superseded
	for _, fix := range fixes {
		if fix.Pinned {
			continue
		}
		acts := append(strings.Split(fix.Body, "\n"), fix.Facts...)
		if slices.ContainsFunc(acts, func(act string) bool {
			return len(fix.Files) == 0 && extract.ForbidsCommand(t.Turn.Text, act) || t.reverts(fix, act)
		}) {
			out = append(out, mem.Edit{ID: fix.ID, Status: &over})
		}
	}
	return out, nil
}

// reverts reports whether the turn undid one of the changes that a fix consists of.
func (t turn) reverts(fix mem.Memory, act string) bool {
	return slices.ContainsFunc(t.did, func(c mem.Memory) bool {
		return c.Kind == mem.Change && c.Updated.After(fix.Updated) && c.Title != act &&
			c.Title == extract.RevertTitle(act)
	})
}
