package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

const (
	maxPage     = 100 // largest number of rows in a response
	defaultPage = 20  // rows without a limit in the request
)

// observation is a memory in the shape of claude-mem's API.
type observation struct {
	ID        string           `json:"id"`
	Session   string           `json:"memory_session_id,omitempty"`
	Project   string           `json:"project,omitempty"`
	Type      mem.Kind         `json:"type"`
	Title     string           `json:"title"`
	Narrative string           `json:"narrative,omitempty"`
	Facts     []string         `json:"facts"`
	Concepts  []string         `json:"concepts"`
	Files     []string         `json:"files"`
	Modified  []string         `json:"files_modified"`
	Prompt    int              `json:"prompt_number,omitempty"`
	Trust     string           `json:"trust"`
	Summary   *mem.SummaryText `json:"summary,omitempty"`
	Score     float64          `json:"score,omitempty"`
	Created   time.Time        `json:"created_at"`
	Epoch     int64            `json:"created_at_epoch"` // ms
}

func observationOf(m mem.Memory) observation {
	return observation{
		ID: m.ID, Session: m.Session, Project: m.Project, Type: m.Kind, Title: m.Title, Narrative: m.Body,
		Facts: list(m.Facts), Concepts: list(m.Concepts), Files: list(m.Files), Modified: list(m.Modified),
		Prompt: m.Source.Prompt, Trust: m.Trust.String(), Summary: m.Summary, Created: m.Created,
		Epoch: m.Created.UnixMilli(),
	}
}

func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// page is one page of rows.
type page[T any] struct {
	Items   []T  `json:"items"`
	Offset  int  `json:"offset"`
	Limit   int  `json:"limit"`
	HasMore bool `json:"hasMore"`
}

// Rows returns the number of items.
func (p page[T]) Rows() int { return len(p.Items) }

// Head returns the first n items.
func (p page[T]) Head(n int) any {
	p.Items, p.HasMore = p.Items[:n], true
	return p
}

// pageBounds returns the requested rows.
func (c compatRequest) pageBounds() (offset, limit int, err error) {
	if limit, err = c.number("limit", defaultPage, maxPage); err != nil {
		return 0, 0, err
	}
	offset, err = c.number("offset", 0, 1<<30)
	return offset, max(1, limit), err
}

// rows returns a page of rows that were read with a limit of one more.
func rows[T any](all []T, offset, limit int) page[T] {
	return page[T]{append([]T{}, all[:min(limit, len(all))]...), offset, limit, len(all) > limit}
}

// found returns a page of the memories that a query finds.
func (c compatRequest) found(ctx context.Context, q mem.Query) (any, error) {
	offset, limit, err := c.pageBounds()
	if err != nil {
		return nil, err
	}
	q.Offset, q.Limit = offset, limit
	got, err := Search.Call(ctx, c, recall.SearchRequest{ProjectRef: c.place(), Query: q})
	if err != nil {
		return nil, err
	}
	all := make([]observation, 0, len(got.Hits))
	for _, h := range got.Hits {
		o := observationOf(h.Memory)
		o.Score = h.Score
		all = append(all, o)
	}
	return page[observation]{all, offset, limit, got.Next != ""}, nil
}

// kinds returns the kinds that the query names.
func (c compatRequest) kinds() []mem.Kind {
	var all []mem.Kind
	for _, k := range strings.FieldsFunc(c.query.Get("type"), func(r rune) bool { return r == ',' }) {
		all = append(all, mem.Kind(k))
	}
	return all
}

// either returns the value of the first of two keys that is not empty.
func (c compatRequest) either(a, b string) string {
	if s := c.query.Get(a); s != "" {
		return s
	}
	return c.query.Get(b)
}

func searchMemories(ctx context.Context, c compatRequest) (any, error) {
	return c.found(ctx, mem.Query{Text: c.either("query", "q"), Kinds: c.kinds()})
}

