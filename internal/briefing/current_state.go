package briefing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/continuity"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

// state returns the state of the work: of this session if it continues, else of the last one.
func (g *gather) state(ctx context.Context) (inject.Section, error) {
	s := inject.Section{Name: "state", Caption: "CURRENT STATE", Share: shareState, Apart: true}
	if g.resumed() || g.ec.Mind.Trusted && len(g.mindState().Items) > 0 {
		return s, nil // the conversation itself is in view, or the files say it
	}
	last, err := g.last(ctx)
	if err != nil {
		return s, err
	}
	if last.ID == "" {
		var st mem.State
		err := g.e.Filesync.ApplyDeclaredState(ctx, g.ec.Project.Key, &st)
		s.Items = StateItems(st)
		return s, err
	}
	st, err := g.e.leftBy(ctx, g.ec.Project.Key, last.ID)
	if err != nil {
		return s, err
	}
	st.Open = nil // it has a section of its own
	if g.left(ctx).Committed == last.ID {
		st.Files = nil // none is in edit
	}
	s.Items = StateItems(st)
	if st.Request != "" && chars.Clip(st.Request, 200) == last.FirstPrompt {
		g.injected[sessionMark+last.ID] = true
	}
	return s, nil
}

// leftBy returns the state in which a session left the work of a project.
func (e *Service) leftBy(ctx context.Context, project, session string) (mem.State, error) {
	turns, err := e.Store.Turns(ctx, session, 5)
	if err != nil {
		return mem.State{}, fmt.Errorf("turns: %w", err)
	}
	own, err := e.Store.List(ctx, mem.Query{
		Project: project, Session: session, Kinds: []mem.Kind{mem.Change, mem.Command}, Order: mem.ByUpdate, Limit: 50,
	})
	if err != nil {
		return mem.State{}, fmt.Errorf("what the last session did: %w", err)
	}
	return e.Continuity.State(ctx, project, session, turns, own)
}

// last returns the session whose state is current: the newest of the project that had a prompt and left something, or
// the newest that had a prompt if none did. How an imported one left the work is not known.
func (g *gather) last(ctx context.Context) (mem.Session, error) {
	if g.ec.SessionInfo.Prompts > 0 {
		return g.ec.SessionInfo, nil
	}
	ss, err := g.e.Store.Sessions(ctx, mem.SessionQuery{Project: g.ec.Project.Key, Limit: 10})
	if err != nil {
		return mem.Session{}, fmt.Errorf("sessions: %w", err)
	}
	ss = slices.DeleteFunc(ss, func(s mem.Session) bool {
		return s.Prompts == 0 || s.ID == g.ec.Session || s.Source == mem.Imported
	})
	for _, s := range ss {
		if empty, err := g.e.leftNothing(ctx, s.ID); err != nil || !empty {
			return s, err
		}
	}
	if len(ss) > 0 {
		return ss[0], nil
	}
	return mem.Session{}, nil
}

// leftNothing reports whether a session had a prompt, or ended without one, and nothing was learned in it: thanks, a
// question without an answer, "go on" where nothing went on. The work stands where it stood before.
func (e *Service) leftNothing(ctx context.Context, id string) (bool, error) {
	s, err := e.Store.Session(ctx, id)
	if errors.Is(err, mem.ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("session: %w", err)
	}
	if s.Processing || s.Prompts == 0 && s.Completed.IsZero() {
		return false, nil
	}
	learned, err := e.Store.List(ctx, mem.Query{Session: id, Within: "*", Hidden: true, Limit: 1})
	if err != nil {
		return false, fmt.Errorf("what a session learned: %w", err)
	}
	return len(learned) == 0, nil
}

// StateItems returns the lines of a session's state as items of the injected block.
func StateItems(st mem.State) []inject.Item {
	var out []inject.Item
	line := func(name, text string) {
		if text != "" {
			out = append(out, inject.Item{Text: name + ": " + text})
		}
	}
	line("phase", st.Phase)
	line("last request", st.Request)
	line("last answer", st.Status)
	line("in work", strings.Join(st.Doing, "; "))
	line("next", strings.Join(st.Next, "; "))
	line("blocked", strings.Join(st.Waiting, "; "))
	for _, b := range st.Blocked {
		line("failing", b)
	}
	for _, o := range st.Open {
		line("open", o)
	}
	line("files in edit", strings.Join(st.Files, ", "))
	return out
}

// restore returns what a compaction may have lost: the checkpoint from before it.
func (g *gather) restore(ctx context.Context) (inject.Section, error) {
	s := inject.Section{
		Name: "checkpoint", Caption: "WORK IN HAND (checkpoint before compaction)", Share: shareRestore,
		Apart: true,
	}
	cps, err := g.e.Store.Checkpoints(ctx, mem.CheckpointQuery{Session: g.ec.Session, Limit: 1})
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return s, fmt.Errorf("checkpoint: %w", err)
	}
	if len(cps) == 0 {
		return s, nil
	}
	// Computed again from the store: text that was forgotten, erased or found to come from outside since then is
	// not injected.
	cp, err := g.e.Continuity.Checkpoint(ctx, g.ec, cps[0].Trigger)
	if err != nil {
		return s, err
	}
	cp.State.Open = nil                                                                // it has a section of its own
	cp.State.Blocked = slices.DeleteFunc(cp.State.Blocked, func(failing string) bool { // listed with its exit status below
		return slices.ContainsFunc(cp.Evidence.Commands, func(c mem.Outcome) bool {
			return c.Exit != 0 && strings.Contains(failing, c.Command)
		})
	})
	s.Items = append(s.Items, StateItems(cp.State)...)
	s.Items = append(s.Items, furtherItems(cp)...)
	return s, nil
}

// furtherItems returns the content of a checkpoint besides its state, without what the state contains.
func furtherItems(cp mem.Checkpoint) []inject.Item {
	var out []inject.Item
	for _, c := range cp.Evidence.Commands {
		out = append(out, inject.Item{Text: continuity.OutcomeLine(c)})
	}
	for _, n := range cp.Evidence.Numbers {
		if !strings.Contains(cp.State.Status, n) {
			out = append(out, inject.Item{Text: "figures: " + n})
		}
	}
	if seen := extract.Missing(cp.Evidence.Files, cp.State.Files); len(seen) > 0 {
		out = append(out, inject.Item{Text: "files seen: " + strings.Join(seen, ", ")})
	}
	for _, quote := range cp.Recent {
		if quote.Text != cp.State.Request && quote.Text != cp.State.Status {
			out = append(out, inject.Item{Text: quote.Who + " said " + quote.Text, Quote: true})
		}
	}
	return out
}
