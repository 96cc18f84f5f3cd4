package daemon

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"remanence/internal/mem"
)

// BenchmarkDrain is a backlog that the daemon takes in after it was not there: 50 turns in 10 sessions, as hooks report
// them. It reports how many events a second are stored, durably.
func BenchmarkDrain(b *testing.B) {
	var stored int
	var took time.Duration
	for range b.N {
		h, _ := openDaemon(b)
		events := backlog(b, h, b.TempDir())
		begun := time.Now()
		if left, err := h.DrainSpool(b.Context()); err != nil || left > 0 {
			b.Fatalf("%d events left, %v", left, err)
		}
		took += time.Since(begun)
		kept, err := h.Store.Events(b.Context(), mem.EventQuery{Limit: 10_000})
		if err != nil || len(kept) != events {
			b.Fatalf("%d of %d events are kept, %v", len(kept), events, err)
		}
		stored += events
		if err := h.Store.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(stored)/took.Seconds(), "events/s")
}

// backlog spools the events of 50 turns and returns how many they are.
func backlog(t testing.TB, h *Daemon, root string) (n int) {
	at := time.Now().Add(-time.Hour)
	put := func(e mem.Event) {
		n++
		at = at.Add(time.Second)
		e.ID, e.Agent, e.At, e.Root, e.Cwd = fmt.Sprint("e_", n), "claude-code", at, root, root
		if _, err := h.spool.Handle(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	for turn := range 50 {
		session, prompt := fmt.Sprint("s", turn%10), fmt.Sprint("p", turn)
		if turn < 10 {
			put(mem.Event{Kind: mem.SessionStart, Session: session, Source: "startup"})
		}
		put(mem.Event{
			Kind: mem.UserPromptSubmit, Session: session, PromptID: prompt,
			Text: fmt.Sprintf("make the importer number %d skip rows without a date, and add a test for it", turn),
		})
		for call := range 12 {
			command := fmt.Sprintf("go test ./internal/importer%d -run TestRow%d", turn, call)
			input, err := json.Marshal(map[string]string{"command": command})
			if err != nil {
				t.Fatal(err)
			}
			put(mem.Event{
				Kind: mem.PostToolUse, Session: session, PromptID: prompt, Tool: "Bash",
				ToolUseID: fmt.Sprint("t", turn, "_", call),
				Input:     input, Response: json.RawMessage(`{"stdout":"ok  example/internal/importer 0.031s\n"}`),
			})
		}
		put(mem.Event{
			Kind: mem.Stop, Session: session, PromptID: prompt,
			Text: fmt.Sprintf("The importer %d skips rows without a date now, because the ledger cannot book them.", turn),
		})
	}
	return n
}
