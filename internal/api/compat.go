package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"remanence/internal/mem"
)

// compatRoute is a path of claude-mem's HTTP API, as its documentation has it. Its
// handler calls our own routes and answers in the documented shape.
type compatRoute struct {
	method  string
	path    string // with {parts} like Route.Get
	handler func(context.Context, compatRequest) (any, error)
	summary string
	keys    []string // of the query, as compatKeys explains them
}

// compatRoutes lists the paths in the order of docs/api.md.
func compatRoutes() []compatRoute {
	page := []string{"project", "limit", "offset"}
	byFile := append([]string{"filePath", "isFolder"}, page...)
	return []compatRoute{
		// sessions, as hooks report them
		{
			"GET", "/api/context/inject", injectContext, "Read the briefing of a project as text",
			[]string{"project", "source", "session_id", "budget", "full"},
		},
		{"POST", "/sessions/{id}/init", initSession, "Report a prompt of a session", nil},
		{"POST", "/api/sessions/init", initSession, "Report a prompt", nil},
		{"POST", "/api/sessions/observations", addToolUse, "Report a tool call", nil},
		{"POST", "/api/sessions/summarize", endTurn, "Report the end of a turn", nil},
		{"POST", "/api/sessions/complete", endSession, "Report the end of a session", nil},
		{"POST", "/api/sessions/session-end", endSession, "Report the end of a session", nil},
		{"POST", "/api/processing", setProcessing, "Mark every session as idle", nil},
		{"GET", "/api/processing-status", getProcessing, "Say whether sessions or jobs are in progress", nil},

		// search and lists
		{
			"GET", "/api/search", searchMemories, "Search memories",
			append([]string{"query", "q", "type"}, page...),
		},
		{"GET", "/api/search/by-file", searchByFile, "List memories about a file", byFile},
		{"GET", "/api/observations/by-file", searchByFile, "List memories about a file", byFile},
		{"GET", "/api/observations", listObservations, "List memories, newest first", append([]string{"type"}, page...)},
		{"GET", "/api/summaries", listSummaries, "List summaries, newest first", page},
		{"GET", "/api/prompts", listPrompts, "List prompts, newest first", page},
		{
			"GET", "/api/timeline", getTimeline, "List what came before and after a memory",
			[]string{"project", "anchor", "session", "depth", "depth_before", "depth_after"},
		},
		{
			"GET", "/api/timeline/by-query", getTimelineByQuery, "List what came before and after the best match of a query",
			[]string{"project", "query", "q", "type", "depth", "depth_before", "depth_after"},
		},
		{
			"GET", "/api/context/recent", getRecent, "List the newest sessions with what came of them",
			[]string{"project", "limit"},
		},

		// single records
		{"GET", "/api/observation/{id}", getObservation, "Read a memory", nil},
		{"GET", "/api/session/{id}", getSession, "Read a session", nil},
		{"GET", "/api/prompt/{id}", getPrompt, "Read a prompt", nil},
		{"POST", "/api/observations/batch", getObservations, "Read several memories", nil},

		// state
		{"GET", "/api/stats", getStats, "Count what is stored", nil},
		{"GET", "/api/projects", listProjects, "List the names of projects", nil},
		{"GET", "/api/context/preview", previewContext, "Preview the next briefing", []string{"project", "source"}},
		{"POST", "/api/context/semantic", recallContext, "Preview what a prompt recalls", nil},
		{"GET", "/api/settings", getSettings, "List the settings", nil},
		{"GET", "/api/logs", getLogs, "Read the end of the log", []string{"lines"}},
		{"GET", "/api/version", getVersion, "Say which version this is", nil},

		// changes
		{"POST", "/api/memory/save", saveMemory, "Keep a statement", nil},
		{"POST", "/api/import", importMemories, "Take in memories and sessions", nil},
		{"DELETE", "/api/observation/{id}", forgetMemory, "Hide a memory", nil},
		{"DELETE", "/api/summary/{id}", forgetMemory, "Hide a summary", nil},
		{"DELETE", "/api/prompt/{id}", forgetPrompt, "Hide a prompt", nil},
		{"POST", "/api/settings", changeSettings, "Change settings", nil},
	}
}

