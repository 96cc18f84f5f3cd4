package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"remanence/internal/api"
)

// own is the Host of the guarded server in these tests.
const own = "127.0.0.1:7777"

// knock sends r to a guard on port 7777 and returns the status, which is 204 for a request that was admitted.
func knock(t *testing.T, r *http.Request) int {
	t.Helper()
	in := false
	d := api.Access{Hosts: api.LoopbackHosts(7777), Token: token}
	rec := httptest.NewRecorder()
	api.Guard(d, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		in = true
		w.WriteHeader(http.StatusNoContent)
	})).ServeHTTP(rec, r)
	if in != (rec.Code == http.StatusNoContent) {
		t.Errorf("status %d, and let in: %v", rec.Code, in)
	}
	for k := range rec.Header() {
		if strings.HasPrefix(k, "Access-Control") {
			t.Errorf("answer carries %s", k)
		}
	}
	return rec.Code
}

func TestOnlyTheThreeSpellingsOfTheHostPass(t *testing.T) {
	for host, want := range map[string]int{
		"127.0.0.1:7777": 204, "[::1]:7777": 204, "localhost:7777": 204,

		"": 421, "127.0.0.1": 421, "127.0.0.1:80": 421, "127.0.0.1:07777": 421, "127.0.0.1:7777" + " ": 421,
		"evil.example": 421, "evil.example:7777": 421, "127.0.0.1.evil.example:7777": 421, "localhost.evil.example:7777": 421,
		"localhost.:7777": 421, "LOCALHOST:7777": 421, "Localhost:7777": 421, "localhost": 421, "remanence": 421,
		"0.0.0.0:7777": 421, "2130706433:7777": 421, "0x7f000001:7777": 421, "127.1:7777": 421, "127.0.0.2:7777": 421,
		"192.168.1.7:7777": 421, "[::]:7777": 421, "::1:7777": 421, "[0:0:0:0:0:0:0:1]:7777": 421,
		"[::ffff:127.0.0.1]:7777": 421,
		"user@127.0.0.1:7777":     421, "127.0.0.1:7777@evil.example": 421, "127.0.0.1:7777,evil.example": 421,
	} {
		if got := knock(t, request("GET", "/health", "", map[string]string{"Host": host})); got != want {
			t.Errorf("Host %q: status %d, want %d", host, got, want)
		}
	}
}

func TestATargetThatNamesAHostIsForAProxy(t *testing.T) {
	for _, target := range []string{
		"http://127.0.0.1:7777/health", "http://evil.example/health",
		"//127.0.0.1:7777/health", "file:///health",
	} {
		r := request("GET", target, "", map[string]string{"Host": own})
		var err error
		if r.URL, err = url.Parse(target); err != nil {
			t.Fatal(err)
		}
		if got := knock(t, r); got != http.StatusMisdirectedRequest {
			t.Errorf("%s: status %d, want 421", target, got)
		}
	}
}

