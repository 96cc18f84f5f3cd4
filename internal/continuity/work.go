package continuity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/outcome"
)

// Bounds of what is read of a session.
const (
	maxWorkCalls = 40  // commands, the newest
	maxWork      = 60  // memories, the newest
	maxAnswers   = 15  // the newest
	maxPlans     = 10  // files written whole, the newest
	maxAsked     = 160 // characters of a request
)

// mayGoOn is how long after its last event a turn without an end may still go on.
const mayGoOn = 30 * time.Minute

// Work returns what a session did in a project, without a look into the repository.
func (s *Service) Work(ctx context.Context, p mem.Project, session mem.Session) (outcome.Session, error) {
	out := outcome.Session{Repository: p.Common != "", Root: p.Root, Head: p.Commit}
	if !extract.Within(p.Root, session.Root) {
		out.Root = session.Root // another checkout
	}
	ms, err := s.Store.List(ctx, mem.Query{
		Project: p.Key, Session: session.ID, Within: "*", Kinds: []mem.Kind{mem.Summary, mem.Change, mem.Command},
		MinTrust: mem.TrustTool, Limit: maxWork,
	})
	if err != nil {
		return out, fmt.Errorf("work of %s: %w", session.Short, err)
	}
	out.Partial = len(ms) == maxWork
	for _, m := range ms {
		out.Take(m)
	}
	if err := s.ReadCommands(ctx, session, maxWorkCalls, &out); err != nil {
		return out, err
	}
	return out, s.ReadExchanges(ctx, session, &out)
}

// ReadExchanges reads the turns of a session: what the person asked for, and how the newest ended. The answers of turns
// that read text from outside are left out.
func (s *Service) ReadExchanges(ctx context.Context, session mem.Session, into *outcome.Session) error {
	into.GoesOn = session.Processing && session.Status != mem.Completed && s.Now().Sub(session.LastEvent) < mayGoOn
	turns, err := s.Store.Turns(ctx, session.ID, event.WholeSession)
	if err != nil {
		return fmt.Errorf("requests of %s: %w", session.Short, err)
	}
	stops, err := s.Store.Events(ctx, mem.EventQuery{
		Session: session.ID, Kinds: []mem.EventKind{mem.Stop}, Limit: maxAnswers,
	})
	if err != nil {
		return fmt.Errorf("answers of %s: %w", session.Short, err)
	}
	plans, checks, err := s.plans(ctx, session)
	if err != nil {
		return err
	}
	for _, t := range slices.Backward(turns) {
		if t.Number == 0 {
			continue
		}
		into.Partial = into.Partial || t.Trust == mem.TrustNone // what it did is left out
		x := outcome.Exchange{Prompt: t.PromptID, At: t.At, Plan: plans[t.PromptID]}
		if !t.Private {
			x.Asked = extract.WholeTitle(extract.Request(t.Text), maxAsked)
			x.Checks = slices.Concat(checks[t.PromptID], outcome.Checks(t.Text, false))
		}
		// How the turns of an imported session ended is not known, nor what was not read.
		x.Ended = session.Source == mem.Imported || len(stops) == maxAnswers && t.At.Before(stops[len(stops)-1].At)
		for _, stop := range stops { // newest first
			said := !t.Private && t.Trust > mem.TrustNone
			if stop.PromptID == t.PromptID && stop.Source == mem.Interrupted && said {
				x.Question = extract.Question(stop.Input)
			}
			if stop.PromptID != t.PromptID || stop.Source == mem.Interrupted {
				continue
			}
			if x.Ended, x.At = true, stop.At; x.Answer == "" && said {
				x.Answer = stop.Text
				x.Checks = append(x.Checks, outcome.Checks(stop.Text, true)...)
			}
		}
		into.Exchanges = append(into.Exchanges, x)
	}
	if !slices.ContainsFunc(into.Exchanges, func(x outcome.Exchange) bool { return len(x.Checks) > 0 }) {
		return nil
	}
	seen, err := s.usedBrowser(ctx, session)
	for i := range into.Exchanges {
		if seen {
			into.Exchanges[i].Checks = nil // it may have done them
		}
	}
	return err
}

