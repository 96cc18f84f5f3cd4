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

// sessionMemories is what a session made of words before, and what is open in its project.
type sessionMemories struct {
	made []mem.Memory // newest first
	open []mem.Memory // items of work, likewise
}

func (s *Service) sessionMemories(ctx context.Context, m *event.Context) (k sessionMemories, err error) {
	if k.made, err = s.Store.List(ctx, mem.Query{
		Project: m.Project.Key, Session: m.Session, Within: m.Session, Tags: []string{extract.DigestTag, extract.StatedTag},
		Order: mem.ByUpdate, Limit: 60,
	}); err != nil {
		return k, fmt.Errorf("what the session said before: %w", err)
	}
	if k.open, err = s.Store.List(ctx, mem.Query{
		Project: m.Project.Key, Kinds: []mem.Kind{mem.Todo}, Open: true,
		Order: mem.ByUpdate, Limit: 50,
	}); err != nil {
		return k, fmt.Errorf("open items: %w", err)
	}
	return k, nil
}

// merge are the new memories without what is said already: what the turn says
// twice, what the session said before, items of work that are on the list. The
// ones that a session hands on are bounded.
func (k *sessionMemories) merge(m *event.Context, fresh []mem.Memory) []mem.Memory {
	var out []mem.Memory
	var toCarry []int
	fresh = k.withoutListed(m, fresh)
	for _, mm := range fresh {
		if slices.ContainsFunc(out, func(o mem.Memory) bool {
			return o.Trust >= mm.Trust && (extract.SameThing(o, mm) || extract.RepeatsUser(mm, o))
		}) || k.isListed(mm) {
			continue
		}
		if i := slices.IndexFunc(k.made, func(o mem.Memory) bool {
			return o.Kind == mm.Kind && o.Trust == mm.Trust && extract.SameThing(o, mm)
		}); i >= 0 {
			out = append(out, extract.Repeated(k.made[i], mm))
			continue
		}
		toCarry = append(toCarry, len(out))
		out = append(out, mm)
	}
	slices.SortStableFunc(toCarry, func(a, b int) int { return cmp.Compare(out[b].Importance, out[a].Importance) })
	for _, i := range toCarry {
		out[i] = k.limitCarried(m, out[i])
	}
	return out
}

// withoutListed removes new items of work that the session's own list has in other
// words. One listed item removes at most one of them.
func (k *sessionMemories) withoutListed(m *event.Context, fresh []mem.Memory) []mem.Memory {
	gone := map[int]bool{}
	for _, o := range k.open {
		if o.Session != m.Session || !slices.Contains(o.Tags, extract.ListedTag) {
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
	of, told := extract.WorkTerms(mm.Title), []string{}
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
			told = append(told, x...)
		}
	}
	return items >= 2 && 4*extract.CountShared(of, told) >= 3*len(of)
}

// limitCarried bounds how many memories of a session have project scope. Above
// MaxCarried the least important one gets session scope.
func (k *sessionMemories) limitCarried(m *event.Context, mm mem.Memory) mem.Memory {
	if !slices.Contains(mm.Tags, extract.DigestTag) {
		return mm
	}
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
			return mm
		}
		within := mem.ScopeSession
		m.Batch.Edits = append(m.Batch.Edits, mem.Edit{ID: least.ID, Scope: &within})
		least.Scope = mem.ScopeSession
	}
	k.made = append([]mem.Memory{mm}, k.made...)
	return mm
}

// settledEdits returns the edits a turn makes to known memories: it resolves items
// of work that are done, and supersedes decisions that the user revoked or corrected.
func (k *sessionMemories) settledEdits(m *event.Context, all []extract.Statement, own []mem.Memory) []mem.Edit {
	if m.Turn.Trust == mem.TrustNone {
		return nil
	}
	var out []mem.Edit
	yes, over := true, mem.Superseded
	for _, o := range k.open {
		if o.Trust == mem.TrustUser || o.Source.PromptID == m.PromptID && o.Session == m.Session {
			continue
		}
		if slices.ContainsFunc(all, func(s extract.Statement) bool { return extract.DoneWith(o.Title, s) }) {
			out = append(out, mem.Edit{ID: o.ID, Resolved: &yes})
		}
	}
	back := extract.Retracts(m.Turn.Text)
	if !back &&
		(len(m.Turn.Text) > extract.PastedLength || !slices.ContainsFunc(own, func(o mem.Memory) bool {
			return o.Kind == mem.Change
		})) {
		return out
	}
	for _, o := range k.made {
		before := m.Turn.Number - o.Source.Prompt
		if o.Kind != mem.Decision || o.ID == "" || o.Trust >= mem.TrustUser || o.Pinned || before < 1 ||
			o.Source.Prompt < 1 {
			continue
		}
		if before == 1 && (back || extract.Corrects(m.Turn.Text, o.Text())) ||
			extract.ChangesMind(m.Turn.Text, o.Text()) {
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

// dropForbidden supersedes fixes of the session that the user forbids or the agent
// reverted, so that they are not injected again.
func (s *Service) dropForbidden(ctx context.Context, m *event.Context, own []mem.Memory) error {
	if m.Turn.Number == 0 || len(m.Turn.Text) > extract.PastedLength {
		return nil
	}
	fixes, err := s.Store.List(
		ctx,
		mem.Query{
			Project: m.Project.Key,
			Session: m.Session,
			Kinds:   []mem.Kind{mem.ErrorFix},
			Tags:    []string{extract.AutoCaptured},
			Limit:   20,
		},
	)
	if err != nil {
		return fmt.Errorf("what helped: %w", err)
	}
	over := mem.Superseded
	for _, o := range fixes {
		if o.Pinned {
			continue
		}
		if slices.ContainsFunc(strings.Split(o.Body, "\n"), func(act string) bool {
			return len(o.Files) == 0 && extract.ForbidsCommand(m.Turn.Text, act) ||
				slices.ContainsFunc(own, func(c mem.Memory) bool {
					return c.Kind == mem.Change && c.Updated.After(o.Updated) && c.Title != act &&
						c.Title == extract.RevertTitle(act)
				})
		}) {
			m.Batch.Edits = append(m.Batch.Edits, mem.Edit{ID: o.ID, Status: &over})
		}
	}
	return nil
}
