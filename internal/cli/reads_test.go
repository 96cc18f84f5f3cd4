package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/daemon"
	"remanence/internal/mem"
)

// manyRows stores n sessions, each with a prompt, an injection, a memory with a file of its own, one of low trust that
// waits for review, a decision of another day, a checkpoint, and a consolidation that changed the decision.
func manyRows(t *testing.T, d *daemon.Daemon, n int) {
	t.Helper()
	long := strings.Repeat("lorem ipsum ", 20)
	p := mem.Project{Key: "p_big", Name: "big", Root: "/big"}
	for i := range n {
		session, at := fmt.Sprintf("session-%04d", i), time.Now().UTC().AddDate(0, 0, -i)
		ev := mem.Event{
			ID: fmt.Sprintf("e_%08d", i), Kind: mem.UserPromptSubmit, Agent: "claude-code", At: at, Session: session,
			PromptID: "p1", Text: "word " + long + session, Root: p.Root,
		}
		of := mem.Memory{
			Scope: mem.ScopeProject, Project: p.Key, Session: session, Trust: mem.TrustUser, Created: at, Updated: at,
			Source: mem.Source{Session: session, Event: ev.ID, PromptID: "p1"},
		}
		fact, decision, low := of, of, of
		fact.Kind, fact.Title = mem.Fact, "word of "+session
		fact.Body, fact.Files = long, []string{fmt.Sprintf("internal/%04d/%s.go", i, strings.Repeat("name", 80))}
		decision.Kind, decision.Title = mem.Decision, "decided in "+session+": "+long
		low.Kind, low.Title, low.Trust = mem.Fact, "unsure of "+session+": "+long, mem.TrustNone
		wrote, err := d.Store.Apply(t.Context(), mem.Batch{
			Event: &ev, Project: &p, Turn: &mem.TurnChange{Text: ev.Text, Person: true},
			Session: &mem.SessionChange{
				Agent: "claude-code", Project: p.Key, ProjectName: p.Name, Root: p.Root, FirstPrompt: ev.Text,
			},
			Memories: []mem.Memory{fact, decision, low},
			Receipts: []mem.Receipt{{
				ID: fmt.Sprintf("r_%08d", i), Event: ev.ID, Session: session, Project: p.Key, At: at, Trigger: "prompt",
				Query: ev.Text, Outcome: mem.Injected,
			}},
			Checkpoints: []mem.Checkpoint{{
				Session: session, Project: p.Key, At: at, Trigger: mem.TriggerHandoff, Handoff: long + session,
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Store.Apply(t.Context(), mem.Batch{Run: &mem.Run{
			Kind: mem.FullRun, Project: p.Key, At: at,
			Changes: []mem.Step{{Rule: mem.RuleArchive, Memory: wrote[0].IDs[1], Reason: long}},
		}}); err != nil {
			t.Fatal(err)
		}
	}
}

// oneLongSession stores a session of many tool calls, in which much was learned about one file, and returns the ids.
func oneLongSession(t *testing.T, d *daemon.Daemon) (ids []string) {
	t.Helper()
	p := mem.Project{Key: "p_big", Name: "big", Root: "/big"}
	for i := range 400 {
		at := time.Now().UTC().Add(time.Duration(i-400) * time.Second)
		ev := mem.Event{
			ID: fmt.Sprintf("e_long-%d", i), Kind: mem.PostToolUse, Agent: "claude-code", At: at, Session: "long",
			Tool: "Bash", Input: json.RawMessage(`{"command":"` + strings.Repeat("echo lorem; ", 20) + `"}`), Root: p.Root,
		}
		wrote, err := d.Store.Apply(t.Context(), mem.Batch{
			Event: &ev, Project: &p, Session: &mem.SessionChange{Agent: "claude-code", Project: p.Key, Root: p.Root},
			Memories: []mem.Memory{{
				Scope: mem.ScopeProject, Project: p.Key, Session: "long", Kind: mem.Fact, Trust: mem.TrustUser, Created: at,
				Updated: at, Title: fmt.Sprint("fact ", i, " of the long session"), Files: []string{"shared.go"},
				Body: fmt.Sprint(i, strings.Repeat(" ipsum dolor", 80)),
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if i%4 == 0 {
			ids = append(ids, wrote[0].IDs...)
		}
	}
	return ids
}

// read reads a path below /api/v1/, or another one, within the limit of a read.
func read(t *testing.T, h http.Handler, path string, keys url.Values) map[string]json.RawMessage {
	t.Helper()
	if !strings.HasPrefix(path, "/") {
		path = "/api/v1/" + path
	}
	target := strings.TrimSuffix(path+"?"+keys.Encode(), "?")
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.RequestURI = target
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	if rec.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", target, rec.Code, rec.Body)
	}
	if rec.Body.Len() > api.MaxRead {
		t.Errorf("%s answers with %d bytes, want at most %d", target, rec.Body.Len(), api.MaxRead)
	}
	got := map[string]json.RawMessage{}
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return got
}

func TestAReadOfAListIsBoundedAndItsPagesHoldEachRowOnce(t *testing.T) {
	const rows = 180
	d, way := housed(t)
	manyRows(t, d, rows)
	h := api.Mux(api.Config{Bindings: way})
	for _, l := range []struct {
		path, list, id string
		keys           url.Values
		want           int
	}{
		{"sessions", "sessions", "id", nil, rows},
		{"receipts", "receipts", "id", nil, rows},
		{"prompts", "prompts", "id", nil, rows},
		{"files", "files", "path", nil, rows},
		{"search", "results", "id", url.Values{"kinds": {"fact"}}, 2 * rows},
		{"search", "results", "id", url.Values{"kinds": {"decision"}, "facets": {"true"}}, rows},
		{"search", "results", "id", url.Values{"text": {"word"}}, rows},
		{"checkpoints", "checkpoints", "id", nil, rows},
		{"runs", "runs", "id", nil, rows},
		{"feed", "entries", "", nil, 5 * rows},
		{"session_uses", "sessions", "id", nil, rows},
		{"review", "items", "text", url.Values{"rules": {"low_trust"}}, 0},
	} {
		seen, pages := []string{}, 0
		for pages < rows {
			keys := url.Values{"project": {"p_big"}, "limit": {"200"}, "offset": {fmt.Sprint(len(seen))}}
			for k, v := range l.keys {
				keys[k] = v
			}
			var part []map[string]any
			if err := json.Unmarshal(read(t, h, l.path, keys)[l.list], &part); err != nil {
				t.Fatal(err)
			}
			if len(part) == 0 {
				break
			}
			for _, row := range part {
				id, _ := row[l.id].(string)
				switch l.path {
				case "review":
					id = fmt.Sprint(row["memories"])
				case "feed":
					id = fmt.Sprint(row["id"], row["what"], row["at"])
				}
				seen = append(seen, id)
			}
			pages++
		}
		slices.Sort(seen)
		if once := len(slices.Compact(slices.Clone(seen))); once != len(seen) || l.want > 0 && once != l.want || once == 0 {
			t.Errorf("%s %v: %d rows, %d of them once; want %d", l.path, l.keys, len(seen), once, l.want)
		}
		if pages < 2 {
			t.Errorf("%s %v: one page, so the limit is not tried", l.path, l.keys)
		}
	}
	for path, keys := range map[string]url.Values{
		"timeline": {"around": {"500"}},
		"review":   {"limit": {"500"}}, "now": {}, "overview": {}, "projects": {},
		"economy": {"days": {"365"}}, "effect": {"days": {"365"}}, "status": {}, "today": {},
		"show": {"ids": oneLongSession(t, d)}, "file": {"path": {"shared.go"}}, "sessions/long": {},
	} {
		read(t, h, path, keys)
	}
	for _, limit := range []string{"", "20"} {
		days, keys := []string{}, url.Values{"since": {"2000-01-01"}, "limit": {limit}}
		if limit == "" {
			keys.Del("limit")
		}
		for more := true; more && len(days) < rows; {
			got := read(t, h, "recap", keys)
			var part []struct{ Day string }
			if err := json.Unmarshal(got["days"], &part); err != nil || len(part) == 0 || limit != "" && len(part) > 20 {
				t.Fatalf("%d days with limit %q, %v", len(part), limit, err)
			}
			for _, d := range slices.Backward(part) {
				days = append(days, d.Day)
			}
			more = string(got["cut"]) == "true"
			keys.Set("until", part[0].Day)
		}
		if !slices.IsSortedFunc(days, func(a, b string) int { return strings.Compare(b, a) }) ||
			len(slices.Compact(days)) != rows {
			t.Errorf("with limit %q the recap has %d days, want %d, each once", limit, len(days), rows)
		}
	}
}

// A tool of another memory reads all rows, too, whatever its limit.
func TestALongListInAnotherShapeIsBoundedAndItsPagesHoldEachRowOnce(t *testing.T) {
	d, way := housed(t)
	oneLongSession(t, d)
	h := api.Mux(api.Config{Bindings: way})
	seen := map[string]bool{}
	for more, rows := true, 0; more; {
		got := read(t, h, "/api/observations", url.Values{"limit": {"100"}, "offset": {fmt.Sprint(rows)}})
		var part []struct{ ID string }
		if err := json.Unmarshal(got["items"], &part); err != nil || len(part) == 0 || len(part) == 100 {
			t.Fatalf("%d rows at once, %v", len(part), err)
		}
		for _, row := range part {
			seen[row.ID] = true
		}
		rows, more = rows+len(part), string(got["hasMore"]) == "true"
		if rows > 400 {
			t.Fatalf("%d rows of 400", rows)
		}
	}
	if len(seen) != 400 {
		t.Errorf("the pages hold %d memories, want 400", len(seen))
	}
}
