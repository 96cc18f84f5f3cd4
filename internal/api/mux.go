package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// SocketHost is the Host of requests over the unix socket.
	SocketHost = "remanence"
	// MaxBody is the largest request taken, in bytes: an event of 2 MiB and its frame.
	MaxBody = 2<<20 + 64<<10

	prefix = "/api/v1/"
)

// Config says what a Mux serves.
type Config struct {
	Bindings []Binding
	Health   func() Health // nil means a bare "ok"
	// Metrics, if set, returns the metrics.
	Metrics func(context.Context) ([]Metric, error)
	// Observe, if set, is called after every request; a panic is passed as an error.
	// It is called by several goroutines.
	Observe func(name string, took time.Duration, err error)
}

// Mux returns the handler of the routes. It does not check who asks: put a Guard in
// front of it. It refuses, in this order: a target that does not equal a route's
// (404), another method (405), a content type other than JSON (415), a body without
// a length (411) or beyond MaxBody (413), and a body that is not the route's JSON
// (400). A read has its request in the query and no body (400).
func Mux(c Config) http.Handler {
	m := &mux{Config: c, compat: compatRoutes(), routes: make(map[string]Binding, len(c.Bindings))}
	for _, b := range c.Bindings {
		m.routes[prefix+b.name] = b
		if b.get != "" {
			m.reads = append(m.reads, read{strings.Split(prefix+b.get, "/"), b})
		}
	}
	return m
}

type mux struct {
	Config
	routes map[string]Binding // by the target of the request
	reads  []read
	compat []compatRoute
}

func (m *mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	name, answer, err := m.serve(r)
	if err == nil {
		err = write(w, answer)
	} else {
		refuse(w, asError(err))
	}
	if m.Observe != nil {
		m.Observe(name, time.Since(start), err)
	}
}

// write sends an answer in the format of its type.
func write(w http.ResponseWriter, answer any) (err error) {
	switch a := answer.(type) {
	case markdown:
		w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
		_, err = io.WriteString(w, string(a))
	case metricsText:
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, err = a.WriteTo(w)
	default:
		err = send(w, http.StatusOK, "application/json", answer)
	}
	return err
}

// panicked returns the file and line that panicked, for a function that is deferred.
func panicked() string {
	calls := make([]uintptr, 32)
	frames, passed := runtime.CallersFrames(calls[:runtime.Callers(1, calls)]), false
	for {
		f, more := frames.Next()
		ofRuntime := strings.HasPrefix(f.Function, "runtime.")
		if passed && !ofRuntime || !more {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		passed = passed || f.Function == "runtime.gopanic"
	}
}

// serve answers r. A panic of the route becomes an error. Targets are compared as
// they were sent: a target with a host, an escape or a query is unknown, except
// that a read may have a query.
func (m *mux) serve(r *http.Request) (name string, answer any, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = nil, fmt.Errorf("panic in %s at %s: %v", name, panicked(), p)
		}
	}()
	switch r.RequestURI {
	case "/health", "/api/health", "/api/readiness":
		answer, err = m.health(r)
		return "health", answer, err
	case MetricsPath:
		answer, err = m.metrics(r)
		return "metrics", answer, err
	case OpenAPIPath:
		if err := isRead(r); err != nil {
			return "openapi", nil, err
		}
		text, err := OpenAPI(m.Bindings)
		return "openapi", json.RawMessage(text), err
	}
	if r.Method == http.MethodGet {
		if b, keys, ok := m.read(r.RequestURI); ok {
			name = b.name
			answer, err = b.wire(r.Context(), func(req any) error { return fillRead(req, keys, r) })
			if err == nil {
				answer, err = fit(answer)
			}
			return name, answer, err
		}
	}
	b, ok := m.routes[r.RequestURI]
	if !ok {
		if route, part, known := m.findCompat(r); route.handler != nil {
			name = route.path
			answer, err = m.serveCompat(r, route, part)
			return name, answer, err
		} else if known {
			return "", nil, refusal(http.StatusMethodNotAllowed, "method")
		}
		if _, _, ok := m.read(r.RequestURI); ok {
			return "", nil, refusal(http.StatusMethodNotAllowed, "method")
		}
		return "", nil, ErrUnknownRoute
	}
	name = b.name
	answer, err = b.wire(r.Context(), func(req any) error {
		body, err := readBody(r)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(body, req); err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		return refuseNegative(req)
	})
	return name, answer, err
}

// read is the path at which GET calls a route.
type read struct {
	parts []string // of the path; one in braces matches any
	Binding
}

// read finds the route of a GET target. keys returns the values of its query and its path.
func (m *mux) read(target string) (b Binding, keys func() (url.Values, error), ok bool) {
	path, query, hasQuery := strings.Cut(target, "?")
	if hasQuery && query == "" {
		return Binding{}, nil, false
	}
	given := strings.Split(path, "/")
	for _, r := range m.reads {
		if own, ok := match(r.parts, given); ok {
			return r.Binding, func() (url.Values, error) {
				all, err := url.ParseQuery(query)
				if err != nil {
					return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
				}
				for k, v := range own {
					if all.Has(k) {
						return nil, fmt.Errorf("%w: %s is in the path", ErrInvalid, k)
					}
					all.Set(k, v)
				}
				return all, nil
			}, true
		}
	}
	return Binding{}, nil, false
}

