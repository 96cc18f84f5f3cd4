package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// lossAfter is how old something on record has to be before it counts as lost
// if nobody reported it: until then its report may be on its way.
const lossAfter = time.Minute

// OwnCommand reports whether a prompt is one of our plugin's commands.
func OwnCommand(prompt string) bool {
	return strings.HasPrefix(strings.TrimSpace(prompt), event.OwnCommand)
}

// reconcile finds what the agent has on record of a session and no hook
// delivered, and keeps it as if one had, but for answers: prompts, tool calls
// and the ends of turns. It returns how many were found. Doing it again finds
// nothing.
func (e *Service) Reconcile(ctx context.Context, s mem.Session) (found int, err error) {
	w, ok := e.Store.(mem.Witness)
	if !ok || e.Past == nil || s.ID == "" || !event.OwnTranscript(mem.Event{Session: s.ID, Transcript: s.Transcript}) {
		return 0, nil
	}
	if paused, err := e.pausedNow(ctx, s); paused || err != nil {
		return 0, err // it is looked for when the pause is over
	}
	since, err := w.Checked(ctx, s.ID)
	if err != nil {
		return 0, err
	}
	h, err := e.newHearing(ctx, w, s)
	if err != nil {
		return 0, err
	}
	mark, err := e.Past(ctx, s, since, e.Now().Add(-lossAfter), func(ev mem.Event) error { return h.take(ctx, ev) })
	if mark != since { // also where the time was up: the next try goes on from there
		_, kept := e.Store.Apply(context.WithoutCancel(ctx), mem.Batch{Checked: []mem.Checked{mark}})
		err = errors.Join(err, kept)
	}
	if err != nil {
		return h.found, fmt.Errorf("look for what was lost: %w", err)
	}
	return h.found, nil
}

func (e *Service) pausedNow(ctx context.Context, s mem.Session) (bool, error) {
	pauses, err := e.Store.Paused(ctx, e.Now())
	if err != nil {
		return false, fmt.Errorf("pauses: %w", err)
	}
	return slices.ContainsFunc(pauses, func(p mem.Pause) bool {
		return !p.InjectOnly && p.Of(s.Project, s.ID)
	}), nil
}

// hearing is what was reported of a session, against which its record is held.
type hearing struct {
	e        *Service
	s        mem.Session
	prompts  map[string]bool // ids of turns
	ends     map[string]bool // likewise
	calls    map[string]bool // ids of calls
	turns    map[string]mem.Turn
	spells   []spell
	silences []mem.Silence
	after    time.Time // what happened before is too old to be kept
	found    int
}

// spell is a time from a start of the agent in which it reported to us.
type spell struct{ from, to time.Time }

