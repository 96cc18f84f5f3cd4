package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/curate"
	"remanence/internal/daemon"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// old asks a daemon as the documents of other memories ask theirs.
type old struct {
	*testing.T
	http.Handler
	h *daemon.Daemon
}

func newOld(t *testing.T) old {
	h, way := housed(t)
	return old{t, api.Mux(api.Config{Bindings: way}), h}
}

// ask sends one request and returns the status and the answer.
func (o old) ask(method, target, body string) (int, string) {
	o.Helper()
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.RequestURI = target
	if method == "POST" {
		r.Header.Set("Content-Type", "application/json")
	}
	rec := httptest.NewRecorder()
	o.ServeHTTP(rec, r)
	return rec.Code, rec.Body.String()
}

// says checks an answer: want is JSON without blanks, or a part of it.
func (o old) says(method, target, body string, want string) {
	o.Helper()
	if status, got := o.ask(method, target, body); status != 200 || !strings.Contains(got, want) {
		o.Errorf("%s %s %s: got %d %s, want %s", method, target, body, status, got, want)
	}
}

// The calls of the documents' scripts, in the order of a session, with each of
// the two names that the documents have for the key of a session.
func TestTheDocumentsCallsAreAnsweredAsWritten(t *testing.T) {
	for _, key := range []string{"claudeSessionId", "contentSessionId"} {
		t.Run(key, func(t *testing.T) {
			o := newOld(t)
			root := filepath.Join(t.TempDir(), "my-app")
			if err := os.Mkdir(root, 0o755); err != nil {
				t.Fatal(err)
			}
			s := `{"` + key + `":"0b1c-7","project":"my-app","cwd":"` + root + `",`
			o.says("GET", "/health", "", `"status":"ok"`)
			o.says("GET", "/api/health", "", `"status":"ok"`)
			o.says("GET", "/api/context/inject?project=my-app", "", "")
			o.says("POST", "/api/sessions/init", s+`"prompt":"please fix the retry"}`, `{"sessionDbId":1,"promptNumber":1}`)
			o.says("POST", "/api/sessions/observations",
				s+`"tool_name":"Bash","tool_input":{"command":"git status"},"tool_response":{"stdout":"clean"}}`,
				`{"status":"queued"}`)
			o.says("GET", "/api/processing-status", "", `{"isProcessing":true,`)
			o.says("POST", "/api/sessions/summarize",
				s+`"last_user_message":"please fix the retry","last_assistant_message":"The cause was a missing jitter; we `+
					`decided to use full jitter."}`, `{"status":"queued"}`)
			o.says("POST", "/api/processing", `{"isProcessing":false}`, `{"isProcessing":false}`)
			o.says("GET", "/api/processing-status", "", `{"isProcessing":false,`)
			o.says("POST", "/sessions/1/init", `{"project":"my-app","userPrompt":"and the tests","promptNumber":2}`,
				`{"sessionDbId":1,"promptNumber":2}`)
			o.says("POST", "/api/processing", `{"isProcessing":true}`, `{"isProcessing":true}`)
			o.says("POST", "/api/processing", `{"isProcessing":false}`, `{"isProcessing":false}`)
			o.says("POST", "/api/sessions/complete", s+`"reason":"exit"}`, `{"status":"completed"}`)
			o.says("POST", "/api/sessions/complete", `{"`+key+`":"nobody"}`, `{"status":"unknown"}`)
			o.says("POST", "/api/sessions/session-end", s+`"platformSource":"claude","reason":"exit"}`, `{"status":"completed"}`)
			o.says("POST", "/api/sessions/session-end", `{"`+key+`":"nobody"}`, `{"status":"unknown"}`)

			got, err := o.h.Store.Session(t.Context(), "0b1c-7")
			if err != nil || got.Status != mem.Completed || got.EndReason != "exit" || got.Prompts != 2 || got.Root != root ||
				got.FirstPrompt != "please fix the retry" {
				t.Errorf("the session is kept as %+v, %v", got, err)
			}
			o.says("GET", "/api/context/inject?project=my-app&source=startup&budget=500", "", "jitter")
			o.says("GET", "/api/context/inject?project=my-app&full=true", "", "jitter")
		})
	}
}

