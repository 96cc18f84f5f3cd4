package extract_test

import (
	"testing"

	"remanence/internal/extract"
)

func TestWhatWasDoneAboutAProblemIsFound(t *testing.T) {
	const label = "**Bug 1 — Target label**: The ternary in the dialog only handled two agents, so the others were " +
		"called by a wrong name. "
	for answer, want := range map[string]string{
		label + "Fixed by adding the third agent and making the last one the fallback.": "" +
			"Fixed by adding the third agent and making the last one the fallback.",
		"**Root cause**: When an evaluation is deleted, its id in the list leads nowhere.\n\n**Fix:**\n\n" +
			"1. `store.go`: Added `Unlink()`, which clears the ids of what is gone.\n": "`store.go`: Added `Unlink()`, which " +
			"clears the ids of what is gone.",
		label: "",
	} {
		if !extract.DescribesProblem(extract.Opening(answer)) {
			t.Errorf("%q begins with no problem", answer)
		}
		if got := extract.Remedy(answer); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", answer, got, want)
		}
	}
	for _, answer := range []string{"The retry limit is 3 now.", "The fix: the parser no longer reads past the end.", ""} {
		if extract.DescribesProblem(answer) {
			t.Errorf("%q is a problem", answer)
		}
	}
}

func TestWhatWasSoBeforeIsNoOutcome(t *testing.T) {
	for answer, want := range map[string]string{
		"The warning was already hidden in the cloud. The selector of the agent is hidden there now, too.": "" +
			"The selector of the agent is hidden there now, too.",
		"Die Warnung war bereits ausgeblendet. Die Auswahl des Agenten ist jetzt auch ausgeblendet.": "" +
			"Die Auswahl des Agenten ist jetzt auch ausgeblendet.",
	} {
		if got := extract.Opening(answer); got != want {
			t.Errorf("%s: got %q", answer, got)
		}
	}
}
