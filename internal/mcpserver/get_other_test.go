package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"remanence/internal/continuity"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

func (n *notebook) why(_ context.Context, ask views.WhyRequest) (views.WhyResponse, error) {
	if ask.ID != "r_1" {
		return views.WhyResponse{}, fmt.Errorf("%s: %w", ask.ID, mem.ErrNotFound)
	}
	return views.WhyResponse{Short: "s_1", Receipt: mem.Receipt{
		ID: "r_1", Trigger: "prompt", Outcome: mem.Injected, Text: "the injected text", Project: "p_1", At: noon,
	}}, nil
}

func (n *notebook) checkpoints(
	_ context.Context, ask continuity.CheckpointsRequest,
) (continuity.Checkpoints, error) {
	if ask.ID != "c_1" {
		return continuity.Checkpoints{}, nil
	}
	return continuity.Checkpoints{Shorts: map[string]string{"one": "s_1"}, Checkpoints: []mem.Checkpoint{{
		ID: "c_1", Session: "one", Project: "p_1", Trigger: mem.TriggerHandoff, At: noon, Handoff: "write the last test",
		State: mem.State{Next: []string{"run it"}},
	}}}, nil
}

func (n *notebook) session(_ context.Context, ask views.MemoryRequest) (mem.Session, error) {
	if ask.ID != "s_1" {
		return mem.Session{}, fmt.Errorf("%s: %w", ask.ID, mem.ErrNotFound)
	}
	return mem.Session{Short: "s_1", Agent: "claude-code", Project: "p_1", FirstPrompt: "fix it", Created: noon}, nil
}

func (n *notebook) projects(context.Context) (views.ProjectsResponse, error) {
	return views.ProjectsResponse{Projects: []mem.Project{n.project()}}, nil
}

func TestGetTakesTheIDsOfSessionsCheckpointsAndReceipts(t *testing.T) {
	w := dial(t, shop(stocked()))
	w.greet()
	got := w.say(call("get", `{"ids":["s_1","m_1","c_1","r_1","r_9","c_9","s_9"]}`), true)
	w.leave()
	for _, want := range []string{
		`\"kind\":\"session\",\"title\":\"fix it\"`, `m_1 gotcha the gateway answers 429`,
		`Next: run it\\nHandoff: write the last test`, `\"text\":\"the injected text\"`,
		`\"missing\":[\"r_9\",\"c_9\",\"s_9\"]`, `\"project\":\"shop\"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if !strings.Contains(got, `\"untrusted\":true`) { // the author of the handoff has no trust
		t.Errorf("the handoff is not marked as untrusted: %s", got)
	}
}

func TestAnAgentRestoresOnlyWhatItHid(t *testing.T) {
	n := stocked()
	n.list[3].Status = mem.Forgotten // by the person
	w := dial(t, shop(n))
	w.greet()
	w.say(call("forget", `{"id":"m_1"}`), true)
	back := w.say(call("restore", `{"id":"m_1"}`), true)
	other := w.say(call("restore", `{"id":"m_4"}`), true)
	w.leave()
	if !strings.Contains(back, `restored`) || n.list[0].Status != mem.Active {
		t.Errorf("status %s: %s", n.list[0].Status, back)
	}
	if !strings.Contains(other, "remanence restore m_4") || n.list[3].Status != mem.Forgotten {
		t.Errorf("status %s: %s", n.list[3].Status, other)
	}
}

func TestADayAsBeforeIncludesThatDay(t *testing.T) {
	n := stocked()
	w := dial(t, shop(n))
	w.greet()
	w.say(call("search", `{"query":"x","after":"2026-02-27","before":"2026-02-28"}`), true)
	w.leave()
	q := n.asked[len(n.asked)-1].(recall.SearchRequest).Query
	from, to := time.Date(2026, 2, 27, 0, 0, 0, 0, time.Local), time.Date(2026, 3, 1, 0, 0, 0, 0, time.Local)
	if !q.After.Equal(from) || !q.Before.Equal(to) {
		t.Errorf("got %s to %s, want %s to %s", q.After, q.Before, from, to)
	}
}

func TestASearchWithoutResultsNamesTheNextStep(t *testing.T) {
	w := dial(t, shop(stocked()))
	w.greet()
	got := w.say(call("search", `{"query":"zebra"}`), true)
	w.leave()
	if !strings.Contains(got, "fewer or other words") || !strings.Contains(got, "project all") {
		t.Errorf("got %s", got)
	}
}
