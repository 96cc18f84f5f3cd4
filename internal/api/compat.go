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
}

// compatRoutes lists the paths in the order of docs/api.md.
func compatRoutes() []compatRoute {
	return []compatRoute{
		// sessions, as hooks report them
		{"GET", "/api/context/inject", injectContext},
		{"POST", "/sessions/{id}/init", initSession},
		{"POST", "/api/sessions/init", initSession},
		{"POST", "/api/sessions/observations", addToolUse},
		{"POST", "/api/sessions/summarize", endTurn},
		{"POST", "/api/sessions/complete", endSession},
		{"POST", "/api/sessions/session-end", endSession},
		{"POST", "/api/processing", setProcessing},
		{"GET", "/api/processing-status", getProcessing},

		// search and lists
		{"GET", "/api/search", searchMemories},
		{"GET", "/api/search/by-file", searchByFile},
		{"GET", "/api/observations/by-file", searchByFile},
		{"GET", "/api/observations", listObservations},
		{"GET", "/api/summaries", listSummaries},
		{"GET", "/api/prompts", listPrompts},
		{"GET", "/api/timeline", getTimeline},

		// single records
		{"GET", "/api/observation/{id}", getObservation},
		{"GET", "/api/session/{id}", getSession},
		{"GET", "/api/prompt/{id}", getPrompt},
		{"POST", "/api/observations/batch", getObservations},

		// state
		{"GET", "/api/stats", getStats},
		{"GET", "/api/projects", listProjects},
		{"GET", "/api/context/preview", previewContext},
		{"POST", "/api/context/semantic", recallContext},
		{"GET", "/api/settings", getSettings},
		{"GET", "/api/logs", getLogs},

		// changes
		{"POST", "/api/memory/save", saveMemory},
		{"POST", "/api/import", importMemories},
		{"DELETE", "/api/observation/{id}", forgetMemory},
		{"DELETE", "/api/summary/{id}", forgetMemory},
		{"DELETE", "/api/prompt/{id}", forgetPrompt},
		{"POST", "/api/settings", changeSettings},
	}
}

// compatRequest is one request for such a path.
type compatRequest struct {
	Local
	part  map[string]string // of the path
	query url.Values
	body  []byte // JSON; nil for a read
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
	c := compatRequest{Local: m.Bindings, part: part}
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
	return route.handler(r.Context(), c)
}

// orIfNotFound returns instead if the error is ErrNotFound.
func orIfNotFound(answer, instead any, err error) (any, error) {
	if errors.Is(err, mem.ErrNotFound) {
		return instead, nil
	}
	return answer, err
}
