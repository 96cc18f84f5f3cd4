package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
)

const (
	todayNewest   = 5    // memories shown of a day
	todayOpen     = 3    // open items shown
	todayFiles    = 3    // files shown while nothing was kept today
	maxToday      = 1000 // memories and injections of a day that are counted
	todayReceipts = 100  // receipts read at a time

	maxTodaySessions = 200 // of a day, whose projects are counted
	todayProjects    = 50  // whose open items are looked for
)

// TodayResponse is what the day brought to a project, or to all: what was kept, what was injected, what is open.
type TodayResponse struct {
	Project  mem.Project `json:"project"`
	Since    time.Time   `json:"since"`    // the beginning of the day where the daemon runs
	Sessions int         `json:"sessions"` // with a prompt
	Projects int         `json:"projects"` // that the sessions belong to, of at most 200 sessions
	// Kept counts the day's memories of lasting kinds: knowledge and open items, at most 1,000.
	Kept  int         `json:"kept"`
	Kinds []mem.Count `json:"kinds"` // of the kept ones, the most frequent first
	// Newest are the newest kept ones, or those of before if nothing was kept today; newest first.
	Newest    []TimelineEntry `json:"newest"`    // without open items
	Injected  int             `json:"injected"`  // memories whose text was injected, each once
	Tokens    int             `json:"tokens"`    // of all injections
	Abstained int             `json:"abstained"` // times that nothing was relevant enough
	Used      []TodayUse      `json:"used"`      // injected memories that were used later that day, the last first
	Last      *ReceiptRow     `json:"last"`      // the newest injection of any day; null without one
	LastUsed  int             `json:"last_used"` // memories of Last that were used since
	Open      []TimelineEntry `json:"open"`      // open items, the newest first
	Files     []mem.FileRow   `json:"files"`     // files with most memories; only while nothing was kept today
	Review    int             `json:"review"`    // findings that wait for a decision
}

// TodayUse is an injected memory that was cited, fetched or acted on afterwards.
type TodayUse struct {
	ID    string    `json:"id"`
	Kind  mem.Kind  `json:"kind"`
	Title string    `json:"title"`
	At    time.Time `json:"at"` // of its last use
	// How, File and Session are the evidence of that use, as far as it was recorded; Session is a short id.
	How     mem.UseKind `json:"how,omitempty"`
	File    string      `json:"file,omitempty"`
	Session string      `json:"session,omitempty"`
}

