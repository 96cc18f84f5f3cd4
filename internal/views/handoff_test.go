package views

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/redact"
	"remanence/internal/store/sqlitetest"
	"remanence/internal/workstate"
)

func TestAHandoffNamesTheDecisionsBehindReports(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	store := sqlitetest.Open(t, now)
	shop := mem.Project{Key: "p_shop", Name: "shop", Root: "/home/dev/shop"}
	events := event.New(event.Config{
		Store: store, Now: now, Project: func(string) (mem.Project, error) { return shop, nil },
	})
	s := New(Config{
		Event: events, Store: store, Now: now,
		Continuity: continuity.New(continuity.Config{Event: events, Store: store, Now: now}),
		Filesync: filesync.New(filesync.Config{
			Event: events, Store: store, Now: now, Redactor: &redact.Redactor{Key: []byte("k")},
			DeriveState: func(context.Context, mem.Project, *workstate.State) error { return nil },
		}),
	})
	add := func(n int, title string) {
		t.Helper()
		m := mem.Memory{
			Kind: mem.Decision, Scope: mem.ScopeProject, Project: shop.Key, Title: title, Body: title,
			Trust: mem.TrustAssistant, Status: mem.Active, Created: at.Add(time.Duration(n) * time.Minute),
		}
		if _, err := store.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{m}}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 12 {
		add(n, fmt.Sprint("We keep table ", n, " in one file, because it is small"))
	}
	for n := range 30 {
		add(12+n, fmt.Sprint("The fix: column ", n, " was too narrow"))
	}
	got, err := s.Handoff(t.Context(), mem.ProjectRef{Dir: shop.Root})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Decisions); n != handoffDecisions {
		t.Fatalf("%d decisions, want %d: %+v", n, handoffDecisions, got.Decisions)
	}
	if first := got.Decisions[0].Title; !strings.HasPrefix(first, "We keep table 11 ") {
		t.Errorf("the first is %q, want the newest, table 11", first)
	}
}
