package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"remanence/internal/api"
)

func TestHostileRequestsAreRefused(t *testing.T) {
	asked := 0
	h := api.Mux(api.Config{
		Token: token,
		Hosts: []string{"remanence", "127.0.0.1:7777"},
		Bindings: []api.Binding{api.On(echo, func(context.Context, question) (answer, error) {
			asked++
			return answer{}, nil
		})},
	})
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
		{name: "other own host", set: map[string]string{"Host": "127.0.0.1:7777", "Origin": "http://127.0.0.1:7777", "Sec-Fetch-Site": "same-origin"}, status: 200},
		{name: "charset", set: map[string]string{"Content-Type": "application/json; charset=utf-8"}, status: 200},

		{name: "rebound host", set: map[string]string{"Host": "evil.example:7777"}, status: 421, error: "foreign_host"},
		{name: "host with other port", set: map[string]string{"Host": "127.0.0.1:80"}, status: 421, error: "foreign_host"},
		{name: "host without port", set: map[string]string{"Host": "127.0.0.1"}, status: 421, error: "foreign_host"},
		{name: "no host", set: map[string]string{"Host": ""}, status: 421, error: "foreign_host"},
		{name: "origin of rebound host", set: map[string]string{"Host": "evil.example", "Origin": "http://evil.example"}, status: 421, error: "foreign_host"},
		{name: "foreign origin", set: map[string]string{"Origin": "https://evil.example"}, status: 403, error: "foreign_origin"},
		{name: "null origin", set: map[string]string{"Origin": "null"}, status: 403, error: "foreign_origin"},
		{name: "origin of other port", set: map[string]string{"Host": "127.0.0.1:7777", "Origin": "http://127.0.0.1:8888"}, status: 403, error: "foreign_origin"},
		{name: "cross-site get", method: "GET", path: "/health", set: map[string]string{"Sec-Fetch-Site": "cross-site"}, status: 403, error: "foreign_origin"},
		{name: "same-site", set: map[string]string{"Sec-Fetch-Site": "same-site"}, status: 403, error: "foreign_origin"},
		{name: "empty origin", set: map[string]string{"Origin": ""}, status: 403, error: "foreign_origin"},

		{name: "no token", set: map[string]string{"Authorization": ""}, status: 401, error: "unauthorized"},
		{name: "wrong token", set: map[string]string{"Authorization": "Bearer the-tokem"}, status: 401, error: "unauthorized"},
		{name: "part of the token", set: map[string]string{"Authorization": "Bearer the"}, status: 401, error: "unauthorized"},
		{name: "basic", set: map[string]string{"Authorization": "Basic the-token"}, status: 401, error: "unauthorized"},
		{name: "token in query", path: path + "?token=the-token", set: map[string]string{"Authorization": ""}, status: 401, error: "unauthorized"},
		{name: "health without token", method: "GET", path: "/health", set: map[string]string{"Authorization": ""}, status: 401, error: "unauthorized"},
		{name: "unknown without token", path: "/x", set: map[string]string{"Authorization": ""}, status: 401, error: "unauthorized"},

		{name: "unknown route", path: "/api/v1/nothing", status: 404, error: "unknown_route"},
		{name: "other tree", path: "/echo", status: 404, error: "unknown_route"},
		{name: "bare name", path: "echo", status: 404, error: "unknown_route"},
		{name: "climbing", path: "/api/v1/../v1/echo", status: 404, error: "unknown_route"},
		{name: "get", method: "GET", status: 405, error: "method"},
		{name: "preflight", method: "OPTIONS", status: 405, error: "method"},
		{name: "post to health", path: "/health", status: 405, error: "method"},
		{name: "form", set: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, status: 415, error: "not_json"},
		{name: "text", set: map[string]string{"Content-Type": "text/plain"}, status: 415, error: "not_json"},
		{name: "no type", set: map[string]string{"Content-Type": ""}, status: 415, error: "not_json"},
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

func TestMuxWithoutTokenLetsNobodyIn(t *testing.T) {
	for _, auth := range []string{"", "Bearer ", "Bearer"} {
		rec := httptest.NewRecorder()
		api.Mux(api.Config{}).ServeHTTP(rec, request("GET", "/health", "", map[string]string{"Authorization": auth}))
		if rec.Code != http.StatusUnauthorized {
			t.Errorf("%q: status = %d, want 401", auth, rec.Code)
		}
	}
}

func TestHealthIsTold(t *testing.T) {
	status := api.OK
	h := api.Mux(api.Config{Token: token, Health: func() api.Health {
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

func request(method, path, body string, set map[string]string) *http.Request {
	if method == "" {
		method = "POST"
	}
	if body == "" {
		body = "{}"
	}
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	switch {
	case path == "":
		r.URL.Path = "/api/v1/echo"
	default:
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
	}
	r.Host = "remanence"
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	for k, v := range set {
		switch {
		case k == "Host":
			r.Host = v
		case v == "" && k != "Origin":
			r.Header.Del(k)
		default:
			r.Header.Set(k, v)
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
	if got := rec.Header().Get("X-Content-Type-Options"); got != "nosniff" {
		t.Errorf("X-Content-Type-Options = %q, want nosniff", got)
	}
}
