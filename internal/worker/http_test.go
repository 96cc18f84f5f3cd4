//go:build unix

package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/worker"
	"remanence/test/port"
)

func TestThePortIsServedWithTheToken(t *testing.T) {
	w := start(t, worker.Config{HTTPPort: port.Free(t), Handler: handler(func(e mem.Event) (mem.Reply, error) {
		return mem.Reply{Context: "for " + e.Session}, nil
	})})
	rt := w.announced(t)
	for token, want := range map[string]int{rt.Token: 200, "x": 401} {
		status, body := post(t, rt.HTTP, "event", token, `{"id":"e_1","session":"s1"}`)
		if status != want || (want == 200) != strings.Contains(body, "for s1") {
			t.Errorf("got %d %s, want %d", status, body, want)
		}
	}
}

func TestAgentsAreLetInToTheirProtocolAsCallersOfARouteAre(t *testing.T) {
	projects := make(chan string, 10)
	w := start(t, worker.Config{
		HTTPPort: port.Free(t),
		MCP:      http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { projects <- r.URL.Query().Get("project") }),
	})
	rt := w.announced(t)
	for what, c := range map[string]struct {
		set  func(*http.Request)
		want int
	}{
		"with the token":     {func(*http.Request) {}, http.StatusOK},
		"without a token":    {func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		"with a wrong token": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, http.StatusUnauthorized},
		"of another page":    {func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, http.StatusForbidden},
		"at another name":    {func(r *http.Request) { r.Host = "evil.example" }, http.StatusMisdirectedRequest},
		"beside it":          {func(r *http.Request) { r.URL.Path = "/mcp/x" }, http.StatusNotFound},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+rt.HTTP+"/mcp?project=shop",
			strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+rt.Token)
		req.Close = true
		c.set(req)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", what, resp.StatusCode, c.want)
		}
	}
	if close(projects); len(projects) != 1 || <-projects != "shop" {
		t.Errorf("%d requests came through, want the one with the token", len(projects)+1)
	}
}

func TestWithoutAPortNothingListens(t *testing.T) {
	if rt := start(t, worker.Config{}).announced(t); rt.HTTP != "" || rt.HTTPFault != "" {
		t.Errorf("runtime file: http %q (%q), want none and no fault", rt.HTTP, rt.HTTPFault)
	}
}

func TestThePortOpensWhenAPersonAsks(t *testing.T) {
	home := shortDir(t)
	w := startIn(t, home, worker.Config{})
	w.announced(t)
	got, err := api.Open.Call(t.Context(), w.client(t), api.Nothing{})
	if err != nil || got.Code == "" {
		t.Fatalf("got %+v, %v, want a place and a code", got, err)
	}
	rt := w.announced(t)
	if got.URL != "http://"+rt.HTTP+"/" || rt.HTTPPort == 0 {
		t.Errorf("got %s, the runtime file says %q, port %d", got.URL, rt.HTTP, rt.HTTPPort)
	}
	again, err := api.Open.Call(t.Context(), w.client(t), api.Nothing{})
	if err != nil || again.URL != got.URL || again.Code == got.Code {
		t.Errorf("got %+v, %v, want the same place and another code", again, err)
	}
	cookie := login(t, got)
	for c, want := range map[string]int{"": 401, cookie: 200} {
		if status := read(t, got.URL+"api/health", c); status != want {
			t.Errorf("with cookie %q: status %d, want %d", c, status, want)
		}
	}
	w.cancel()
	w.wait(t)

	// Whoever looks at it while the worker is replaced goes on looking.
	next := startIn(t, home, worker.Config{Runtime: api.Runtime{HTTPPort: rt.HTTPPort, Login: w.runtimeOnDisk(t).Login}})
	next.announced(t)
	if status := read(t, got.URL+"api/health", cookie); status != 200 {
		t.Errorf("at the next worker: status %d, want 200", status)
	}
}

