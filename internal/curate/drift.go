package curate

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// ErrNoRule refuses the name of a rule that there is not.
var ErrNoRule = errors.New("no such rule")

// The rules of Drift.
const (
	driftUndeclared    = "undeclared"    // files were changed that no decision and no state names
	driftUnattributed  = "unattributed"  // a decision that says neither why nor where
	driftContradiction = "contradiction" // what was laid down now denies what was laid down before
	driftSkipped       = "skipped"       // what was begun and not done
)

// undeclared are the changed files that nothing names but that they were changed.
func Undeclared(own, all []mem.Memory, s mem.State) []Finding {
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
				files = extract.AppendNew(files, f, MaxOfOneRule)
			}
		}
	}
	var out []Finding
	for _, f := range files {
		out = append(out, Finding{Rule: driftUndeclared, Files: []string{f}, Text: f + " was changed; no decision, note or open item says why"})
	}
	return out
}

// unattributed are the decisions of the session that say neither why nor where.
func Unattributed(own []mem.Memory) []Finding {
	var out []Finding
	for _, m := range own {
		if m.Kind != mem.Decision && m.Kind != mem.TradeOff || m.Origin == mem.FromUserPrompt || len(m.Files) > 0 || len(m.Facts) > 0 || givesReason(m.Title+" "+m.Body) {
			continue
		}
		out = append(out, Finding{Rule: driftUnattributed, IDs: []string{m.ID}, Text: "decided without a reason: " + m.Title, Fix: "remanence edit " + m.ID})
	}
	return out
}

func givesReason(s string) bool {
	return lang.Holds(" "+strings.ToLower(chars.Line(s))+" ", " because ", " since ", " so that ", " in order to ", " due to ", " otherwise ", " the reason ", " as it ", " to avoid ", " to keep ", " rather than ")
}

// contradictions are what the session laid down and what denies it, or is denied
// by it, from before.
func Contradictions(own, all []mem.Memory) []Finding {
	laid := slices.DeleteFunc(slices.Clone(all), func(m mem.Memory) bool { return !extract.Ruling(m.Kind) })
	ofSession := make(map[string]bool, len(own))
	for _, m := range own {
		ofSession[m.ID] = true
	}
	pairs := slices.DeleteFunc(rank.Pairs(laid, extract.Contradictory), func(p rank.Pair) bool { return !ofSession[laid[p.A].ID] })
	return contradictionsIn(laid, pairs)
}

// atOdds are those of pairs that cannot both hold.
func contradictionsIn(ms []mem.Memory, pairs []rank.Pair) []Finding {
	var out []Finding
	for _, pair := range pairs {
		now, then := ms[pair.A], ms[pair.B] // newest first
		if now.Supersedes == then.ID || !extract.Opposed(now, then) && (pair.Alike < duplicateSimilarity || !extract.RolesSwapped(now, then)) {
			continue
		}
		out = append(out, contradiction(now, then))
	}
	return out
}

func contradiction(now, then mem.Memory) Finding {
	return Finding{
		Rule: driftContradiction, IDs: []string{now.ID, then.ID}, Fix: "remanence forget " + then.ID,
		Text: fmt.Sprintf("%q against the earlier %q", now.Title, then.Title),
	}
}

// skipped is what the session began and did not finish.
func Skipped(own []mem.Memory, s mem.State) []Finding {
	var out []Finding
	for _, m := range own {
		switch {
		case m.Resolved:
		case m.Kind == mem.Todo:
			out = append(out, Finding{Rule: driftSkipped, IDs: []string{m.ID}, Text: "still open: " + m.Title})
		case m.Kind == mem.Command:
			out = append(out, Finding{Rule: driftSkipped, IDs: []string{m.ID}, Text: "still fails: " + chars.Clip(m.Title, 200)})
		}
	}
	for _, w := range s.Waiting {
		out = append(out, Finding{Rule: driftSkipped, Text: "in the way: " + w})
	}
	return out
}
