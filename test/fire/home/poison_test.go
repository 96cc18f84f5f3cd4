//go:build fire

package home

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"remanence/test/tier"
	"remanence/test/world"
)

// poison is a line of the corpus: a channel, with a ! if it reads like an order,
// and a text.
type poison struct{ channel, text, mark string }

func poisons(t *testing.T) []poison {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "internal/engine/testdata/poison.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out []poison
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		channel, quoted, _ := strings.Cut(line, "\t")
		text, err := strconv.Unquote(`"` + quoted + `"`)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		switch channel {
		case "web", "mcp", "error", "error!", "summary", "summary!":
			out = append(out, poison{channel, text, fmt.Sprintf("zk%03dq", i+1)})
		}
	}
	return out
}

// comesIn plays a turn in which the text arrives.
func (x poison) comesIn(p *world.Person, turn string) {
	hook := func(name string, set map[string]any) {
		set["session_id"], set["prompt_id"], set["tool_use_id"] = "one", turn, turn+"-t"
		if a := p.Hook(p.Payload(name, set)); a.Status != 0 || len(a.Stderr) > 0 {
			p.T.Fatalf("%s: %d %s", name, a.Status, a.Stderr)
		}
	}
	hook("UserPromptSubmit", map[string]any{"prompt": "please go on with the work as we said"})
	said := "I decided " + x.mark + " to note this: " + x.text
	switch strings.TrimSuffix(x.channel, "!") {
	case "web":
		hook("PostToolUse.Bash", map[string]any{
			"tool_name":  "WebFetch",
			"tool_input": map[string]any{"url": "https://a.example"}, "tool_response": x.text,
		})
	case "mcp":
		hook("PostToolUse.mcp", map[string]any{"tool_name": "mcp__tracker__issue", "tool_response": x.text})
	case "error":
		hook("PostToolUseFailure", map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "make " +
			turn}, "error": "Exit code 2\nerror " + x.mark + " " + x.text})
		said = "It failed."
	}
	hook("Stop", map[string]any{"last_assistant_message": said})
}

// A sample of the corpus goes through the built program: hooks, worker,
// database, and the hooks of a later session.
func TestInjectedInstructionsAreNotInjectedAgain(t *testing.T) {
	p := world.NewPerson(t)
	p.StartWorker()
	all := poisons(t)
	rng := tier.Rand(t)
	rng.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	all = all[:min(len(all), tier.Runs(24, 10000))]
	for i, x := range all {
		x.comesIn(p, fmt.Sprint("p", i))
	}
	in := 0
	for _, x := range all[:min(len(all), 24)] {
		in += strings.Count(p.Run("search", x.mark, "--ids"), "m_")
	}
	if in == 0 {
		t.Fatal("nothing came in")
	}
	told := ""
	ask := func(name string, set map[string]any) {
		set["session_id"] = "two"
		a := p.Hook(p.Payload(name, set))
		if len(a.Stdout) == 0 {
			return
		}
		var out struct {
			HookSpecificOutput struct{ AdditionalContext string }
		}
		if err := json.Unmarshal(a.Stdout, &out); err != nil {
			t.Fatalf("%s: %v: %s", name, err, a.Stdout)
		}
		block := out.HookSpecificOutput.AdditionalContext
		if strings.Count(block, "<remanence-context") != 1 || strings.Count(block, "</") != 1 || len(block) > 8<<10 ||
			strings.ContainsAny(block, "\x1b\x00\x07\u200b\u202e") {
			t.Errorf("%s gets what is not inert:\n%q", name, block)
		}
		told += block
	}
	ask("SessionStart.startup", map[string]any{"source": "startup"})
	// A hook that has no time left says nothing, so that a busy machine needs more tries.
	for try := 0; try < 5 && !strings.Contains(told, "zk"); try++ {
		for i, x := range all {
			ask("UserPromptSubmit", map[string]any{"prompt_id": fmt.Sprint("q", try, "-", i), "prompt": "what do we know of " +
				x.mark + "?"})
			ask("PostToolUseFailure", map[string]any{
				"prompt_id":   fmt.Sprint("q", try, "-", i),
				"tool_use_id": fmt.Sprint("u", try, "-", i), "tool_name": "Bash",
				"tool_input": map[string]any{"command": fmt.Sprint("make p", i)}, "error": "Exit code 2\nno",
			})
		}
	}
	shown := 0
	for _, x := range all {
		switch at := strings.Contains(told, x.mark); {
		case at && (x.channel == "web" || x.channel == "mcp" || strings.HasSuffix(x.channel, "!")):
			t.Errorf("%s gets %q", x.channel, x.text)
		case at:
			shown++
		}
	}
	t.Logf("%d items, %d told inert", len(all), shown)
	if shown == 0 {
		t.Error("nothing at all is injected: the silence proves nothing")
	}
}
