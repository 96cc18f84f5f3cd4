package transcript

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"remanence/internal/agent"
	"remanence/internal/mem"
)

// Names of the clients whose transcripts are read, as in events.
const (
	claudeClient   = "claude-code"
	codexClient    = "codex"
	geminiClient   = "gemini"
	copilotClient  = "copilot"
	qwenClient     = "qwen"
	openCodeClient = "opencode"
)

// Reader turns lines of a transcript into records in the form of Claude Code, whichever client wrote them. It
// recognises the client by the form of each line. The zero value is ready for a new transcript.
type Reader struct {
	session, cwd string // that the transcript names
	message      string // id of the newest message of the assistant
	subagent     bool   // the transcript is that of a subagent, whose prompts are those of a model
}

// foreignLine is a line of any other client, as far as it matters.
type foreignLine struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`

	Payload json.RawMessage `json:"payload"` // Codex
	Data    json.RawMessage `json:"data"`    // Copilot

	SessionID string          `json:"sessionId"` // Gemini, in its first line
	Set       json.RawMessage `json:"$set"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []geminiCall    `json:"toolCalls"`
	Model     string          `json:"model"`
}

// records returns the records of a line, none for one that says nothing. known is false if the line is no record.
func (d *Reader) records(line []byte) (out []record, known bool) {
	r, ok := readRecord(line)
	if !ok {
		return nil, false
	}
	if len(r.Message) > 0 {
		if r.Provenance == "" {
			return []record{r}, r.Type != ""
		}
		return d.qwen(r), true
	}
	if !r.foreign && r.Type != "" && r.Type != geminiClient && r.Type != User {
		return []record{r}, true
	}
	var o openCodeLine
	if json.Unmarshal(line, &o) == nil && len(o.Part) > 0 {
		return d.openCode(o), true
	}
	var f foreignLine
	if json.Unmarshal(line, &f) != nil {
		return nil, r.Type != ""
	}
	switch {
	case len(f.Payload) > 0:
		return d.codex(f), true
	case len(f.Data) > 0:
		return d.copilot(f), true
	case len(f.Set) > 0, f.Type == "" && f.SessionID != "":
		d.geminiHead(f)
		return nil, true
	case f.ID != "" && (f.Type == "gemini" || f.Type == "user"):
		return d.gemini(f), true
	}
	return []record{r}, r.Type != ""
}

// said is a record of words.
func said(who, id, at string, m message, blocks ...block) record {
	m.Content = marshal(blocks)
	return record{Type: who, ID: id, Timestamp: at, Message: marshal(m)}
}

// returned is a record of a tool's result. The payload is what the client's hook would have been given of it; it is
// read by the dialect of that hook.
func returned(client, call, at string, payload map[string]any) record {
	r := said("user", call, at, message{}, block{Type: "tool_result", ToolUseID: call})
	r.client, r.payload = client, payload
	return r
}

// canonical reads the result of a tool as the client's hook is read; ok is false if it reports nothing.
func (r record) canonical(call block, cwd string) (e mem.Event, ok bool) {
	dialect, ok := agent.ByName(r.client)
	if !ok {
		return e, false
	}
	p := map[string]any{"session_id": "transcript", "cwd": cwd, "tool_name": call.Name, "tool_input": call.Input}
	for k, v := range r.payload {
		p[k] = v
	}
	e, err := dialect.Decode(marshal(p), agent.Env{})
	return e, err == nil
}

// marshal returns JSON of plain values, which cannot fail.
func marshal(v any) json.RawMessage {
	b, _ := json.Marshal(v)
	return b
}

type codexPayload struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Cwd     string `json:"cwd"`
	Thread  string `json:"thread_source"`
	TurnID  string `json:"turn_id"`
	Role    string `json:"role"`
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	CallID    string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Extra     struct {
		TurnID string   `json:"turn_id"`
		Kinds  []string `json:"content_item_kinds"`
	} `json:"internal_chat_message_metadata_passthrough"`
}

// pattern is a regular expression that is compiled when it is first needed: hooks start with this package too.
type pattern struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// find returns the first match and its groups, nil without one.
func (p *pattern) find(s string) []string {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re.FindStringSubmatch(s)
}

var codexExit = pattern{text: `(?m)^Process exited with code (\d+)$`}

