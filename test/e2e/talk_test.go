//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// What was only talked about is no decision, no fix and no finding: nothing but
// the words themselves has it.
func TestConversationIsQuotedOnceAndPrivateTextNever(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.run(session{
		script: script(
			says("The zstd bindings look all right. Unpacking is three times as fast on the small boxes, at the price of "+
				"another megabyte in the image."),
			says("I shall keep it to myself that Mitzi-81 unpacks her toys fast."),
			says("Nothing else comes to mind."),
		),
		prompts: []string{
			"have a look at the zstd library, the gzip snapshots are slow",
			"<private>my cat Mitzi-80 unpacks her toys, how fast is that?</private>",
			"anything else to say about the morning?",
		},
	})
	var said []memory
	if !eventually(func() bool { said = u.finds("-k", "utterance"); return len(said) >= 4 }) {
		t.Fatalf("%d things said are kept: %+v", len(said), said)
	}
	const ask = "on a small box, was unpacking with zstd any faster?"
	r := u.run(session{
		script: script(
			says("one").given("the agent said: The zstd bindings look all right. Unpacking is three times as fast").
				without("Mitzi"),
			says("two"),
		),
		prompts: []string{ask, "once more: " + ask},
	})
	if n := strings.Count(r.injected(), "the agent said: The zstd bindings"); n != 1 {
		t.Errorf("quoted %d times, want once, in\n%s", n, r.injected())
	}
	if left := u.leaks("Mitzi-80", "Mitzi-81"); len(left) > 0 {
		t.Errorf("on the disk: %v", left)
	}
	var archive []string
	if !eventually(func() bool {
		archive, _ = filepath.Glob(filepath.Join(u.home, ".local/share/remanence/transcripts/*/*.jsonl"))
		return len(archive) == 2
	}) {
		t.Errorf("archived: %v, want the two sessions", archive)
	}
}
