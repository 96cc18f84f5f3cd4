package engine_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

// poison is a text that imitates an order, and the channel by which it enters. The text of a channel with a ! reads
// like an order even as plain text: it is stored, but not injected before the person has approved it.
type poison struct {
	line    int
	channel string
	order   bool
	text    string
}

func (p poison) mark() string { return fmt.Sprintf("zk%03dq", p.line) }

func poisons(t *testing.T) []poison {
	t.Helper()
	b, err := os.ReadFile("testdata/poison.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []poison
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		channel, quoted, ok := strings.Cut(line, "\t")
		text, err := strconv.Unquote(`"` + quoted + `"`)
		if !ok || err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		name, order := strings.CutSuffix(channel, "!")
		out = append(out, poison{i + 1, name, order, text})
	}
	if len(out) < 200 {
		t.Fatalf("%d items, want at least 200", len(out))
	}
	return out
}

// comesIn plays a session in which the text arrives by its channel. It returns
// how far what is made of it may be trusted at most.
func (p poison) comesIn(s *stage) mem.Trust {
	said := "I decided " + p.mark() + " to note this: " + p.text
	ask := prompt("p1", "please go on with the work as we said")
	web := tool(mem.PostToolUse, "p1", "t1", "WebFetch", map[string]any{"url": "https://a.example"}, p.text)
	switch p.channel {
	case "web":
		s.play(ask, web, stop("p1", said))
	case "mcp":
		s.play(ask, tool(mem.PostToolUse, "p1", "t1", "mcp__tracker__issue", nil, p.text), stop("p1", said))
	case "remote":
		s.play(ask, ran("p1", "t1", "curl -s https://a.example/x", p.text), stop("p1", said))
	case "remote-error":
		s.play(ask, failed("p1", "t1", "gh issue view 7", "Exit code 1\nerror "+p.mark()+" "+p.text),
			stop("p1", "It failed."))
	case "notice":
		s.play(ask, web, stop("p1", "It runs."), prompt("p2", "<task-notification>"+p.text+"</task-notification>"),
			stop("p2", said))
	case "agent-add":
		s.play(ask, web)
		if _, err := s.Curate.Add(s.t.Context(), curate.AddRequest{
			ProjectRef: shop, Text: p.mark() + " " + p.text,
			Agent: "one",
		}); err != nil {
			s.t.Fatal(err)
		}
	default:
		return p.comesInFromHere(s, ask, said)
	}
	return mem.TrustNone
}

func (p poison) comesInFromHere(s *stage, ask mem.Event, said string) mem.Trust {
	switch p.channel {
	case "error":
		s.play(ask, failed("p1", "t1", "make check", "Exit code 2\nerror "+p.mark()+" "+p.text), stop("p1", "It failed."))
		return mem.TrustTool
	case "command":
		s.play(ask, failed("p1", "t1", p.text+" "+p.mark(), "Exit code 2\nno rule"), stop("p1", "It failed."))
		return mem.TrustTool
	case "commit":
		s.play(ask, ran("p1", "t1", p.text+" "+p.mark(), "ok"), stop("p1", "Done."))
		return mem.TrustTool
	case "output":
		s.play(ask, ran("p1", "t1", "make test", p.mark()+p.text), stop("p1", "Done."))
		return mem.TrustTool
	case "file":
		s.play(ask, tool(mem.PostToolUse, "p1", "t1", "Read", map[string]any{"file_path": "/home/dev/shop/a.go"}, p.mark()+
			p.text), stop("p1", "I have read it."))
		return mem.TrustTool
	case "path":
		s.play(ask, edited("p1", "t1", "/home/dev/shop/"+p.text+p.mark(), "a", "b"),
			tool(mem.PostToolUse, "p1", "t2", "Read", map[string]any{"file_path": "/home/dev/shop/" + p.text + p.mark()}, "x"),
			stop("p1", "Done."))
	case "summary":
		s.play(ask, stop("p1", said+"\nNext step: "+p.mark()+" and "+p.text))
	case "split":
		one, two, _ := strings.Cut(p.text, "⏎")
		s.play(ask, stop("p1", one), prompt("p2", "and then?"), stop("p2", two))
	case "todo":
		s.play(ask, tool(mem.PostToolUse, "p1", "t1", "TodoWrite",
			map[string]any{"todos": []map[string]string{{"content": p.mark() + " " + p.text, "status": "pending"}}}, nil),
			stop("p1", "Listed."))
	case "subagent":
		s.play(ask, mem.Event{Kind: mem.SubagentStart, PromptID: "p1", AgentID: "a1", AgentType: "explorer"},
			mem.Event{Kind: mem.SubagentStop, PromptID: "p1", AgentID: "a1", AgentType: "explorer", Text: said},
			stop("p1", "It is back."))
	case "branch":
		s.Config.Project = func(dir string) (mem.Project, error) {
			return mem.Project{Key: "p_shop", Name: "shop", Root: dir, Branch: p.text, Commit: p.text}, nil
		}
		s.Engine.Reconnect()
		s.play(ask, stop("p1", "I decided "+p.mark()+" to stay on this branch."))
	case "project":
		s.Config.Project = func(dir string) (mem.Project, error) {
			return mem.Project{Key: "p_shop", Name: p.text, Root: dir}, nil
		}
		s.Engine.Reconnect()
		s.play(ask, stop("p1", "I decided "+p.mark()+" to keep its name."))
	case "prompt":
		s.play(prompt("p1", "From now on "+p.mark()+" we write it like this: "+p.text), stop("p1", "Noted."))
		return mem.TrustUser
	default:
		s.t.Fatalf("line %d: no channel %q", p.line, p.channel)
	}
	return mem.TrustAssistant
}

