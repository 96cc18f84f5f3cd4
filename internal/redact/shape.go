package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxID   = 256  // bytes
	maxPath = 4096 // bytes
)

// Member returns the string value of a member of an event as Object keeps it: of an id or a path all, if it has the
// shape of one. For events that come by another way than as JSON.
func (d *Door) Member(key, value string) string {
	if d.passes(key, true, value) {
		return value
	}
	return d.Text(value)
}

// passes reports whether the string s under key goes through as it is: an id or a path is told by its shape and
// never changed, since whoever reads it next must find the same session or file. What holds a tag, a secret that its
// own form gives away, or a password behind its name, has not the shape of either.
func (d *Door) passes(key string, top bool, s string) bool {
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
	return firstTag(s, false) < 0 && !d.holdsSecret(s)
}

// holdsSecret reports whether an id or a path holds a secret. Digits behind "token=" or "key=" are common in the names
// of files, a password behind its name is not.
func (d *Door) holdsSecret(s string) bool {
	d.open()
	assigns := strings.ContainsAny(s, " =:")
	for _, f := range d.match(s, 0, nil) {
		if f.sure || assigns && f.kind == "password" {
			return true
		}
	}
	return false
}

func isIDKey(key string) bool {
	switch key {
	case "session_id", "sessionId", "prompt_id", "promptId", "tool_use_id", "toolUseId", "toolUseID", "parent_tool_use_id",
		"parentToolUseID", "agent_id", "agentId", "task_id", "taskId", "message_id", "messageId", "turn_id", "turnId",
		"request_id", "requestId", "conversation_id", "generation_id", "thread_id", "threadId", "call_id", "callId",
		"uuid", "parentUuid", "leafUuid", "hook_event_name", "hookEventName", "tool_name", "toolName", "resolvedModel":
		return true
	}
	return false
}

// isTopIDKey is isIDKey for names that mean as much only at the top of an event.
func isTopIDKey(key string) bool {
	switch key {
	case "id", "model", "source", "reason", "trigger", "agent_type", "agent_name", "permission_mode", "notification_type", "type",
		"status", "version", "command_name", "event", "name":
		return true
	}
	return false
}

func isPathKey(key string) bool {
	switch key {
	case "cwd", "old_cwd", "new_cwd", "transcript_path", "agent_transcript_path", "transcriptPath", "file_path", "filePath",
		"path", "paths", "file", "files", "filename", "filenames", "notebook_path", "notebookPath", "outputFile", "output_file",
		"project_dir", "current_dir", "projectDir", "directory", "workdir", "worktree_path", "worktreePath",
		"workspace_roots", "root", "gitBranch", "persistedOutputPath", "outputPath", "target_file", "absolute_path":
		return true
	}
	return false
}

func isID(s string) bool {
	return len(s) <= maxID && isAll(s, func(c byte) bool {
		return isWordByte(c) || strings.IndexByte("-.:@/+=,", c) >= 0
	})
}

// isPath reports whether s looks like a path: absolute, with anything a file name may hold; or relative, without
// blanks and what assigns a value.
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
		len(s) > 2 && isLetter(s[0]) && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
	return rooted || !strings.ContainsAny(s, " =:")
}
