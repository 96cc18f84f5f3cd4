package agent

import "strings"

// Names of the agents that are not Claude Code.
const (
	codexID    = "codex"
	geminiID   = "gemini"
	copilotID  = "copilot"
	qwenID     = "qwen"
	opencodeID = "opencode"
	cursorID   = "cursor"
	windsurfID = "windsurf"
)

// sessionsIn reads the variables in which clients name their session.
func sessionsIn(get func(string) string) map[string]string {
	return map[string]string{
		Claude{}.ID(): get("CLAUDE_CODE_SESSION_ID"),
		qwenID:        get("QWEN_CODE_SESSION_ID"),
		geminiID:      get("GEMINI_SESSION_ID"),
	}
}

// caller returns the agent that sent a payload, "" if it is not known. Several clients read the settings or plugins of
// others and run the hooks that they find there, but fill in and understand only a part of what those do. The session
// of the payload is that of the client in whose environment it stands.
func caller(f fields, env Env) string {
	switch {
	case f.text("cursor_version") != "", f.text("conversation_id") != "":
		return cursorID
	case f.text("trajectory_id") != "":
		return windsurfID
	}
	session := f.text("session_id")
	if session == "" {
		return ""
	}
	for id, its := range env.Sessions {
		if session == its {
			return id
		}
	}
	// Codex has no variables. Its turns have an id, and its transcripts begin with "rollout-".
	transcript := f.text("transcript_path")
	switch {
	case f.text("turn_id") != "", strings.HasPrefix(lastElement(transcript), "rollout-"):
		return codexID
	case strings.HasPrefix(session, "ses_"):
		return opencodeID
	case env.Copilot:
		return copilotID
	}
	return ""
}

// OfCaller is the name of a hook that several agents run, such as that of a plugin which all of them can install. Each
// is answered in its own dialect.
const OfCaller = "plugin"

// Caller returns the dialect of the agent that sent a payload, that of Claude Code if it is not known.
func Caller(payload []byte, get func(string) string) Dialect {
	f, _ := open(payload) // nil members of what is no object
	d, ok := ByName(caller(f, Env{Sessions: sessionsIn(get), Copilot: get("COPILOT_CLI") != ""}))
	if !ok {
		return Claude{}
	}
	return d
}

// lastElement returns the last element of a path, with either kind of slash.
func lastElement(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }
