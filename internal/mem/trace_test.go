package mem_test

import (
	"slices"
	"strings"
	"testing"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

func TestTracesMatchTextInOtherFormatting(t *testing.T) {
	m := mem.Memory{
		Title: "We decided to keep the queue_depth at 64…", Body: "> see C:\\temp\\secret file.txt\nshort",
		Summary: &mem.SummaryText{Learned: "the lamp of the lighthouse is red"},
	}
	traces := m.Traces()
	for text, want := range map[string]bool{
		"So. **We decided** to keep\n   the `queue_depth` at *64* from now on": true,
		"# We decided to keep the queue\\_depth at 64":                         true,
		`see C:\\temp\\secret file.txt there`:                                  true,
		"known: the lamp of the lighthouse is __red__":                         true,
		"We decided to keep the queue depth":                                   false,
		"short":                                                                false,
		"":                                                                     false,
	} {
		held := slices.ContainsFunc(traces, func(line string) bool { return strings.Contains(chars.Fold(text), line) })
		if held != want {
			t.Errorf("%q holds one of %q: %v, want %v", text, traces, held, want)
		}
	}
}

func TestMadeOfComparesTurnAndSpeaker(t *testing.T) {
	of := func(k mem.Kind, o mem.Origin, prompt string) mem.Memory {
		return mem.Memory{Kind: k, Origin: o, Source: mem.Source{PromptID: prompt}}
	}
	for _, tt := range []struct {
		name        string
		m           mem.Memory
		prompt, who string
		want        bool
	}{
		{"the agent's of its turn", of(mem.Decision, mem.FromAssistant, "p1"), "p1", "assistant", true},
		{"the person's of it", of(mem.Decision, mem.FromAssistant, "p1"), "p1", "user", false},
		{"of another turn", of(mem.Decision, mem.FromAssistant, "p1"), "p2", "assistant", false},
		{"learned from the prompt", of(mem.Preference, mem.FromUserPrompt, "p1"), "p1", "user", true},
		{"the answer to that", of(mem.Preference, mem.FromUserPrompt, "p1"), "p1", "assistant", false},
		{"said by a named person", of(mem.Preference, mem.FromUserPrompt, "p1"), "p1", "caroline", true},
		{"of what a tool did", of(mem.Change, mem.FromTool, "p1"), "p1", "assistant", true},
		{"of no turn", of(mem.Decision, mem.FromAssistant, ""), "", "assistant", false},
		{"said beside it", of(mem.Utterance, mem.FromAssistant, "p1"), "p1", "assistant", false},
	} {
		if got := tt.m.DerivedFrom(tt.prompt, tt.who); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