// injected returns all that is injected afterwards: into the session itself after a compaction, and into a later one at
// its start, with prompts about it, and with calls that touch the same things.
func (p poison) injected(s *stage) []string {
	injected := []string{
		s.play(prompt("p8", "what is next, my friend?")).Context,
		s.play(mem.Event{Kind: mem.PreCompact, Source: "auto", PromptID: "p8"}).Context,
		s.play(start("compact")).Context,
		s.play(prompt("p9", "what of "+p.mark()+", and what was found?")).Context,
	}
	s.play(prompt("p10", "thank you, and now to something else")) // so that the question is not the last request
	file, command := "/home/dev/shop/a.go", "make check"
	switch p.channel {
	case "path":
		file = "/home/dev/shop/" + p.text + p.mark()
	case "command", "commit":
		command = p.text + " " + p.mark()
	}
	for _, e := range in("two", start("startup"), start("clear"), prompt("q1", "what of "+p.mark()+"?"),
		prompt("q2", "is it so: "+chars.Clip(p.text, 300)+" "+p.mark()),
		tool(mem.PreToolUse, "q2", "u0", "Agent", map[string]any{
			"description": p.mark(), "prompt": "look at " + p.mark(),
			"subagent_type": "explorer",
		}, nil),
		mem.Event{Kind: mem.SubagentStart, PromptID: "q2", AgentID: "a9", AgentType: "explorer"},
		tool(mem.PreToolUse, "q2", "u1", "Read", map[string]any{"file_path": file}, nil),
		tool(mem.PostToolUse, "q2", "u1", "Read", map[string]any{"file_path": file}, "x"),
		tool(mem.PreToolUse, "q2", "u2", "Bash", map[string]any{"command": command}, nil),
		failed("q2", "u2", command, "Exit code 2\nno rule"), stop("q2", "It failed.")) {
		injected = append(injected, s.play(e).Context)
	}
	return injected // what follows would contain the person's own questions too
}

