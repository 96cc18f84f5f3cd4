//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const codexVersion = "0.169.0"

// responses is a model that speaks OpenAI's Responses API. It gives its answers in order, the last one for ever.
type responses struct {
	mu       sync.Mutex
	answers  []string
	requests []string
}

func (m *responses) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !strings.HasSuffix(r.URL.Path, "/responses") {
		http.NotFound(w, r)
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, string(body))
	answer := m.answers[0]
	if len(m.answers) > 1 {
		m.answers = m.answers[1:]
	}
	m.mu.Unlock()
	message := map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": answer, "annotations": []any{}}},
	}
	whole := map[string]any{
		"id": "resp_1", "object": "response", "status": "completed", "output": []any{message},
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 2, "total_tokens": 12},
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []map[string]any{
		{"type": "response.created", "response": map[string]any{"id": "resp_1", "status": "in_progress", "output": []any{}}},
		{"type": "response.output_item.done", "output_index": 0, "item": message},
		{"type": "response.completed", "response": whole},
	} {
		b, err := json.Marshal(event)
		if err != nil {
			return
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event["type"], b)
	}
}

// last is the newest request.
func (m *responses) last() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.requests) == 0 {
		return ""
	}
	return m.requests[len(m.requests)-1]
}

// codex runs one session of the real Codex CLI.
func (u *user) codex(prompt string) {
	u.t.Helper()
	program := found(u.t, "codex-"+codexVersion+"/node_modules/@openai/codex-*/vendor/*/bin/codex")
	cmd := exec.Command(program, "exec", "--json", "--skip-git-repo-check", prompt)
	cmd.Dir = u.project("")
	cmd.Env = []string{
		"HOME=" + u.home, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "MOCK_KEY=none",
		"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "HTTPS_PROXY=http://127.0.0.1:9",
	}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"turn.completed"`) {
		u.t.Fatalf("codex: %v\n%s", err, out)
	}
}

func TestCodexIsTaughtInOneSessionAndToldInTheNext(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	model := &responses{answers: []string{"I decided to use a ballista instead of a catapult.", "As we said."}}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	config := filepath.Join(u.home, ".codex/config.toml")
	own := fmt.Sprintf(`model = "gpt-5.5"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.mock]
name = "mock"
base_url = "%s/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects.%q]
trust_level = "trusted"`, server.URL, u.project(""))
	u.write(config, own)
	u.remanence("install", "codex", "--yes")
	u.codex("what shall we throw with? <private>my cat is called Mitzi-77</private>")
	u.keeps("ballista", "--agent", "codex")
	u.codex("did we choose the ballista or the catapult?")
	wants(t, "second session", model.last(), "<remanence-context", "I decided to use a ballista")
	if left := u.leaks("Mitzi-77"); len(left) > 0 {
		t.Errorf("on the disk: %v", left)
	}

	// Without a daemon, and without a way to start one, the client works as before.
	u.remanence("daemon", "stop")
	run := filepath.Join(u.home, ".local/state/remanence/run")
	if err := os.RemoveAll(run); err != nil {
		t.Fatal(err)
	}
	u.write(run, "in the way")
	u.codex("and without a memory?")
	wants(t, "without a daemon", model.last(), "and without a memory?")
	if err := os.Remove(run); err != nil {
		t.Fatal(err)
	}

	u.remanence("uninstall", "--yes")
	if got := u.read(config); got != own {
		t.Errorf("after uninstall:\n%s\nwant\n%s", got, own)
	}
	if _, err := os.Stat(filepath.Join(u.home, ".codex/hooks.json")); !os.IsNotExist(err) {
		t.Errorf("hooks.json: %v", err)
	}
	u.codex("did we choose the ballista or the catapult?")
	wantsNot(t, "after uninstall", model.last(), "remanence")
}