// searchByFile lists memories about a file, or with isFolder about the files directly in
// a folder. An absolute path also selects its project.
func searchByFile(ctx context.Context, c compatRequest) (any, error) {
	file := cmp.Or(c.query.Get("filePath"), c.query.Get("file_path"), c.either("path", "file"))
	if strings.TrimSpace(file) == "" {
		return nil, refused("no file is named to search for", "add ?filePath=PATH, of a file in the project or absolute")
	}
	if s := c.query.Get("isFolder"); s != "" {
		folder, err := strconv.ParseBool(s)
		if err != nil {
			return nil, refused(fmt.Sprintf("isFolder: %q is neither true nor false", s), "use isFolder=true, or leave it out")
		}
		if folder {
			file = strings.TrimRight(file, "/") + "/"
		}
	}
	if filepath.IsAbs(file) && c.query.Get("project") == "" {
		all, err := Projects.Call(ctx, c, Nothing{})
		if err != nil {
			return nil, err
		}
		if p, ok := around(all.Projects, file); ok {
			c.query.Set("project", p.Key)
		}
	}
	return c.found(ctx, mem.Query{File: file, Kinds: c.kinds()})
}

// around returns the innermost project that contains an absolute path.
func around(all []mem.Project, file string) (in mem.Project, ok bool) {
	for _, p := range all {
		inside := p.Root != "" && strings.HasPrefix(file, strings.TrimRight(p.Root, "/")+"/")
		if inside && len(p.Root) > len(in.Root) {
			in, ok = p, true
		}
	}
	return in, ok
}

func listObservations(ctx context.Context, c compatRequest) (any, error) {
	return c.found(ctx, mem.Query{Kinds: c.kinds(), NotKinds: []mem.Kind{mem.Summary}})
}

func listSummaries(ctx context.Context, c compatRequest) (any, error) {
	return c.found(ctx, mem.Query{Kinds: []mem.Kind{mem.Summary}})
}

func listPrompts(ctx context.Context, c compatRequest) (any, error) {
	offset, limit, err := c.pageBounds()
	if err != nil {
		return nil, err
	}
	got, err := Prompts.Call(ctx, c, views.PromptsRequest{ProjectRef: c.place(), Offset: offset, Limit: limit + 1})
	return rows(got.Prompts, offset, limit), err
}

func getTimeline(ctx context.Context, c compatRequest) (any, error) {
	around, err := c.depth()
	if err != nil {
		return nil, err
	}
	return Timeline.Call(ctx, c, views.TimelineRequest{
		ProjectRef: c.place(), Anchor: memoryID(c.query.Get("anchor")),
		Session: c.query.Get("session"), Around: around,
	})
}

// depth returns how many entries to list before and after; claude-mem names both sides.
func (c compatRequest) depth() (n int, err error) {
	for _, key := range []string{"depth", "depth_before", "depth_after"} {
		one, err := c.number(key, 0, maxPage)
		if err != nil {
			return 0, err
		}
		n = max(n, one)
	}
	return n, nil
}

// getTimelineByQuery lists what came before and after the best match of a query.
func getTimelineByQuery(ctx context.Context, c compatRequest) (any, error) {
	around, err := c.depth()
	if err != nil {
		return nil, err
	}
	q := mem.Query{Text: c.either("query", "q"), Kinds: c.kinds(), Limit: 1}
	if strings.TrimSpace(q.Text) == "" {
		return nil, refused("no query is given", "add ?query=WORDS")
	}
	found, err := Search.Call(ctx, c, recall.SearchRequest{ProjectRef: c.place(), Query: q})
	if err != nil {
		return nil, err
	}
	if len(found.Hits) == 0 {
		return views.TimelineResponse{Entries: []views.TimelineEntry{}}, nil
	}
	return Timeline.Call(ctx, c, views.TimelineRequest{
		ProjectRef: c.place(), Anchor: found.Hits[0].Memory.ID, Around: around,
	})
}

// recentSession is a session with what came of it.
type recentSession struct {
	mem.SessionRow
	Summary string `json:"summary,omitempty"`
}

