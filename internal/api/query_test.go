package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/views"
)

type asked struct {
	mem.ProjectRef
	Query  mem.Query     `json:"query"`
	ID     string        `json:"id,omitempty"`
	For    time.Duration `json:"for,omitempty"`
	Score  *float64      `json:"score,omitempty"`
	Pinned *bool         `json:"pinned,omitempty"`
	Budget *int          `json:"budget,omitempty"`
	Agent  string        `json:"agent,omitempty" query:"-"`
}

var asking = api.Route[asked, asked]{Name: "ask", Get: "asked/{id}"}

// ask reads target and returns what the route was asked, and the status.
func ask(t *testing.T, target, body string) (got asked, status int) {
	t.Helper()
	h := guarded(api.Config{Bindings: []api.Binding{
		api.On(asking, func(_ context.Context, q asked) (asked, error) { return q, nil }),
		api.On(api.Route[asked, asked]{Name: "plain", Get: "plain"}, func(_ context.Context, q asked) (asked, error) {
			return q, nil
		}),
		api.On(api.Route[asked, asked]{Name: "write"}, func(_ context.Context, q asked) (asked, error) { return q, nil }),
	}})
	r := request("GET", target, " ", nil)
	r.ContentLength = int64(len(body))
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	if rec.Code == 200 {
		if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
	}
	return got, rec.Code
}

func TestAReadFindsItsRequestInTheAddress(t *testing.T) {
	score, no := 0.5, false
	want := asked{
		ProjectRef: mem.ProjectRef{Project: "all", Dir: "/a b"}, ID: "m_7.x", For: time.Hour, Score: &score, Pinned: &no,
		Query: mem.Query{
			Text: "é & c", Kinds: []mem.Kind{"fact", "decision"}, Limit: 20,
			After: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Hidden: true, MinImportance: 0.25,
		},
	}
	got, status := ask(t,
		"/api/v1/asked/m_7.x?project=all&dir=%2Fa+b&for=1h&score=0.5&pinned=false&text=%C3%A9+%26+c&kinds=fact"+
			"&kinds=decision&limit=20&after=2026-01-02T03:04:05Z&hidden=true&min_importance=0.25", "")
	if status != 200 || !reflect.DeepEqual(got, want) {
		t.Errorf("got %d %+v,\nwant 200 %+v", status, got, want)
	}
	if got, status := ask(t, "/api/v1/plain", ""); status != 200 || !reflect.DeepEqual(got, asked{}) {
		t.Errorf("without a query: got %d %+v, want 200 and nothing", status, got)
	}
	if got, _ := ask(t, "/api/v1/plain?agent=x", ""); got.Query.Agent != "x" || got.Agent != "" {
		t.Errorf("got agent %q and %q in the query, want it where a read may say it", got.Agent, got.Query.Agent)
	}
}

func TestAReadTakesTheTimesThatPeopleWrite(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2026-01-31":        time.Date(2026, 1, 31, 0, 0, 0, 0, time.Local),
		"2026-01-31T08:05Z": time.Date(2026, 1, 31, 8, 5, 0, 0, time.UTC),
	} {
		if got, status := ask(t, "/api/v1/plain?after="+text, ""); status != 200 || !got.Query.After.Equal(want) {
			t.Errorf("after %s: got %d %s, want 200 %s", text, status, got.Query.After, want)
		}
	}
	began := time.Now()
	got, status := ask(t, "/api/v1/plain?after=3d", "")
	if at := got.Query.After.Add(72 * time.Hour); status != 200 || at.Before(began) || at.After(time.Now()) {
		t.Errorf("after 3d: got %d %s, want 200 and three days before now", status, got.Query.After)
	}
	for text, want := range map[string]time.Duration{"3d": 72 * time.Hour, "1h30m": 90 * time.Minute, "60s": time.Minute} {
		if got, status := ask(t, "/api/v1/plain?for="+text, ""); status != 200 || got.For != want {
			t.Errorf("for %s: got %d %s, want 200 %s", text, status, got.For, want)
		}
	}
}