func TestThePortOpensWhileTheRuntimeFileChanges(t *testing.T) {
	ready := make(chan func(func(*api.Runtime)), 1)
	w := start(t, worker.Config{Ready: func(tell func(func(*api.Runtime))) { ready <- tell }})
	tell := <-ready
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for range 20 {
				tell(func(rt *api.Runtime) { rt.SpoolBytes = 7 })
			}
		})
	}
	got, err := api.Open.Call(t.Context(), w.client(t), api.Nothing{})
	others.Wait()
	if rt := w.announced(t); err != nil || got.URL != "http://"+rt.HTTP+"/" || rt.SpoolBytes != 7 {
		t.Errorf("got %+v, %v, the runtime file says %q and a spool of %d bytes", got, err, rt.HTTP, rt.SpoolBytes)
	}
}

func TestThePortOfTheLastTimeIsTakenIfItIsFree(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	taken := l.Addr().(*net.TCPAddr).Port
	defer l.Close()
	for port, want := range map[int]bool{port.Free(t): true, taken: false} {
		w := start(t, worker.Config{Runtime: api.Runtime{HTTPPort: port}})
		if rt := w.announced(t); rt.HTTP != "" {
			t.Errorf("without a login %q is open, want nothing", rt.HTTP)
		}
		got, err := api.Open.Call(t.Context(), w.client(t), api.Nothing{})
		if err != nil || (got.URL == fmt.Sprintf("http://127.0.0.1:%d/", port)) != want {
			t.Errorf("port %d: got %+v, %v, want it there: %v", port, got, err, want)
		}
	}
}

func TestAConfiguredPortThatIsTakenIsNotReplacedByAnother(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w := start(t, worker.Config{HTTPPort: l.Addr().(*net.TCPAddr).Port})
	w.announced(t)
	var e *api.Error
	if got, err := api.Open.Call(t.Context(), w.client(t), api.Nothing{}); !errors.As(err, &e) || e.Name != "no_port" ||
		e.Detail == "" {
		t.Errorf("got %+v, %v, want why there is no port", got, err)
	}
}

func TestPagesNeedNoProofAndTheRoutesDo(t *testing.T) {
	pages := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_,
			_ = io.WriteString(rw, "page "+r.RequestURI)
	})
	w := start(t, worker.Config{HTTPPort: port.Free(t), Web: pages})
	at := "http://" + w.announced(t).HTTP
	for path, want := range map[string]int{
		"/": 200, "/sessions/s_1": 200, "/search?q=%20x": 200, "/a-b.js": 200,
		"/api/v1/search": 401, "/api": 401, "/health": 401, "/stream": 401, "/metrics": 401, "/mcp": 401,
		"/api/v1/events": 401,
		"//":             401, "/%61pi": 401, "/x/../api": 401, "/a%2fb": 401, "/a//b": 401, "/x/": 401,
	} {
		if status := read(t, at+path, ""); status != want {
			t.Errorf("%s: status %d, want %d", path, status, want)
		}
	}
}

func TestATakenPortIsReportedAndTheSocketServed(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", at)
		if err != nil && strings.HasPrefix(at, "[") {
			t.Logf("no IPv6 here: %v", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		port := l.Addr().(*net.TCPAddr).Port
		w := start(t, worker.Config{HTTPPort: port})
		if rt := w.announced(t); rt.HTTP != "" || rt.HTTPFault == "" {
			t.Errorf("%s is taken: runtime file says %q (%q), want none and why", at, rt.HTTP, rt.HTTPFault)
		}
		if _, err := w.client(t).Handle(t.Context(), mem.Event{ID: "e_1"}); err != nil {
			t.Errorf("%s is taken: %v", at, err)
		}
	}
}

func TestAnOrderToEndIsAnsweredAtThePortToo(t *testing.T) {
	w := start(t, worker.Config{HTTPPort: port.Free(t)})
	rt := w.announced(t)
	if status, body := post(t, rt.HTTP, "drain", rt.Token, "{}"); status != 200 {
		t.Errorf("got %d %s, want 200", status, body)
	}
	w.wait(t)
}

func TestAFullPortKeepsNoHookWaiting(t *testing.T) {
	w := start(t, worker.Config{HTTPPort: port.Free(t)})
	rt := w.announced(t)
	for range 10 * worker.MaxConnections { // at the hooks' expense they would last for long
		c, err := net.Dial("tcp", rt.HTTP)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), atMost)
	defer cancel()
	if _, err := w.client(t).Handle(ctx, mem.Event{ID: "e_1"}); err != nil {
		t.Fatal(err)
	}
}

