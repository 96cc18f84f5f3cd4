package continuity

import (
	"cmp"
	"context"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// maxDirective bounds the instruction to write a handoff, in tokens.
const maxDirective = 200

// HandoffDirective returns an instruction to write a handoff, once, when the context is
// nearly full; else "". It contains no text of memories. It does not ask for a
// compaction, because an agent cannot start one.
func (s *Service) HandoffDirective(ctx context.Context, ec event.Context) (string, event.Changes, error) {
	sess := ec.SessionInfo
	if !sess.HandoffArmed || sess.ContextTokens <= 0 || ec.Settings.Budgets.UserPrompt == 0 {
		return "", event.Changes{}, nil
	}
	r, err := s.limitsOf(ctx, ec.Settings, sess)
	if err != nil || r.window == 0 || sess.ContextTokens < r.handoffAt {
		return "", event.Changes{}, err
	}
	text := directiveText(cmp.Or(s.Program, programName), r.percentUsed(sess.ContextTokens))
	return text, event.Changes{Session: mem.SessionChange{HandoffArmed: new(false)}}, nil
}

// percentUsed returns the context usage in percent of the usable window.
func (r usageLimits) percentUsed(tokens int) int {
	limit := r.window
	if r.autoCompact > 0 {
		limit = min(limit, r.autoCompact)
	}
	return min(100, tokens*100/limit)
}

// programName is the name of the command line program on the PATH.
const programName = "remanence"

// directiveText formats the instruction. program is the path of the command line
// program; a path that exceeds maxDirective is replaced by the name.
func directiveText(program string, percent int) string {
	text := fmt.Sprintf("[Remanence] The context of this conversation is nearly full (%d %%): soon a summary may "+
		"stand in its place. First write a handoff for whoever goes on, %d characters at most: the task in hand and the "+
		"exact next step; open threads and who is waited for; decisions and constraints; what would be missed, with "+
		"exact paths, commands and figures. Save it by one Bash call:\n"+
		"%s checkpoint save --handoff <<'HANDOFF'\n…\nHANDOFF\n"+
		"(or the tool `state` with op=handoff). Then do the judging part of /remanence:checkpoint: what was decided, what "+
		"was learned, what stays open. Then answer. Nothing else needs to be done about the context.",
		percent, MaxHandoff, program)
	if program != programName && chars.Tokens(text) > maxDirective {
		return directiveText(programName, percent)
	}
	return text
}