// plans returns the titles of the plans that a session wrote, and the checks of those that the person approved, by the
// id of the turn: an agent that plans writes a file of its own, outside of the project.
func (s *Service) plans(ctx context.Context, session mem.Session) (
	titles map[string]string, checks map[string][]outcome.Check, err error,
) {
	titles, checks = map[string]string{}, map[string][]outcome.Check{}
	for _, tool := range []string{mem.ToolWrite, mem.ToolPlan} {
		calls, err := s.Store.Events(ctx, mem.EventQuery{
			Session: session.ID, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: tool, Limit: maxPlans,
		})
		if err != nil {
			return nil, nil, fmt.Errorf("plans of %s: %w", session.Short, err)
		}
		for _, ev := range slices.Backward(calls) {
			if tool == mem.ToolPlan {
				checks[ev.PromptID] = outcome.Checks(extract.PlanOf(ev.Input, ev.Response), false)
				continue
			}
			call := s.Event.ReadCall(ev, mem.Project{})
			title, heading := strings.CutPrefix(strings.TrimSpace(call.New), "# ")
			if heading && outcome.IsPlan(call.File) && !extract.Within(session.Root, call.File) {
				title = chars.FirstLine(title)
				titles[ev.PromptID] = strings.TrimSpace(strings.TrimPrefix(title, "Plan:"))
			}
		}
	}
	return titles, checks, nil
}

// usedBrowser reports whether a session used a tool that shows pages.
func (s *Service) usedBrowser(ctx context.Context, session mem.Session) (bool, error) {
	calls, err := s.Store.Events(ctx, mem.EventQuery{
		Session: session.ID, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: "mcp__*", Limit: maxAnswers,
	})
	if err != nil {
		return false, fmt.Errorf("tools of %s: %w", session.Short, err)
	}
	return slices.ContainsFunc(calls, func(ev mem.Event) bool {
		return lang.ContainsAny(strings.ToLower(ev.Tool), "browser", "chrome", "playwright", "puppeteer", "devtools")
	}), nil
}

// Bounds of the sessions that are looked at for what they left open.
const (
	lastEnds   = 3  // that were asked for something
	lastStarts = 20 // of which some were closed without a prompt
)

// Left is how the newest sessions of a project left the work.
type Left struct {
	Ends      []outcome.End // what they left open, the newest first
	Committed string        // id of the one that changed files last, if it committed all of them; else empty
}

// Left returns how the newest sessions of a project left the work, up to the first one that did some. Sessions without
// a prompt are passed over, and so is the one with the id current.
func (s *Service) Left(ctx context.Context, p mem.Project, current string) (out Left, err error) {
	sessions, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: p.Key, Limit: lastStarts})
	if err != nil {
		return out, fmt.Errorf("sessions: %w", err)
	}
	sessions = slices.DeleteFunc(sessions, func(s mem.Session) bool { return s.Prompts == 0 || s.ID == current })
	var later []string
	for _, one := range sessions[:min(len(sessions), lastEnds)] {
		did, err := s.Work(ctx, p, one)
		if err != nil {
			return out, err
		}
		pieces, n := did.Pieces(s.Now(), true), len(out.Ends)
		for _, p := range slices.Backward(pieces) {
			if text := p.Left(); text != "" {
				out.Ends = append(out.Ends, outcome.End{Prompt: p.Prompt, At: p.At, Text: text})
			}
		}
		out.Ends = append(out.Ends, did.Ends(pieces, later)...)
		for i := range out.Ends[n:] {
			out.Ends[n+i].Session = one.Short
		}
		if len(pieces) > 0 {
			if !slices.ContainsFunc(pieces, func(p outcome.Piece) bool { return !p.Committed() }) {
				out.Committed = one.ID
			}
			break
		}
		later = append(later, did.Asked()...)
	}
	return out, nil
}

// ReadCommands reads the newest commands of a session that worked, at most so many.
func (s *Service) ReadCommands(ctx context.Context, session mem.Session, most int, into *outcome.Session) error {
	calls, err := s.Store.Events(ctx, mem.EventQuery{
		Session: session.ID, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: mem.ToolShell, Limit: most,
	})
	if err != nil {
		return fmt.Errorf("commands of %s: %w", session.Short, err)
	}
	for _, ev := range calls {
		into.Call(ev, s.Event.ReadCall(ev, mem.Project{}))
	}
	return nil
}