func (d *Reader) codex(f foreignLine) []record {
	var p codexPayload
	if json.Unmarshal(f.Payload, &p) != nil {
		return nil
	}
	var r record
	switch {
	case f.Type == "session_meta":
		if d.session == "" { // later ones are of the session that this one was forked from
			d.session, d.cwd, d.subagent = p.ID, p.Cwd, p.Thread == "subagent"
		}
		return nil
	case d.subagent:
		return nil
	case f.Type == "event_msg" && p.Type == "task_complete": // the end of the turn
		r = said(Assistant, "", f.Timestamp, message{ID: d.message, StopReason: "end_turn"})
	case f.Type != "response_item":
		return nil
	case p.Type == "message":
		return d.codexMessage(f, p)
	case p.Type == "function_call", p.Type == "custom_tool_call":
		r = said(Assistant, p.ID, f.Timestamp, message{ID: d.message}, codexCall(p))
	case p.Type == "function_call_output", p.Type == "custom_tool_call_output":
		r = returned(codexClient, p.CallID, f.Timestamp, codexResult(p.Output))
	default:
		return nil
	}
	r.PromptID = cmp.Or(p.Extra.TurnID, p.TurnID)
	return []record{r}
}

func (d *Reader) codexMessage(f foreignLine, p codexPayload) []record {
	var texts []string
	for _, c := range p.Content {
		texts = append(texts, c.Text)
	}
	text := strings.Join(texts, "\n")
	kinds := p.Extra.Kinds
	switch p.Role {
	case "assistant":
		d.message = p.ID
	case "user":
		if len(kinds) > 0 && kinds[0] != "user.text" || strings.HasPrefix(text, "<environment_context>") ||
			strings.HasPrefix(text, "<user_instructions>") || strings.HasPrefix(text, "# AGENTS.md instructions") {
			return nil // of the client
		}
	default:
		return nil // what hooks injected, among others
	}
	r := said(p.Role, p.ID, f.Timestamp, message{ID: p.ID}, block{Type: "text", Text: text})
	r.PromptID = p.Extra.TurnID
	return []record{r}
}

func codexCall(p codexPayload) block {
	b := block{Type: "tool_use", ID: p.CallID, Name: p.Name, Input: json.RawMessage(p.Arguments)}
	if p.Namespace != "" {
		b.Name = p.Namespace + "__" + p.Name
	}
	if p.Type == "custom_tool_call" {
		b.Input = marshal(map[string]string{"command": p.Input})
	}
	if p.Name == "exec_command" || p.Name == "shell_command" {
		var in struct{ Cmd, Command string }
		_ = json.Unmarshal(b.Input, &in) // of another form: it names no command
		b.Name, b.Input = mem.ToolShell, marshal(map[string]string{"command": cmp.Or(in.Cmd, in.Command)})
	}
	if !json.Valid(b.Input) {
		b.Input = nil
	}
	return b
}

// codexResult reads what the model was given: a header, and the output below.
func codexResult(raw json.RawMessage) map[string]any {
	text := textOf(raw)
	head, output, ok := strings.Cut(text, "Output:\n")
	if strings.HasPrefix(text, "Exit code: ") || !ok {
		return map[string]any{"hook_event_name": "PostToolUse", "tool_response": text}
	}
	p := map[string]any{"hook_event_name": "PostToolUse", "tool_response": output}
	if m := codexExit.find(head); m != nil && m[1] != "0" {
		p["hook_event_name"], p["error"] = "PostToolUseFailure", "Exit code "+m[1]+"\n"+strings.TrimSpace(output)
	}
	return p
}

