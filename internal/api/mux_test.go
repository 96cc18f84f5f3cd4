package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"remanence/internal/api"
)

func TestWhatIsNotARouteIsRefused(t *testing.T) {
	asked := 0
	h := guarded(api.Config{Bindings: []api.Binding{api.On(echo, func(context.Context, question) (answer, error) {
		asked++
		return answer{}, nil
	})}})
	const path = "/api/v1/echo"
	tests := []struct {
		name   string
		method string // empty means POST
		path   string // empty means the route
		body   string // empty means {}
		set    map[string]string
		status int
		error  string
	}{
		{name: "good", status: 200},
		{name: "charset", set: map[string]string{"Content-Type": "application/json; charset=utf-8"}, status: 200},

		{name: "unknown route", path: "/api/v1/nothing", status: 404, error: "unknown_route"},
		{name: "other tree", path: "/echo", status: 404, error: "unknown_route"},
		{name: "bare name", path: "echo", status: 404, error: "unknown_route"},
		{name: "climbing", path: "/api/v1/../v1/echo", status: 404, error: "unknown_route"},
		{name: "doubled slash", path: "//api/v1/echo", status: 404, error: "unknown_route"},
		{name: "escaped slash", path: "/api/v1%2fecho", status: 404, error: "unknown_route"},
		{name: "escaped letter", path: "/api/v1/%65cho", status: 404, error: "unknown_route"},
		{name: "query", path: path + "?x=1", status: 404, error: "unknown_route"},
		{name: "empty query", path: path + "?", status: 404, error: "unknown_route"},
		{name: "token in the query too", path: path + "?token=" + token, status: 404, error: "unknown_route"},
		{name: "a host in the target", path: "http://remanence" + path, status: 404, error: "unknown_route"},
		{name: "get", method: "GET", status: 405, error: "method"},
		{name: "preflight", method: "OPTIONS", status: 405, error: "method"},
		{name: "post to health", path: "/health", status: 405, error: "method"},
		{
			name: "form", set: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, status: 415,
			error: "not_json",
		},
		{name: "text", set: map[string]string{"Content-Type": "text/plain"}, status: 415, error: "not_json"},
		{name: "no type", set: map[string]string{"Content-Type": ""}, status: 415, error: "not_json"},
		{
			name: "two types", set: map[string]string{"Content-Type": "application/json\ntext/plain"}, status: 415,
			error: "not_json",
		},
		{name: "no length", set: map[string]string{"Content-Length": "-1"}, status: 411, error: "no_length"},
		{name: "less than its length", set: map[string]string{"Content-Length": "7"}, status: 400, error: "invalid"},
		{name: "too large", body: `{"Text":"` + strings.Repeat("x", api.MaxBody) + `"}`, status: 413, error: "too_large"},
		{name: "no json", body: "x", status: 400, error: "invalid"},
		{name: "two objects", body: "{}{}", status: 400, error: "invalid"},
		{name: "other type", body: `{"Text":7}`, status: 400, error: "invalid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked = 0
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, request(tt.method, tt.path, tt.body, tt.set))
			if rec.Code != tt.status {
				t.Fatalf("status = %d, want %d: %s", rec.Code, tt.status, rec.Body)
			}
			if tt.error != "" && asked != 0 {
				t.Error("the route was asked all the same")
			}
			checkHeaders(t, rec, tt.error)
		})
	}
}

func TestHealthIsReported(t *testing.T) {
	status := api.OK
	h := guarded(api.Config{Health: func() api.Health {
		return api.Health{Status: status, Version: "1.2", PID: 7, Uptime: 1.5, QueueDepth: 3, OldestJobSeconds: 60}
	}})
	get := func(path string) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, request("GET", path, "", nil))
		return rec
	}
	want := `{"status":"ok","version":"1.2","pid":7,"uptime":1.5,"queueDepth":3,"oldestJobSeconds":60}`
	for _, path := range []string{"/health", "/api/health", "/api/readiness"} {
		if rec := get(path); rec.Code != 200 || rec.Body.String() != want {
			t.Errorf("%s: got %d %s, want 200 %s", path, rec.Code, rec.Body, want)
		}
	}
	status = api.Draining
	if rec := get("/api/readiness"); rec.Code != 503 {
		t.Errorf("draining: readiness = %d, want 503", rec.Code)
	}
	if rec := get("/health"); rec.Code != 200 {
		t.Errorf("draining: health = %d, want 200", rec.Code)
	}
}

// guarded is a mux as the worker serves it.
func guarded(c api.Config) http.Handler {
	return api.Guard(api.Access{Hosts: append(api.LoopbackHosts(7777), api.SocketHost), Token: token}, api.Mux(c))
}

// request is a good request but for what is set; lines of a value are values.
func request(method, path, body string, set map[string]string) *http.Request {
	if method == "" {
		method = "POST"
	}
	if body == "" {
		body = "{}"
	}
	if path == "" {
		path = "/api/v1/echo"
	}
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.RequestURI = path
	r.Host = api.SocketHost
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	for k, v := range set {
		switch {
		case k == "Host":
			r.Host = v
		case k == "Content-Length":
			r.ContentLength, _ = strconv.ParseInt(v, 10, 64)
		case v == "" && k != "Origin":
			r.Header.Del(k)
		default:
			r.Header[k] = strings.Split(v, "\n")
		}
	}
	return r
}

func checkHeaders(t *testing.T, rec *httptest.ResponseRecorder, name string) {
	t.Helper()
	for k := range rec.Header() {
		if strings.HasPrefix(k, "Access-Control") {
			t.Errorf("answer carries %s", k)
		}
	}
	kind := "application/json"
	if name != "" {
		kind = "application/problem+json"
		var p struct {
			Status int
			Error  string
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil || p.Error != name || p.Status != rec.Code {
			t.Errorf("problem = %s (%v), want error %q and status %d", rec.Body, err, name, rec.Code)
		}
	}
	if got := rec.Header().Get("Content-Type"); got != kind {
		t.Errorf("content type = %q, want %q", got, kind)
	}
	for k, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
	} {
		if got := rec.Header().Get(k); got != want {
			t.Errorf("%s = %q, want %q", k, got, want)
		}
	}
}

func TestHealthIsAPageOnlyForWhoGoesThere(t *testing.T) {
	for _, c := range []struct {
		target, dest string
		want         bool
	}{
		{"/health", "document", true},
		{"/health", "empty", false},
		{"/health", "", false},
		{"/health/x", "document", false},
		{"/api/health", "document", false},
		{"/recalls/r_1", "", true},
	} {
		r := httptest.NewRequest(http.MethodGet, c.target, nil)
		r.Header.Set("Sec-Fetch-Dest", c.dest)
		if got := api.IsPage(r); got != c.want {
			t.Errorf("%s for %q: page %t, want %t", c.target, c.dest, got, c.want)
		}
	}
}
