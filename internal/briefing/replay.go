package briefing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

// clearedWithin is how soon after a cleared conversation a new session counts as its continuation: some editors
// report a start then.
const clearedWithin = time.Minute

// maxHandoffLine is the largest length of a handoff's line in characters. It is short, so that a line that does
// not fit leaves little out.
const maxHandoffLine = 300

// handoff returns the handoff that this session continues from. It is by an agent, and quoted line by line.
func (g *gather) handoff(ctx context.Context) (inject.Section, error) {
	s := inject.Section{Name: "handoff", Tag: "session-handoff", Share: shareRestore, Capped: true, Apart: true}
	cp, err := g.e.handoffFor(ctx, g.ec, g.parent)
	if err != nil || cp.Handoff == "" {
		return s, err
	}
	gone, err := g.e.takenBack(ctx, cp)
	if err != nil {
		return s, err
	}
	since, err := g.e.promptsSince(ctx, cp)
	lines := handoffLines(cp.Handoff, gone)
	if err != nil || len(lines) == 0 {
		return s, err
	}
	s.Caption = fmt.Sprintf("HANDOFF %s, age %s", cp.ID, inject.Age(g.ec.At.Sub(cp.At)))
	if since > 0 {
		s.Items = append(s.Items, inject.Item{Text: fmt.Sprintf("(prompts in its session after it was written: %d; some "+
			"of it may be done)", since)})
	}
	for _, line := range lines {
		s.Items = append(s.Items, inject.Item{Text: line, Quote: true})
	}
	s.Items[0].Injected = mem.InjectedItem{ID: cp.ID, Title: "handoff: " + chars.Clip(chars.Line(cp.Handoff), 80)}
	return s, nil
}

// handoffFor finds the handoff to inject into the session; the zero value if there is none.
func (e *Service) handoffFor(ctx context.Context, ec event.Context, parent string) (mem.Checkpoint, error) {
	none := mem.Checkpoint{}
	q := mem.CheckpointQuery{Project: ec.Project.Key, Trigger: mem.TriggerHandoff, Limit: 1}
	lowest := mem.TrustAssistant
	switch ec.Source {
	case "clear":
		return none, nil
	case "compact":
		q.Project, q.Session, lowest = "", ec.Session, mem.TrustTool
	}
	cps, err := e.Store.Checkpoints(ctx, q)
	if err != nil {
		return none, fmt.Errorf("handoff: %w", err)
	}
	if len(cps) == 0 {
		return none, nil
	}
	cp := cps[0]
	switch ec.Source {
	case "compact":
	case "resume", "fork":
		if ok, err := e.newToConversation(ctx, ec, parent, cp); err != nil || !ok {
			return none, err
		}
	default:
		if ok, err := e.waits(ctx, ec, cp); err != nil || !ok {
			return none, err
		}
	}
	trust, err := e.handoffTrust(ctx, cp)
	if err != nil || trust < lowest {
		return none, err
	}
	return cp, nil
}

// waits reports whether a handoff waits for a new session: it is not too old, no session that did anything was given
// it, and the last conversation was not just cleared.
func (e *Service) waits(ctx context.Context, ec event.Context, cp mem.Checkpoint) (bool, error) {
	if ec.At.Sub(cp.At) > ec.Settings.Handoff.MaxAge {
		return false, nil
	}
	receipts, err := e.Store.Receipts(ctx, mem.ReceiptQuery{Memory: cp.ID, Limit: 100})
	if err != nil {
		return false, fmt.Errorf("receipts of the handoff: %w", err)
	}
	for _, r := range receipts {
		if r.Trigger != "session_start" {
			continue
		}
		if empty, err := e.leftNothing(ctx, r.Session); err != nil || !empty {
			return false, err
		}
	}
	ss, err := e.Store.Sessions(ctx, mem.SessionQuery{Project: ec.Project.Key, Limit: 2})
	if err != nil {
		return false, fmt.Errorf("last session: %w", err)
	}
	for _, s := range ss {
		if s.ID != ec.Session {
			return s.EndReason != "clear" || ec.At.Sub(s.Completed) > clearedWithin, nil
		}
	}
	return true, nil
}

