package views

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// EffectLeast is the number of sessions that each side of a comparison needs.
const EffectLeast = 20

// Constants of the bootstrap.
const (
	effectResamples = 2000
	effectBeyond    = 0.025 // share of the resamples beyond each bound
)

// EffectMeasure compares one measure of the sessions in which memory was used with that of the others.
type EffectMeasure struct {
	Name   string      `json:"name"` // one of the Effect… names
	What   string      `json:"what"` // in words
	Share  bool        `json:"share"`
	Used   EffectGroup `json:"used"`
	Others EffectGroup `json:"others"`
	// Verdict is one of the Effect… verdicts. Low and High bound the difference of the values, used less others, with a
	// confidence of 95 %; they are 0 if there are too few sessions.
	Verdict string  `json:"verdict"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// The verdicts. None of them names a cause.
const (
	EffectTooFew = "too_few" // fewer than EffectLeast sessions on a side
	EffectChance = "chance"  // the difference may be chance
	EffectLess   = "less"    // less where memory was used, more than chance explains
	EffectMore   = "more"    // more where memory was used, more than chance explains
)

// EffectGroup is one side of a comparison.
type EffectGroup struct {
	Sessions int     `json:"sessions"` // in which the measure occurs
	Part     int     `json:"part"`
	Of       int     `json:"of"`
	Value    float64 `json:"value"` // Part/Of; 0 without any
}

// EffectCount is a part of a number, of one session.
type EffectCount struct{ Part, Of int }

// measure compares two groups of sessions.
func measure(name string, used, others []EffectCount) EffectMeasure {
	for _, list := range [][]EffectCount{used, others} { // sessions come from a map
		slices.SortFunc(list, func(a, b EffectCount) int {
			return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Part, b.Part))
		})
	}
	m := EffectMeasure{Name: name, Used: group(used), Others: group(others), Verdict: EffectTooFew}
	switch name {
	case EffectFailures:
		m.What, m.Share = "failed commands that had failed in the same way before", true
	case EffectQuestions:
		m.What, m.Share = "questions of yours that had been asked before", true
	case EffectReads:
		m.What, m.Share = "reads of a file that had been read before", true
	case EffectContext:
		m.What = "tokens in the context at the end of a session"
	case EffectInjected:
		m.What = "tokens injected in a session"
	case EffectPrompts:
		m.What = "prompts in a session"
	}
	if len(used) < EffectLeast || len(others) < EffectLeast {
		return m
	}
	r := rand.New(rand.NewPCG(1, 2))
	diffs := make([]float64, effectResamples)
	for i := range diffs {
		diffs[i] = resample(r, used) - resample(r, others)
	}
	slices.Sort(diffs)
	beyond := int(effectBeyond * effectResamples)
	m.Low, m.High, m.Verdict = diffs[beyond], diffs[effectResamples-1-beyond], EffectChance
	switch {
	case m.High < 0:
		m.Verdict = EffectLess
	case m.Low > 0:
		m.Verdict = EffectMore
	}
	return m
}

func group(list []EffectCount) EffectGroup {
	g := EffectGroup{Sessions: len(list)}
	for _, c := range list {
		g.Part, g.Of = g.Part+c.Part, g.Of+c.Of
	}
	if g.Of > 0 {
		g.Value = float64(g.Part) / float64(g.Of)
	}
	return g
}

// resample returns the value of as many sessions drawn with replacement (Efron and Tibshirani 1993).
func resample(r *rand.Rand, list []EffectCount) float64 {
	part, of := 0, 0
	for range list {
		c := list[r.IntN(len(list))]
		part, of = part+c.Part, of+c.Of
	}
	return float64(part) / float64(of)
}

func effectMethod() []string {
	return []string{
		"Sessions that began in these days and have a prompt are put into two groups: those in which the agent cited, " +
			"fetched or acted on something that another session learned, or rated it, and all others.",
		"\"Before\" means within the 30 days before, in the same or an earlier session. A failure is the same if the " +
			"command is the same and more than half of the words of its error are; a question if four of five words are; a " +
			"read if the file and its first line are.",
		fmt.Sprintf("A difference is named only if each group has %d sessions or more with the measure, and if the 95 %% "+
			"interval of a bootstrap over sessions excludes zero.", EffectLeast),
		"Sessions from before Remanence, which were read in or imported, are left out.",
	}
}

func effectLimits() []string {
	return []string{
		"This is a comparison, not an experiment: it does not show that memory caused a difference, nor that it had no " +
			"effect.",
		"Sessions in which memory is used are different ones: they are often longer, later, or return to earlier work, and " +
			"each of these changes the figures by itself. Work that returns to earlier work also reads more files again.",
		"A use is seen only if the agent cites, fetches or acts on a memory, or it is rated; of each memory the newest " +
			"eight uses are known. What an agent read in its context and followed without such a sign counts as not used.",
		"The same question in other words, and the same failure of another command, are not recognised. To read a file " +
			"again can be right: it may have changed.",
		"The context counts only sessions that were never compacted and whose client reports it.",
		"Of six measures, one is expected to differ by chance alone in about one of four evaluations.",
	}
}
