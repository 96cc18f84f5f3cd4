package continuity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/outcome"
	"remanence/internal/shell"
)

// Bounds of a checkpoint. It holds the details that a summary loses: paths, commands
// with their outcome, figures, errors, open items.
const (
	maxOutcomes = 12
	maxOpen     = 10
	maxFigures  = 8
	maxRecent   = 6 // utterances
)

// Checkpoint returns a checkpoint of the event's session. It writes nothing.
func (s *Service) Checkpoint(ctx context.Context, ec event.Context, trigger string) (mem.Checkpoint, error) {
	cp := mem.Checkpoint{Session: ec.Session, Project: ec.Project.Key, At: ec.At, Trigger: trigger}
	turns, err := s.Store.Turns(ctx, ec.Session, 20)
	if err != nil {
		return cp, fmt.Errorf("turns: %w", err)
	}
	stops, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, Kinds: []mem.EventKind{mem.Stop}, Limit: maxRecent,
	})
	if err != nil {
		return cp, fmt.Errorf("answers: %w", err)
	}
	slices.SortStableFunc(stops, func(a, b mem.Event) int { // a recovered event may be older
		if !a.Recovered && !b.Recovered {
			return 0
		}
		return b.At.Compare(a.At)
	})
	own, err := s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, Kinds: []mem.Kind{mem.Change, mem.Command, mem.ErrorFix},
		Order: mem.ByUpdate, Limit: 100,
	})
	if err != nil {
		return cp, fmt.Errorf("tool memories of the session: %w", err)
	}
	if cp.State, err = s.State(ctx, ec.Project.Key, ec.Session, turns, own); err != nil {
		return cp, err
	}
	stops = trustedAnswers(stops, turns)
	if len(stops) > 0 {
		cp.State.Status = chars.Clip(chars.Line(stops[0].Text), extract.RecentChars)
	}
	cp.Evidence = evidenceOf(own, stops)
	cp.Recent = recentQuotes(turns, stops)
	reads, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, Kinds: []mem.EventKind{mem.PostToolUse}, Limit: 60,
	})
	if err != nil {
		return cp, fmt.Errorf("calls: %w", err)
	}
	for _, ev := range reads {
		if c := s.Event.ReadCall(ev, ec.Project); c.File != "" && ev.Tool == mem.ToolRead && !inject.Suspicious(c.File) {
			cp.Evidence.Files = extract.AppendNew(cp.Evidence.Files, c.File, extract.MaxFiles)
		}
	}
	return cp, nil
}

// State derives the state of the work in a session from stored turns and memories.
func (s *Service) State(
	ctx context.Context, project, session string, turns []mem.Turn, own []mem.Memory,
) (mem.State, error) {
	var state mem.State
	for _, t := range turns { // newest first
		if state.Request == "" && t.Number > 0 && !extract.Agrees(t.Text) && !extract.AsksToCommit(t.Text) {
			state.Request = extract.Request(t.Text)
		}
	}
	open, err := s.Store.List(ctx, mem.Query{
		Project: project, Kinds: []mem.Kind{mem.Todo}, Open: true, MinTrust: mem.TrustTool, Limit: maxOpen,
	})
	if err != nil {
		return state, fmt.Errorf("open items: %w", err)
	}
	for _, o := range open {
		if inject.Injectable(o) {
			state.Open = extract.AppendNew(state.Open, o.Title, maxOpen)
		}
	}
	var failed []mem.Memory
	for _, mm := range own { // last changed first
		switch {
		case mm.Kind == mem.Change:
			for _, f := range extract.TrustedNames(mm.Modified) {
				state.Files = extract.AppendNew(state.Files, f, extract.MaxFiles)
			}
		case mm.Kind == mem.Command && !mm.Resolved && blocks(mm):
			failed = append(failed, mm)
		}
	}
	if state.Blocked, err = s.stillFailing(ctx, session, failed); err != nil {
		return state, err
	}
	sum, err := s.Store.List(ctx, mem.Query{
		Project: project, Session: session, Kinds: []mem.Kind{mem.Summary}, MinTrust: mem.TrustAssistant, Limit: 1,
	})
	if err != nil {
		return state, fmt.Errorf("summary: %w", err)
	}
	if len(sum) > 0 && sum[0].Summary != nil && sum[0].Summary.NextSteps != "" &&
		!inject.Suspicious(sum[0].Summary.NextSteps) {
		state.Next = []string{sum[0].Summary.NextSteps}
	}
	return state, s.ApplyDeclaredState(ctx, project, &state)
}