// newToConversation reports whether a handoff is newer than the last event of the continued conversation.
func (e *Service) newToConversation(ctx context.Context, ec event.Context, parent string,
	cp mem.Checkpoint,
) (bool, error) {
	last := ec.SessionInfo.LastEvent
	if last.IsZero() && parent != "" {
		s, err := e.Store.Session(ctx, parent)
		if err != nil && !errors.Is(err, mem.ErrNotFound) {
			return false, fmt.Errorf("parent: %w", err)
		}
		last = s.LastEvent
	}
	return cp.At.After(last) && ec.At.Sub(cp.At) <= ec.Settings.Handoff.MaxAge && !ec.SessionInfo.Injected[cp.ID], nil
}

// handoffTrust returns the present trust of a handoff: its turn may have read text from outside after it was
// written.
func (e *Service) handoffTrust(ctx context.Context, cp mem.Checkpoint) (mem.Trust, error) {
	if cp.PromptID == "" {
		return cp.Trust, nil
	}
	turns, err := e.Store.Turns(ctx, cp.Session, event.WholeSession)
	if err != nil {
		return mem.TrustNone, fmt.Errorf("turn of the handoff: %w", err)
	}
	for _, t := range turns {
		if t.PromptID == cp.PromptID {
			return min(cp.Trust, t.Trust), nil
		}
	}
	return cp.Trust, nil
}

// promptsSince returns the number of prompts in the handoff's session after it.
func (e *Service) promptsSince(ctx context.Context, cp mem.Checkpoint) (int, error) {
	if cp.Session == "" {
		return 0, nil
	}
	turns, err := e.Store.Turns(ctx, cp.Session, event.WholeSession)
	if err != nil {
		return 0, fmt.Errorf("turns since the handoff: %w", err)
	}
	n := 0
	for _, t := range turns {
		if t.Number > 0 && t.At.After(cp.At) {
			n++
		}
	}
	return n, nil
}

// takenBack returns the folded lines of forgotten memories of the project, and of memories of the session that
// turned out to come from outside.
func (e *Service) takenBack(ctx context.Context, cp mem.Checkpoint) ([]string, error) {
	forgotten, err := e.Store.List(ctx, mem.Query{
		Project: cp.Project, Hidden: true, HiddenBefore: e.Now().Add(time.Second), Within: "*", Order: mem.ByUpdate,
		Limit: event.MaxTakenBack,
	})
	if err != nil {
		return nil, fmt.Errorf("what was forgotten: %w", err)
	}
	var learned []mem.Memory
	if cp.Session != "" {
		learned, err = e.Store.List(ctx, mem.Query{
			Session: cp.Session, Hidden: true, Within: "*", Order: mem.ByUpdate,
			Limit: event.MaxTakenBack,
		})
		if err != nil {
			return nil, fmt.Errorf("what the session learned: %w", err)
		}
	}
	var out []string
	for _, mm := range forgotten {
		out = append(out, mm.Traces()...)
	}
	for _, mm := range learned {
		if mm.Trust == mem.TrustNone && mm.Kind != mem.Snapshot {
			out = append(out, mm.Traces()...)
		}
	}
	return out, nil
}

// handoffLines returns the lines of a handoff that may be injected. A line that reads like an order, or that
// repeats retracted text, by itself or with the next one, is left out. If only the whole text does, no line is
// injected.
func handoffLines(text string, gone []string) []string {
	var all []string
	for line := range strings.Lines(text) {
		if line = chars.Line(line); line != "" {
			all = append(all, extract.Pieces(line, maxHandoffLine)...)
		}
	}
	barred := func(s string) bool { return inject.Suspicious(s) || event.ContainsAny(chars.Fold(s), gone) }
	all = slices.DeleteFunc(all, barred)
	out := all[:0]
	for i := 0; i < len(all); i++ {
		if i+1 < len(all) && barred(all[i]+" "+all[i+1]) {
			i++
			continue
		}
		out = append(out, all[i])
	}
	if event.ContainsAny(chars.Fold(strings.Join(out, " ")), gone) {
		return nil
	}
	return out
}
