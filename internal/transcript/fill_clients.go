package transcript

import "encoding/json"

// codex reads the count that Codex writes after each request, the model of a turn, and the end of a context.
func (m *usageMeter) codex(r measured) {
	var p struct {
		Type  string `json:"type"`
		Model string `json:"model"`
		Info  struct {
			Last struct {
				Total json.RawMessage `json:"total_tokens"`
			} `json:"last_token_usage"`
			Window json.RawMessage `json:"model_context_window"`
		} `json:"info"`
	}
	if json.Unmarshal(r.Payload, &p) != nil {
		return
	}
	switch {
	case r.Type == "turn_context":
		m.model = p.Model
	case r.Type == "compacted":
		m.boundary(r)
	case r.Type == "event_msg" && p.Type == "token_count":
		m.add(r, m.model, p.Info.Last.Total)
		m.window(p.Info.Window)
	}
}

// copilot reads the counts of a request of the conversation, and the limit that stands in what a tool reported to a
// hook.
func (m *usageMeter) copilot(r measured) {
	var d struct {
		Usage struct {
			Model  string          `json:"model"`
			Of     string          `json:"interactionType"`
			Input  json.RawMessage `json:"inputTokens"`
			Output json.RawMessage `json:"outputTokens"`
		} `json:"usage"`
		Input struct {
			Result struct {
				Telemetry struct {
					Metrics struct {
						Limit json.RawMessage `json:"context_token_limit"`
					} `json:"metrics"`
				} `json:"toolTelemetry"`
			} `json:"toolResult"`
		} `json:"input"`
	}
	if json.Unmarshal(r.Data, &d) != nil {
		return
	}
	if r.Type == "session.usage_record" && (d.Usage.Of == "" || d.Usage.Of == "conversation-agent") {
		m.add(r, d.Usage.Model, d.Usage.Input, d.Usage.Output)
	}
	m.window(d.Input.Result.Telemetry.Metrics.Limit)
}

// qwen reads the counts of a message.
func (m *usageMeter) qwen(r measured) {
	var used struct {
		Total json.RawMessage `json:"totalTokenCount"`
	}
	if r.Type == Assistant && json.Unmarshal(r.Used, &used) == nil {
		m.add(r, word(r.Model), used.Total)
		m.window(r.Window)
	}
}

// gemini reads the counts of a message, which is written again when it changes.
func (m *usageMeter) gemini(r measured) {
	var used struct {
		Total json.RawMessage `json:"total"`
	}
	if r.Type == geminiClient && json.Unmarshal(r.Tokens, &used) == nil {
		m.add(r, word(r.Model), used.Total)
	}
}

// word returns a JSON string's text, "" for anything else.
func word(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}