func TestAReadThatIsNotUnderstoodIsRefused(t *testing.T) {
	for target, want := range map[string]int{
		"/api/v1/plain?": 404, "/api/v1/plain/": 404, "/api/v1/plain/x": 404, "/api/v1/asked/": 404, "/api/v1/asked": 404,
		"/api/v1/write":    405,
		"/api/v1/asked/..": 404, "/api/v1/asked/a%2fb": 404, "/api/v1/asked/a b": 404, "/api/v1/ask": 405,
		"http://remanence/api/v1/plain": 404, "//api/v1/plain": 404, "/api/v1/plain#x": 404, "/API/v1/plain": 404,

		"/api/v1/plain?x=1": 400, "/api/v1/plain?text": 200, "/api/v1/plain?text=a&text=b": 400, "/api/v1/plain?limit=x": 400,
		"/api/v1/plain?limit=1.5":    400,
		"/api/v1/plain?hidden=maybe": 400, "/api/v1/plain?after=soon": 400, "/api/v1/plain?score=NaN": 400,
		"/api/v1/plain?limit=99999999999999999999": 400,
		"/api/v1/plain?text=%zz":                   400, "/api/v1/plain?text=a;b=c": 400, "/api/v1/plain?query=x": 400,
		"/api/v1/plain?for=long":   400,
		"/api/v1/plain?for=60":     400, // of which unit?
		"/api/v1/asked/m_7?id=m_8": 400, "/api/v1/plain?token=" + token: 400,
	} {
		if _, status := ask(t, target, ""); status != want {
			t.Errorf("%s: status %d, want %d", target, status, want)
		}
	}
	if _, status := ask(t, "/api/v1/plain", "{}"); status != 400 {
		t.Errorf("with a body: status %d, want 400", status)
	}
}

// A request that reads cannot change anything: it has no verb.
func TestNoOrderCanBeReadByGet(t *testing.T) {
	for _, word := range []string{
		"add", "edit", "mark", "feedback", "purge", "pause", "event", "drain", "handoff",
		"state", "scan", "checkpoint_save", "checkpoint_log", "open", "login",
	} {
		rec := httptest.NewRecorder()
		guarded(api.Config{Bindings: orders()}).ServeHTTP(rec, request("GET", "/api/v1/"+word, " ",
			map[string]string{"Content-Length": "0"}))
		if rec.Code != 405 && rec.Code != 404 {
			t.Errorf("GET %s: status %d: %s", word, rec.Code, strings.TrimSpace(rec.Body.String()))
		}
	}
}

// orders are the routes that change something, answering all the same.
func orders() []api.Binding {
	return []api.Binding{
		answers(api.Add), answers(api.Edit), answers(api.Mark), answers(api.Feedback), answers(api.Purge), answers(api.Pause),
		answers(api.Event),
		answers(api.Drain), answers(api.Handoff), answers(api.State), answers(api.Scan), answers(api.Save),
		answers(api.CheckpointLog),
	}
}

func answers[Req, Rep any](r api.Route[Req, Rep]) api.Binding {
	return api.On(r, func(context.Context, Req) (rep Rep, err error) { return rep, nil })
}

// Prose sends text to a model and takes tokens; a read changes nothing.
func TestARecapInProseIsNoRead(t *testing.T) {
	var asked []bool
	h := guarded(api.Config{Bindings: []api.Binding{
		api.On(api.Recap, func(_ context.Context, q views.RecapRequest) (views.RecapResponse, error) {
			asked = append(asked, q.Prose)
			return views.RecapResponse{}, nil
		}),
	}})
	const body = `{"since":"2026-03-02T00:00:00Z","prose":true}`
	for i, want := range []int{200, 400, 200} {
		r := []*http.Request{
			request("GET", "/api/v1/recap?since=2026-03-02", "", map[string]string{"Content-Length": "0"}),
			request("GET", "/api/v1/recap?since=2026-03-02&prose=true", "", map[string]string{"Content-Length": "0"}),
			request("POST", "/api/v1/recap", body, nil),
		}[i]
		rec := httptest.NewRecorder()
		if h.ServeHTTP(rec, r); rec.Code != want {
			t.Errorf("%s %s: %d %s, want %d", r.Method, r.RequestURI, rec.Code, rec.Body, want)
		}
	}
	if !slices.Equal(asked, []bool{false, true}) {
		t.Errorf("prose was asked for: %v, want by POST alone", asked)
	}
}

func TestNoCountIsNegative(t *testing.T) {
	for target, want := range map[string]int{
		"/api/v1/plain?budget=0": 200, "/api/v1/plain?budget=-1": 400,
		"/api/v1/plain?limit=-1": 400, "/api/v1/plain?limit=1": 200,
	} {
		if _, status := ask(t, target, ""); status != want {
			t.Errorf("%s: %d, want %d", target, status, want)
		}
	}
}
