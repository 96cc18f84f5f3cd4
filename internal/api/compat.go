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

// oldRoute is a path that tools ask which were written for other memories, as
// their documents have it. It is answered by our own routes.
type oldRoute struct {
	method string
	path   string // with {parts} like Route.Get
	answer func(context.Context, oldCall) (any, error)
}

// oldRoutes are all of them.
func oldRoutes() []oldRoute {
	return []oldRoute{
		{"GET", "/api/context/inject", inject},
		{"POST", "/sessions/{id}/init", initSession},
		{"POST", "/api/sessions/init", initSession},
		{"POST", "/api/sessions/observations", observe},
		{"POST", "/api/sessions/summarize", summarize},
		{"POST", "/api/sessions/complete", complete},
		{"POST", "/api/sessions/session-end", complete},
		{"POST", "/api/processing", setProcessing},
		{"GET", "/api/processing-status", func(ctx context.Context, c oldCall) (any, error) {
			return Processing.Call(ctx, c, Nothing{})
		}},

		{"GET", "/api/search", searchOld},
		{"GET", "/api/search/by-file", byFile},
		{"GET", "/api/observations/by-file", byFile},
		{"GET", "/api/observations", observations},
		{"GET", "/api/summaries", summaries},
		{"GET", "/api/prompts", prompts},
		{"GET", "/api/timeline", timeline},
		{"GET", "/api/observation/{id}", observation},
		{"GET", "/api/session/{id}", session},
		{"GET", "/api/prompt/{id}", prompt},
		{"POST", "/api/observations/batch", observationsByID},
		{"GET", "/api/stats", stats},
		{"GET", "/api/projects", projects},
		{"GET", "/api/context/preview", preview},
		{"POST", "/api/context/semantic", semantic},
		{"GET", "/api/settings", func(ctx context.Context, c oldCall) (any, error) {
			return c.pass(ctx, "config", Nothing{})
		}},
		{"GET", "/api/logs", logs},

		{"POST", "/api/memory/save", save},
		{"POST", "/api/import", importOld},
		{"DELETE", "/api/observation/{id}", hide},
		{"DELETE", "/api/summary/{id}", hide},
		{"DELETE", "/api/prompt/{id}", hidePrompt},
		{"POST", "/api/settings", set},
	}
}

// oldCall is one request of such a tool.
type oldCall struct {
	Local
	part  map[string]string // of the path
	query url.Values
	body  []byte // JSON; nil of a read
}

// markdown is an answer that is no JSON.
type markdown string

// decode reads the body. What it says besides is of no interest.
func (c oldCall) decode(into any) error {
	if err := json.Unmarshal(c.body, into); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}

// number is a whole number of the query from 0 up; more than most counts as most.
func (c oldCall) number(key string, or, most int) (int, error) {
	s := c.query.Get(key)
	if s == "" {
		return or, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%w: %s: %q is no whole number from 0", ErrInvalid, key, s)
	}
	return min(n, most), nil
}

// place is the project that the query names; all of them if it names none.
func (c oldCall) place() mem.ProjectRef { return placeOf(c.query.Get("project")) }

func placeOf(project string) mem.ProjectRef {
	if project == "" {
		project = "all"
	}
	return mem.ProjectRef{Project: project}
}

// pass asks a route by its name, with a request that its JSON understands.
func (c oldCall) pass(ctx context.Context, name string, req any) (any, error) {
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

// old finds who answers a request of such a tool. known reports whether the path
// is one of theirs, whatever the method.
func (m *mux) old(r *http.Request) (o oldRoute, part map[string]string, known bool) {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	given := strings.Split(path, "/")
	for _, o := range m.olds {
		part, ok := match(strings.Split(o.path, "/"), given)
		if ok && o.method == r.Method {
			return o, part, true
		}
		known = known || ok
	}
	return oldRoute{}, nil, known
}

// answerOld answers a request of such a tool.
func (m *mux) answerOld(r *http.Request, o oldRoute, part map[string]string) (any, error) {
	c := oldCall{Local: m.Bindings, part: part}
	_, query, asked := strings.Cut(r.RequestURI, "?")
	var err error
	switch {
	case asked && (o.method != http.MethodGet || query == ""):
		return nil, ErrUnknownRoute
	case o.method == http.MethodPost:
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
	return o.answer(r.Context(), c)
}

// absent makes a thing that is not there an answer of its own.
func absent(answer, instead any, err error) (any, error) {
	if errors.Is(err, mem.ErrNotFound) {
		return instead, nil
	}
	return answer, err
}
