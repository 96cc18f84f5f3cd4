package continuity

import (
	"cmp"
	"context"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/event"
)

// maxDirective bounds what an agent is told to do when its context is nearly
// full, in tokens.
const maxDirective = 200

// directive asks the agent for a handoff, once, when its context is nearly full.
// All of it are our own words: nothing of any memory is in it. Nobody is asked
// to compact, which an agent cannot do.
func (e *Service) Directive(ctx context.Context, m *event.Context) (string, error) {
	s := m.SessionInfo
	if !s.HandoffArmed || s.ContextTokens <= 0 || m.Settings.Budgets.UserPrompt == 0 {
		return "", nil
	}
	r, err := e.roomOf(ctx, m.Settings, s)
	if err != nil || r.window == 0 || s.ContextTokens < r.trigger {
		return "", err
	}
	m.Batch.Session.HandoffArmed = new(false)
	return directiveText(cmp.Or(e.Program, ownName), r.filled(s.ContextTokens)), nil
}

// filled is how full the context is, in percent of what it can really hold.
func (r room) filled(tokens int) int {
	limit := r.window
	if r.cliff > 0 {
		limit = min(limit, r.cliff)
	}
	return min(100, tokens*100/limit)
}

// ownName is our command line where a shell finds it by its name.
const ownName = "remanence"

// directiveText is what the agent is told. program is how a shell calls us; one
// whose path takes too much room is called by its name.
func directiveText(program string, percent int) string {
	text := fmt.Sprintf(`[Remanence] The context of this conversation is nearly full (%d %%): soon a summary may stand in its place. First write a handoff for whoever goes on, %d characters at most: the task in hand and the exact next step; open threads and who is waited for; decisions and constraints; what would be missed, with exact paths, commands and figures. Save it by one Bash call:
%s checkpoint save --handoff <<'HANDOFF'
…
HANDOFF
(or the tool `+"`state`"+` with op=handoff). Then do the judging part of /remanence:checkpoint: what was decided, what was learned, what stays open. Then answer. Nothing else needs to be done about the context.`, percent, MaxHandoff, program)
	if program != ownName && chars.Tokens(text) > maxDirective {
		return directiveText(ownName, percent)
	}
	return text
}
