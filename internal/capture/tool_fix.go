package capture

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/remote"
	"remanence/internal/shell"
)

// commandSucceeded returns the memory of a successful command: a fix of its earlier
// failure in the session, or a command worth keeping. It returns nothing if a pipe hides whether the command worked.
func (s *Service) commandSucceeded(ctx context.Context, ec event.Context, c extract.Call) (event.Changes, error) {
	var ch event.Changes
	if worked, _ := c.Worked(); c.Plain == "" || !worked {
		return ch, nil
	}
	open, err := s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, Kinds: []mem.Kind{mem.Command}, Open: true, Order: mem.ByUpdate,
		Limit: 20,
	})
	if err != nil {
		return ch, fmt.Errorf("find failure: %w", err)
	}
	joined := false
	for _, failure := range open {
		right, anew := calledAnew(c.Plain, failure.Command)
		other := shell.Installs(c.Plain, failure.Command) || anew && shell.UsageError(failure.Body)
		committed := extract.MakesCommitOf(failure.Command, c)
		if !committed && !other && !anew && !shell.Proves(c.Plain, failure.Command) || failure.Updated.After(ec.At) {
			continue
		}
		ch.Edits = append(ch.Edits, mem.Edit{ID: failure.ID, Resolved: new(true)})
		if committed || joined && !other {
			continue
		}
		fix, ok := replacedFix(ec, failure, right), !remote.BringsText(ec.Tool, c.Command)
		if !other {
			if fix, ok, err = s.fixByChange(ctx, ec, failure); err != nil {
				return ch, err
			}
			joined = ok
		}
		if ok {
			ch.Merge(s.keep(ctx, ec, fix))
		}
	}
	if len(ch.Edits) > 0 || !worthKeeping(c.Plain) || shell.UsageError(chars.FirstLine(c.Output)) {
		return ch, nil
	}
	mm := ec.NewMemory(mem.Command, mem.ScopeSession)
	mm.Tool, mm.Command = ec.Tool, c.Plain
	mm.Tags = []string{"command-outcome", extract.AutoCaptured}
	mm.Title = "Command succeeded: " + chars.Clip(c.Plain, event.MaxCommand)
	mm.Key = "worked:" + c.Plain
	ch.Merge(s.keep(ctx, ec, mm))
	return ch, nil
}

// calledAnew returns the part of a line that worked which calls a failed command in another way, else the line.
func calledAnew(line, failed string) (right string, ok bool) {
	for _, part := range shell.Work(line) {
		if shell.CalledAnew(part, failed) {
			return part, true
		}
	}
	return line, false
}

// replacedFix returns the fix of a failed command that another one replaced.
func replacedFix(ec event.Context, failure mem.Memory, by string) mem.Memory {
	mm := newFix(ec, failure)
	mm.Trust = min(mm.Trust, ec.Turn.Trust)
	mm.Title = extract.FixTitle(failure, fmt.Sprintf("done by `%s`", chars.Clip(by, extract.MaxFixError)))
	mm.Body = chars.Clip(by, extract.MaxSideEffect)
	return mm
}