// getRecent lists the newest sessions; 3 without a limit.
func getRecent(ctx context.Context, c compatRequest) (any, error) {
	limit, err := c.number("limit", 3, maxPage)
	if err != nil {
		return nil, err
	}
	got, err := Sessions.Call(ctx, c, views.SessionsRequest{ProjectRef: c.place(), Limit: max(1, limit)})
	out := recentSessions{Sessions: []recentSession{}, Count: len(got.Sessions)}
	for _, s := range got.Sessions {
		out.Sessions = append(out.Sessions, recentSession{s, s.Result})
	}
	return out, err
}

// recentSessions is the response of getRecent.
type recentSessions struct {
	Sessions []recentSession `json:"sessions"`
	Count    int             `json:"count"`
}

// Rows returns the number of sessions.
func (r recentSessions) Rows() int { return r.Count }

// Head returns the newest n sessions.
func (r recentSessions) Head(n int) any { return recentSessions{r.Sessions[:n], n} }

func getVersion(_ context.Context, c compatRequest) (any, error) {
	var h Health
	if c.state != nil {
		h = c.state()
	}
	return map[string]any{"version": h.Version}, nil
}

// memoryID converts a memory's number to its id; an id stays as it is.
func memoryID(id string) string {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n > 0 {
		return chars.ShortID("m_", n)
	}
	return id
}

func getObservation(ctx context.Context, c compatRequest) (any, error) {
	got, err := Show.Call(ctx, c, event.IDs{IDs: []string{memoryID(c.part["id"])}})
	if err != nil {
		return nil, err
	}
	return observationOf(got.Memories[0]), nil
}

// getObservations accepts ids as texts or as numbers.
func getObservations(ctx context.Context, c compatRequest) (any, error) {
	var in struct {
		IDs []json.RawMessage `json:"ids"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if len(in.IDs) == 0 || len(in.IDs) > maxPage {
		return nil, fmt.Errorf("%w: 1 to %d ids are needed", ErrInvalid, maxPage)
	}
	ask := event.IDs{}
	for _, id := range in.IDs {
		ask.IDs = append(ask.IDs, memoryID(strings.Trim(string(id), `"`)))
	}
	got, err := Show.Call(ctx, c, ask)
	all := make([]observation, 0, len(got.Memories))
	for _, m := range got.Memories {
		all = append(all, observationOf(m))
	}
	return all, err
}

func getSession(ctx context.Context, c compatRequest) (any, error) {
	id := c.part["id"]
	if n, err := strconv.ParseInt(id, 10, 64); err == nil && n > 0 {
		id = chars.ShortID("s_", n)
	}
	return GetSession.Call(ctx, c, views.MemoryRequest{ID: id})
}

func getPrompt(ctx context.Context, c compatRequest) (any, error) {
	got, err := Prompts.Call(ctx, c, views.PromptsRequest{ID: c.part["id"]})
	if err != nil {
		return nil, err
	}
	return got.Prompts[0], nil
}

func getStats(ctx context.Context, c compatRequest) (any, error) {
	got, err := Status.Call(ctx, c, c.place())
	return got.Stats, err
}

func listProjects(ctx context.Context, c compatRequest) (any, error) {
	got, err := Projects.Call(ctx, c, Nothing{})
	names := []string{}
	for _, p := range got.Projects {
		names = append(names, p.Name)
	}
	return map[string]any{"projects": names}, err
}

func previewContext(ctx context.Context, c compatRequest) (any, error) {
	return Next.Call(ctx, c, views.NextRequest{
		ProjectRef: mem.ProjectRef{Project: c.query.Get("project")},
		Source:     c.query.Get("source"),
	})
}