// Today returns what the day brought.
func (s *Service) Today(ctx context.Context, at mem.ProjectRef) (TodayResponse, error) {
	p, err := s.Event.Place(ctx, at)
	if err != nil {
		return TodayResponse{}, err
	}
	since := s.Event.Today()
	day, err := s.Store.Day(ctx, p.Key, since)
	if err != nil {
		return TodayResponse{}, fmt.Errorf("counts: %w", err)
	}
	out := EmptyToday(p, since)
	out.Sessions, out.Tokens, out.Abstained = day.Sessions, day.Tokens, day.Abstained
	if counts := s.Curate.ReviewCount(p.Key); counts != nil {
		out.Review = counts.Total
	}
	t := today{Service: s, project: p, since: since}
	for _, add := range []func(context.Context, *TodayResponse) error{
		t.addProjects, t.addKept, t.addInjected, t.addOpen,
	} {
		if err := add(ctx, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

// EmptyToday is a day that began at since and brought nothing.
func EmptyToday(p mem.Project, since time.Time) TodayResponse {
	return TodayResponse{
		Project: p, Since: since.UTC(), Kinds: []mem.Count{}, Newest: []TimelineEntry{}, Used: []TodayUse{},
		Open: []TimelineEntry{}, Files: []mem.FileRow{},
	}
}

// today reads what a day brought to a project, or to all.
type today struct {
	*Service
	project mem.Project
	since   time.Time
}

// addOpen adds the newest open items. Those of all projects are read from the last active ones, one after the other:
// without a project nearly every memory would be looked at.
func (t today) addOpen(ctx context.Context, out *TodayResponse) error {
	projects := []mem.Project{t.project}
	if t.project.Key == "" {
		var err error
		if projects, err = t.Store.Projects(ctx, ""); err != nil {
			return fmt.Errorf("projects: %w", err)
		}
	}
	var open []mem.Memory
	for _, p := range projects[:min(len(projects), todayProjects)] {
		ms, err := t.Store.List(ctx, mem.Query{
			Project: p.Key, Within: "*", Kinds: []mem.Kind{mem.Todo}, Open: true, MinTrust: mem.TrustTool, Limit: todayOpen,
		})
		if err != nil {
			return fmt.Errorf("open items of %s: %w", p.Name, err)
		}
		open = append(open, ms...)
	}
	slices.SortStableFunc(open, func(a, b mem.Memory) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	// What belongs to no project is listed for each.
	open = slices.CompactFunc(open, func(a, b mem.Memory) bool { return a.ID == b.ID })
	out.Open = t.newestFirst(ctx, open[:min(len(open), todayOpen)])
	return nil
}

// addProjects counts the sessions with a prompt, as a recap does, and their projects.
func (t today) addProjects(ctx context.Context, out *TodayResponse) error {
	ss, err := t.Store.Sessions(ctx, mem.SessionQuery{Project: t.project.Key, Since: t.since, Limit: maxTodaySessions})
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	keys := map[string]bool{}
	for _, sess := range ss {
		if sess.Prompts > 0 {
			keys[sess.Project] = true
		} else {
			out.Sessions--
		}
	}
	out.Projects = len(keys)
	return nil
}

// addKept adds the kept memories, and files if there are none.
func (t today) addKept(ctx context.Context, out *TodayResponse) error {
	q := mem.Query{
		Project: t.project.Key, Within: "*", Kinds: append(event.Knowledge(), mem.Todo), After: t.since, Limit: maxToday,
	}
	kept, err := t.Store.List(ctx, q)
	if err != nil {
		return fmt.Errorf("memories: %w", err)
	}
	out.Kept = len(kept)
	counts := map[mem.Kind]int{}
	for _, m := range kept {
		counts[m.Kind]++
	}
	for _, k := range mem.Kinds() {
		if n := counts[k.Kind]; n > 0 {
			out.Kinds = append(out.Kinds, mem.Count{Value: string(k.Kind), N: n})
		}
	}
	slices.SortStableFunc(out.Kinds, func(a, b mem.Count) int { return cmp.Compare(b.N, a.N) })
	if len(kept) == 0 {
		q.After, q.Kinds, q.Limit = time.Time{}, event.Knowledge(), todayNewest
		if kept, err = t.Store.List(ctx, q); err != nil {
			return fmt.Errorf("memories: %w", err)
		}
		if t.project.Key != "" {
			if out.Files, _, err = t.Store.FileCounts(ctx, t.project.Key, "", todayFiles); err != nil {
				return fmt.Errorf("files: %w", err)
			}
		}
	}
	kept = slices.DeleteFunc(kept, func(m mem.Memory) bool { return m.Kind == mem.Todo })
	out.Newest = t.newestFirst(ctx, kept[:min(len(kept), todayNewest)])
	return nil
}

// addInjected adds what was injected, and which of it was used.
func (t today) addInjected(ctx context.Context, out *TodayResponse) error {
	first := map[string]time.Time{} // of the injections of a memory
	for from := 0; from < maxToday; from += todayReceipts {
		rs, err := t.Store.Receipts(ctx, mem.ReceiptQuery{
			Project: t.project.Key, Outcome: mem.Injected, Limit: todayReceipts, Offset: from, Brief: true,
		})
		if err != nil {
			return fmt.Errorf("receipts: %w", err)
		}
		if from == 0 && len(rs) > 0 {
			row := receiptRow(rs[0])
			row.Short = t.Event.Lookup(ctx)(rs[0].Session).Short
			out.Last = &row
			if out.LastUsed, err = t.usedSince(ctx, rs[0]); err != nil {
				return err
			}
		}
		for _, r := range rs {
			for _, it := range injectedMemories(r) {
				if !r.At.Before(t.since) && (first[it.ID].IsZero() || r.At.Before(first[it.ID])) {
					first[it.ID] = r.At
				}
			}
		}
		if len(rs) < todayReceipts || rs[len(rs)-1].At.Before(t.since) {
			break
		}
	}
	ids := make([]string, 0, len(first))
	for id := range first {
		ids = append(ids, id)
	}
	known, err := t.Recall.ByID(ctx, ids)
	if err != nil {
		return err
	}
	out.Injected = len(ids)
	for id, m := range known {
		if m.LastUsed.After(first[id]) {
			out.Used = append(out.Used, t.lastUse(ctx, m))
		}
	}
	slices.SortFunc(out.Used, func(a, b TodayUse) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// usedSince counts the memories of a receipt that were used after it.
func (t today) usedSince(ctx context.Context, r mem.Receipt) (n int, err error) {
	var ids []string
	for _, it := range injectedMemories(r) {
		ids = append(ids, it.ID)
	}
	known, err := t.Recall.ByID(ctx, ids)
	for _, m := range known {
		if m.LastUsed.After(r.At) {
			n++
		}
	}
	return n, err
}

// lastUse returns the last use of a memory.
func (t today) lastUse(ctx context.Context, m mem.Memory) TodayUse {
	out := TodayUse{ID: m.ID, Kind: m.Kind, Title: m.Title, At: m.LastUsed}
	if n := len(m.UsedIn); n > 0 {
		last := m.UsedIn[n-1]
		out.How, out.File, out.Session = last.How, last.File, t.Event.Lookup(ctx)(last.Session()).Short
	}
	return out
}

// newestFirst converts memories to entries.
func (s *Service) newestFirst(ctx context.Context, ms []mem.Memory) []TimelineEntry {
	entries := s.timeline(ctx, ms, "").Entries
	slices.Reverse(entries)
	if entries == nil {
		return []TimelineEntry{}
	}
	return entries
}
