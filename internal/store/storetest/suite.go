// Package storetest tests the contract of [mem.Store]. A back end passes [Run]. It
// knows no back end. Each file suite_*.go tests one part of the contract.
package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"remanence/internal/mem"
)

// Clock is the time of the stores under test. It does not advance.
func Clock() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// Run tests that a store keeps the contract of mem.Store. open returns an
// empty store whose clock is Clock and closes it when the test ends. only
// names the parts to test; none means all.
func Run(t *testing.T, open func(t *testing.T) mem.Store, only ...string) {
	for _, part := range []struct {
		name  string
		tests []contractTest
	}{
		{"Apply", applyTests},
		{"Duplicate", duplicateTests},
		{"Session", sessionTests},
		{"Turn", turnTests},
		{"Memory", memoryTests},
		{"Repeat", repeatTests},
		{"Source", sourceTests},
		{"Edit", editTests},
		{"Proposal", proposalTests},
		{"Match", matchTests},
		{"Utterance", utteranceTests},
		{"List", listTests},
		{"Event", eventTests},
		{"Job", jobTests},
		{"Project", projectTests},
		{"Stats", statsTests},
		{"Purge", purgeTests},
		{"Retain", retainTests},
		{"Vector", vectorTests},
		{"Spending", spendingTests},
		{"JobKinds", jobKindTests},
		{"Transcript", transcriptTests},
		{"Page", pageTests},
		{"Run", runTests},
		{"Links", linkTests},
	} {
		if len(only) > 0 && !slices.Contains(only, part.name) {
			continue
		}
		t.Run(part.name, func(t *testing.T) {
			for _, p := range part.tests {
				t.Run(p.name, func(t *testing.T) { p.test(kit{t, open(t)}) })
			}
		})
	}
}

// contractTest is a sentence of the contract and its proof.
type contractTest struct {
	name string
	test func(k kit)
}

// kit is a test with its empty store.
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

// put writes memories and returns their ids.
func (k kit) put(memories ...mem.Memory) []string {
	k.Helper()
	return k.apply(mem.Batch{Memories: memories})[0].IDs
}

// session returns a session that must exist.
func (k kit) session(id string) mem.Session {
	k.Helper()
	s, err := k.store.Session(k.Context(), id)
	if err != nil {
		k.Fatalf("Session(%q): %v", id, err)
	}
	return s
}

// one returns a memory that must exist, hidden or not.
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

// match returns the titles of the matches, best first.
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

// same compares values. An empty list equals a missing one.
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

// newEvent returns an event with an id.
func newEvent(id, session string) *mem.Event {
	return &mem.Event{ID: id, Agent: "claude-code", Kind: mem.PostToolUse, At: Clock(), Session: session}
}

// anonymous returns an event to which its client gave no id.
func anonymous(kind mem.EventKind, source, nonce string, after time.Duration) *mem.Event {
	e := mem.Event{Agent: "claude-code", Kind: kind, Source: source, At: Clock().Add(after), Session: "one"}
	e.Identify(nonce)
	return &e
}

// prompt returns a batch with a prompt of the person.
func prompt(session, id, text string) mem.Batch {
	e := mem.Event{
		Agent: "claude-code", Kind: mem.UserPromptSubmit, At: Clock(), Session: session, PromptID: id,
		Text: text,
	}
	e.Identify("nonce of " + id)
	return mem.Batch{Event: &e, Session: &mem.SessionChange{}, Turn: &mem.TurnChange{Person: true, Text: text}}
}

// fact returns a memory of a project.
func fact(title string) mem.Memory {
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