// The hook that posts to this path at the end of a session posts nothing else then.
func TestASessionEndsByEitherPath(t *testing.T) {
	o := newOld(t)
	o.says("POST", "/api/sessions/init", `{"contentSessionId":"s","prompt":"please fix the retry"}`, `"promptNumber":1}`)
	body := `{"contentSessionId":"s","platformSource":"claude","reason":"logout","cwd":"` + t.TempDir() + `"}`
	o.says("POST", "/api/sessions/session-end", body, `{"status":"completed"}`)
	if got, err := o.h.Store.Session(t.Context(), "s"); err != nil || got.Status != mem.Completed ||
		got.EndReason != "logout" {
		t.Errorf("the session is kept as %+v, %v", got, err)
	}
	for _, bad := range []string{
		`{}`, `{"contentSessionId":"../x"}`, `{"contentSessionId":"s","reason":"two words"}`,
		`[]`, ``,
	} {
		o.refuses("POST", "/api/sessions/session-end", bad)
	}
}

// refuses checks that a request is answered with what is wrong and how to put it right.
func (o old) refuses(method, target, body string) {
	o.Helper()
	status, got := o.ask(method, target, body)
	var p struct{ Detail, Fix string }
	if err := json.Unmarshal([]byte(got), &p); err != nil || status != 400 || p.Detail == "" {
		o.Errorf("%s %s %s: got %d %s, want 400 with a reason", method, target, body, status, got)
	}
}

