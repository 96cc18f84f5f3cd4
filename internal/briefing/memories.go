package briefing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// list adds the memories that match q to a section; q.Limit bounds the items.
func (g *gather) list(ctx context.Context, s inject.Section, q mem.Query) (inject.Section, error) {
	hits, err := g.hits(ctx, q)
	if err != nil {
		return s, fmt.Errorf("%s: %w", s.Name, err)
	}
	return g.with(s, hits), nil
}

// with adds memories to a section.
func (g *gather) with(s inject.Section, hits []mem.Hit) inject.Section {
	for _, h := range hits {
		if item, ok := inject.Line(h, g.ec.At, g.ec.Freshness(h.Memory)); ok {
			s.Items = append(s.Items, item)
		}
	}
	return s
}

// hits returns the memories that match q and are to be injected, at most q.Limit.
func (g *gather) hits(ctx context.Context, q mem.Query) ([]mem.Hit, error) {
	most := q.Limit
	q.Project, q.MinTrust, q.Limit = g.ec.Project.Key, mem.TrustTool, 3*most
	ms, err := g.e.Store.List(ctx, q)
	if err == nil && q.Order == mem.ByImportance { // many weighty findings do not displace what the person said
		own := q
		own.MinTrust = mem.TrustUser
		var said []mem.Memory
		said, err = g.e.Store.List(ctx, own)
		ms = append(ms, slices.DeleteFunc(said, func(mm mem.Memory) bool {
			return slices.ContainsFunc(ms, func(o mem.Memory) bool { return o.ID == mm.ID })
		})...)
	}
	if err != nil {
		return nil, err
	}
	var hits []mem.Hit
	for _, mm := range g.weighed(q, ms, most) {
		if len(hits) == most {
			break
		}
		if inject.Injectable(mm) && !g.ec.Stale(mm) && g.news(mm) {
			hits = append(hits, mem.Hit{Memory: mm})
		}
	}
	return hits, g.e.Recall.Histories(ctx, hits)
}

// findingsPerSession is how many findings of one session a briefing contains in full. The index names the others.
const findingsPerSession = 3

// isFinding reports whether the assistant found or fixed something, in contrast to what was laid down.
func isFinding(mm mem.Memory) bool {
	return mm.Trust < mem.TrustUser && !mm.Pinned &&
		slices.Contains([]mem.Kind{mem.ErrorFix, mem.Discovery, mem.Fact, mem.Rationale}, mm.Kind)
}

// isPast reports whether a memory is only about what is no longer so: what a plan changed, or a failure that edits
// fixed and of which no cause is known. That matters when the command fails again.
func isPast(mm mem.Memory) bool {
	fixed := mm.Kind == mem.ErrorFix && len(mm.Modified) > 0 && slices.Contains(mm.Tags, extract.AutoCaptured)
	return !mm.Pinned && (fixed || strings.HasPrefix(mm.Title, extract.BeforePrefix))
}

// weighed returns the selected memories in the order in which they are injected. Those selected by importance are
// ordered by use and age: importance decides whether they are included, not their order. What the person said comes
// first.
func (g *gather) weighed(q mem.Query, ms []mem.Memory, most int) []mem.Memory {
	if q.Order != mem.ByImportance {
		return ms
	}
	first := func(mm mem.Memory) float64 {
		if mm.Pinned || mm.Trust >= mem.TrustUser {
			return 1 + mm.Importance
		}
		return mm.Importance
	}
	slices.SortStableFunc(ms, func(a, b mem.Memory) int {
		return cmp.Or(cmp.Compare(first(b), first(a)), b.Updated.Compare(a.Updated))
	})
	fit := make([]mem.Memory, 0, most)
	found := map[string]int{}
	for _, mm := range ms {
		if len(fit) == most {
			break
		}
		if g.known(mm) || g.ec.Stale(mm) || !inject.Injectable(mm) { // the last one reads the whole text
			continue
		}
		if isPast(mm) {
			continue
		}
		if isFinding(mm) {
			if found[mm.Session]++; found[mm.Session] > findingsPerSession {
				continue
			}
		}
		fit = append(fit, mm)
	}
	fit = g.use().Order(fit, g.ec.At, func(mm mem.Memory) bool { return recall.Belongs(g.ec, g.hints, mm) })
	slices.SortStableFunc(fit, func(a, b mem.Memory) int { return briefingRank(a) - briefingRank(b) })
	return fit
}

// briefingRank orders what the person pinned or said before what the assistant laid down, and that before findings.
func briefingRank(mm mem.Memory) int {
	switch {
	case mm.Pinned || mm.Trust >= mem.TrustUser:
		return 0
	case !isFinding(mm):
		return 1
	}
	return 2
}

