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

// ErrNoRule reports an unknown rule name.
var ErrNoRule = errors.New("no such rule")

// The rules of drift detection.
const (
	driftUndeclared    = "undeclared"   // a changed file that no decision and no state mentions
	driftUnattributed  = "unattributed" // a decision without a reason or a file
	driftContradiction = mem.RuleOppose // two statements that contradict each other
	driftSkipped       = "skipped"      // open work of the session
)

// Undeclared finds files changed by the session that no memory and no state mentions otherwise.
func Undeclared(own, all []mem.Memory, s mem.State) []Finding {
	var mentioned strings.Builder
	named := map[string]bool{}
	for _, m := range all {
		for _, f := range m.Files {
			named[f] = true
		}
		mentioned.WriteString(m.Title + "\n" + m.Body + "\n")
	}
	for _, t := range [][]string{s.Next, s.Open, s.Doing, s.Waiting, {s.Phase}} {
		mentioned.WriteString(strings.Join(t, "\n") + "\n")
	}
	var files []string
	for _, m := range own {
		if m.Kind != mem.Change {
			continue
		}
		for _, f := range m.Modified {
			if !named[f] && !strings.Contains(mentioned.String(), path.Base(f)) {
				files = extract.AppendNew(files, f, MaxOfOneRule)
			}
		}
	}
	var out []Finding
	for _, f := range files {
		out = append(out, Finding{
			Rule:  driftUndeclared,
			Files: []string{f},
			Text:  f + " was changed; no decision, note or open item says why",
		})
	}
	return out
}

// Unattributed finds decisions of the session that give neither a reason nor a file.
func Unattributed(own []mem.Memory) []Finding {
	var out []Finding
	for _, m := range own {
		if m.Kind != mem.Decision && m.Kind != mem.TradeOff || m.Origin == mem.FromUserPrompt || len(m.Files) > 0 ||
			len(m.Facts) > 0 ||
			givesReason(m.Title+" "+m.Body) {
			continue
		}
		out = append(out, Finding{
			Rule: driftUnattributed,
			IDs:  []string{m.ID},
			Text: "decided without a reason: " + m.Title,
			Fix:  "remanence edit " + m.ID,
		})
	}
	return out
}

func givesReason(s string) bool {
	return lang.ContainsAny(
		" "+strings.ToLower(chars.Line(s))+" ",
		" because ",
		" since ",
		" so that ",
		" in order to ",
		" due to ",
		" otherwise ",
		" the reason ",
		" as it ",
		" to avoid ",
		" to keep ",
		" rather than ",
	)
}

// Contradictions finds statements of the session that contradict another statement of the project.
func Contradictions(own, all []mem.Memory) []Finding {
	rulings := slices.DeleteFunc(slices.Clone(all), func(m mem.Memory) bool { return !extract.CanConflict(m.Kind) })
	ofSession := make(map[string]bool, len(own))
	for _, m := range own {
		ofSession[m.ID] = true
	}
	pairs := slices.DeleteFunc(
		rank.Pairs(rulings, extract.Contradictory),
		func(p rank.Pair) bool { return !ofSession[rulings[p.A].ID] },
	)
	return contradictionsIn(rulings, pairs)
}

// contradictionsIn returns the pairs that contradict each other.
func contradictionsIn(ms []mem.Memory, pairs []rank.Pair) []Finding {
	var out []Finding
	for _, pair := range pairs {
		now, then := ms[pair.A], ms[pair.B] // newest first
		if now.Supersedes == then.ID ||
			!extract.MayConflict(now, then) && (pair.Alike < duplicateSimilarity || !extract.RolesSwapped(now, then)) {
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

// Skipped finds work that the session left open, failing or blocked.
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
		out = append(out, Finding{Rule: driftSkipped, Text: "blocked by: " + w})
	}
	return out
}