func TestMemoriesOfAFileAreFoundByEveryNameOfThePath(t *testing.T) {
	o := newOld(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o.says("POST", "/api/sessions/init", `{"contentSessionId":"s","cwd":"`+root+`","prompt":"please fix the retry"}`,
		`"promptNumber":1}`)
	name := filepath.Base(root)
	o.says("POST", "/api/memory/save", `{"project":"`+name+
		`","text":"printers jam on thick paper","type":"gotcha","files":["io/print.go"]}`, `"success":true`)
	const found = `"title":"printers jam on thick paper"`
	for _, target := range []string{
		"/api/search/by-file?filePath=io/print.go&format=index&limit=10",
		"/api/search/by-file?file_path=io/print.go", "/api/search/by-file?path=io/print.go",
		"/api/observations/by-file?filePath=io/print.go",
		"/api/search/by-file?project=" + name + "&filePath=" + root + "/io/print.go",
		"/api/search/by-file?filePath=" + root + "/io/print.go",
		"/api/search/by-file?filePath=io&isFolder=true", "/api/search/by-file?filePath=" + root + "/io&isFolder=true",
	} {
		o.says("GET", target, "", found)
	}
	o.says("GET", "/api/search/by-file?filePath=io/other.go", "", `{"items":[],`)
	o.says("GET", "/api/search/by-file?filePath=io&isFolder=false", "", `{"items":[],`)
	for _, query := range []string{"", "?filePath=", "?filePath=%20", "?filePath=io&isFolder=maybe"} {
		o.refuses("GET", "/api/search/by-file"+query, "")
	}
}

func TestWhatComesTwiceDoesNothingTwice(t *testing.T) {
	o := newOld(t)
	for range 2 {
		o.says("POST", "/api/sessions/observations",
			`{"claudeSessionId":"s","tool_name":"Bash","tool_use_id":"t_1","tool_input":{"command":"make"},"tool_response":{}}`,
			`"status":"`)
		o.says("POST", "/api/sessions/complete", `{"claudeSessionId":"s"}`, `{"status":"completed"}`)
	}
	o.says("POST", "/api/sessions/init", `{"claudeSessionId":"s","project":"x","prompt":"please go on"}`,
		`"promptNumber":1}`)
	o.says("POST", "/api/sessions/init", `{"contentSessionId":"s","project":"x","prompt":"please go on"}`,
		`"promptNumber":1,"skipped":true,"reason":"duplicate"}`)
	o.says("POST", "/sessions/1/init", `{"userPrompt":"and this","promptNumber":2}`, `"promptNumber":2}`)
	o.says("POST", "/sessions/1/init", `{"userPrompt":"and this","promptNumber":2}`,
		`"promptNumber":2,"skipped":true,"reason":"duplicate"}`)
	events, err := o.h.Store.Events(t.Context(), mem.EventQuery{Session: "s"})
	if err != nil || len(events) != 4 {
		t.Errorf("%d events are kept, %v, want 4", len(events), err)
	}
}

func TestPrivateAndExcludedIsSkippedAndKeptFromEverybody(t *testing.T) {
	o := newOld(t)
	secret := "sk-ant-api03-" + strings.Repeat("Ab1", 31) + "AA"
	o.says("POST", "/api/sessions/init", `{"claudeSessionId":"s","prompt":"<private>zanzibar</private>"}`,
		`"skipped":true,"reason":"private"`)
	o.says("POST", "/api/sessions/observations",
		`{"claudeSessionId":"s","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":{}}`,
		`{"status":"skipped","reason":"private"}`)
	o.says("POST", "/api/sessions/init", `{"claudeSessionId":"s","prompt":"use <private>zanzibar</private> the key `+
		secret+`"}`, `"promptNumber":2}`)
	o.says("POST", "/api/sessions/observations", `{"claudeSessionId":"s","tool_name":"TodoWrite","tool_input":{"x":"`+
		secret+`"},"tool_response":{}}`, `{"status":"skipped","reason":"tool"}`)
	o.says("POST", "/api/sessions/observations",
		`{"claudeSessionId":"s","tool_name":"Bash","tool_input":{"command":"curl `+secret+
			`"},"tool_response":"<private>zanzibar</private>"}`, `{"status":"queued"}`)
	o.says("POST", "/api/sessions/summarize", `{"claudeSessionId":"s","last_assistant_message":"We decided on `+secret+
		` because <private>zanzibar</private> it works."}`, `{"status":"queued"}`)
	o.says("POST", "/api/memory/save", `{"text":"the key is `+secret+`, <private>zanzibar</private>","title":"`+secret+
		`"}`, `"success":true`)
	if _, err := o.h.Engine.Event.Pause(t.Context(), event.PauseRequest{Scope: "all"}); err != nil {
		t.Fatal(err)
	}
	o.says("POST", "/api/sessions/init", `{"claudeSessionId":"other","prompt":"hello there"}`,
		`"skipped":true,"reason":"excluded"`)
	o.says("POST", "/api/sessions/observations",
		`{"claudeSessionId":"s","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":{}}`,
		`{"status":"skipped","reason":"excluded"}`)
	if err := o.h.Store.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(o.h.Paths.Data, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files: %v, %v", files, err)
	}
	for _, file := range files {
		b, _ := os.ReadFile(file)
		for _, word := range []string{secret, "zanzibar"} {
			if strings.Contains(string(b), word) {
				t.Errorf("%s holds %q", filepath.Base(file), word)
			}
		}
	}
}

func TestBadInputIsRefused(t *testing.T) {
	o := newOld(t)
	s := `{"claudeSessionId":"s",`
	for _, tt := range []struct {
		method, target, body string
		want                 int
	}{
		{"POST", "/api/sessions/init", `{"prompt":"x"}`, 400},
		{"POST", "/api/sessions/init", s + `"contentSessionId":"t","prompt":"x"}`, 400},
		{"POST", "/api/sessions/init", `{"claudeSessionId":"../x","prompt":"x"}`, 400},
		{"POST", "/api/sessions/init", `{"claudeSessionId":"` + strings.Repeat("x", 200) + `","prompt":"x"}`, 400},
		{"POST", "/api/sessions/init", s + `"x":1}`, 400},
		{"POST", "/api/sessions/init", `x`, 400},
		{"POST", "/api/sessions/init?x=1", `{}`, 404},
		{"POST", "/sessions/7/init", `{"userPrompt":"x"}`, 404},
		{"POST", "/sessions/x/init", `{"userPrompt":"x"}`, 400},
		{"POST", "/sessions/0/init", `{"userPrompt":"x"}`, 400},
		{"GET", "/api/sessions/init", "", 405},
		{"POST", "/api/sessions/observations", s + `"tool_input":{}}`, 400},
		{"POST", "/api/sessions/observations", s + `"tool_name":"a b"}`, 400},
		{"POST", "/api/sessions/observations", `{"tool_name":"Bash"}`, 400},
		{"POST", "/api/sessions/summarize", `{}`, 400},
		{"POST", "/api/sessions/complete", `{}`, 400},
		{"POST", "/api/processing", `{}`, 400},
		{"POST", "/api/processing", `{"isProcessing":"no"}`, 400},
		{"DELETE", "/api/processing", ``, 405},
		{"POST", "/api/processing-status", `{}`, 405},
		{"GET", "/api/context/inject", "", 400},
		{"GET", "/api/context/inject?project=x&budget=-1", "", 400},
		{"GET", "/api/search?limit=x", "", 400},
		{"GET", "/api/search?offset=-1", "", 400},
		{"GET", "/api/search?x=%zz", "", 400},
		{"GET", "/api/search?", "", 404},
		{"GET", "/api/search?project=nowhere", "", 404},
		{"GET", "/api/search/by-file", "", 400},
		{"GET", "/api/observations/by-file", "", 400},
		{"GET", "/api/observations?limit=-5", "", 400},
		{"GET", "/api/summaries?offset=x", "", 400},
		{"GET", "/api/prompts?limit=1.5", "", 400},
		{"GET", "/api/prompts?project=nowhere", "", 404},
		{"GET", "/api/timeline?depth=x", "", 400},
		{"GET", "/api/timeline/by-query", "", 400},
		{"GET", "/api/context/recent?limit=-1", "", 400},
		{"GET", "/api/v1/search?limit=-1", "", 400},
		{"GET", "/api/v1/sessions?offset=-1", "", 400},
		{"GET", "/api/v1/economy?days=-1", "", 400},
		{"POST", "/api/v1/receipts", `{"limit":-1}`, 400},
		{"GET", "/api/observation/m_7", "", 404},
		{"GET", "/api/observation/..", "", 404},
		{"GET", "/api/session/9", "", 404},
		{"GET", "/api/prompt/e_1", "", 404},
		{"GET", "/api/stats?project=nowhere", "", 404},
		{"POST", "/api/projects", `{}`, 405},
		{"GET", "/api/context/preview?project=nowhere", "", 404},
		{"POST", "/api/context/semantic", `{}`, 400},
		{"POST", "/api/observations/batch", `{}`, 400},
		{"POST", "/api/observations/batch", `{"ids":["m_7"]}`, 404},
		{"GET", "/api/logs?lines=x", "", 400},
		{"POST", "/api/memory/save", `{}`, 400},
		{"POST", "/api/memory/save", `{"text":"x","project":"nowhere"}`, 404},
		{"POST", "/api/memory/save", `{"text":"x","type":"nonsense"}`, 400},
		{"POST", "/api/import", `{}`, 400},
		{"POST", "/api/import", `{"observations":"x"}`, 400},
		{"POST", "/api/import", `{"observations":[{"title":"x","facts":"[1"}]}`, 400},
		{"POST", "/api/import", `{"observations":[{"title":"x"}],"sessions":"x"}`, 400},
		{"POST", "/api/import", `{"observations":[` + strings.Repeat(`{"title":"x"},`, 1000) + `{"title":"x"}]}`, 400},
		{"GET", "/api/import", "", 405},
		{"DELETE", "/api/observation/m_7", "", 404},
		{"DELETE", "/api/observation/m_7", "{}", 400},
		{"DELETE", "/api/observation/m_7?x=1", "", 404},
		{"DELETE", "/api/summary/m_7", "", 404},
		{"DELETE", "/api/prompt/e_7", "", 404},
		{"PUT", "/api/settings", `{}`, 405},
		{"POST", "/api/settings", `{}`, 400},
		{"POST", "/api/settings", `{"no.such":1}`, 400},
		{"GET", "/api/nothing", "", 404},
	} {
		status, got := o.ask(tt.method, tt.target, tt.body)
		var p struct{ Status int }
		if err := json.Unmarshal([]byte(got), &p); status != tt.want || err != nil || p.Status != status {
			t.Errorf("%s %s %s: got %d %s, want %d", tt.method, tt.target, tt.body, status, got, tt.want)
		}
	}
}

// What the reads give comes back in by an import, and so does a row of tables
// that keep lists as text.
func TestWhatWasReadCanBeImported(t *testing.T) {
	from := newOld(t)
	from.says("POST", "/api/memory/save", `{"text":"printers jam on thick paper","type":"gotcha","files":["print.go"]}`,
		`"success":true`)
	_, page := from.ask("GET", "/api/observations", "")
	var rows struct {
		Items []map[string]any `json:"items"`
	}
	if err := json.Unmarshal([]byte(page), &rows); err != nil || len(rows.Items) != 1 {
		t.Fatalf("read %s, %v", page, err)
	}
	body, err := json.Marshal(map[string]any{
		"observations": append(rows.Items, map[string]any{
			"type": "feature", "title": "Paper trays are counted",
			"facts": `["one a printer"]`, "concepts": "", "created_at_epoch": 1_700_000_000_000,
		}),
		"summaries": []any{map[string]any{"request": "count the trays", "learned": "there are two kinds"}},
		"sessions":  []any{map[string]any{"id": 1}}, "prompts": []any{},
	})
	if err != nil {
		t.Fatal(err)
	}
	to := newOld(t)
	to.says("POST", "/api/import", string(body),
		`"imported":3,"known":0,"left_out":{"prompts":0,"sessions":1},"prompts":0,"sessions":0,"success":true`)
	to.says("POST", "/api/import", `{"observations":[{"title":"Ferns grow","project":"nowhere"}]}`, `"imported":1`)
	to.says("GET", "/api/observations?project=nowhere", "", `"title":"Ferns grow"`)
	to.says("POST", "/api/import", string(body), `"imported":0,"known":3,`)
	to.says("GET", "/api/search?query=thick+paper", "", `"title":"printers jam on thick paper"`)
	to.says("GET", "/api/observations?type=discovery", "", `"facts":["one a printer"]`)
	to.says("GET", "/api/observations?type=discovery", "", `"created_at_epoch":1700000000000`)
	to.says("GET", "/api/summaries", "", `"learned":"there are two kinds"`)
	to.says("POST", "/api/import", string(body), `"dropped":[{"what":"field `)
	lossy := `{"observations":[{"title":"Carts expire","content":"after an hour","created_at":"2025-03-04 ` +
		`05:06:07","mood":"calm"}]}`
	to.says("POST", "/api/import", lossy,
		`"dropped":[{"what":"field mood","why":"a memory has no such field","count":1}],"empty":0,`)
	to.says("GET", "/api/search?query=carts+expire", "", `"narrative":"after an hour"`)
	to.says("GET", "/api/search?query=carts+expire", "", `"created_at":"2025-03-04T05:06:07Z"`)
	to.refuses("POST", "/api/import", `{"observations":"x"}`)
	to.refuses("POST", "/api/import", `{"prompts":[{"id":1}]}`)
}

func TestWhatIsKeptIsListedFoundHiddenAndRead(t *testing.T) {
	o := newOld(t)
	for i := range 5 {
		o.says("POST", "/api/memory/save", fmt.Sprintf(`{"text":"printer number %d jams on thick paper","type":"gotcha"}`, i),
			`"success":true`)
	}
	o.says("POST", "/api/sessions/init", `{"claudeSessionId":"s","prompt":"why does the printer jam"}`, `"promptNumber":1`)
	o.says("GET", "/api/search?query=printer&limit=2", "", `"offset":0,"limit":2,"hasMore":true}`)
	o.says("GET", "/api/observations?limit=2&offset=4", "", `"hasMore":false}`)
	o.says("GET", "/api/observations?type=decision", "", `{"items":[],`)
	o.says("GET", "/api/observations?limit=1000", "", `"limit":100,`)
	o.says("GET", "/api/observation/1", "", `"id":"m_1"`)
	o.says("GET", "/api/observation/m_1", "", `"type":"gotcha"`)
	o.says("POST", "/api/observations/batch", `{"ids":[1,"m_2"]}`, `"id":"m_2"`)
	o.says("GET", "/api/prompts?limit=1", "", `"text":"why does the printer jam"`)
	o.says("GET", "/api/session/1", "", `"id":"s"`)
	o.says("GET", "/api/session/s", "", `"number":1`)
	o.says("GET", "/api/stats", "", `"memories":5`)
	o.says("GET", "/api/projects", "", `{"projects":[`)
	o.says("GET", "/api/timeline?anchor=1&depth=2", "", `"m_1"`)
	o.says("GET", "/api/timeline/by-query?query=printer&depth_before=1&depth_after=2", "", `"anchor":"m_`)
	o.says("GET", "/api/timeline/by-query?query=zeppelin", "", `{"entries":[]}`)
	o.says("GET", "/api/context/recent?limit=1", "", `"count":1`)
	o.says("GET", "/api/version", "", `{"version":"`)
	o.says("GET", "/api/context/preview", "", `"text":`)
	o.says("POST", "/api/context/semantic", `{"q":"why does the printer number jam on thick paper"}`, `"count":`)
	o.says("GET", "/api/settings", "", `"key":"recall.max_chunks"`)
	o.says("POST", "/api/settings", `{"recall.max_chunks":1}`, `"values":[`)
	o.says("POST", "/api/settings", `{"spool.max_bytes":300000000,"vault.dir":""}`, `"values":[`)
	for key, want := range map[string]int{"recall.max_chunks": 1, "spool.max_bytes": 300_000_000} {
		if got := config.Get[int](o.h.Config.Now(), key); got != want {
			t.Errorf("%s is %d, want %d", key, got, want)
		}
	}
	o.says("DELETE", "/api/observation/1", "", `{"hidden":["m_1"],"success":true}`)
	if got, err := o.h.Store.List(t.Context(), mem.Query{IDs: []string{"m_1"}, Hidden: true}); err != nil ||
		got[0].Status != mem.Forgotten {
		t.Errorf("got %+v, %v, want it forgotten, and still there", got, err)
	}
	o.says("GET", "/api/stats", "", `"memories":4,"hidden":1`)
	own, err := o.h.Engine.Curate.Add(t.Context(), curate.AddRequest{
		Text:  "thick paper goes into the lower tray",
		Scope: mem.ScopeUser,
	})
	if err != nil {
		t.Fatal(err)
	}
	o.says("DELETE", "/api/observation/"+own.ID, "", `{"hidden":[],"proposed":["`+own.ID+`"],"success":false}`)
	o.says("POST", "/api/v1/edit", `{"id":"`+own.ID+`","text":"any tray","agent":"?"}`, `"proposal":{"id":"pr_`)
	o.says("POST", "/api/v1/mark", `{"verb":"forget","ids":["`+own.ID+`"],"agent":"?"}`,
		`"memories":[],"proposed":[{"id":"pr_`)
	if m, err := o.h.Store.List(t.Context(), mem.Query{IDs: []string{own.ID}}); err != nil || m[0].Title != own.Title ||
		len(m[0].Proposals) != 2 {
		t.Errorf("got %+v, %v, want it as it was, with two changes that wait", m, err)
	}
}
