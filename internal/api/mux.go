package api

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
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
	// Observe, if set, hears of every answered route, and of panics as errors.
	// It is called by several goroutines.
	Observe func(name string, took time.Duration, err error)
}

// Mux returns the handler of the routes. It lets everybody in: a Guard stands
// before it. It refuses, in this order: a target that is not a route's own,
// letter by letter (404), another method (405), another content type than JSON
// (415), a body that does not say its length (411), one beyond MaxBody (413),
// one that is not the route's JSON (400).
func Mux(c Config) http.Handler {
	m := &mux{Config: c, routes: make(map[string]Binding, len(c.Bindings))}
	for _, b := range c.Bindings {
		m.routes[prefix+b.name] = b
	}
	return m
}

type mux struct {
	Config
	routes map[string]Binding // by the target of the request
}

func (m *mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	name, answer, err := m.serve(r)
	if err == nil {
		err = send(w, http.StatusOK, "application/json", answer)
	} else {
		refuse(w, asError(err))
	}
	if m.Observe != nil {
		m.Observe(name, time.Since(start), err)
	}
}

// serve answers r. A panic of the route becomes an error. Targets are compared
// as they were sent: a query, a host or an escape in one makes it another.
func (m *mux) serve(r *http.Request) (name string, answer any, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = nil, fmt.Errorf("panic in %s: %v", name, p)
		}
	}()
	switch r.RequestURI {
	case "/health", "/api/health", "/api/readiness":
		answer, err = m.health(r)
		return "health", answer, err
	}
	b, ok := m.routes[r.RequestURI]
	if !ok {
		return "", nil, ErrUnknownRoute
	}
	body, err := readBody(r)
	if err != nil {
		return b.name, nil, err
	}
	answer, err = b.wire(r.Context(), body)
	return b.name, answer, err
}

// health answers the three health paths; of them readiness alone turns into a
// failure when the worker is on its way out.
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

// readBody reads what the request says that it carries, and no more.
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
		Name:   e.Name,
	})
}

// send writes one whole answer, or an internal error if v has no JSON.
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
