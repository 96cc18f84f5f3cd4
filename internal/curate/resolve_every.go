package curate

import (
	"context"
	"fmt"

	"remanence/internal/event"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

// resolvedShown is how many memories of many are in the answer.
const resolvedShown = 20

// resolveEvery decides all findings of a rule in one go: one round, written in
// parts, so that events that come meanwhile do not wait for all of it.
func (e *Service) resolveEvery(ctx context.Context, ask ResolveRequest, r reviewed) (ResolveResponse, error) {
	out := ResolveResponse{Rule: ask.Rule, Action: ask.Action, DryRun: ask.DryRun, Memories: []mem.Memory{}}
	scan := r.rule == ReviewSecret && ask.Action == AcceptFinding
	if len(ask.IDs) > 0 || ask.Action != RejectFinding && !r.does(ask.Action) && !scan {
		return out, fmt.Errorf("%q of every %s: %w", ask.Action, ask.Rule, ErrNoFinding)
	}
	d, err := e.deskOf(ctx, ask.Place, ask.Among)
	if err != nil {
		return out, err
	}
	taken := map[string]bool{}
	var chosen [][]*life
	for _, f := range d.findings(r) {
		ls, ok := d.livesFor(f, taken)
		if !ok || r.alone(ask.Action, ls) {
			out.Left++
			continue
		}
		for _, l := range ls {
			taken[l.ID] = true
		}
		chosen = append(chosen, ls)
	}
	if out.Decided = len(chosen); !ask.DryRun && len(chosen) > 0 {
		if scan {
			_, err = e.Scan(ctx, event.ScanRequest{Fix: true})
		} else {
			out.Round, err = e.resolveAll(ctx, ask, r, d, chosen)
		}
		if err != nil {
			return out, err
		}
		e.inbox.decided(d.project.Key, ask.Rule, len(chosen))
	}
	var shown []*life
	for _, ls := range chosen[:min(len(chosen), resolvedShown)] {
		shown = append(shown, ls[len(ls)-1])
	}
	out.Memories, err = e.asTheyAre(ctx, shown)
	return out, err
}

// livesFor are the memories of a finding; ok is false where one of them was not
// looked at, or another finding has it already.
func (d *desk) livesFor(f Finding, taken map[string]bool) (ls []*life, ok bool) {
	for _, id := range f.IDs {
		m := d.known[id]
		if m == nil || taken[id] {
			return nil, false
		}
		ls = append(ls, &life{Memory: *m, was: *m})
	}
	return ls, true
}

// alone reports whether an action needs a look at each: nobody vouches by the
// hundred for what reads like an order.
func (r reviewed) alone(action string, ls []*life) bool {
	return r.rule == ReviewLowTrust && action == AcceptFinding && inject.SuspiciousMemory(ls[0].Memory)
}

// resolveAll writes what was decided about findings, and returns the round's id.
func (e *Service) resolveAll(ctx context.Context, ask ResolveRequest, r reviewed, d *desk, chosen [][]*life) (string, error) {
	run := mem.Run{Kind: mem.AskedRun, Project: d.project.Key, At: e.Now(), Looked: len(chosen)}
	for len(chosen) > 0 {
		part := chosen[:min(len(chosen), maxSteps)]
		chosen = chosen[len(part):]
		rd, b := &round{}, mem.Batch{}
		for _, ls := range part {
			rd.lives = append(rd.lives, ls...)
			if ask.Action == RejectFinding {
				b.Dismissed = append(b.Dismissed, mem.Dismissal{Rule: r.rule, Memory: ls[0].ID, Other: otherThan(ls)})
				continue
			}
			r.settle(rd, ask.Action, ls)
		}
		changes := rd
		if ask.Action == RejectFinding {
			changes = nil
		} else {
			next := run
			b.Run = &next
		}
		id, err := e.decide(ctx, changes, b, rd.lives)
		if err != nil {
			return run.ID, err
		}
		run.ID = id
	}
	return run.ID, nil
}