// news reports whether neither a memory nor its text was injected yet, and marks both as injected.
func (g *gather) news(mm mem.Memory) bool {
	if g.known(mm) {
		return false
	}
	g.injected[mm.ID], g.injected[recall.BriefText(mm)] = true, true
	return true
}

// holds reports whether a section before has what a text says, as far as that is not cut.
func (g *gather) holds(text string) bool {
	said := strings.TrimRight(text, "….")
	for has := range g.injected {
		if said != "" && strings.Contains(has, said) {
			return true
		}
	}
	return false
}

// maxSummaryTitle is the length of the title of a shortened summary, in characters.
const maxSummaryTitle = 120

// rest returns a summary without what a section before has, and whether it then says something. It says nothing if that
// was all but for which files were changed and which commands were fixed.
func (g *gather) rest(summary mem.Memory) (out mem.Memory, more bool) {
	var all, left []string
	if summary.Summary != nil {
		all = extract.Parts(summary.Summary.Completed)
		left = slices.DeleteFunc(slices.Clone(all), func(part string) bool {
			return len(part) >= extract.MinStatement && g.holds(part)
		})
	}
	if len(left) == len(all) {
		return summary, !g.holds(summary.Title)
	}
	summary.Body = extract.JoinParts(left)
	summary.Title = extract.WholeTitle(summary.Body, maxSummaryTitle)
	return summary, slices.ContainsFunc(left, func(part string) bool {
		return !strings.HasPrefix(part, extract.ChangedPrefix) && !strings.HasPrefix(part, extract.FixedPrefix)
	})
}

func (g *gather) known(mm mem.Memory) bool {
	return event.IsField(mm) || event.OfStateFile(mm) || g.injected[mm.ID] || g.injected[recall.BriefText(mm)] ||
		g.ec.SessionInfo.Injected[mm.ID] || g.instructed(mm)
}

// instructed reports whether the agent reads what a memory says in a file of its own. It notes this for the receipt.
func (g *gather) instructed(mm mem.Memory) bool {
	if !g.ec.Instructed(mm) {
		return false
	}
	if !slices.ContainsFunc(g.leftOut, func(c mem.LeftOutItem) bool { return c.ID == mm.ID }) {
		g.leftOut = append(g.leftOut, mem.LeftOutItem{ID: mm.ID, Title: mm.Title, Gate: event.InInstructions})
	}
	return true
}

// maxEnds is how many lines say what the last sessions left open.
const maxEnds = 4

// left returns how the last sessions left the work. It reads that once.
func (g *gather) left(ctx context.Context) continuity.Left {
	if g.lastLeft == nil {
		left, err := g.e.Continuity.Left(ctx, g.ec.Project, g.ec.Session)
		g.e.Event.LogDegraded("what the last session left open", err)
		g.lastLeft = &left
	}
	return *g.lastLeft
}

// issues returns what the last sessions left open, and the open items.
func (g *gather) issues(ctx context.Context) (inject.Section, error) {
	q := mem.Query{Kinds: []mem.Kind{mem.Todo}, Open: true, Limit: 5}
	s, err := g.list(ctx, inject.Section{Name: "issues", Caption: "OPEN ITEMS", Share: shareIssues}, q)
	if err != nil || g.resumed() {
		return s, err
	}
	var lines []inject.Item
	for _, end := range g.left(ctx).Ends {
		known := slices.ContainsFunc(s.Items, func(i inject.Item) bool { return extract.SameItem(i.Text, end.Text) })
		if len(lines) < maxEnds && !known && !inject.Suspicious(end.Text) {
			lines = append(lines, inject.Item{Text: end.Line("the person")})
		}
	}
	s.Items = append(lines, s.Items...)
	return s, nil
}

// memories returns what was said and laid down and, apart from it, what the assistant found and fixed: there is more of
// that with every session, and it is to take no room from decisions and from what the last sessions did.
func (g *gather) memories(ctx context.Context) (rules, found inject.Section, err error) {
	rules = inject.Section{Name: "memories", Caption: "CONVENTIONS AND LESSONS", Share: shareMemories}
	found = inject.Section{Name: "found", Caption: "FIXES AND DISCOVERIES", Share: shareFound}
	hits, err := g.hits(ctx, mem.Query{
		Scopes: []mem.Scope{mem.ScopeProject}, MinImportance: 0.5, Order: mem.ByImportance, Limit: 20,
		NotKinds: []mem.Kind{mem.Decision, mem.Summary, mem.Todo, mem.Change, mem.Command, mem.Snapshot, mem.Scratch},
	})
	if err != nil {
		return rules, found, fmt.Errorf("memories: %w", err)
	}
	for i, h := range hits { // those come last
		if isFinding(h.Memory) {
			return g.with(rules, hits[:i]), g.with(found, hits[i:]), nil
		}
	}
	return g.with(rules, hits), found, nil
}

