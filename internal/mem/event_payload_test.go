package mem_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
)

func TestDroppedPayloadLeavesNoText(t *testing.T) {
	said := json.RawMessage(`"swordfish"`)
	e := mem.Event{
		ID: "e_1", Key: "k", Agent: "claude-code", Kind: mem.PostToolUse, At: time.Unix(1, 0).UTC(), Session: "s",
		PromptID: "p", Source: "auto",
		Tool: "Bash", ToolUseID: "tu", AgentID: "a", AgentType: "Explore", TaskID: "1", DurationMS: 3, Size: 9,
		Truncated: true,
		Root:      "/swordfish", Cwd: "/swordfish", Transcript: "/swordfish", Text: "swordfish", Error: "swordfish",
		By:    "swordfish",
		Input: said, Response: said,
	}
	b, err := json.Marshal(e.WithoutPayload())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(b), "swordfish") {
		t.Errorf("the event without payload holds text: %s", b)
	}
	h := e.WithoutPayload()
	if h.ID != e.ID || h.Kind != e.Kind || !h.At.Equal(e.At) || h.Session != e.Session || h.PromptID != e.PromptID ||
		h.Tool != e.Tool || h.DurationMS != e.DurationMS || !h.PayloadDropped {
		t.Errorf("got %+v, want id, kind, time, session, turn, tool and duration", h)
	}
}
