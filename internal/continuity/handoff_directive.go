package continuity

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// maxDirective bounds the instruction to write a handoff, in tokens.
const maxDirective = 200

// HandoffDirective returns an instruction to write a handoff, once, when the context is
// nearly full; else "". When it is given, HandoffArmed of the session must be set to
// false. It contains no text of memories. It does not ask for a compaction, because an
// agent cannot start one.
func (s *Service) HandoffDirective(ctx context.Context, ec event.Context) (string, error) {
	sess := ec.SessionInfo
	if !sess.HandoffArmed || sess.ContextTokens <= 0 || ec.Settings.Budgets.UserPrompt == 0 {
		return "", nil
	}
	r, err := s.limitsOf(ctx, ec.Settings, sess)
	if err != nil || r.window == 0 || sess.ContextTokens < r.handoffAt {
		return "", err
	}
	return directiveText(cmp.Or(s.Program, programName), r.percentUsed(sess.ContextTokens)), nil
}

// usageLimits are the limits of a session's context, in tokens.
type usageLimits struct {
	window      int // 0 if it is unknown or handoffs are off
	autoCompact int // usage at which the client compacts by itself; 0 if unknown
	handoffAt   int // usage from which a handoff is requested
	rearm       int // usage below which the next handoff may be requested
}

const (
	minAutoCompact    = 10_000 // tokens; a compaction below that is no sign of a full context
	autoCompactMargin = 0.92   // share of the usage at which the client compacts by itself
)

// limitsOf computes the limits of a session's context from its window and from the
// usage at which clients compacted contexts of the same model.
func (s *Service) limitsOf(ctx context.Context, set event.Settings, sess mem.Session) (usageLimits, error) {
	share := set.Handoff.ThresholdOf()
	if share == 0 {
		return usageLimits{}, nil
	}
	r := usageLimits{window: windowOf(set, sess)}
	if r.window == 0 {
		return r, nil
	}
	trigger := share * float64(r.window)
	if sess.Model != "" {
		ss, err := s.Store.Sessions(ctx, mem.SessionQuery{AutoCompactModel: sess.Model, Limit: 1})
		if err != nil {
			return usageLimits{}, fmt.Errorf("automatic compactions: %w", err)
		}
		if len(ss) > 0 && ss[0].AutoCompactTokens >= minAutoCompact {
			r.autoCompact = ss[0].AutoCompactTokens
			trigger = min(trigger, autoCompactMargin*float64(r.autoCompact))
		}
	}
	r.handoffAt = max(1, int(trigger))
	r.rearm = int(trigger * set.Handoff.RearmAt() / share)
	return r, nil
}

// percentUsed returns the context usage in percent of the usable window.
func (r usageLimits) percentUsed(tokens int) int {
	limit := r.window
	if r.autoCompact > 0 {
		limit = min(limit, r.autoCompact)
	}
	return min(100, tokens*100/limit)
}

// The windows of models, in tokens.
const (
	commonWindow      = 200_000
	commonWindowAgent = "claude-code" // gives it to each model that it does not know
	largeWindow       = 1_000_000
)

// windowOf returns the context window of a session, in tokens: from the settings,
// else from the client, else by the model; 0 if nothing is known of it.
// Usage above the common window proves the larger one.
func windowOf(set event.Settings, s mem.Session) int {
	switch {
	case set.Window > 0:
		return set.Window
	case s.ContextWindow > 0:
		return s.ContextWindow
	case largeModel(s.Model) || s.ContextTokens > commonWindow:
		return largeWindow
	}
	if s.Agent == commonWindowAgent {
		return commonWindow
	}
	return 0
}

// largeModel reports whether a model is known for the larger window, or the
// client asks for it by name.
func largeModel(model string) bool {
	return strings.HasSuffix(model, "[1m]") || strings.HasPrefix(model, "claude-opus-5") ||
		strings.HasPrefix(model, "gemini-")
}

// programName is the name of the command line program on the PATH.
const programName = "remanence"

// directiveText formats the instruction. program is the path of the command line
// program; a path that exceeds maxDirective is replaced by the name.
func directiveText(program string, percent int) string {
	text := fmt.Sprintf("[Remanence] The context of this conversation is nearly full (%d %%): soon a summary may "+
		"stand in its place. First write a handoff for whoever goes on, %d characters at most: the task in hand and the "+
		"exact next step; open threads and who is waited for; decisions and constraints; what would be missed, with "+
		"exact paths, commands and figures. Save it by one shell command:\n"+
		"%s checkpoint save --handoff <<'HANDOFF'\n…\nHANDOFF\n"+
		"(or the tool `state` with op=handoff). Then do the judging part of the checkpoint skill: what was decided, what "+
		"was learned, what stays open. Then answer. Nothing else needs to be done about the context.",
		percent, MaxHandoff, program)
	if program != programName && chars.Tokens(text) > maxDirective {
		return directiveText(programName, percent)
	}
	return text
}
