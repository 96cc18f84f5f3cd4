package extract

import (
	"slices"
	"strings"

	"remanence/internal/lang"
)

// Explains reports whether an assistant's message has a sentence that says why, when, or what to heed, and does not
// only announce what it does next, guess, or report a commit.
func Explains(text string) bool {
	return slices.ContainsFunc(Statements(WithoutNarration(text)), func(s Statement) bool {
		return s.explains() && !s.cues.Has(cueHedge) && !ReportsCommit(s.Text)
	})
}

// Pasted reports whether a part of a prompt is of a document, with a heading, or mostly the output of programs.
func Pasted(text string) bool {
	lines, output := 0, 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines++
		}
		if isLog(line) {
			output++
		}
	}
	return len(headingsOf(text)) > 0 || lines > 1 && 2*output >= lines
}

// WithoutNarration returns the part of an assistant's message that says something: without the sentences that only
// announce what it does next or offer something. A sentence that also names a cause, a choice or a finding stays.
func WithoutNarration(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		var kept []string
		for _, s := range lang.SplitSentences(strings.TrimSpace(line)) {
			plain := lang.WithoutEmphasis(s)
			cues := cuesIn(lang.CueText(plain))
			if cues.Has(cueNarrate, cueOffer, cueApology) && !cues.Has(cueCause, cueReason, cueDecide, cueFind) || Asks(plain) {
				continue
			}
			kept = append(kept, s)
		}
		if len(kept) > 0 {
			lines = append(lines, strings.Join(kept, " "))
		}
	}
	return strings.Join(lines, "\n")
}
