package engine

import (
	"testing"

	"remanence/internal/extract"
)

func TestAChoiceIsMadeInTwoTurns(t *testing.T) {
	const (
		table = "I see two options:\n- **A** add `refundedCents` on `Order`\n- **B** a `Refund` table, one row per " +
			"refund\n\nI'd go with B since a customer can be refunded more than once."
		wide = "There are three ways past 4 GiB:\n\n1. **u64 offsets everywhere.** Simple, doubles the index.\n2. " +
			"**Block-relative offsets.** One more indirection.\n3. **Varint deltas.** No random access.\n\nI'd recommend " +
			"option 2: the index keeps its size.\n\nWhich one do you want?"
		cents = "**Integer cents**, everywhere. Reasons:\n\n- The payment API uses the smallest unit.\n- Floats give " +
			"errors in totals.\n\nI suggest a branded type in `cart.ts`."
		json  = "It needs a writer.\n\nOptions:\n1. add `serde_json`\n2. hand-written escaping in `json.rs`\n\nWhich one?"
		stay  = "I'd stay with vitest for now:\n\n- bun has no jsdom that works here."
		next  = "The importer works.\n\nNext steps:\n1. the exporter of the invoices\n2. the docs of both commands"
		plan  = "## Plan\n\n1. one table for each currency\n2. a nightly check\n\nI'd start with step 1. OK?"
		level = "I've set the default to level 3: it is faster than the disk."
	)
	for _, tt := range []struct{ asked, answer, prompt, want string }{
		{"store the refunds", table, "B", "Chosen: a `Refund` table, one row per refund"},
		{"store the refunds", table, "B please", "Chosen: a `Refund` table, one row per refund"},
		{"store the refunds", table, "A", "Chosen: add `refundedCents` on `Order`"},
		{
			"store the refunds", table, "yes",
			"Chosen: a `Refund` table, one row per refund. I'd go with B since a customer can be refunded more than once.",
		},
		{"store the refunds", table, "a test is red", ""},
		{"store the refunds", table, "C", ""},
		{"store the refunds", table, "no, neither", ""},
		{"store the refunds", table, "B?", ""},
		{
			"what are our options", wide, "2 but blocks of 4gb not 1",
			"“2 but blocks of 4gb not 1”, said to: Block-relative offsets. One more indirection.",
		},
		{"what are our options", wide, "the first one", "Chosen: u64 offsets everywhere. Simple, doubles the index."},
		{"what are our options", wide, "2 tests fail now", ""},
		{"what are our options", wide, "thanks, that helps", ""},
		{"floats or integer cents?", cents, "ok cents it is. do it", "Chosen: Integer cents, everywhere."},
		{"floats or integer cents?", cents, "thanks!", ""},
		{"floats or integer cents?", cents, "ok. now fix the footer of the mail", ""},
		{"add json output", json, "hand written", "Chosen: hand-written escaping in `json.rs`"},
		{"should we use bun test?", stay, "ok stay", "Chosen: I'd stay with vitest for now"},
		{"should we use bun test?", stay, "ok forget it", ""},
		{"write the importer", next, "2", ""},
		{"write the importer", next, "yes", ""},
		{"plan the importer", plan, "ok go", ""},
		{
			"which level should be the default", level, "no, level 1. cpu is what hurts",
			"“no, level 1. cpu is what hurts”, said to: I've set the default to level 3: it is faster than the disk.",
		},
		{"fix the crash", "I suggest a nil check in `open`.", "yes", ""},
		{
			"welche Metrik nehmen wir", "Ich würde PR-AUC nehmen, weil nur wenige kündigen.",
			"ja, aber ROC-AUC weiter mitloggen",
			"“ja, aber ROC-AUC weiter mitloggen”, said to: Ich würde PR-AUC nehmen, weil nur wenige kündigen.",
		},
		{
			"slog or zerolog", "I'd take **slog**: it is in the standard library. zerolog is faster.", "slog",
			"“slog”, said to: I'd take slog: it is in the standard library.",
		},
		{
			"slog or zerolog", "I'd take **slog**: it is in the standard library. zerolog is faster.", "zerolog",
			"“zerolog”, said to: I'd take slog: it is in the standard library.",
		},
		{"slog or zerolog", "I'd take **slog**: it is in the standard library. zerolog is faster.", "run the tests", ""},
		{
			"la carte est lente", "Trois pistes :\n1. décoder ailleurs\n2. mettre en cache les lignes\n\nJe prendrais la 2, " +
				"le gain est immédiat. Laquelle préfères-tu ?", "la 2 mais garde les originaux",
			"“la 2 mais garde les originaux”, said to: mettre en cache les lignes",
		},
		{
			"should the queue retry forever?", "No, I would cap it:\n\n- 8 attempts with backoff\n- then a dead-letter table",
			"yes but 5 attempts", "“yes but 5 attempts”, said to: No, I would cap it",
		},
		{
			"add rate limiting", "There are a few ways to do this.\n\nI'd recommend the token bucket, Redis would be a new " +
				"dependency.\n\nShall I go ahead?", "go ahead",
			"Chosen: I'd recommend the token bucket, Redis would be a new dependency.",
		},
		{"fix the header or the footer", "Fixed the footer: the margin was off.", "ok. also the header please", ""},
		{"fix the crash", "I'd need the log to say more. There are a few ways to get it.", "ok", ""},
	} {
		got := ""
		if p, ok := extract.Choice(tt.asked, tt.answer, tt.prompt, true); ok {
			got = p.Said()
		}
		if got != tt.want {
			t.Errorf("%q: got %q\nwant %q", tt.prompt, got, tt.want)
		}
	}
}
