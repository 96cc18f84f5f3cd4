package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"remanence/internal/api"
)

// A request for something that does not exist gets a problem of our own, without the error text of the database.
func TestWhatIsNotThereIsAPlainNotFound(t *testing.T) {
	o := newOld(t)
	asked := map[string]string{}
	for _, target := range []string{
		"/api/v1/prompts?id=e_0", "/api/v1/show?ids=m_0", "/api/v1/related?id=m_0", "/api/v1/what_if?id=r_0",
		"/api/v1/checkpoints?id=c_0",
		"/api/v1/checkpoint_diff?from=c_0", "/api/v1/timeline?anchor=m_0", "/api/v1/timeline?session=s_0",
		"/api/v1/sessions?project=nowhere",
		"/api/observation/m_0", "/api/observation/9999999999999999999", "/api/session/s_0", "/api/session/7",
		"/api/prompt/e_0", "/api/prompt/7",
	} {
		asked["GET "+target] = ""
	}
	for path, methods := range described(t).Paths { // each whose path has an id
		for method := range methods {
			if target := strings.ReplaceAll(path, "{id}", "77"); target != path {
				asked[strings.ToUpper(method)+" "+target] = map[string]string{"post": `{"userPrompt":"x"}`}[method]
			}
		}
	}
	for name, body := range map[string]string{
		"edit": `{"id":"m_0","text":"x"}`, "mark": `{"ids":["m_0"],"verb":"forget"}`,
		"feedback": `{"ids":["m_0"],"verdict":"useful"}`,
		"purge":    `{"ids":["m_0"]}`, "purge_preview": `{"ids":["m_0"]}`, "merge": `{"keep":"m_0","drop":"m_1"}`,
		"show": `{"ids":["m_0"]}`,
	} {
		asked["POST /api/v1/"+name] = body
	}
	for _, way := range []string{"DELETE /api/observation/m_0", "DELETE /api/summary/m_0", "DELETE /api/prompt/e_0"} {
		asked[way] = ""
	}
	for request, body := range asked {
		method, target, _ := strings.Cut(request, " ")
		status, text := o.ask(method, target, body)
		var got struct{ Error, Detail string }
		if err := json.Unmarshal([]byte(text), &got); err != nil || status != 404 || got.Error != "not_found" ||
			got.Detail == "" {
			t.Errorf("%s: got %d %s, %v", request, status, text, err)
		}
		if strings.Contains(text, "sql") || strings.Contains(text, "no rows") {
			t.Errorf("%s speaks of its database: %s", request, text)
		}
	}
	if len(asked) < 25 {
		t.Errorf("only %d requests", len(asked))
	}
}

// description is what the tests read of the API's own description.
type description struct {
	Paths map[string]map[string]any
}

func described(t *testing.T) description {
	t.Helper()
	_, way := housed(t)
	text, err := api.OpenAPI(append(way, workersOwn()...))
	if err != nil {
		t.Fatal(err)
	}
	var d description
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}
