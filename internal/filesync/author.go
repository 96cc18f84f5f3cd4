package filesync

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// agentAuthor returns the agent of an event's tool call as author.
func agentAuthor(ec event.Context) event.Author { return event.AgentAuthor(ec.Turn) }

// Bounds for attributing a file change to a running command.
const (
	maxConcurrentSessions = 8                // sessions examined
	maxCalls              = 200              // tool calls examined per session
	longestCall           = 10 * time.Minute // after which a command without a reported end counts as finished
	callSlack             = 2 * time.Second  // delay of the event after the call
)

// AuthorAt returns the author of a file change at a time. It is by, except if by is the person and an
// agent's command ran at that time. Then it is that agent, because no command reports every file it
// writes.
func (s *Service) AuthorAt(ctx context.Context, by event.Author, at time.Time) (event.Author, error) {
	if by.Origin != mem.FromVault || at.IsZero() {
		return by, nil
	}
	sessions, err := s.Store.Sessions(ctx, mem.SessionQuery{Limit: maxConcurrentSessions})
	if err != nil {
		return by, fmt.Errorf("active sessions: %w", err)
	}
	for _, sess := range sessions {
		var t mem.Turn
		var ran bool
		if sess.LastEvent.Before(at) {
			ran = sess.Processing && sess.ID != by.Idle && at.Sub(sess.LastEvent) < longestCall
			t, err = s.turnOfPrompt(ctx, sess.ID, "")
		} else {
			t, ran, err = s.turnOfCommandAt(ctx, sess.ID, at)
		}
		if err != nil {
			return by, err
		}
		if agent := event.AgentAuthor(t); ran && (by.Origin == mem.FromVault || agent.Trust < by.Trust) {
			by = agent
		}
	}
	return by, nil
}

// turnOfCommandAt returns the turn of a session's command that ran at a time, and whether there is
// one.
func (s *Service) turnOfCommandAt(ctx context.Context, session string, at time.Time) (mem.Turn, bool, error) {
	calls, err := s.Store.Events(ctx, mem.EventQuery{
		Session: session, Kinds: []mem.EventKind{mem.PostToolUse, mem.PostToolUseFailure}, Limit: maxCalls,
	})
	if err != nil {
		return mem.Turn{}, false, fmt.Errorf("commands: %w", err)
	}
	for i, c := range calls { // newest first
		begun := c.At.Add(-time.Duration(c.DurationMS)*time.Millisecond - callSlack)
		if c.DurationMS == 0 && i+1 < len(calls) { // the agent reports no duration
			begun = calls[i+1].At
		}
		if runsPrograms(c) && !at.Before(begun) && !at.After(c.At) {
			t, err := s.turnOfPrompt(ctx, session, c.PromptID)
			return t, true, err
		}
	}
	return mem.Turn{}, false, nil
}

// runsPrograms reports whether a call may write files that it does not name.
func runsPrograms(c mem.Event) bool {
	return strings.HasPrefix(c.Tool, "mcp__") || extract.Text(extract.Fields(c.Input)["command"]) != ""
}

// turnOfPrompt returns the turn of a prompt, or without one the newest turn of the session. For an
// unknown turn it returns the zero Turn, which has no trust.
func (s *Service) turnOfPrompt(ctx context.Context, session, prompt string) (mem.Turn, error) {
	turns, err := s.Store.Turns(ctx, session, event.WholeSession)
	if err != nil {
		return mem.Turn{}, fmt.Errorf("turn: %w", err)
	}
	for _, t := range turns {
		if prompt == "" || t.PromptID == prompt {
			return t, nil
		}
	}
	return mem.Turn{}, nil
}

// mayChangeBelow reports whether a call may have changed a file below dir.
func mayChangeBelow(ec event.Context, dir string) bool {
	dir = strings.TrimSuffix(extract.Slashed(dir), "/")
	if dir == "" || ec.Tool == mem.ToolRead {
		return false
	}
	if extract.Within(dir, ec.Cwd) {
		return true
	}
	name := path.Base(dir) // commands may use shorter paths: ~/notes, $HOME/notes, notes/memory
	in := extract.Fields(ec.Input)
	command := extract.Slashed(extract.Text(in["command"]))
	if strings.Contains(command, "/"+name) || strings.Contains(command, name+"/") {
		return true
	}
	for _, f := range []string{
		extract.Text(in["file_path"]), extract.Text(in["notebook_path"]), extract.Text(in["path"]), command,
	} {
		if strings.Contains(extract.Slashed(f), dir) {
			return true
		}
	}
	return false
}