// match returns the parts of a path that a pattern names in braces.
func match(pattern, given []string) (map[string]string, bool) {
	if len(given) != len(pattern) {
		return nil, false
	}
	own := map[string]string{}
	for i, p := range pattern {
		name, any := strings.CutPrefix(p, "{")
		switch {
		case !any && given[i] != p, any && !plain(given[i]):
			return nil, false
		case any:
			own[strings.TrimSuffix(name, "}")] = given[i]
		}
	}
	return own, true
}

// IsPage reports whether a request is for a page of the viewer or one of its assets:
// a GET of a plain path that belongs to no route.
func IsPage(r *http.Request) bool {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if r.Method != http.MethodGet || !strings.HasPrefix(path, "/") {
		return false
	}
	if path == "/" {
		return true
	}
	parts := strings.Split(path[1:], "/")
	switch strings.ToLower(parts[0]) {
	case "health": // also a page; only a browser that navigates there sends this header
		return path == "/health" && r.Header.Get("Sec-Fetch-Dest") == "document"
	case "api", "stream", "metrics", "mcp":
		return false
	}
	return !slices.ContainsFunc(parts, func(p string) bool { return !plain(p) })
}

// plain reports whether a part of a path has only the characters of ids, and is not
// a reference to another directory.
func plain(s string) bool {
	return s != "" && strings.Trim(s, ".") != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-:@", r)
	})
}

// fillRead sets the request of a read from its query and path.
func fillRead(req any, keys func() (url.Values, error), r *http.Request) error {
	if err := isRead(r); err != nil {
		return err
	}
	values, err := keys()
	if err != nil {
		return err
	}
	if err := readQuery(req, values); err != nil {
		return err
	}
	return refuseNegative(req)
}

func (m *mux) metrics(r *http.Request) (any, error) {
	if err := isRead(r); err != nil {
		return nil, err
	}
	if m.Metrics == nil {
		return nil, ErrUnknownRoute
	}
	all, err := m.Metrics(r.Context())
	return metricsText(all), err
}

// isRead returns an error unless the request is a GET without a body.
func isRead(r *http.Request) error {
	if r.Method != http.MethodGet {
		return refusal(http.StatusMethodNotAllowed, "method")
	}
	if r.ContentLength != 0 {
		return fmt.Errorf("%w: a read has no body", ErrInvalid)
	}
	return nil
}

// health answers the three health paths. Only readiness fails while the daemon is
// draining.
func (m *mux) health(r *http.Request) (any, error) {
	if r.Method != http.MethodGet {
		return nil, refusal(http.StatusMethodNotAllowed, "method")
	}
	h := Health{Status: OK}
	if m.Health != nil {
		h = m.Health()
	}
	if h.Status != OK && strings.HasSuffix(r.RequestURI, "/readiness") {
		return nil, &Error{Status: http.StatusServiceUnavailable, Name: "not_ready", Detail: h.Status}
	}
	return h, nil
}

// readBody reads exactly the announced length of the body.
func readBody(r *http.Request) ([]byte, error) {
	switch {
	case r.Method != http.MethodPost:
		return nil, refusal(http.StatusMethodNotAllowed, "method")
	case !isJSON(r.Header.Values("Content-Type")):
		return nil, refusal(http.StatusUnsupportedMediaType, "not_json")
	case r.ContentLength < 0:
		return nil, refusal(http.StatusLengthRequired, "no_length")
	case r.ContentLength > MaxBody:
		return nil, refusal(http.StatusRequestEntityTooLarge, "too_large")
	}
	body := make([]byte, r.ContentLength)
	if _, err := io.ReadFull(r.Body, body); err != nil {
		return nil, fmt.Errorf("%w: read body: %w", ErrInvalid, err)
	}
	return body, nil
}

func isJSON(types []string) bool {
	if len(types) != 1 {
		return false
	}
	kind, _, err := mime.ParseMediaType(types[0])
	return err == nil && kind == "application/json"
}

func refusal(status int, name string) error { return &Error{Status: status, Name: name} }

func refuse(w http.ResponseWriter, e *Error) {
	if e.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	_ = send(w, e.Status, "application/problem+json", problem{
		Type:   "about:blank",
		Title:  http.StatusText(e.Status),
		Status: e.Status,
		Detail: e.Detail,
		Fix:    e.Fix,
		Name:   e.Name,
	})
}

// send writes one answer, or an internal error if v cannot be encoded.
func send(w http.ResponseWriter, status int, kind string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"status":500,"error":"internal"}`)
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if _, werr := w.Write(body); err == nil {
		err = werr
	}
	return err
}