// fixByChange returns the fix between a failure and a success of the same command:
// the files changed between the two, else the commands with side effects. What a linter found in the session's own
// work, or had reformatted, teaches nothing: ok is false if nothing else was changed.
func (s *Service) fixByChange(ctx context.Context, ec event.Context, failure mem.Memory) (mem.Memory, bool, error) {
	changes, err := s.Store.List(ctx, mem.Query{
		Session: ec.Session, Kinds: []mem.Kind{mem.Change}, Order: mem.ByUpdate, Limit: 20,
	})
	if err != nil {
		return mem.Memory{}, false, fmt.Errorf("find changes: %w", err)
	}
	slices.Reverse(changes)
	byFailure(changes, failure)
	mm := newFix(ec, failure)
	var how []string
	linted := shell.ChecksLayout(failure.Command)
	for _, ch := range changes {
		if ch.Updated.Before(failure.Updated) || ch.Updated.After(ec.At) {
			continue
		}
		if linted && (slices.Contains(ch.Tags, extract.LayoutTag) || changedBefore(changes, ch.Files, failure)) {
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
		acts, trust, err := s.sideEffectsBetween(ctx, ec, failure)
		if err != nil || len(acts) == 0 {
			return mem.Memory{}, false, err
		}
		mm.Trust = min(mm.Trust, trust)
		helped, how = fmt.Sprintf("works after `%s`", chars.Clip(acts[len(acts)-1], extract.MaxFixError)), acts
	}
	mm.Title = extract.FixTitle(failure, helped)
	mm.Body = strings.Join(how[:min(len(how), extract.MaxFixFiles)], "\n")
	if _, text, _ := strings.Cut(failure.Title, "| Error: "); !strings.Contains(mm.Title, text) {
		mm.Facts = []string{extract.ErrorFact + chars.Clip(text, extract.MaxFact)}
	}
	return mm, true, nil
}

// byFailure orders changes, oldest first, by how likely they were made because of a failure: those of files that its
// output names come first.
func byFailure(changes []mem.Memory, failure mem.Memory) {
	named := func(ch mem.Memory) int {
		if slices.ContainsFunc(ch.Files, func(f string) bool { return strings.Contains(failure.Body, path.Base(f)) }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(changes, func(a, b mem.Memory) int { return named(a) - named(b) })
}

// changedBefore reports whether the session had changed all of the files before a command failed, and none of them
// configures it.
func changedBefore(changes []mem.Memory, files []string, failure mem.Memory) bool {
	return !slices.ContainsFunc(files, func(f string) bool {
		return strings.Contains(path.Base(f), "config") || !slices.ContainsFunc(changes, func(ch mem.Memory) bool {
			return ch.Created.Before(failure.Updated) && slices.Contains(ch.Files, f)
		})
	})
}

// newFix returns a memory with the fields that every fix of a failure has.
func newFix(ec event.Context, failure mem.Memory) mem.Memory {
	mm := ec.NewMemory(mem.ErrorFix, mem.ScopeProject)
	mm.Command, mm.ExitCode, mm.Tool, mm.Trust, mm.Origin = failure.Command, failure.ExitCode, ec.Tool, failure.Trust,
		failure.Origin
	mm.Tags = []string{"debugging", "resolved", extract.AutoCaptured}
	mm.Key = "fix:" + failure.Command + "\n" + extract.FailureOf(failure.Command, failure.Body).Words()
	return mm
}

// sideEffectsBetween returns the commands since a failure that changed something
// besides files, oldest first, and the lowest trust of their turns.
func (s *Service) sideEffectsBetween(
	ctx context.Context, ec event.Context, failure mem.Memory,
) ([]string, mem.Trust, error) {
	worst := mem.TrustUser
	calls, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: mem.ToolShell, Limit: 50,
	})
	if err != nil {
		return nil, worst, fmt.Errorf("find commands: %w", err)
	}
	turns, err := s.Store.Turns(ctx, ec.Session, event.WholeSession)
	if err != nil {
		return nil, worst, fmt.Errorf("turns: %w", err)
	}
	var out []string
	for _, ev := range calls { // newest first
		if !ev.At.After(failure.Updated) || !ev.At.Before(ec.At) || len(out) == extract.MaxSideEffects {
			continue
		}
		c := s.Event.ReadCall(ev, ec.Project)
		if !shell.HasSideEffects(c.Plain) && !shell.SameProgram(c.Plain, failure.Command) ||
			remote.BringsText(ev.Tool, c.Command) {
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

// worthKeeping reports whether a command that worked is worth keeping: it built, tested, installed or moved something.
func worthKeeping(command string) bool {
	return lang.ContainsAny(command, "install", "build", "deploy", "migrate", "test", "docker", "terraform", "cdk")
}
