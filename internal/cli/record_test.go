package cli

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/cli/ui"
	"remanence/internal/mem"
)

func TestAllThatAMemorySaysIsShown(t *testing.T) {
	for _, tt := range []struct {
		m    mem.Memory
		want string
	}{
		{mem.Memory{Title: "short"}, "short"},
		{
			mem.Memory{Title: "jitter it", Body: "jitter  it\nsince all came back at once"},
			"jitter  it\nsince all came back at once",
		},
		{mem.Memory{Title: "a long line that …", Body: "a long line that goes on"}, "a long line that goes on"},
		{mem.Memory{Title: "jitter it", Body: "All clients came back at once."}, "jitter it\nAll clients came back at once."},
	} {
		shown := ui.MemoryList{Memories: []mem.Memory{tt.m}, Did: "shown", Raw: true}
		p, out := testPrinter(100)
		shown.Print(p)
		if got := strings.TrimSuffix(out.String(), "\n"); got != tt.want {
			t.Errorf("%q and %q: got %q, want %q", tt.m.Title, tt.m.Body, got, tt.want)
		}
	}
	p, out := testPrinter(100)
	ui.MemoryList{Did: "shown", Now: time.Now(), Memories: []mem.Memory{{
		Kind: mem.Summary, Title: "add retries", Body: "retries are there",
		Summary: &mem.SummaryText{
			Request: "add retries", Completed: "retries are there", Learned: "the gateway\nsays 429",
			NextSteps: "jitter",
		},
	}}}.Print(p)
	for _, want := range []string{
		"add retries\nretries are there\n", "learned       the gateway says 429\n",
		"next          jitter\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %s, want %q in it", out, want)
		}
	}
	if strings.Contains(out.String(), "request") || strings.Contains(out.String(), "notes") {
		t.Errorf("what is said already, or nothing, is shown: %s", out)
	}
}
