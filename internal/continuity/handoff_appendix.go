package continuity

import (
	"context"
	"fmt"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// maxAppendixPrompts bounds the newest prompts that an appendix lists.
const maxAppendixPrompts = 5

// AppendixLater queues a job that writes the handoff appendix, if there are handoff files.
func (s *Service) AppendixLater(ec event.Context) event.Changes {
	if s.Handoffs == nil || !ec.Person() {
		return event.Changes{}
	}
	return event.Changes{Jobs: []mem.Job{{
		Kind: event.JobAppendix, Session: ec.Session, Key: event.JobAppendix, Data: event.JobData(ec.Event),
	}}}
}

// WriteAppendix writes the handoff appendix: what happened in the session since its
// handoff. It uses no model.
func (s *Service) WriteAppendix(ctx context.Context, ec event.Context) error {
	if s.Handoffs == nil || ec.SessionInfo.ID == "" {
		return nil
	}
	cp, err := s.Checkpoint(ctx, ec, mem.TriggerHandoff)
	if err != nil {
		return err
	}
	prompts, err := s.promptsSinceHandoff(ctx, ec)
	if err != nil {
		return err
	}
	return s.Handoffs.WriteAppendix(ec.Project, appendixText(cp, prompts))
}

// promptsSinceHandoff returns the user's newest prompts after the session's handoff,
// oldest first.
func (s *Service) promptsSinceHandoff(ctx context.Context, ec event.Context) ([]string, error) {
	cps, err := s.Store.Checkpoints(ctx, mem.CheckpointQuery{
		Session: ec.Session, Trigger: mem.TriggerHandoff, Limit: 1,
	})
	if err != nil {
		return nil, fmt.Errorf("handoff: %w", err)
	}
	turns, err := s.Store.Turns(ctx, ec.Session, 50)
	if err != nil {
		return nil, fmt.Errorf("turns: %w", err)
	}
	var out []string
	for _, t := range turns { // newest first
		old := len(cps) > 0 && !t.At.After(cps[0].At)
		if t.Number > 0 && t.Text != "" && t.Text != event.OwnCommand && !old && len(out) < maxAppendixPrompts {
			out = append([]string{extract.Request(t.Text)}, out...)
		}
	}
	return out, nil
}

// appendixText lists prompts, edited files, commands and open work.
func appendixText(cp mem.Checkpoint, prompts []string) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "- %s: %s\n", name, chars.Line(text))
		}
	}
	for _, p := range prompts {
		line("asked", p)
	}
	line("edited", strings.Join(cp.State.Files, ", "))
	for _, c := range cp.Evidence.Commands {
		line(fmt.Sprintf("ran, exit %d", c.Exit), strings.TrimSuffix("`"+c.Command+"` "+c.Note, " "))
	}
	for _, o := range cp.State.Open {
		line("open", o)
	}
	return b.String()
}
