package capture

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// CommandSucceeded stores a successful command: as a fix of its earlier failure in the
// session, or as a command worth keeping.
func (s *Service) CommandSucceeded(ctx context.Context, m *event.Context, c extract.Call) error {
	if c.Plain == "" {
		return nil
	}
	open, err := s.Store.List(ctx, mem.Query{
		Project: m.Project.Key, Session: m.Session, Kinds: []mem.Kind{mem.Command}, Open: true, Order: mem.ByUpdate,
		Limit: 20,
	})
	if err != nil {
		return fmt.Errorf("find failure: %w", err)
	}
	joined := false
	for _, failure := range open {
		other := extract.Installs(c.Plain, failure.Command)
		if !other && !extract.Proves(c.Plain, failure.Command) || failure.Updated.After(m.At) {
			continue
		}
		m.Batch.Edits = append(m.Batch.Edits, mem.Edit{ID: failure.ID, Resolved: new(true)})
		if joined {
			continue
		}
		fix, ok := replacedFix(m, failure, c), !extract.Remote(m.Tool, c.Command)
		if !other {
			if fix, ok, err = s.fixByChange(ctx, m, failure); err != nil {
				return err
			}
		}
		if joined = ok; ok {
			s.Observe(ctx, m, fix)
		}
	}
	if joined || len(m.Batch.Edits) > 0 || !extract.WorthKeeping(c.Plain) {
		return nil
	}
	mm := m.NewMemory(mem.Command, mem.ScopeSession)
	mm.Tool, mm.Command = m.Tool, c.Plain
	mm.Tags = []string{"command-outcome", extract.AutoCaptured}
	mm.Title = "Command succeeded: " + chars.Clip(c.Plain, event.MaxCommand)
	mm.Key = "worked:" + c.Plain
	s.Observe(ctx, m, mm)
	return nil
}

// replacedFix returns the fix of a failed command that another command replaced.
func replacedFix(m *event.Context, failure mem.Memory, c extract.Call) mem.Memory {
	mm := newFix(m, failure)
	mm.Trust = min(mm.Trust, m.Turn.Trust)
	mm.Title = extract.FixTitle(failure, fmt.Sprintf("done by `%s`", chars.Clip(c.Plain, extract.MaxFixError)))
	mm.Body = chars.Clip(c.Plain, extract.MaxSideEffect)
	return mm
}

// fixByChange returns the fix between a failure and a success of the same command:
// the files changed between the two, else the commands with side effects. ok is
// false if nothing was changed.
func (s *Service) fixByChange(ctx context.Context, m *event.Context, failure mem.Memory) (mem.Memory, bool, error) {
	changes, err := s.Store.List(ctx, mem.Query{
		Session: m.Session, Kinds: []mem.Kind{mem.Change}, Order: mem.ByUpdate, Limit: 20,
	})
	if err != nil {
		return mem.Memory{}, false, fmt.Errorf("find changes: %w", err)
	}
	mm := newFix(m, failure)
	var how []string
	for _, ch := range changes {
		if ch.Updated.Before(failure.Updated) || ch.Updated.After(m.At) {
			continue
		}
		for _, f := range ch.Files {
			mm.Files = extract.AppendNew(mm.Files, f, extract.MaxFixFiles)
		}
		mm.Trust = min(mm.Trust, ch.Trust)
		how = append(how, ch.Title)
	}
	mm.Modified = mm.Files
	helped := ""
	if len(mm.Files) > 0 {
		helped = chars.Clip("fixed in "+extract.FilesPhrase(mm.Files), 2*extract.MaxFixError)
	} else {
		acts, trust, err := s.sideEffectsBetween(ctx, m, failure)
		if err != nil || len(acts) == 0 {
			return mem.Memory{}, false, err
		}
		mm.Trust = min(mm.Trust, trust)
		helped, how = fmt.Sprintf("works after `%s`", chars.Clip(acts[len(acts)-1], extract.MaxFixError)), acts
	}
	mm.Title = extract.FixTitle(failure, helped)
	mm.Body = strings.Join(how[:min(len(how), extract.MaxFixFiles)], "\n")
	if _, said, _ := strings.Cut(failure.Title, "| Error: "); !strings.Contains(mm.Title, said) {
		mm.Facts = []string{"error: " + chars.Clip(said, extract.MaxFact)}
	}
	return mm, true, nil
}

// newFix returns a memory with the fields that every fix of a failure has.
func newFix(m *event.Context, failure mem.Memory) mem.Memory {
	mm := m.NewMemory(mem.ErrorFix, mem.ScopeProject)
	mm.Command, mm.ExitCode, mm.Tool, mm.Trust, mm.Origin = failure.Command, failure.ExitCode, m.Tool, failure.Trust,
		failure.Origin
	mm.Tags, mm.Key = []string{"debugging", "resolved", extract.AutoCaptured}, "fix:"+failure.Command
	return mm
}

// sideEffectsBetween returns the commands since a failure that changed something
// besides files, oldest first, and the lowest trust of their turns.
func (s *Service) sideEffectsBetween(
	ctx context.Context,
	m *event.Context,
	failure mem.Memory,
) ([]string, mem.Trust, error) {
	worst := mem.TrustUser
	calls, err := s.Store.Events(
		ctx,
		mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: "Bash", Limit: 50},
	)
	if err != nil {
		return nil, worst, fmt.Errorf("find what was run: %w", err)
	}
	turns, err := s.Store.Turns(ctx, m.Session, event.WholeSession)
	if err != nil {
		return nil, worst, fmt.Errorf("turns: %w", err)
	}
	var out []string
	for _, ev := range calls { // newest first
		if !ev.At.After(failure.Updated) || !ev.At.Before(m.At) || len(out) == extract.MaxSideEffects {
			continue
		}
		c := s.Event.ReadCall(ev, m.Project)
		if !extract.HasSideEffects(c.Plain) && !extract.SameProgram(c.Plain, failure.Command) ||
			extract.Remote(ev.Tool, c.Command) {
			continue
		}
		out = append(out, chars.Clip(c.Plain, extract.MaxSideEffect))
		for _, t := range turns {
			if t.PromptID == ev.PromptID {
				worst = min(worst, t.Trust)
			}
		}
	}
	slices.Reverse(out)
	return out, worst, nil
}