func (e *Service) newHearing(ctx context.Context, w mem.Witness, s mem.Session) (*hearing, error) {
	h := &hearing{e: e, s: s, prompts: map[string]bool{}, ends: map[string]bool{}, calls: map[string]bool{}, turns: map[string]mem.Turn{}}
	heard, err := w.Heard(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	h.listen(heard)
	turns, err := e.Store.Turns(ctx, s.ID, event.WholeSession)
	if err != nil {
		return nil, fmt.Errorf("turns: %w", err)
	}
	for _, t := range turns {
		h.turns[t.PromptID] = t
	}
	if h.silences, err = w.Silences(ctx, "all", s.Project, s.ID); err != nil {
		return nil, err
	}
	h.after = s.Created.Add(-clockSlack) // from before is what it was forked from
	if before, ok := e.Event.KeptSince(); ok && before.After(h.after) {
		h.after = before
	}
	return h, nil
}

func (h *hearing) listen(heard []mem.EventHeader) {
	slices.SortStableFunc(heard, func(a, b mem.EventHeader) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	for _, r := range heard {
		switch r.Kind {
		case mem.UserPromptSubmit:
			h.prompts[r.PromptID] = true
		case mem.Stop, mem.StopFailure:
			h.ends[r.PromptID] = true
		case mem.PostToolUse, mem.PostToolUseFailure:
			h.calls[r.ToolUseID] = true
		}
		if began := r.Kind == mem.SessionStart && r.Source != "compact"; began || len(h.spells) == 0 {
			h.spells = append(h.spells, spell{r.At, r.At})
		}
		h.spells[len(h.spells)-1].to = r.At
	}
}

// take keeps what is on record if its report was lost.
func (h *hearing) take(ctx context.Context, ev mem.Event) error {
	if !h.lost(ev) {
		return nil
	}
	until, err := h.e.Event.ErasedUntil(ctx, h.s.ID) // it may be erased while its record is read
	if err != nil || !ev.At.After(until) {
		return err
	}
	ev.Agent, ev.Session, ev.Root, ev.Cwd, ev.Recovered = h.s.Agent, h.s.ID, h.s.Root, h.s.Cwd, true
	ev.Identify("record")
	_, did, err := h.e.HandleEvent(ctx, ev, true)
	if err != nil {
		return err
	}
	if did.New() {
		h.found++
	}
	if _, known := h.turns[ev.PromptID]; !known {
		h.turns[ev.PromptID] = mem.Turn{PromptID: ev.PromptID}
	}
	return nil
}

// lost reports whether nobody told us of something that we were to be told of.
// Of a turn that is not known at all its prompt has to be on record, and we must
// have been listening: something was reported before and after it, and the agent
// was not started in between, as it is to run without us.
func (h *hearing) lost(ev mem.Event) bool {
	switch ev.Kind {
	case mem.UserPromptSubmit:
		if h.prompts[ev.PromptID] || OwnCommand(ev.Text) {
			return false
		}
	case mem.Stop:
		if h.ends[ev.PromptID] {
			return false
		}
	default:
		if h.calls[ev.ToolUseID] {
			return false
		}
	}
	if !ev.At.After(h.after) || slices.ContainsFunc(h.silences, func(s mem.Silence) bool { return s.Covers(ev.At) }) {
		return false
	}
	t, known := h.turns[ev.PromptID]
	if known {
		return !t.Private && t.Text != event.OwnCommand
	}
	return ev.Kind == mem.UserPromptSubmit && slices.ContainsFunc(h.spells, func(s spell) bool {
		return !ev.At.Before(s.from) && !ev.At.After(s.to)
	})
}

// workedLater reports whether a command that failed is known to have worked
// since: a report that was lost may be found after later ones.
func (e *Service) WorkedLater(ctx context.Context, m *event.Context, c extract.Call) (bool, error) {
	calls, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: m.Tool, Limit: 500})
	if err != nil {
		return false, fmt.Errorf("later calls: %w", err)
	}
	return slices.ContainsFunc(calls, func(ev mem.Event) bool {
		return ev.At.After(m.At) && e.Event.Understand(&event.Context{Event: ev, Project: m.Project}).Plain == c.Plain
	}), nil
}

// catchUp has the record looked at of sessions of the project that ended without
// a word: their agent was killed, or the machine went down.
func (e *Service) CatchUp(ctx context.Context, m *event.Context) error {
	ss, err := e.Store.Sessions(ctx, mem.SessionQuery{Project: m.Project.Key, Limit: 6})
	if err != nil {
		return fmt.Errorf("sessions that broke off: %w", err)
	}
	for _, s := range ss {
		if s.ID == m.Session || s.Status == mem.Completed || m.At.Sub(s.LastEvent) < idleAfter {
			continue
		}
		m.Batch.Jobs = append(m.Batch.Jobs, event.ConsolidateLater(s.ID, s.LastEvent.Add(event.SilentFor)))
		if e.Archive == nil {
			continue
		}
		then := event.Context{Event: mem.Event{Agent: s.Agent, Kind: mem.SessionEnd, At: s.LastEvent, Session: s.ID, Root: s.Root, Cwd: s.Cwd, Transcript: s.Transcript}}
		if event.OwnTranscript(then.Event) {
			m.Batch.Jobs = append(m.Batch.Jobs, mem.Job{Kind: event.JobTranscript, Session: s.ID, Key: whenIdle, Data: event.JobData(&then), NotBy: m.At})
		}
	}
	return nil
}