// Whoever is not let in must not be able to keep it from ending either.
func TestRefusedRequestsAreNoWork(t *testing.T) {
	var idle atomic.Int64
	w := start(t, worker.Config{HTTPPort: port.Free(t), Idle: changing(&idle), Every: time.Millisecond, Store: &store{}})
	at := w.announced(t).HTTP
	idle.Store(int64(700 * time.Millisecond))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.wait(t)
	}()
	for {
		select {
		case <-ended:
			return
		default:
		}
		if c, err := net.Dial("tcp", at); err == nil {
			_, _ = fmt.Fprintf(c, "POST /api/v1/event HTTP/1.1\r\nHost: %s\r\n\r\n", at)
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}
	}
}

// announced returns what the worker writes for its clients.
func (w *running) announced(t *testing.T) api.Runtime {
	t.Helper()
	w.client(t)
	rt, err := api.ReadRuntime(w.runtime)
	if err != nil {
		t.Fatal(err)
	}
	return rt
}

// runtimeOnDisk returns what the runtime file holds, of whatever worker.
func (w *running) runtimeOnDisk(t *testing.T) api.Runtime {
	t.Helper()
	rt, err := api.ReadRuntime(w.runtime)
	if err != nil {
		t.Fatal(err)
	}
	return rt
}

// login exchanges the code for a cookie.
func login(t *testing.T, o api.OpenResponse) string {
	t.Helper()
	resp, err := http.Post(o.URL+"api/v1/login", "application/json", strings.NewReader(`{"code":"`+o.Code+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	cookie, _, _ := strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	if resp.StatusCode != 200 || cookie == "" {
		t.Fatalf("login: status %d, cookie %q", resp.StatusCode, cookie)
	}
	return cookie
}

// read asks with a cookie, as a browser that does not clean up the address.
func read(t *testing.T, address, cookie string) (status int) {
	t.Helper()
	scheme, rest, _ := strings.Cut(address, "://")
	host, path, _ := strings.Cut(rest, "/")
	req := &http.Request{
		Method: "GET", URL: &url.URL{Scheme: scheme, Host: host, Opaque: "/" + path},
		Header: http.Header{}, Host: host, Close: true,
	}
	if strings.HasPrefix(path, "/") { // an opaque address would be taken for one with a host
		req.URL.Opaque, req.URL.Path = "", "/"+path
	}
	if cookie != "" {
		req.Header.Set("Cookie", cookie)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// post asks a route at the port.
func post(t *testing.T, at, route, token, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequest("POST", "http://"+at+"/api/v1/"+route, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestWhoLooksOnKeepsItAndIsLetGoAtTheEnd(t *testing.T) {
	live := &api.Live{}
	var idle atomic.Int64
	w := start(t, worker.Config{
		HTTPPort: port.Free(t), Live: live, Idle: changing(&idle), Every: time.Millisecond,
		Store: &store{},
	})
	rt := w.announced(t)
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+rt.HTTP+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+rt.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	await(t, func() bool { return live.Streams() == 1 })
	idle.Store(int64(time.Millisecond))
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if live.Streams() != 1 {
			t.Fatal("the worker left who looks on")
		}
	}
	if status, body := post(t, rt.HTTP, "drain", rt.Token, "{}"); status != 200 {
		t.Fatalf("got %d %s", status, body)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil { // as one is that is not let go
		t.Errorf("the stream was cut off: %v", err)
	}
	w.wait(t)
}
