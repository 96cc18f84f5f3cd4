package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// What a shop's till is made of, what can be said of its parts, and how the
// sentence ends. Every combination is a memory.
var (
	parts = []string{
		"receipt printer", "barcode scanner", "coupon engine", "loyalty ledger", "card terminal", "cash drawer",
		"invoice exporter", "stock forecast", "price catalogue", "tax table", "refund desk", "gift voucher",
		"shift roster", "supplier feed", "delivery planner", "customer import", "search index", "image resizer",
		"mail queue", "audit trail", "session cache", "login throttle", "currency converter", "holiday calendar", "backup job",
	}
	facts = []string{
		"retries a lost connection three times, with jitter",
		"rounds half to even, never half up",
		"keeps its settings in TOML beside the binary",
		"must not hold the lock while it talks to the network",
		"is tested against a recorded transcript, not the live service",
		"reads dates as local time and stores them as UTC",
		"drops messages that are older than a day",
		"writes a temporary file first and renames it",
	}
	reasons = []string{
		"because the vendor's gateway times out at peak hours",
		"after the accountant's complaint in spring",
		"so that two shops can share one database",
		"which the nightly build relies on",
		"as agreed with operations",
	}
	kinds = []mem.Kind{mem.Fact, mem.Decision, mem.Fact, mem.Todo}
)

// statement is the i-th memory's text; no two are alike.
func statement(i int) string {
	part, rest := parts[i%len(parts)], i/len(parts)
	fact, rest := facts[rest%len(facts)], rest/len(facts)
	reason, rest := reasons[rest%len(reasons)], rest/len(reasons)
	text := fmt.Sprintf("The %s %s %s.", part, fact, reason)
	if rest > 0 {
		text += fmt.Sprintf(" Branch office %d does the same.", rest)
	}
	return text
}

// question asks for some of the memories.
func question() string {
	return fmt.Sprintf("please find out why the %s %s, and fix its tests", parts[rand.IntN(len(parts))], facts[rand.IntN(len(facts))])
}

// remember fills the store with n memories of the project.
func (w *world) remember(ctx context.Context, c api.Caller, n int) error {
	for i := range n {
		ask := mem.AddAsk{Place: mem.Place{Dir: w.project}, Text: statement(i), Kind: kinds[i%len(kinds)]}
		if _, err := api.Add.Call(ctx, c, ask); err != nil {
			return fmt.Errorf("remember: %w", err)
		}
	}
	return nil
}
