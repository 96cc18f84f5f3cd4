package agent

import (
	"strings"

	"remanence/internal/mem"
)

// Kind returns the event called name, e.g. "SessionStart" or, as on the command
// line, "session-start"; ok is false if there is none.
func Kind(name string) (k mem.EventKind, ok bool) {
	for _, k := range kinds() {
		if name == string(k) || name == kebab(string(k)) {
			return k, true
		}
	}
	return "", false
}

func kinds() []mem.EventKind {
	return []mem.EventKind{
		mem.SessionStart, mem.UserPromptSubmit, mem.PreToolUse, mem.PostToolUse, mem.PostToolUseFailure,
		mem.Stop, mem.StopFailure, mem.SubagentStart, mem.SubagentStop, mem.TaskCompleted,
		mem.PreCompact, mem.PostCompact, mem.Notification, mem.SessionEnd, mem.Setup,
	}
}

// kebab turns "SessionStart" into "session-start".
func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