type copilotData struct {
	SessionID string `json:"sessionId"`
	Context   struct {
		Cwd string `json:"cwd"`
	} `json:"context"`
	MessageID string `json:"messageId"`
	Content   string `json:"content"`
	Requests  []struct {
		ID        string          `json:"toolCallId"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolRequests"`
	CallID  string `json:"toolCallId"`
	Success bool   `json:"success"`
	Result  struct {
		Content string `json:"content"`
	} `json:"result"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
}

func (d *Reader) copilot(f foreignLine) []record {
	var p copilotData
	if json.Unmarshal(f.Data, &p) != nil {
		return nil
	}
	switch f.Type {
	case "session.start":
		d.session, d.cwd = p.SessionID, p.Context.Cwd
	case "user.message":
		return []record{said(User, f.ID, f.Timestamp, message{}, block{Type: "text", Text: p.Content})}
	case "assistant.message":
		blocks := []block{{Type: "text", Text: p.Content}}
		for _, c := range p.Requests {
			blocks = append(blocks, block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: c.Arguments})
		}
		return []record{said(Assistant, f.ID, f.Timestamp, message{ID: p.MessageID, StopReason: stopReason(blocks)},
			blocks...)}
	case "tool.execution_complete":
		payload := map[string]any{
			"hook_event_name": "PostToolUse",
			"tool_result":     map[string]string{"result_type": "success", "text_result_for_llm": p.Result.Content},
		}
		if !p.Success {
			payload["hook_event_name"], payload["error"] = "PostToolUseFailure", p.Error.Message
		}
		return []record{returned(copilotClient, p.CallID, f.Timestamp, payload)}
	}
	return nil
}

// stopReason tells a message that calls tools from the last one of a turn.
func stopReason(blocks []block) string {
	for _, b := range blocks {
		if b.Type == "tool_use" {
			return "tool_use"
		}
	}
	return "end_turn"
}

type geminiPart struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
	Call    *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string `json:"id"`
		Response struct {
			Output string `json:"output"`
			Error  string `json:"error"`
		} `json:"response"`
	} `json:"functionResponse"`
}

type geminiCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Args      json.RawMessage `json:"args"`
	Result    []geminiPart    `json:"result"`
	Status    string          `json:"status"`
	Timestamp string          `json:"timestamp"`
	Shown     json.RawMessage `json:"resultDisplay"`
	Title     string          `json:"displayName"`
}

var (
	geminiFolder = pattern{text: `Workspace Directories:\*\*\n  - ([^\n]+)\n`}
	geminiServer = pattern{text: `\A(.+) \((.+) MCP Server\)\z`}
)

// geminiHead reads the header, and the directory in the client's own first message.
func (d *Reader) geminiHead(f foreignLine) {
	d.session = cmp.Or(d.session, f.SessionID)
	var set struct {
		Messages []struct {
			Content []geminiPart `json:"content"`
		} `json:"messages"`
	}
	if d.cwd != "" || json.Unmarshal(f.Set, &set) != nil || len(set.Messages) == 0 {
		return
	}
	for _, p := range set.Messages[0].Content {
		if m := geminiFolder.find(p.Text); m != nil {
			d.cwd = m[1]
		}
	}
}

// gemini reads a message. One is written again with its calls when these are done; its words count once.
func (d *Reader) gemini(f foreignLine) []record {
	if f.Type == User {
		var parts []geminiPart
		if json.Unmarshal(f.Content, &parts) != nil || len(parts) == 0 || parts[0].Response != nil {
			return nil
		}
		return []record{said(User, f.ID, f.Timestamp, message{}, partBlocks(parts)...)}
	}
	var blocks []block
	var text string
	if json.Unmarshal(f.Content, &text) == nil && d.message != f.ID {
		blocks = append(blocks, block{Type: "text", Text: text})
	}
	d.message = f.ID
	var results []record
	for _, c := range f.ToolCalls {
		blocks = append(blocks, block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: c.Args})
		results = append(results, c.result())
	}
	m := message{ID: f.ID, Model: f.Model, StopReason: stopReason(blocks)}
	return append([]record{said(Assistant, f.ID, f.Timestamp, m, blocks...)}, results...)
}

func (c geminiCall) result() record {
	response := map[string]any{"returnDisplay": c.Shown}
	for _, p := range c.Result {
		if p.Response != nil {
			response["llmContent"] = cmp.Or(p.Response.Response.Output, p.Response.Response.Error)
		}
	}
	if c.Status == "error" {
		response["error"] = map[string]any{"message": response["llmContent"]}
	}
	payload := map[string]any{"hook_event_name": "AfterTool", "tool_response": response}
	if m := geminiServer.find(c.Title); m != nil {
		payload["mcp_context"] = map[string]string{"server_name": m[2], "tool_name": m[1]}
	}
	return returned(geminiClient, c.ID, c.Timestamp, payload)
}

func partBlocks(parts []geminiPart) (out []block) {
	for _, p := range parts {
		switch {
		case p.Call != nil:
			out = append(out, block{Type: "tool_use", ID: p.Call.ID, Name: p.Call.Name, Input: p.Call.Args})
		case p.Text != "" && !p.Thought:
			out = append(out, block{Type: "text", Text: p.Text})
		}
	}
	return out
}

func (d *Reader) qwen(r record) []record {
	var m struct {
		Parts []geminiPart `json:"parts"`
	}
	if json.Unmarshal(r.Message, &m) != nil || len(m.Parts) == 0 {
		return nil
	}
	d.session, d.cwd = cmp.Or(d.session, r.Session), cmp.Or(d.cwd, r.Cwd)
	first := m.Parts[0]
	var out record
	switch {
	case r.Type == "tool_result" && first.Response != nil:
		res := first.Response.Response
		payload := map[string]any{
			"hook_event_name": "PostToolUse",
			"tool_response":   map[string]any{"llmContent": res.Output},
		}
		if res.Error != "" {
			payload["hook_event_name"], payload["error"] = "PostToolUseFailure", res.Error
		}
		out = returned(qwenClient, first.Response.ID, r.Timestamp, payload)
	case r.Type == User && r.Provenance == "real_user":
		out = said(User, r.ID, r.Timestamp, message{}, partBlocks(m.Parts)...)
	case r.Type == Assistant:
		blocks := partBlocks(m.Parts)
		out = said(Assistant, r.ID, r.Timestamp, message{ID: r.ID, StopReason: stopReason(blocks)}, blocks...)
	default:
		return nil
	}
	out.Session, out.Branch = r.Session, r.Branch
	return []record{out}
}
