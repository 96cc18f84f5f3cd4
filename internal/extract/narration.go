package extract

import (
	"strings"

	"remanence/internal/lang"
)

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
