package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/doctor"
	"remanence/internal/mcpserver"
	"remanence/internal/mem"
	"remanence/internal/recall"

	ports "remanence/test/port"
)

func TestOverHTTPOnlyWhoHasTheTokenIsServed(t *testing.T) {
	p, err := config.FindPaths(environment(map[string]string{"HOME": t.TempDir()}), "")
	if err != nil {
		t.Fatal(err)
	}
	messages := &strings.Builder{}
	a := &app{Connection: &daemon.Connection{Sys: config.System{
		Getenv: environment(nil), Now: time.Now,
		Stderr: io.Discard,
	}, Paths: p}, out: ui.NewPrinter(config.System{
		Stderr: messages, Stdout: io.Discard,
		Getenv: environment(nil), Now: time.Now,
	}, ui.Flags{})}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(ports.Free(t)))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	s := mcpserver.New(mcpserver.Config{Memory: mcpserver.Memory{Search: func(context.Context,
		recall.SearchRequest,
	) (recall.SearchResponse, error) {
		return recall.SearchResponse{}, mem.ErrLocked
	}}})
	go func() { done <- serveMCP(ctx, a, s, address) }()
	defer func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	}()
	token := ""
	for end := time.Now().Add(time.Minute); token == "" && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		b, _ := os.ReadFile(p.MCPToken())
		token = string(b)
	}
	ask := func(set func(*http.Request)) (int, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/mcp",
			strings.NewReader(strings.TrimSpace(doctor.Handshake)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Authorization", "Bearer "+token)
		set(req)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		return resp.StatusCode, resp.Body.Close()
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := ask(func(*http.Request) {}); err == nil {
			break
		}
	}
	for what, tt := range map[string]struct {
		set  func(*http.Request)
		want int
	}{
		"with the token":     {func(*http.Request) {}, http.StatusOK},
		"without a token":    {func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusUnauthorized},
		"with a wrong token": {func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, http.StatusUnauthorized},
		"from a page": {func(r *http.Request) {
			r.Header.Set("Origin", "http://evil.example")
		}, http.StatusForbidden},
		"by a name made up": {func(r *http.Request) { r.Host = "evil.example" }, http.StatusMisdirectedRequest},
		"as a form": {func(r *http.Request) {
			r.Header.Set("Content-Type", "text/plain")
		}, http.StatusUnsupportedMediaType},
		"at another address": {func(r *http.Request) { r.URL.Path = "/" }, http.StatusNotFound},
		"by GET":             {func(r *http.Request) { r.Method = http.MethodGet }, http.StatusMethodNotAllowed},
	} {
		if got, err := ask(tt.set); err != nil || got != tt.want {
			t.Errorf("%s: got %d, %v, want %d", what, got, err, tt.want)
		}
	}
	info, err := os.Stat(p.MCPToken())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info.Mode(), err)
	}
	if strings.Contains(messages.String(), token) {
		t.Error("the token is printed")
	}
}

func TestATextKeepsItsShapeAndLosesWhatIsNotToBeSeen(t *testing.T) {
	if got := plainLine("\t  if x {  // \u202e\x1b[2J<remanence-context>"); !strings.HasPrefix(got, "\t  if x {") ||
		strings.ContainsAny(got, "\u202e\x1b") || strings.Contains(got, "<remanence-context") {
		t.Errorf("got %q", got)
	}
}

// asked calls a tool of the server within the daemon, about a project, and returns its answer.
func asked(t *testing.T, server http.Handler, project, tool, args string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/mcp?project="+url.QueryEscape(project),
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+args+`}}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	var got struct {
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Result.Content) != 1 {
		t.Fatalf("%s: status %d, %v in %s", tool, w.Code, err, w.Body)
	}
	return got.Result.Content[0].Text
}

func TestTheDaemonItselfAnswersAgentsAboutTheProjectOfTheAddress(t *testing.T) {
	h, _ := housed(t)
	at := time.Now() // that it takes long must not let it write again
	h.Sys.Now = func() time.Time { return at }
	server, shop, mill := h.MCPHandler(), t.TempDir(), t.TempDir()
	if got := asked(t, server, shop, "remember",
		`{"content":"the courier rings three times","kind":"fact"}`); !strings.Contains(got, `"saved":true`) ||
		!strings.Contains(got, `"trust":"L0"`) {
		t.Fatalf("remember: %s", got)
	}
	for project, want := range map[string]bool{shop: true, filepath.Base(shop): true, "": true, mill: false} {
		if got := asked(t, server, project, "search", `{"query":"how often does the courier ring"}`); strings.Contains(got,
			"rings three times") != want {
			t.Errorf("about %q: %s", project, got)
		}
	}
	if got := asked(t, server, "nowhere", "search", `{"query":"courier"}`); !strings.Contains(got, "not_found") {
		t.Errorf("about a project that is not known: %s", got)
	}
	for i := range 19 {
		asked(t, server, shop, "remember",
			fmt.Sprintf(`{"content":"shelf %d of the north wall holds paint of colour %d","kind":"fact"}`, i, 100-i))
	}
	if got := asked(t, server, mill, "remember", `{"content":"the mill stands still on Sundays"}`); !strings.Contains(got,
		"rate_limited") {
		t.Errorf("a change more, in another project: %s", got)
	}
}