// recallContext previews the recall for a prompt.
func recallContext(ctx context.Context, c compatRequest) (any, error) {
	var in struct {
		Q       string `json:"q"`
		Prompt  string `json:"prompt"`
		Project string `json:"project"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.Q+in.Prompt == "" {
		return nil, fmt.Errorf("%w: q is needed", ErrInvalid)
	}
	r, err := Next.Call(ctx, c, views.NextRequest{ProjectRef: mem.ProjectRef{Project: in.Project}, Prompt: in.Q +
		in.Prompt})
	return map[string]any{"context": r.Text, "count": len(r.Items)}, err
}

func getLogs(ctx context.Context, c compatRequest) (any, error) {
	limit, err := c.number("lines", 200, 1000)
	if err != nil {
		return nil, err
	}
	return c.callByName(ctx, "log", map[string]any{"level": c.query.Get("level"), "limit": limit})
}

// saveMemory stores a statement with the trust of an unknown agent.
func saveMemory(ctx context.Context, c compatRequest) (any, error) {
	var in struct {
		Text    string   `json:"text"`
		Content string   `json:"content"`
		Title   string   `json:"title"`
		Project string   `json:"project"`
		Type    mem.Kind `json:"type"`
		Files   []string `json:"files"`
		Tags    []string `json:"tags"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.Text == "" {
		in.Text = in.Content
	}
	if in.Text == "" {
		return nil, fmt.Errorf("%w: text is needed", ErrInvalid)
	}
	ask := curate.AddRequest{
		ProjectRef: mem.ProjectRef{Project: in.Project}, Text: in.Text, Title: in.Title,
		Kind: in.Type, Files: in.Files, Tags: in.Tags, Agent: event.UnknownAgent,
	}
	if in.Project == "" {
		ask.Scope = mem.ScopeUser
	}
	got, err := Add.Call(ctx, c, ask)
	return map[string]any{"success": err == nil, "id": got.ID, "title": got.Title}, err
}

// forgetMemory forgets a memory; it can be restored.
func forgetMemory(ctx context.Context, c compatRequest) (any, error) {
	return c.forget(ctx, curate.MarkRequest{IDs: []string{memoryID(c.part["id"])}})
}

// forgetPrompt forgets the utterances of a prompt.
func forgetPrompt(ctx context.Context, c compatRequest) (any, error) {
	got, err := Prompts.Call(ctx, c, views.PromptsRequest{ID: c.part["id"]})
	if err != nil {
		return nil, err
	}
	p := got.Prompts[0]
	if p.Turn == "" {
		return nil, fmt.Errorf("utterances of %s: %w", p.ID, mem.ErrNotFound)
	}
	return c.forget(ctx, curate.MarkRequest{ProjectRef: placeOf(""), Query: &mem.Query{
		Session:  p.Session,
		PromptID: p.Turn, Kinds: []mem.Kind{mem.Utterance}, Within: "*",
	}})
}

func (c compatRequest) forget(ctx context.Context, ask curate.MarkRequest) (any, error) {
	ask.Verb, ask.Agent = "forget", event.UnknownAgent
	got, err := Mark.Call(ctx, c, ask)
	ids := []string{}
	for _, m := range got.Memories {
		ids = append(ids, m.ID)
	}
	out := map[string]any{"success": err == nil && len(got.Proposed) == 0, "hidden": ids}
	if len(got.Proposed) > 0 {
		out["proposed"] = proposedIDs(got.Proposed)
	}
	return out, err
}

// proposedIDs returns the memories that stay unchanged until the person decides.
func proposedIDs(list []mem.Proposal) []string {
	ids := []string{}
	for _, p := range list {
		ids = append(ids, p.Memory)
	}
	return ids
}

// changeSettings changes settings by key, and returns all settings.
func changeSettings(ctx context.Context, c compatRequest) (any, error) {
	var in map[string]json.RawMessage
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if len(in) == 0 {
		return nil, fmt.Errorf("%w: no setting is named", ErrInvalid)
	}
	var now any
	for key, raw := range in {
		value := string(raw) // of a number, as it was written
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &value); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
			}
		}
		var err error
		if now, err = c.callByName(ctx, "config_set", map[string]any{"key": key, "value": value}); err != nil {
			return nil, err
		}
	}
	return now, nil
}

func getSettings(ctx context.Context, c compatRequest) (any, error) {
	return c.callByName(ctx, "config", Nothing{})
}