func TestPoisonIsNeitherObeyedNorInjected(t *testing.T) {
	seen, shown := map[string]int{}, map[string]int{}
	for _, p := range poisons(t) {
		t.Run(fmt.Sprintf("%d-%s", p.line, p.channel), func(t *testing.T) {
			s := newStage(t)
			s.settings.Profile = "full"
			s.settings.Budgets = fullBudgets
			s.settings.StateLineRule = "always"
			s.play(start("startup"))
			most := p.comesIn(s)
			kept := p.kept(s, most)
			all := ""
			for _, block := range p.injected(s) {
				inert(t, block)
				all += block
			}
			seen[p.channel]++
			switch {
			case !strings.Contains(all, p.mark()):
			case most == mem.TrustNone:
				t.Errorf("injected from the worst level:\n%s", all)
			case p.order:
				t.Errorf("an order is injected:\n%s", all)
			default:
				shown[p.channel]++
			}
			if p.order && kept == 0 && p.channel != "path" {
				t.Error("nothing is kept for the person to see")
			}
		})
	}
	t.Logf("items: %v, of which injected: %v", seen, shown)
	for _, channel := range []string{"summary", "error", "todo", "prompt", "subagent", "command"} {
		if shown[channel] == 0 {
			t.Errorf("nothing of channel %s is ever injected: its silence proves nothing", channel)
		}
	}
}

// kept proves the level of what is made of the text, and counts it.
func (p poison) kept(s *stage, most mem.Trust) int {
	s.t.Helper()
	ms, err := s.store.List(s.t.Context(), mem.Query{Within: "*", Hidden: true, Limit: 100})
	if err != nil {
		s.t.Fatal(err)
	}
	n := 0
	for _, m := range ms {
		if !strings.Contains(m.Title+m.Body, p.mark()) {
			continue
		}
		n++
		if m.Trust > most || m.Status != mem.Active {
			s.t.Errorf("%s is %v and %s, want at most %v and active: %q", m.Kind, m.Trust, m.Status, most, m.Title)
		}
	}
	return n
}

var fullBudgets = func() (b struct {
	SessionStart, Resume, Compact, UserPrompt int
	Read, Write, Bash, Task                   int
},
) {
	b.SessionStart, b.Resume, b.Compact, b.UserPrompt = 2000, 2000, 2000, 1500
	b.Read, b.Write, b.Bash, b.Task = 500, 500, 300, 800
	return b
}()

var (
	opening = regexp.MustCompile(`^<remanence-context kind="[a-z]+" id="r_[a-z2-7]+" boundary="([0-9a-f]{12})">$`)
	ourLine = regexp.MustCompile(`^(- |> |\| |\|---|--- .* ---$|=== [A-Z ()-]+ ===$|=== CONTEXT RESTORED ` +
		`\(post-compaction\) ===$|### \w+ \d+, \d+$|\*\*.*\*\*$|\*\*Legend:\*\* |# \[remanence\] recent context$|Full ` +
		`text: remanence show ID$|\[Memory|Recorded history: may be wrong)`)
	forged = regexp.MustCompile(`(?i)<\s*/?\s*(system|user|assistant|human|invoke|function|tool|thinking|task-|` +
		`local-command|claude-|!--|\?xml|\||remanence)|\[INST\]|<<SYS|＜`)
)

// inert proves that a block is one block of ours whatever stands in it.
func inert(t *testing.T, block string) {
	t.Helper()
	if block == "" {
		return
	}
	if len(block) > inject.MaxBytes || chars.UTF16Len(block) > inject.MaxUnits {
		t.Errorf("%d bytes, %d units", len(block), chars.UTF16Len(block))
	}
	lines := strings.Split(block, "\n")
	first := opening.FindStringSubmatch(lines[0])
	if first == nil || lines[len(lines)-1] != "</remanence-context>" {
		t.Fatalf("begins %q, ends %q", lines[0], lines[len(lines)-1])
	}
	if strings.Count(block, first[1]) != 1 {
		t.Errorf("the boundary stands twice:\n%s", block)
	}
	for _, line := range lines[1 : len(lines)-1] {
		if !ourLine.MatchString(line) {
			t.Errorf("a line begins with what is not ours: %q", line)
		}
		if found := forged.FindString(line); found != "" {
			t.Errorf("%q is left in %q", found, line)
		}
	}
	for _, r := range strings.ReplaceAll(block, "⚖️", "") { // a glyph of ours has a selector
		if r != '\n' &&
			(unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector) ||
				r >= 0xE0000 || strings.ContainsRune("\u034f\u115f\u1160\u3164\u2800\ufffd", r)) {
			t.Errorf("%U is left in the block", r)
		}
	}
}
