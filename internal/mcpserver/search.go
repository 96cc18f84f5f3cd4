package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
	"remanence/internal/when"
)

// mostRows is how many rows a search returns at most.
const mostRows = 50

type searchArgs struct {
	Query         *string         `json:"query"`
	Scope         string          `json:"scope"`
	Kind          string          `json:"kind"`
	Project       string          `json:"project"`
	File          string          `json:"file"`
	Tags          texts           `json:"tags"`
	After         string          `json:"after"`
	Before        string          `json:"before"`
	MinImportance float64         `json:"min_importance"`
	IncludeHidden bool            `json:"include_hidden"`
	Strategy      recall.Strategy `json:"strategy"`
	Limit         int             `json:"limit"`
	Offset        int             `json:"offset"`
	Explain       bool            `json:"explain"`
}

// row is a memory in a list: enough to see whether it is worth its tokens.
type row struct {
	ID        string             `json:"id"`
	Kind      string             `json:"kind"`
	Title     string             `json:"title"`
	Age       string             `json:"age"`
	Tokens    int                `json:"tokens"` // of the full record
	Score     float64            `json:"score,omitempty"`
	Project   string             `json:"project,omitempty"` // if it is another than that of the call
	Status    mem.Status         `json:"status,omitempty"`  // where not active
	Stale     bool               `json:"stale,omitempty"`   // a file that it is about has changed since
	Untrusted bool               `json:"untrusted,omitempty"`
	Why       map[string]float64 `json:"why,omitempty"`
}

// searchAnswer is the answer of search.
type searchAnswer struct {
	Project string         `json:"project,omitempty"`
	Results []row          `json:"results"`
	Next    map[string]any `json:"next,omitempty"` // arguments that get the rest
	Warning string         `json:"warning,omitempty"`
}

func (s *Server) search(ctx context.Context, a searchArgs) (any, error) {
	if a.Query == nil {
		return nil, bad("query is missing").fixedBy(`give words, or "" for the newest`)
	}
	ask, err := s.searchRequest(a)
	if err != nil {
		return nil, err
	}
	found, err := s.Memory.Search(ctx, ask)
	if a.Project != "" && errors.Is(err, mem.ErrNotFound) {
		return nil, Problem{Code: codeNotFound, What: fmt.Sprintf("nothing is known of a project %q",
			chars.Clip(a.Project, 80)), Fix: []string{"project all searches every one, none this one"}}
	}
	if err != nil {
		return nil, err
	}
	out := searchAnswer{Project: found.Project.Name, Results: []row{}, Warning: found.Warning}
	for _, h := range found.Hits {
		out.Results = append(out.Results, s.row(h, found, a.Explain))
	}
	name := s.projectName(ctx)
	for i := range out.Results {
		out.Results[i].Project = name(out.Results[i].Project)
	}
	if len(out.Results) == 0 && out.Warning == "" {
		out.Warning = "nothing was found; try fewer or other words, no filters, project all, or timeline"
	}
	if n := fitting(out.Results, room); n < len(out.Results) {
		out.Results = out.Results[:n]
	}
	if n := len(out.Results); n < len(found.Hits) || found.Next != "" {
		out.Next = map[string]any{"offset": ask.Query.Offset + n}
	}
	return out, nil
}

// searchRequest converts arguments to a request.
func (s *Server) searchRequest(a searchArgs) (recall.SearchRequest, error) {
	ask := recall.SearchRequest{ProjectRef: s.at(a.Project), Strategy: a.Strategy}
	q := &ask.Query
	q.Text, q.File, q.Tags, q.Hidden = strings.TrimSpace(*a.Query), a.File, a.Tags, a.IncludeHidden
	q.MinImportance, q.Limit, q.Offset = a.MinImportance, cmp.Or(a.Limit, mem.DefaultLimit), a.Offset
	if a.Strategy != "" && !slices.Contains(recall.Strategies(), a.Strategy) {
		return ask, bad("no strategy %q", a.Strategy).fixedBy("auto, keyword, vector or hybrid")
	}
	if q.Limit < 0 || q.Limit > mostRows || q.Offset < 0 {
		return ask, bad("limit is 1 to %d, offset 0 or more", mostRows)
	}
	if !(a.MinImportance >= 0 && a.MinImportance <= 1) {
		return ask, bad("min_importance is from 0 to 1")
	}
	if a.Scope != "" {
		scope, err := mem.ParseScope(a.Scope)
		if err != nil {
			return ask, err
		}
		q.Scopes = []mem.Scope{scope}
	}
	if a.Kind != "" {
		k, err := mem.ParseKind(a.Kind)
		if err != nil {
			return ask, err
		}
		q.Kinds = []mem.Kind{k}
	}
	var err error
	if q.After, _, err = s.parseTime(a.After); err == nil {
		_, q.Before, err = s.parseTime(a.Before)
	}
	return ask, err
}

// at returns the project that a call is about.
func (s *Server) at(project string) mem.ProjectRef {
	if project == "" {
		return s.Place
	}
	return mem.ProjectRef{Project: project, Dir: s.Place.Dir}
}

