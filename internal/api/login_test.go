package api_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
)

const origin = "http://127.0.0.1:7777"

// lodge is a guard with logins, whose clock the test moves.
type lodge struct {
	http.Handler
	logins *api.Logins
	now    time.Time
	key    api.Key // as last reported
}

func newLodge() *lodge {
	l := &lodge{now: time.Date(2026, 9, 12, 8, 0, 0, 0, time.UTC)}
	l.logins = &api.Logins{Cookie: "remanence_x", Now: func() time.Time {
		return l.now
	}, OnChange: func(k api.Key) { l.key = k }}
	l.Handler = api.Guard(api.Access{
		Hosts: api.LoopbackHosts(7777), Token: token, Logins: l.logins,
		Public: func(r *http.Request) bool { return r.RequestURI == api.LoginPath },
	}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if api.IsLogin(r) {
			l.logins.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	return l
}

func (l *lodge) do(method, path, body string, set map[string]string) *httptest.ResponseRecorder {
	all := map[string]string{"Host": own, "Authorization": ""}
	maps.Copy(all, set)
	rec := httptest.NewRecorder()
	l.ServeHTTP(rec, request(method, path, body, all))
	return rec
}

func (l *lodge) login(code string) (cookie string, status int) {
	rec := l.do("POST", "/api/v1/login", `{"code":"`+code+`"}`, map[string]string{"Origin": origin})
	cookie, _, _ = strings.Cut(rec.Header().Get("Set-Cookie"), ";")
	return cookie, rec.Code
}

func TestACodeBuysOneLoginWithinAMinute(t *testing.T) {
	l := newLodge()
	code := l.logins.Code()
	cookie, status := l.login(code)
	if status != 200 || !strings.HasPrefix(cookie, "remanence_x=") {
		t.Fatalf("got %d %q, want a cookie", status, cookie)
	}
	if _, status := l.login(code); status != 401 {
		t.Errorf("used again: status %d, want 401", status)
	}
	late := l.logins.Code()
	l.now = l.now.Add(api.CodeFor)
	for _, c := range []string{late, "", "0", strings.Repeat("0", 32), code[:31]} {
		if cookie, status := l.login(c); status != 401 || cookie != "" {
			t.Errorf("code %q: got %d %q, want 401 and no cookie", c, status, cookie)
		}
	}
	if got := l.do("GET", "/x", "", map[string]string{"Cookie": cookie}).Code; got != 204 {
		t.Errorf("with the cookie: status %d, want 204", got)
	}
}

func TestACookieIsForThisBrowserAndNoPageElse(t *testing.T) {
	l := newLodge()
	rec := l.do("POST", "/api/v1/login", `{"code":"`+l.logins.Code()+`"}`, nil)
	for _, want := range []string{"; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age=604800"} {
		if got := rec.Header().Get("Set-Cookie"); !strings.Contains(got, want) {
			t.Errorf("cookie %q, want it with %q", got, want)
		}
	}
	cookie, _, _ := strings.Cut(rec.Header().Get("Set-Cookie"), ";")
	unproven, _, _ := strings.Cut(cookie, ".")
	for name, tt := range map[string]struct {
		method string
		set    map[string]string
		want   int
	}{
		"read":                   {"GET", map[string]string{"Cookie": cookie}, 204},
		"write":                  {"POST", map[string]string{"Cookie": cookie, "Origin": origin}, 204},
		"write of no page":       {"POST", map[string]string{"Cookie": cookie}, 401},
		"delete of no page":      {"DELETE", map[string]string{"Cookie": cookie}, 401},
		"foreign page":           {"POST", map[string]string{"Cookie": cookie, "Origin": "https://evil.example"}, 403},
		"beside a wrong token":   {"GET", map[string]string{"Cookie": cookie, "Authorization": "Bearer x"}, 401},
		"beside an empty token":  {"GET", map[string]string{"Cookie": cookie, "Authorization": "\n"}, 401},
		"twice":                  {"GET", map[string]string{"Cookie": cookie + "; " + cookie}, 401},
		"of another instance":    {"GET", map[string]string{"Cookie": strings.Replace(cookie, "_x=", "_y=", 1)}, 401},
		"changed":                {"GET", map[string]string{"Cookie": cookie[:len(cookie)-1] + "g"}, 401},
		"longer":                 {"GET", map[string]string{"Cookie": strings.Replace(cookie, "=", "=9", 1)}, 401},
		"without its proof":      {"GET", map[string]string{"Cookie": unproven}, 401},
		"the code itself":        {"GET", map[string]string{"Cookie": "remanence_x=" + l.logins.Code()}, 401},
		"the token as a cookie":  {"GET", map[string]string{"Cookie": "remanence_x=" + token}, 401},
		"nothing of it":          {"GET", map[string]string{"Cookie": "remanence_x="}, 401},
		"no proof, not for this": {"POST", map[string]string{"Origin": origin}, 401},
	} {
		if got := l.do(tt.method, "/x", "", tt.set).Code; got != tt.want {
			t.Errorf("%s: status %d, want %d", name, got, tt.want)
		}
	}
}

func TestALoginOutlivesTheWorkerAndEndsInTime(t *testing.T) {
	l := newLodge()
	cookie, _ := l.login(l.logins.Code())
	next := newLodge()
	next.logins.Use(l.key)
	read := func(l *lodge) int { return l.do("GET", "/x", "", map[string]string{"Cookie": cookie}).Code }
	if got := read(next); got != 204 {
		t.Errorf("after a restart: status %d, want 204", got)
	}
	if got := read(newLodge()); got != 401 {
		t.Errorf("at a worker that knows no login: status %d, want 401", got)
	}
	next.now = next.now.Add(api.LoginFor)
	if got := read(next); got != 401 {
		t.Errorf("after its time: status %d, want 401", got)
	}
}

func TestLogoutEndsAllLogins(t *testing.T) {
	l := newLodge()
	one, _ := l.login(l.logins.Code())
	code := l.logins.Code()
	other, _ := l.login(l.logins.Code())
	if rec := l.do("POST", "/api/v1/logout", "{}", map[string]string{"Cookie": one}); rec.Code != 401 {
		t.Errorf("logout of no page: status %d, want 401", rec.Code)
	}
	rec := l.do("POST", "/api/v1/logout", "{}", map[string]string{"Cookie": one, "Origin": origin})
	if rec.Code != 200 || !strings.Contains(rec.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("logout: got %d %q, want the cookie taken back", rec.Code, rec.Header().Get("Set-Cookie"))
	}
	for _, c := range []string{one, other} {
		if got := l.do("GET", "/x", "", map[string]string{"Cookie": c}).Code; got != 401 {
			t.Errorf("after logout: status %d, want 401", got)
		}
	}
	if _, status := l.login(code); status != 401 || l.key.Secret != "" {
		t.Errorf("after logout: a code of before gives %d, key %+v, want 401 and none", status, l.key)
	}
}

func TestLoginTakesJSONAndNothingElse(t *testing.T) {
	l := newLodge()
	for name, tt := range map[string]struct {
		method, path, body string
		set                map[string]string
		want               int
	}{
		"get": {"GET", "/api/v1/login", " ", nil, 405},
		"form": {
			"POST", "/api/v1/login", "code=x",
			map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
			415,
		},
		"query":      {"POST", "/api/v1/login?code=x", "{}", nil, 401},
		"no object":  {"POST", "/api/v1/login", "7", nil, 400},
		"no code":    {"POST", "/api/v1/login", "{}", nil, 401},
		"other page": {"POST", "/api/v1/login", "{}", map[string]string{"Origin": "null"}, 403},
	} {
		if rec := l.do(tt.method, tt.path, tt.body, tt.set); rec.Code != tt.want {
			t.Errorf("%s: status %d, want %d", name, rec.Code, tt.want)
		}
	}
}
