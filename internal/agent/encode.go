package agent

import (
	"remanence/internal/chars"
	"remanence/internal/mem"
)

// MaxContext is the longest context that is printed, in UTF-16 code units. Over
// 10,000 units the client writes the context to a file and shows its beginning.
const MaxContext = 9900

// maxNotice is the longest line for the person, in characters.
const maxNotice = 1000

// contextMember is the name of the context in an answer.
const contextMember = "additionalContext"

type claudeOutput struct {
	Notice string        `json:"systemMessage,omitempty"`
	Hook   *claudeAnswer `json:"hookSpecificOutput,omitempty"`
}

type claudeAnswer struct {
	Event   mem.EventKind `json:"hookEventName"`
	Context string        `json:"additionalContext"`
}

// Encode renders the answer. Env is not part of it: the client takes that from a file.
func (Claude) Encode(e mem.Event, r mem.Reply) []byte {
	var out claudeOutput
	if r.Context != "" && takesContext(e.Kind) && chars.UTF16Len(r.Context) <= MaxContext {
		out.Hook = &claudeAnswer{Event: e.Kind, Context: r.Context}
	}
	if takesNotice(e.Kind) {
		out.Notice = chars.Clip(chars.Line(r.Notice), maxNotice)
	}
	if out == (claudeOutput{}) {
		return nil
	}
	return oneLine(out)
}

// takesContext lists the events after which text for the model does what one
// expects. After Stop and SubagentStop it would start another turn, PreCompact
// would paste it into the summary's instructions, PostCompact refuses it.
func takesContext(k mem.EventKind) bool {
	switch k {
	case mem.SessionStart, mem.UserPromptSubmit, mem.PreToolUse, mem.PostToolUse, mem.PostToolUseFailure,
		mem.SubagentStart:
		return true
	}
	return false
}

func takesNotice(k mem.EventKind) bool {
	return k == mem.SessionStart || k == mem.UserPromptSubmit
}
