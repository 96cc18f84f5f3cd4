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

// digests is a Messages API that answers the real client with a digest.
type digests struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newDigests(t *testing.T) *digests {
	d := &digests{}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		d.mu.Lock()
		d.asked = append(d.asked, string(body))
		d.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		event := func(name string, v map[string]any) {
			v["type"] = name
			b, _ := json.Marshal(v)
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, b)
		}
		event("message_start", map[string]any{"message": map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{},
			"usage": map[string]int{"input_tokens": 900, "output_tokens": 1},
		}})
		event("content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text", "text": ""}})
		event("content_block_delta", map[string]any{"index": 0, "delta": map[string]any{
			"type": "text_delta", "text": "<observation><type>decision</type><title>The model says: jittered " +
				"backoff</title></observation>",
		}})
		event("content_block_stop", map[string]any{"index": 0})
		event("message_delta", map[string]any{
			"delta": map[string]any{"stop_reason": "end_turn"},
			"usage": map[string]int{"output_tokens": 60},
		})
		event("message_stop", map[string]any{})
	}))
	t.Cleanup(d.Close)
	return d
}

// The real client as the model that digests: none of the person's hooks, tools and
// instructions take part, and nothing of it is captured.
func TestTheRealCommandDigestsATurnAndIsNotCapturedItself(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.run(session{
		script:  script(bash("sh check.sh"), says("I decided to use jittered backoff instead of a fixed delay.")),
		prompts: []string{"how shall we wait?"},
	})
	marker := filepath.Join(u.dir, "hooked")
	hook := fmt.Sprintf(`[{"hooks":[{"type":"command","command":"touch %s"}]}]`, marker)
	u.write(filepath.Join(u.home, ".claude", "settings.json"),
		fmt.Sprintf(`{"hooks":{"SessionStart":%s,"UserPromptSubmit":%s,"Stop":%s}}`, hook, hook, hook))
	u.write(filepath.Join(u.home, ".claude", "CLAUDE.md"), "INSTRUCTIONS-OF-THE-PERSON\n")

	api := newDigests(t)
	for key, value := range map[string]string{
		"provider": "claude-command", "allow_remote": "true", "daily_tokens": "90000", "url": api.URL,
		"key_env": "KEY_OF_THE_TEST", "command": client(t),
	} {
		u.remanence("config", "set", "digest."+key, value)
	}
	restart := exec.Command(binary, "daemon", "restart")
	restart.Dir = u.project("")
	restart.Env = []string{
		"HOME=" + u.home, "PATH=/usr/local/bin:/usr/bin:/bin", "KEY_OF_THE_TEST=fake-key-not-a-secret",
		"NO_PROXY=127.0.0.1", "HTTPS_PROXY=http://127.0.0.1:9",
	}
	if out, err := restart.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	u.remanence("digest", "--redo")
	found := func() bool {
		out, _ := u.try("search", "jittered", "backoff")
		return strings.Contains(out, "The model says: jittered backoff")
	}
	if !eventually(found) {
		t.Fatalf("nothing came of it:\n%s", u.remanence("digest"))
	}
	api.mu.Lock()
	defer api.mu.Unlock()
	if len(api.asked) != 1 {
		t.Errorf("asked %d times, want once", len(api.asked))
	}
	wants(t, "what was sent", api.asked[0], "how shall we wait?", "jittered backoff instead of a fixed delay")
	wantsNot(t, "what was sent", api.asked[0], "INSTRUCTIONS-OF-THE-PERSON", "tool_use")
	if _, err := os.Stat(marker); err == nil {
		t.Error("the person's hooks ran for it")
	}
	var now struct {
		Counts struct{ Sessions int }
		LLM    struct {
			TokensToday int `json:"tokens_today"`
		}
	}
	u.asks(&now, "status", "--project", "all")
	if now.Counts.Sessions != 1 || now.LLM.TokensToday < 900 {
		t.Errorf("%d sessions, %d tokens, want the one of the person and what it cost", now.Counts.Sessions,
			now.LLM.TokensToday)
	}
	if left, _ := filepath.Glob(filepath.Join(u.home, ".claude", "projects", "*model*")); len(left) > 0 {
		t.Errorf("it left a session behind: %v", left)
	}
}