// compatKeys says what the keys of the reads mean.
func compatKeys() map[string]string {
	return map[string]string{
		"project": "name or key of a project; without it, all of them", "limit": "rows, 20 without it, at most 100",
		"lines": "lines of the log", "offset": "rows to skip", "query": "the words to search for", "q": "the same as query",
		"type": "kinds, separated by commas", "filePath": "a path in the project, or an absolute one",
		"isFolder": "true: what is directly in that folder", "anchor": "id or number of a memory",
		"session": "only of this session", "session_id": "the session to be briefed",
		"depth": "entries before and after, at most 100", "depth_before": "entries before and after, at most 100",
		"depth_after": "entries before and after, at most 100; of the two the larger counts",
		"source":      "how the session starts: startup, resume, clear or compact",
		"budget":      "tokens; 0 means the configured ones", "full": "true: with a larger budget",
	}
}

// compatRequest is one request for such a path.
type compatRequest struct {
	Local
	part  map[string]string // of the path
	query url.Values
	body  []byte // JSON; nil for a read
	state func() Health
}

// markdown is an answer in Markdown instead of JSON.
type markdown string

// decode reads the body. Unknown fields are ignored.
func (c compatRequest) decode(into any) error {
	if err := json.Unmarshal(c.body, into); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}

// number returns a whole number of the query, from 0 to most; def if the key is missing.
func (c compatRequest) number(key string, def, most int) (int, error) {
	s := c.query.Get(key)
	if s == "" {
		return def, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%w: %s: %q is not a whole number from 0", ErrInvalid, key, s)
	}
	return min(n, most), nil
}

// place returns the project that the query names, or all projects.
func (c compatRequest) place() mem.ProjectRef { return placeOf(c.query.Get("project")) }

func placeOf(project string) mem.ProjectRef {
	if project == "" {
		project = "all"
	}
	return mem.ProjectRef{Project: project}
}

// callByName calls a route that another package binds.
func (c compatRequest) callByName(ctx context.Context, name string, req any) (any, error) {
	body, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	for _, b := range c.Local {
		if b.name == name {
			return b.wire(ctx, func(into any) error { return json.Unmarshal(body, into) })
		}
	}
	return nil, ErrUnknownRoute
}

// findCompat returns the compat route of a request. known reports whether the path
// exists, possibly with another method.
func (m *mux) findCompat(r *http.Request) (route compatRoute, part map[string]string, known bool) {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	given := strings.Split(path, "/")
	for _, o := range m.compat {
		part, ok := match(strings.Split(o.path, "/"), given)
		if ok && o.method == r.Method {
			return o, part, true
		}
		known = known || ok
	}
	return compatRoute{}, nil, known
}

// serveCompat answers a request for a compat route.
func (m *mux) serveCompat(r *http.Request, route compatRoute, part map[string]string) (any, error) {
	c := compatRequest{Local: m.Bindings, part: part, state: m.Health}
	_, query, hasQuery := strings.Cut(r.RequestURI, "?")
	var err error
	switch {
	case hasQuery && (route.method != http.MethodGet || query == ""):
		return nil, ErrUnknownRoute
	case route.method == http.MethodPost:
		c.body, err = readBody(r)
	case r.ContentLength != 0:
		err = fmt.Errorf("%w: no body is expected", ErrInvalid)
	default:
		if c.query, err = url.ParseQuery(query); err != nil {
			err = fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	if err != nil {
		return nil, err
	}
	answer, err := route.handler(r.Context(), c)
	if err != nil || route.method != http.MethodGet {
		return answer, err
	}
	return fit(answer)
}

// orIfNotFound returns instead if the error is ErrNotFound.
func orIfNotFound(answer, instead any, err error) (any, error) {
	if errors.Is(err, mem.ErrNotFound) {
		return instead, nil
	}
	return answer, err
}
