package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/redact/ascii"
)

const (
	maxID   = 256  // bytes
	maxPath = 4096 // bytes
)

// Member returns the string value of a member of an event as Object would: ids and paths stay unchanged if they have
// the form of one. It is for events that are not JSON.
func (r *Redactor) Member(key, value string) string {
	if r.passes(key, true, value) {
		return value
	}
	return r.Text(value)
}

// passes reports whether the string s under key stays unchanged because it is an id or a path. Ids and paths must stay
// equal, or later readers would not find the session or file. A string with a tag, a secret of a known format, or a
// password after its name is neither.
func (r *Redactor) passes(key string, top bool, s string) bool {
	switch {
	case isIDKey(key) || top && isTopIDKey(key):
		if !isID(s) {
			return false
		}
	case isPathKey(key):
		if !isPath(s) {
			return false
		}
	default:
		return false
	}
	return firstTag(s, false) < 0 && !r.finder().InIdentifier(s)
}

func isIDKey(key string) bool {
	switch key {
	case "session_id", "sessionId", "prompt_id", "promptId", "tool_use_id", "toolUseId", "toolUseID", "parent_tool_use_id",
		"parentToolUseID", "agent_id", "agentId", "task_id", "taskId", "message_id", "messageId", "turn_id", "turnId",
		"request_id", "requestId", "conversation_id", "generation_id", "thread_id", "threadId", "call_id", "callId", "uuid",
		"sessionID", "callID", "messageID", "partID", "modelID", "tool_call_id",
		"parentUuid", "leafUuid", "hook_event_name", "hookEventName", "tool_name", "toolName", "resolvedModel":
		return true
	}
	return false
}

// isTopIDKey is isIDKey for names that are ids only at the top level of an event.
func isTopIDKey(key string) bool {
	switch key {
	case "id", "model", "source", "reason", "trigger", "agent_type", "agent_name", "permission_mode", "notification_type",
		"type", "status", "version", "command_name", "event", "name":
		return true
	}
	return false
}

func isPathKey(key string) bool {
	switch key {
	case "cwd", "old_cwd", "new_cwd", "transcript_path", "agent_transcript_path", "transcriptPath", "file_path",
		"filePath", "path", "paths", "file", "files", "filename", "filenames", "notebook_path", "notebookPath", "outputFile",
		"output_file", "project_dir", "current_dir", "projectDir", "directory", "workdir", "worktree_path", "worktreePath",
		"workspace_roots", "root", "gitBranch", "persistedOutputPath", "outputPath", "target_file", "absolute_path":
		return true
	}
	return false
}

func isID(s string) bool {
	return len(s) <= maxID && ascii.All(s, func(c byte) bool {
		return ascii.IsWordByte(c) || strings.IndexByte("-.:@/+=,", c) >= 0
	})
}

// isPath reports whether s looks like a path: an absolute one with any characters, or a relative one without blanks and
// assignment signs.
func isPath(s string) bool {
	if s == "" || len(s) > maxPath || !utf8.ValidString(s) || strings.Contains(s, "://") {
		return false
	}
	for _, r := range s {
		if unicode.IsControl(r) || r == '<' || r == '>' {
			return false
		}
	}
	rooted := strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") || strings.HasPrefix(s, `\\`) ||
		len(s) > 2 && ascii.IsLetter(s[0]) && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
	return rooted || !strings.ContainsAny(s, " =:")
}
