// Package storetest holds the contract of mem.Store as tests. A back end passes Run.
package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"remanence/internal/mem"
)

// Clock is the time that the stores under test live in. It stands still.
func Clock() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// Run proves that a store keeps the contract of mem.Store. open returns an
// empty store whose clock is Clock and closes it when the test ends.
func Run(t *testing.T, open func(t *testing.T) mem.Store) {
	for _, part := range []struct {
		name  string
		tests []promise
	}{
		{"Apply", applyTests},
		{"Twice", twiceTests},
		{"Session", sessionTests},
		{"Turn", turnTests},
		{"Memory", memoryTests},
		{"Repeat", repeatTests},
		{"Source", sourceTests},
		{"Edit", editTests},
		{"Proposal", proposalTests},
		{"Match", matchTests},
		{"Talk", talkTests},
		{"List", listTests},
		{"Record", recordTests},
		{"Job", jobTests},
		{"Project", projectTests},
		{"Stats", statsTests},
		{"Purge", purgeTests},
		{"Retain", retainTests},
		{"Vector", vectorTests},
		{"Ledger", ledgerTests},
		{"Lane", laneTests},
		{"Witness", witnessTests},
		{"Browse", browseTests},
		{"Evolve", evolveTests},
		{"Web", webTests},
	} {
		t.Run(part.name, func(t *testing.T) {
			for _, p := range part.tests {
				t.Run(p.name, func(t *testing.T) { p.test(kit{t, open(t)}) })
			}
		})
	}
}

// promise is a sentence of the contract and its proof.
type promise struct {
	name string
	test func(k kit)
}

// kit is a test and the empty store that it looks at.
type kit struct {
	*testing.T
	store mem.Store
}

// apply writes batches and returns their results.
func (k kit) apply(batches ...mem.Batch) []mem.Result {
	k.Helper()
	r, err := k.store.Apply(k.Context(), batches...)
	if err != nil {
		k.Fatalf("Apply: %v", err)
	}
	if len(r) != len(batches) {
		k.Fatalf("Apply returned %d results for %d batches", len(r), len(batches))
	}
	return r
}

// keep writes memories and returns their ids.
func (k kit) keep(memories ...mem.Memory) []string {
	k.Helper()
	return k.apply(mem.Batch{Memories: memories})[0].IDs
}

// session returns a session that must be there.
func (k kit) session(id string) mem.Session {
	k.Helper()
	s, err := k.store.Session(k.Context(), id)
	if err != nil {
		k.Fatalf("Session(%q): %v", id, err)
	}
	return s
}

// one returns a memory that must be there, hidden or not.
func (k kit) one(id string) mem.Memory {
	k.Helper()
	got := k.List(mem.Query{IDs: []string{id}, Hidden: true})
	if len(got) != 1 {
		k.Fatalf("List(%s) returned %d memories", id, len(got))
	}
	return got[0]
}

func (k kit) List(q mem.Query) []mem.Memory {
	k.Helper()
	got, err := k.store.List(k.Context(), q)
	if err != nil {
		k.Fatalf("List(%+v): %v", q, err)
	}
	return got
}

// match returns the titles of what matches, best first.
func (k kit) match(q mem.Query) []string {
	k.Helper()
	hits, err := k.store.Match(k.Context(), q)
	if err != nil {
		k.Fatalf("Match(%+v): %v", q, err)
	}
	titles := []string{}
	for _, h := range hits {
		titles = append(titles, h.Memory.Title)
	}
	return titles
}

// same compares what is of meaning: an empty list is as good as none.
func (k kit) same(what string, got, want any) {
	k.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		k.Errorf("%s: -want +got\n%s", what, d)
	}
}

func titles(memories []mem.Memory) []string {
	out := []string{}
	for _, m := range memories {
		out = append(out, m.Title)
	}
	return out
}

// report is an event with an id of its own.
func report(id, session string) *mem.Event {
	return &mem.Event{ID: id, Agent: "claude-code", Kind: mem.PostToolUse, At: Clock(), Session: session}
}

// anonymous is an event without an id of its own, as two processes may report it.
func anonymous(kind mem.EventKind, source, nonce string, after time.Duration) *mem.Event {
	e := mem.Event{Agent: "claude-code", Kind: kind, Source: source, At: Clock().Add(after), Session: "one"}
	e.Identify(nonce)
	return &e
}

// prompt is what a person types.
func prompt(session, id, text string) mem.Batch {
	e := mem.Event{
		Agent: "claude-code", Kind: mem.UserPromptSubmit, At: Clock(), Session: session, PromptID: id,
		Text: text,
	}
	e.Identify("nonce of " + id)
	return mem.Batch{Event: &e, Session: &mem.SessionChange{}, Turn: &mem.TurnChange{Person: true, Text: text}}
}

// note is a memory of a project.
func note(title string) mem.Memory {
	return mem.Memory{
		Scope: mem.ScopeProject, Project: "p_000000000001", Kind: mem.Fact, Title: title,
		Trust: mem.TrustUser, Origin: mem.FromUserPrompt,
	}
}

// with changes a memory and returns it.
func with(m mem.Memory, change func(*mem.Memory)) mem.Memory {
	change(&m)
	return m
}

// long repeats a text.
func long(s string, n int) string { return strings.Repeat(s, n) }