func (g *gather) decisions(ctx context.Context) (inject.Section, error) {
	if len(g.ec.Mind.Decided) > 0 && g.includesStateFiles() && !g.short() {
		return g.decided(), nil
	}
	s := inject.Section{Name: "decisions", Caption: "DECISIONS", Share: shareDecisions}
	return g.list(ctx, s, mem.Query{
		Scopes: []mem.Scope{mem.ScopeProject},
		Kinds:  []mem.Kind{mem.Decision}, Limit: 5,
	})
}

// sessionMark is the prefix of marks for sessions whose summary is injected. The index leaves them out.
const sessionMark = "session:"

// sessions returns the newest summaries, one for each session.
func (g *gather) sessions(ctx context.Context) (inject.Section, error) {
	s := inject.Section{Name: "sessions", Caption: "RECENT SESSIONS", Share: shareSessions}
	ms, err := g.e.Store.List(ctx, mem.Query{
		Project: g.ec.Project.Key, Kinds: []mem.Kind{mem.Summary},
		MinTrust: mem.TrustTool, Within: "*", Limit: 40,
	})
	if err != nil {
		return s, fmt.Errorf("summaries: %w", err)
	}
	seen := map[string]bool{}
	for _, mm := range ms {
		if seen[mm.Session] || mm.Session == g.ec.Session || len(s.Items) == 5 || g.known(mm) {
			continue
		}
		rest, more := g.rest(mm)
		item, ok := inject.Line(mem.Hit{Memory: rest}, g.ec.At, mem.Fresh)
		if !ok {
			continue
		}
		seen[mm.Session], g.injected[sessionMark+mm.Session] = true, true
		if more && g.news(mm) {
			s.Items = append(s.Items, item)
		}
	}
	return s, nil
}

func (g *gather) preferences(ctx context.Context) (inject.Section, error) {
	s := inject.Section{Name: "preferences", Caption: "PREFERENCES", Share: sharePreferences}
	return g.list(ctx, s, mem.Query{
		Scopes:        []mem.Scope{mem.ScopeUser},
		MinImportance: 0.7, Order: mem.ByImportance, Limit: 10,
	})
}

// index lists titles of further memories, the newest first, and their sessions. Of the summaries of a session it has
// the newest, unless that is injected. There is no index if the conversation continues.
func (g *gather) index(ctx context.Context) (inject.Section, error) {
	set := g.ec.Settings
	s := inject.Section{Name: mem.SectionIndex, Share: shareIndex, Plain: !set.Glyphs}
	if g.resumed() {
		return s, nil
	}
	if set.Observations > 0 {
		ms, err := g.e.Store.List(ctx, mem.Query{
			Project: g.ec.Project.Key, Scopes: []mem.Scope{mem.ScopeProject},
			NotKinds: recall.NotRecalled(), MinTrust: mem.TrustTool, Limit: set.Observations + len(g.injected),
		})
		if err != nil {
			return s, fmt.Errorf("index: %w", err)
		}
		for _, mm := range ms {
			covered := mm.Kind == mem.Summary && (g.injected[sessionMark+mm.Session] || g.holds(mm.Title))
			if mm.Kind == mem.Todo && mm.Resolved || covered || len(s.Rows) == set.Observations || g.ec.Stale(mm) ||
				isPast(mm) || !g.news(mm) {
				continue
			}
			if row, ok := inject.IndexRow(mm, time.Local); ok {
				s.Rows = append(s.Rows, row)
				if mm.Kind == mem.Summary {
					g.injected[sessionMark+mm.Session] = true
				}
			}
		}
	}
	if set.Sessions == 0 {
		return s, nil
	}
	ss, err := g.e.Store.Sessions(ctx, mem.SessionQuery{Project: g.ec.Project.Key, Limit: set.Sessions})
	if err != nil {
		return s, fmt.Errorf("sessions: %w", err)
	}
	for _, se := range ss {
		if extract.Request(se.FirstPrompt) == "" || se.ID == g.ec.Session || g.injected[sessionMark+se.ID] {
			continue
		}
		empty, err := g.e.leftNothing(ctx, se.ID)
		if err != nil {
			return s, err
		}
		if !empty {
			s.Rows = append(s.Rows, inject.Row{
				ID: se.Short, At: se.Created.Local(), Kind: mem.Request, Title: se.FirstPrompt,
				Tokens: chars.Tokens(se.FirstPrompt),
			})
		}
	}
	return s, nil
}
