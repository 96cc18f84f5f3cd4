package engine

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// ErrNoRule refuses the name of a rule that there is not.
var ErrNoRule = errors.New("no such rule")

// The rules of Drift.
const (
	DriftUndeclared    = "undeclared"    // files were changed that no decision and no state names
	DriftUnattributed  = "unattributed"  // a decision that says neither why nor where
	DriftContradiction = "contradiction" // what was laid down now denies what was laid down before
	DriftSkipped       = "skipped"       // what was begun and not done
)

// contradictory is the share of common words from which a denial is one of the
// same thing.
const contradictory = 0.5

// Drift looks for work of a session that nobody laid down: by rule, for somebody
// to judge. ErrNotFound where no session of the place is known.
func (e *Engine) Drift(ctx context.Context, ask mem.DriftAsk) (mem.Findings, error) {
	m, err := e.handingOff(ctx, mem.HandoffAsk{Place: ask.Place, Session: ask.Session, Agent: ask.Agent})
	if err != nil {
		return mem.Findings{}, err
	}
	defer m.view.close()
	if m.session.ID == "" {
		return mem.Findings{}, fmt.Errorf("session: %w", mem.ErrNotFound)
	}
	own, err := e.Store.List(ctx, mem.Query{Session: m.Session, Within: m.Session, Limit: 1000})
	if err != nil {
		return mem.Findings{}, fmt.Errorf("what the session did: %w", err)
	}
	out := mem.Findings{Project: m.project, Session: m.session.Short, Looked: len(own), Findings: []mem.Finding{}}
	all, err := e.lasting(ctx, m.project)
	if err != nil {
		return out, err
	}
	state, err := e.checkpoint(ctx, m, mem.TriggerSave)
	if err != nil {
		return out, err
	}
	for _, found := range [][]mem.Finding{
		undeclared(own, all, state.State), unattributed(own), contradictions(own, all), skipped(own, state.State),
	} {
		out.Findings = append(out.Findings, found[:min(len(found), maxOfOneRule)]...)
	}
	return out, nil
}

// undeclared are the changed files that nothing names but that they were changed.
func undeclared(own, all []mem.Memory, s mem.State) []mem.Finding {
	var said strings.Builder
	named := map[string]bool{}
	for _, m := range all {
		for _, f := range m.Files {
			named[f] = true
		}
		said.WriteString(m.Title + "\n" + m.Body + "\n")
	}
	for _, t := range [][]string{s.Next, s.Open, s.Doing, s.Waiting, {s.Phase}} {
		said.WriteString(strings.Join(t, "\n") + "\n")
	}
	var files []string
	for _, m := range own {
		if m.Kind != mem.Change {
			continue
		}
		for _, f := range m.Modified {
			if !named[f] && !strings.Contains(said.String(), path.Base(f)) {
				files = appendNew(files, f, maxOfOneRule)
			}
		}
	}
	var out []mem.Finding
	for _, f := range files {
		out = append(out, mem.Finding{Rule: DriftUndeclared, Files: []string{f}, Text: f + " was changed; no decision, note or open item says why"})
	}
	return out
}

// unattributed are the decisions of the session that say neither why nor where.
func unattributed(own []mem.Memory) []mem.Finding {
	var out []mem.Finding
	for _, m := range own {
		if m.Kind != mem.Decision && m.Kind != mem.TradeOff || m.Origin == mem.FromUserPrompt || len(m.Files) > 0 || len(m.Facts) > 0 || givesReason(m.Title+" "+m.Body) {
			continue
		}
		out = append(out, mem.Finding{Rule: DriftUnattributed, IDs: []string{m.ID}, Text: "decided without a reason: " + m.Title, Fix: "remanence edit " + m.ID})
	}
	return out
}

func givesReason(s string) bool {
	return holds(" "+strings.ToLower(mem.Line(s))+" ", " because ", " since ", " so that ", " in order to ", " due to ", " otherwise ", " the reason ", " as it ", " to avoid ", " to keep ", " rather than ")
}

// contradictions are what the session laid down and what denies it, or is denied
// by it, from before.
func contradictions(own, all []mem.Memory) []mem.Finding {
	laid := slices.DeleteFunc(slices.Clone(all), func(m mem.Memory) bool { return !ruling(m.Kind) })
	ofSession := make(map[string]bool, len(own))
	for _, m := range own {
		ofSession[m.ID] = true
	}
	pairs := slices.DeleteFunc(rank.Pairs(laid, contradictory), func(p rank.Pair) bool { return !ofSession[laid[p.A].ID] })
	return atOdds(laid, pairs)
}

// atOdds are those of pairs that cannot both hold.
func atOdds(ms []mem.Memory, pairs []rank.Pair) []mem.Finding {
	var out []mem.Finding
	for _, pair := range pairs {
		now, then := ms[pair.A], ms[pair.B] // newest first
		if now.Supersedes == then.ID || !opposed(now, then) && (pair.Alike < sameAs || !rolesSwapped(now, then)) {
			continue
		}
		out = append(out, contradiction(now, then))
	}
	return out
}

func contradiction(now, then mem.Memory) mem.Finding {
	return mem.Finding{
		Rule: DriftContradiction, IDs: []string{now.ID, then.ID}, Fix: "remanence forget " + then.ID,
		Text: fmt.Sprintf("%q against the earlier %q", now.Title, then.Title),
	}
}

// denies reports whether a text says that something is not, or is not to be.
func denies(s string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		switch strings.ReplaceAll(w, "’", "'") {
		case "not", "never", "no", "don't", "doesn't", "isn't", "aren't", "won't", "can't", "cannot", "avoid", "without", "stop", "forbidden":
			return true
		}
	}
	return false
}

// skipped is what the session began and did not finish.
func skipped(own []mem.Memory, s mem.State) []mem.Finding {
	var out []mem.Finding
	for _, m := range own {
		switch {
		case m.Resolved:
		case m.Kind == mem.Todo:
			out = append(out, mem.Finding{Rule: DriftSkipped, IDs: []string{m.ID}, Text: "still open: " + m.Title})
		case m.Kind == mem.Command:
			out = append(out, mem.Finding{Rule: DriftSkipped, IDs: []string{m.ID}, Text: "still fails: " + mem.Clip(m.Title, 200)})
		}
	}
	for _, w := range s.Waiting {
		out = append(out, mem.Finding{Rule: DriftSkipped, Text: "in the way: " + w})
	}
	return out
}
