//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// scripted is a model that speaks Chat Completions, Responses and generateContent. It gives its answers in order. To
// requests without tools, such as that for a session's title or a summary, it has an answer of its own.
type scripted struct {
	mu       sync.Mutex
	answers  []reply
	requests []string // those with tools
	all      []string
	calls    int
}

// reply is one answer of a model: a text, and the call of a tool if it has a name.
type reply struct {
	text, tool string
	input      map[string]any
	tokens     int // of the request, as the model reports them; 0 means a few

	id string // of the call
}

// arguments returns the input of the call as text.
func (r reply) arguments() string {
	b, err := json.Marshal(r.input)
	if err != nil {
		panic(err) // inputs are those of this package
	}
	return string(b)
}

// serve returns the address of a server that answers for the model.
func (m *scripted) serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	return server.URL
}

// takes sets what the model answers from now on.
func (m *scripted) takes(answers ...reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers, m.requests = answers, nil
}

// sent returns the requests since the answers were set.
func (m *scripted) sent() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.requests...)
}

// every returns all requests that the model ever got.
func (m *scripted) every() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.all...)
}

func (m *scripted) next(body string) reply {
	var request struct{ Tools []json.RawMessage }
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, body)
	if json.Unmarshal([]byte(body), &request) != nil || len(request.Tools) == 0 || len(m.answers) == 0 ||
		strings.Contains(body, "Please create a detailed summary of the conversation") { // as Copilot asks for it
		return reply{text: "SUMMARY-TEXT"}
	}
	m.requests = append(m.requests, body)
	r := m.answers[0]
	m.calls++
	r.id = fmt.Sprintf("call_%d", m.calls)
	if len(m.answers) > 1 {
		m.answers = m.answers[1:]
	}
	return r
}

func (m *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var chunks []map[string]any
	switch {
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		chunks = chatCompletion(m.next(string(body)))
	case strings.HasSuffix(r.URL.Path, "/responses"):
		chunks = response(m.next(string(body)))
	case strings.Contains(r.URL.Path, "enerateContent"):
		chunks = generatedContent(m.next(string(body)))
	case strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprint(w, `{"object":"list","data":[{"id":"mock-model","object":"model","created":1,"owned_by":"mock"}]}`)
		return
	default:
		http.NotFound(w, r)
		return
	}
	stream := strings.Contains(string(body), `"stream":true`) || strings.Contains(r.URL.Path, ":stream")
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(chunks[0])
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, chunk := range chunks[1:] {
		b, err := json.Marshal(chunk)
		if err != nil {
			return
		}
		if event, ok := chunk["type"].(string); ok {
			fmt.Fprintf(w, "event: %s\n", event)
		}
		fmt.Fprintf(w, "data: %s\n\n", b)
	}
	if strings.HasSuffix(r.URL.Path, "/chat/completions") {
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// chatCompletion returns an answer of Chat Completions: as a whole, then in the parts of a stream.
func chatCompletion(r reply) []map[string]any {
	message, why := map[string]any{"role": "assistant", "content": r.text}, "stop"
	if r.tool != "" {
		why = "tool_calls"
		message["tool_calls"] = []any{map[string]any{
			"index": 0, "id": r.id, "type": "function",
			"function": map[string]any{"name": r.tool, "arguments": r.arguments()},
		}}
	}
	in := max(r.tokens, 10)
	usage := map[string]any{"prompt_tokens": in, "completion_tokens": 2, "total_tokens": in + 2}
	chunk := func(object string, choice map[string]any) map[string]any {
		choice["index"] = 0
		return map[string]any{
			"id": "chatcmpl-1", "object": object, "created": 1, "model": "mock-model", "choices": []any{choice}, "usage": usage,
		}
	}
	const part = "chat.completion.chunk"
	return []map[string]any{
		chunk("chat.completion", map[string]any{"message": message, "finish_reason": why}),
		chunk(part, map[string]any{"delta": message, "finish_reason": nil}),
		chunk(part, map[string]any{"delta": map[string]any{}, "finish_reason": why}),
	}
}

// response returns an answer of Responses: as a whole, then in the events of a stream.
func response(r reply) []map[string]any {
	items := []map[string]any{{
		"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": r.text, "annotations": []any{}}},
	}}
	if r.tool != "" {
		items = append(items, map[string]any{
			"id": "fc_" + r.id, "type": "function_call", "call_id": r.id, "name": r.tool, "arguments": r.arguments(),
			"status": "completed",
		})
	}
	in := max(r.tokens, 10)
	whole := map[string]any{
		"id": "resp_1", "object": "response", "status": "completed", "output": items,
		"usage": map[string]any{"input_tokens": in, "output_tokens": 2, "total_tokens": in + 2},
	}
	created := map[string]any{"id": "resp_1", "status": "in_progress", "output": []any{}}
	chunks := []map[string]any{whole, {"type": "response.created", "response": created}}
	for i, item := range items {
		chunks = append(chunks, map[string]any{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	return append(chunks, map[string]any{"type": "response.completed", "response": whole})
}

// generatedContent returns an answer of generateContent: as a whole, then as the only part of a stream.
func generatedContent(r reply) []map[string]any {
	parts := []any{map[string]any{"text": r.text}}
	if r.tool != "" {
		parts = append(parts, map[string]any{
			"functionCall": map[string]any{"id": r.id, "name": r.tool, "args": r.input}, "thoughtSignature": "c2lnbmF0dXJl",
		})
	}
	in := max(r.tokens, 10)
	whole := map[string]any{
		"candidates": []any{map[string]any{
			"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": parts},
		}},
		"usageMetadata": map[string]any{"promptTokenCount": in, "candidatesTokenCount": 2, "totalTokenCount": in + 2},
	}
	return []map[string]any{whole, whole}
}
