package api

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
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

// Config says what a Mux serves, and to whom.
type Config struct {
	Bindings []Binding
	Token    string        // that every request must carry; with an empty one none passes
	Hosts    []string      // exact values of Host that pass; nil means only SocketHost
	Health   func() Health // nil means a bare "ok"
	// Observe, if set, hears of every answered route, and of panics as errors.
	// It is called by several goroutines.
	Observe func(name string, took time.Duration, err error)
}

// Mux returns the handler of the routes. It refuses, in this order: a foreign
// Host (421), a foreign Origin or Sec-Fetch-Site (403), a missing or wrong
// token (401), an unknown path (404), another method (405), another content
// type than JSON (415), a body beyond MaxBody (413), a body that is not the
// route's JSON (400). Answers carry no CORS header.
func Mux(c Config) http.Handler {
	m := &mux{Config: c, routes: make(map[string]Binding, len(c.Bindings))}
	if m.Hosts == nil {
		m.Hosts = []string{SocketHost}
	}
	for _, b := range c.Bindings {
		m.routes[b.name] = b
	}
	return m
}

type mux struct {
	Config
	routes map[string]Binding
}

func (m *mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	name, answer, err := m.serve(w, r)
	if err == nil {
		err = send(w, http.StatusOK, "application/json", answer)
	} else {
		refuse(w, asError(err))
	}
	if m.Observe != nil {
		m.Observe(name, time.Since(start), err)
	}
}

// serve answers r. A panic of the route becomes an error.
func (m *mux) serve(w http.ResponseWriter, r *http.Request) (name string, answer any, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = nil, fmt.Errorf("panic in %s: %v", name, p)
		}
	}()
	if err := m.admit(r); err != nil {
		return "", nil, err
	}
	switch r.URL.Path {
	case "/health", "/api/health", "/api/readiness":
		answer, err = m.health(r)
		return "health", answer, err
	}
	b, ok := m.routes[strings.TrimPrefix(r.URL.Path, prefix)]
	if !ok || !strings.HasPrefix(r.URL.Path, prefix) {
		return "", nil, ErrUnknownRoute
	}
	body, err := readBody(w, r)
	if err != nil {
		return b.name, nil, err
	}
	answer, err = b.wire(r.Context(), body)
	return b.name, answer, err
}

// admit checks who asks. Browsers send Origin or Sec-Fetch-Site when a page
// asks; only pages of our own pass.
func (m *mux) admit(r *http.Request) error {
	if !slices.Contains(m.Hosts, r.Host) {
		return &Error{Status: http.StatusMisdirectedRequest, Name: "foreign_host"}
	}
	if o := r.Header.Values("Origin"); len(o) > 1 || len(o) == 1 && o[0] != "http://"+r.Host {
		return &Error{Status: http.StatusForbidden, Name: "foreign_origin"}
	}
	if s := r.Header.Values("Sec-Fetch-Site"); len(s) > 1 || len(s) == 1 && s[0] != "same-origin" {
		return &Error{Status: http.StatusForbidden, Name: "foreign_origin"}
	}
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || m.Token == "" || subtle.ConstantTimeCompare([]byte(given), []byte(m.Token)) != 1 {
		return &Error{Status: http.StatusUnauthorized, Name: "unauthorized"}
	}
	return nil
}

// health answers the three health paths; of them readiness alone turns into a
// failure when the worker is on its way out.
func (m *mux) health(r *http.Request) (any, error) {
	if r.Method != http.MethodGet {
		return nil, methodError()
	}
	h := Health{Status: OK}
	if m.Health != nil {
		h = m.Health()
	}
	if h.Status != OK && strings.HasSuffix(r.URL.Path, "/readiness") {
		return nil, &Error{Status: http.StatusServiceUnavailable, Name: "not_ready", Detail: h.Status}
	}
	return h, nil
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost {
		return nil, methodError()
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &Error{Status: http.StatusUnsupportedMediaType, Name: "not_json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, &Error{Status: http.StatusRequestEntityTooLarge, Name: "too_large"}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: read body: %w", ErrInvalid, err)
	}
	return body, nil
}

func methodError() error {
	return &Error{Status: http.StatusMethodNotAllowed, Name: "method"}
}

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
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	w.WriteHeader(status)
	if _, werr := w.Write(body); err == nil {
		err = werr
	}
	return err
}