func (s *Server) row(h mem.Hit, found recall.SearchResponse, explain bool) row {
	m := h.Memory
	r := row{
		ID: m.ID, Kind: string(m.Kind), Title: chars.Clip(s.Plain(m.Title), 160), Age: age(m.Created, found.At),
		Tokens: chars.Tokens(fullText(m)),
		Score:  float64(int(h.Score*100+0.5)) / 100, Untrusted: m.Trust == mem.TrustNone,
		Stale: found.Stale[m.ID] != mem.Fresh,
	}
	if m.Status != mem.Active {
		r.Status = m.Status
	}
	if m.Project != "" && m.Project != found.Project.Key {
		r.Project = m.Project
	}
	if explain {
		r.Why = h.Parts
	}
	return r
}

// fullText is all text of a memory.
func fullText(m mem.Memory) string {
	return strings.Join(append([]string{m.Title, bodyOf(m)}, m.Facts...), "\n")
}

// parseTime reads a time that an argument names, as the command line does: a day from its start to its end. "" is the
// zero time.
func (s *Server) parseTime(text string) (from, to time.Time, err error) {
	if text == "" {
		return from, to, nil
	}
	return when.Parse(text, s.Now())
}

type timelineArgs struct {
	Anchor  string `json:"anchor"`
	Query   string `json:"query"`
	File    string `json:"file"`
	Before  *int   `json:"before"`
	After   *int   `json:"after"`
	Session string `json:"session"`
	Project string `json:"project"`
}

// timelineEntry is one entry of a timeline.
type timelineEntry struct {
	ID      string `json:"id"`
	At      string `json:"at"`
	Kind    string `json:"kind"`
	Title   string `json:"title"`
	Session string `json:"session,omitempty"`
	Here    bool   `json:"anchor,omitempty"`
}

// timelineAnswer is the answer of timeline, oldest first.
type timelineAnswer struct {
	Entries []timelineEntry `json:"entries"`
	Next    map[string]any  `json:"next,omitempty"`
	Warning string          `json:"warning,omitempty"`
}

// mostAround is how far a timeline reaches on each side.
const mostAround = 50

func (s *Server) timeline(ctx context.Context, a timelineArgs) (any, error) {
	before, after := 5, 5
	for name, side := range map[string]*struct{ given, want *int }{
		"before": {a.Before, &before},
		"after":  {a.After, &after},
	} {
		if side.given == nil {
			continue
		}
		if *side.want = *side.given; *side.want < 0 || *side.want > mostAround {
			return nil, bad("%s is 0 to %d", name, mostAround)
		}
	}
	if a.Anchor != "" && a.File != "" || a.Query != "" && a.Anchor+a.File != "" {
		return nil, bad("more than one of anchor, query and file").fixedBy("give one; session narrows any of them")
	}
	ask := views.TimelineRequest{
		ProjectRef: s.at(a.Project), Anchor: cmp.Or(a.Anchor, a.File), Session: a.Session,
		Around: max(before, after, 1),
	}
	if a.File != "" && !filepath.IsAbs(a.File) {
		ask.Anchor = "./" + a.File // never read as an id or a time
	}
	if a.Query != "" {
		found, err := s.Memory.Search(ctx, recall.SearchRequest{
			ProjectRef: ask.ProjectRef,
			Query:      mem.Query{Text: a.Query, Limit: 1},
		})
		if err != nil {
			return nil, err
		}
		if len(found.Hits) == 0 {
			return timelineAnswer{Entries: []timelineEntry{}, Warning: "nothing matches the query"}, nil
		}
		ask.Anchor = found.Hits[0].Memory.ID
	}
	got, err := s.Memory.Timeline(ctx, ask)
	if err != nil {
		return nil, err
	}
	out := s.around(got, before, after)
	if len(out.Entries) == 0 {
		out.Warning = "nothing was remembered there; anchor is a memory or session id, or a day as 2026-01-31"
	}
	return out, nil
}

// around keeps up to before and after entries on the sides of the anchor, and of those what fits, from the anchor
// outwards.
func (s *Server) around(got views.TimelineResponse, before, after int) timelineAnswer {
	at := slices.IndexFunc(got.Entries, func(m views.TimelineEntry) bool { return m.ID == got.Anchor })
	from, to := max(0, at-before), min(len(got.Entries), at+after+1)
	if at < 0 { // of now, a day, a session or a file
		from, to = max(0, len(got.Entries)-before-after-1), len(got.Entries)
	}
	out := timelineAnswer{Entries: []timelineEntry{}}
	for _, m := range got.Entries[from:to] {
		out.Entries = append(out.Entries, timelineEntry{
			ID: m.ID, At: m.At.UTC().Format("2006-01-02T15:04Z"), Kind: m.What, Title: chars.Clip(s.Plain(m.Title), 160),
			Session: m.Session, Here: m.ID == got.Anchor,
		})
	}
	for left := len(out.Entries); fitting(out.Entries, room) < left; left = len(out.Entries) {
		if here := at - from; at >= 0 && here < left/2 {
			out.Entries = out.Entries[:left-1]
		} else {
			out.Entries, from = out.Entries[1:], from+1
		}
	}
	if len(out.Entries) < to-from || from > max(0, at-before) {
		out.Warning = "cut to what fits; give an entry's id as anchor to see more around it"
		out.Next = map[string]any{"anchor": out.Entries[0].ID}
	}
	return out
}