// maxFailing is how many failing commands a state names.
const maxFailing = 3

// stillFailing returns the texts of the failed commands of a session of which nothing that they check passed later, as
// the outcome of the session has it.
func (s *Service) stillFailing(ctx context.Context, session string, failed []mem.Memory) (out []string, err error) {
	if len(failed) == 0 {
		return nil, nil
	}
	var did outcome.Session
	if err := s.ReadCommands(ctx, mem.Session{ID: session, Short: session}, maxWorkCalls, &did); err != nil {
		return nil, err
	}
	for _, mm := range failed {
		if text, ok := inject.InjectableText(mm); ok && len(out) < maxFailing && !did.Passed(mm) {
			out = append(out, text)
		}
	}
	return out, nil
}

// blocks reports whether a failed command says that the work is not done. One that only shows something does not, nor
// does one that was called wrongly.
func blocks(mm mem.Memory) bool {
	return !shell.OnlyShows(mm.Command) && !shell.UsageError(mm.Title)
}

// evidenceOf collects files, commands, errors and figures, newest first.
func evidenceOf(own []mem.Memory, stops []mem.Event) mem.Evidence {
	var ev mem.Evidence
	for _, mm := range own {
		for _, f := range extract.TrustedNames(mm.Modified) {
			ev.Files = extract.AppendNew(ev.Files, f, extract.MaxFiles)
		}
		if mm.Kind != mem.Command || len(ev.Commands) == maxOutcomes || inject.Suspicious(mm.Command) {
			continue
		}
		o := mem.Outcome{Command: mm.Command, Exit: mm.ExitCode}
		if _, msg, ok := strings.Cut(mm.Title, "| Error: "); ok && mm.Trust > mem.TrustNone &&
			!inject.Suspicious(msg) {
			o.Note = msg
			ev.Errors = extract.AppendNew(ev.Errors, msg, maxFigures)
			if mm.Resolved {
				o.Note += " (works again)"
			}
		}
		ev.Commands = append(ev.Commands, o)
	}
	for _, st := range stops {
		for _, s := range extract.Sentences(st.Text) {
			if hasFigure(s) {
				ev.Numbers = extract.AppendNew(ev.Numbers, chars.Clip(s, 160), maxFigures)
			}
		}
	}
	return ev
}

// hasFigure reports whether a sentence contains a number outside names and code.
func hasFigure(s string) bool {
	before := ' '
	for _, r := range lang.CueText(s) {
		if r >= '0' && r <= '9' && (!unicode.IsLetter(before) || chars.Wide(before)) {
			return true
		}
		switch {
		case unicode.IsDigit(r):
			before = 'a' // the rest of the name
		case !strings.ContainsRune(".-_", r):
			before = r
		}
	}
	return false
}

// trustedAnswers keeps the answers of turns without external input that do not read
// like instructions.
func trustedAnswers(stops []mem.Event, turns []mem.Turn) []mem.Event {
	return slices.DeleteFunc(stops, func(st mem.Event) bool {
		tainted := slices.ContainsFunc(turns, func(t mem.Turn) bool {
			return t.PromptID == st.PromptID && t.Trust == mem.TrustNone
		})
		return st.Text == "" || tainted || inject.Suspicious(st.Text)
	})
}

// recentQuotes returns the newest prompts and answers, oldest first.
func recentQuotes(turns []mem.Turn, stops []mem.Event) []mem.Quote {
	answer := map[string]string{}
	for i := len(stops) - 1; i >= 0; i-- {
		answer[stops[i].PromptID] = stops[i].Text
	}
	var out []mem.Quote
	for i := min(len(turns), maxRecent/2) - 1; i >= 0; i-- {
		if t := turns[i]; t.Text != "" {
			out = append(out, mem.Quote{Who: "user", Text: extract.Request(t.Text)})
		}
		if a := answer[turns[i].PromptID]; a != "" && turns[i].PromptID != "" {
			out = append(out, mem.Quote{Who: "assistant", Text: chars.Clip(chars.Line(a), extract.RecentChars)})
		}
	}
	return out
}
