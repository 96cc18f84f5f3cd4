package agent

import (
	"cmp"
	"strconv"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Claude is the dialect of Claude Code.
type Claude struct{}

// ID is "claude-code".
func (Claude) ID() string { return "claude-code" }

// Environ reads the client's variables that carry no secret.
func (Claude) Environ(get func(string) string) Env {
	return Env{
		ProjectDir: get("CLAUDE_PROJECT_DIR"),
		SessionID:  get("CLAUDE_CODE_SESSION_ID"),
		Entrypoint: get("CLAUDE_CODE_ENTRYPOINT"),
		Client:     get("CLAUDE_PID"),
		EnvFile:    get("CLAUDE_ENV_FILE"),
		TaskList:   get("CLAUDE_CODE_TASK_LIST_ID"),

		Sessions: sessionsIn(get), Copilot: get("COPILOT_CLI") != "",
	}
}

// Decode reads one hook payload.
func (c Claude) Decode(payload []byte, env Env) (mem.Event, error) {
	f, ok := open(payload)
	if !ok {
		return mem.Event{}, ErrNotObject
	}
	if other := caller(f, env); other != "" && other != c.ID() {
		return mem.Event{}, ErrOtherClient
	}
	name := f.text("hook_event_name")
	if name == "" {
		name = env.Event
	}
	kind, ok := Kind(name)
	if !ok {
		return mem.Event{}, ErrUnknownEvent
	}
	e, err := common(c.ID(), f, env)
	if err != nil {
		return mem.Event{}, err
	}
	e.Kind = kind
	if kind == mem.SessionStart {
		e.Client, _ = strconv.Atoi(env.Client) // 0 if it is not known
	}
	e.EnvFile = env.EnvFile != "" && (kind == mem.SessionStart || kind == mem.Setup)
	own(&e, f)
	if env.TaskList != "" && (kind == mem.TaskCompleted || strings.HasPrefix(e.Tool, "Task")) {
		e.TaskList = hash(env.TaskList)
	}
	return e, nil
}

// common reads what every payload carries.
func common(id string, f fields, env Env) (mem.Event, error) {
	session := f.text("session_id")
	if session == "" {
		session = env.SessionID
	}
	if session == "" && env.Event != "" {
		session = ManualSession
	}
	if session == "" {
		return mem.Event{}, ErrNoSession
	}
	e := mem.Event{
		Agent:      id,
		Session:    sessionID(session),
		PromptID:   otherID(f.text("prompt_id")),
		Root:       absolute(env.ProjectDir),
		Cwd:        absolute(f.text("cwd")),
		Transcript: absolute(f.text("transcript_path")),
		Entrypoint: label(env.Entrypoint),
		Model:      label(cmp.Or(f.text("model"), env.Model)),
		AgentID:    otherID(f.text("agent_id")),
		AgentType:  label(f.text("agent_type")),
	}
	if e.Root == "" {
		e.Root = e.Cwd
	}
	return e, nil
}

// own reads what belongs to the kind.
func own(e *mem.Event, f fields) {
	switch e.Kind {
	case mem.SessionStart:
		e.Source = startSource(f.text("source"))
		e.Tokens = f.count("context_tokens")
		if w, ok := readFields(f["context_window"]); ok {
			e.Window = w.count("context_window_size")
		}
	case mem.UserPromptSubmit:
		e.Text = chars.WithoutPlanNote(f.text("prompt"))
	case mem.PreToolUse, mem.PostToolUse, mem.PostToolUseFailure:
		tool(e, f)
	case mem.Stop:
		e.Text = f.text("last_assistant_message")
		e.StopActive = f.flag("stop_hook_active")
		f.each("background_tasks", func(task fields) {
			if task.text("status") == "running" {
				e.Background++
			}
		})
	case mem.StopFailure:
		e.Source = label(f.text("error"))
		e.Text = f.text("last_assistant_message")
	case mem.SubagentStop:
		e.Text = f.text("last_assistant_message")
		e.StopActive = f.flag("stop_hook_active")
		// The other path is the main thread's: better none than that one.
		e.Transcript = absolute(f.text("agent_transcript_path"))
	case mem.TaskCompleted:
		e.TaskID = otherID(f.text("task_id"))
		e.Text = f.text("task_subject")
		e.By = label(f.text("teammate_name"))
	case mem.PreCompact:
		e.Source = label(f.text("trigger"))
		e.Text = f.text("custom_instructions")
	case mem.PostCompact:
		e.Source = label(f.text("trigger"))
		e.Text = f.text("compact_summary")
	case mem.Notification:
		e.Source = label(f.text("notification_type"))
		e.Text = f.text("message")
	case mem.SessionEnd:
		e.Source = label(f.text("reason"))
	case mem.Setup:
		e.Source = label(f.text("trigger"))
	}
}

// startSource returns the source of a SessionStart: one of the words that Claude
// Code has for it, or "" where there is none. Any other word, such as the "new" of
// other clients, means startup.
func startSource(source string) string {
	switch source {
	case "", "resume", "clear", "compact", "fork":
		return source
	}
	return "startup"
}

func tool(e *mem.Event, f fields) {
	e.Tool = label(f.text("tool_name"))
	if e.Tool == "Task" { // the older name
		e.Tool = mem.ToolAgent
	}
	e.ToolUseID = otherID(f.text("tool_use_id"))
	e.Input = f.raw("tool_input")
	if e.ToolUseID == "" && e.Input != nil {
		// The input stands in for the id then, and the client's key order varies.
		e.Input = sorted(e.Input)
	}
	if e.Kind == mem.PreToolUse {
		return
	}
	e.DurationMS = f.count("duration_ms")
	if e.Kind == mem.PostToolUse {
		e.Response = f.raw("tool_response")
		return
	}
	e.Error = f.text("error")
	e.Interrupt = f.flag("is_interrupt")
}