func TestOnlyAPageOfTheOwnOriginIsAdmitted(t *testing.T) {
	const absent = "absent"
	for _, tt := range []struct {
		method, origin, site string
		want                 int
	}{
		{"GET", absent, absent, 204},
		{"POST", absent, absent, 204},
		{"POST", "http://127.0.0.1:7777", "same-origin", 204},
		{"POST", "http://127.0.0.1:7777", absent, 204},
		{"GET", absent, "same-origin", 204},
		{"GET", absent, "none", 204},

		{"POST", absent, "none", 403},
		{"DELETE", absent, "none", 403},
		{"GET", "http://127.0.0.1:7777", "none", 403},
		{"GET", absent, "cross-site", 403},
		{"GET", absent, "same-site", 403},
		{"HEAD", absent, "cross-site", 403},
		{"OPTIONS", "https://evil.example", absent, 403},
		{"POST", absent, "Same-Origin", 403},
		{"POST", absent, "", 403},
		{"POST", "http://127.0.0.1:7777", "cross-site", 403},
		{"POST", "http://127.0.0.1:7777", "same-origin\ncross-site", 403},
		{"POST", "", absent, 403},
		{"POST", "null", absent, 403},
		{"POST", "null", "same-origin", 403},
		{"POST", "https://evil.example", "same-origin", 403},
		{"POST", "https://127.0.0.1:7777", absent, 403},
		{"POST", "http://127.0.0.1", absent, 403},
		{"POST", "http://127.0.0.1:7778", absent, 403},
		{"POST", "http://localhost:7777", absent, 403}, // ours, but not the host that is asked
		{"POST", "http://127.0.0.1:7777.evil.example", absent, 403},
		{"POST", "http://127.0.0.1:7777/", absent, 403},
		{"POST", "http://127.0.0.1:7777 http://evil.example", absent, 403},
		{"POST", "http://127.0.0.1:7777\nhttp://evil.example", absent, 403},
		{"POST", "HTTP://127.0.0.1:7777", absent, 403},
		{"POST", "chrome-extension://abcdefgh", absent, 403},
	} {
		set := map[string]string{"Host": own}
		if tt.origin != absent {
			set["Origin"] = tt.origin
		}
		r := request(tt.method, "", "", set)
		if tt.site != absent {
			r.Header["Sec-Fetch-Site"] = strings.Split(tt.site, "\n")
		}
		if got := knock(t, r); got != tt.want {
			t.Errorf("%s with Origin %q, Sec-Fetch-Site %q: status %d, want %d", tt.method, tt.origin, tt.site, got, tt.want)
		}
	}
}

func TestOnlyTheWholeTokenPasses(t *testing.T) {
	for auth, want := range map[string]int{
		"Bearer the-token": 204,

		"": 401, "Bearer": 401, "Bearer ": 401, "Bearer the": 401, "Bearer the-tokem": 401, "Bearer the-token2": 401,
		"Bearer  the-token": 401, "Bearer the-token ": 401, "bearer the-token": 401, "the-token": 401,
		"Basic the-token": 401, "Basic OnRoZS10b2tlbg==": 401, "Bearer\tthe-token": 401,
		"Bearer the-token\nBearer the-token": 401, "Basic x\nBearer the-token": 401, "Bearer x, Bearer the-token": 401,
	} {
		if got := knock(t, request("POST", "", "", map[string]string{"Host": own, "Authorization": auth})); got != want {
			t.Errorf("Authorization %q: status %d, want %d", auth, got, want)
		}
	}
	for _, set := range []map[string]string{
		{"Cookie": "token=" + token}, {"X-Api-Key": token}, {"Proxy-Authorization": "Bearer " + token},
	} {
		set["Host"], set["Authorization"] = own, ""
		if got := knock(t, request("POST", "/api/v1/echo?token="+token, "", set)); got != 401 {
			t.Errorf("%v: status %d, want 401", set, got)
		}
	}
}

func TestAnEmptyGuardAdmitsNoRequest(t *testing.T) {
	for name, d := range map[string]api.Access{
		"zero": {}, "no token": {Hosts: []string{""}}, "no host": {Token: token},
	} {
		for _, auth := range []string{"", "Bearer ", "Bearer", "Bearer " + token} {
			rec := httptest.NewRecorder()
			r := request("GET", "/health", "", map[string]string{"Host": "", "Authorization": auth})
			api.Guard(d, http.NotFoundHandler()).ServeHTTP(rec, r)
			if rec.Code != http.StatusUnauthorized && rec.Code != http.StatusMisdirectedRequest {
				t.Errorf("%s guard, %q: status %d, want 401 or 421", name, auth, rec.Code)
			}
		}
	}
}

func FuzzHostCheck(f *testing.F) {
	for _, s := range []string{
		own, "[::1]:7777", "localhost:7777", "", "0.0.0.0:7777", "localhost.:7777",
		"LOCALHOST:7777", "127.0.0.1:7777@evil", "127.0.0.1:7777\x00", "[::1%25lo]:7777",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, host string) {
		spelling := host == "127.0.0.1:7777" || host == "[::1]:7777" || host == "localhost:7777"
		got := knock(t, request("POST", "", "", map[string]string{"Host": host}))
		if passed := got == http.StatusNoContent; passed != spelling || !passed && got != http.StatusMisdirectedRequest {
			t.Errorf("Host %q: status %d, want it let in: %v", host, got, spelling)
		}
	})
}
