package engine_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/test/golden"
)

// TestUsesOfLabelledSessions plays sessions that are given a memory, and compares what counts as a use of it with what
// a person says. The golden file has precision and recall, and each case that is judged otherwise.
func TestUsesOfLabelledSessions(t *testing.T) {
	text, err := os.ReadFile("testdata/uses.txt")
	if err != nil {
		t.Fatal(err)
	}
	var right, wrong, missed, cases int
	var out strings.Builder
	for one := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		if strings.HasPrefix(one, "#") {
			continue
		}
		cases++
		used, how := playUse(t, strings.Split(one, "\n"))
		switch label := strings.HasSuffix(one, "\nused"); {
		case used && label:
			right++
		case used:
			wrong++
			fmt.Fprintf(&out, "counted as %s, and not used:\n%s\n\n", how, one)
		case label:
			missed++
			fmt.Fprintf(&out, "used, and not counted:\n%s\n\n", one)
		}
	}
	head := fmt.Sprintf("%d cases, %d used; counted %d, of which %d rightly: precision %d %%, recall %d %%\n\n", cases,
		right+missed, right+wrong, right, 100*right/max(1, right+wrong), 100*right/max(1, right+missed))
	golden.Compare(t, "testdata/uses.golden", head+strings.TrimSpace(out.String())+"\n")
}

// playUse plays one case, and returns whether a use of its memory was counted, and which.
func playUse(t *testing.T, lines []string) (used bool, how mem.UseKind) {
	t.Helper()
	m := mem.Memory{
		Scope: mem.ScopeProject, Project: "p_shop", Session: "one", Trust: mem.TrustAssistant, Resolved: true,
	}
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "why is the queue slow?"))
	s.play(in("two", start("startup"), prompt("q1", "now the export, please"))...)
	given := func() mem.Memory {
		ms := must(s.store.List(t.Context(), mem.Query{Session: "one", Kinds: []mem.Kind{m.Kind}, Within: "*"}))
		if len(ms) != 1 {
			t.Fatalf("%q: %d memories", lines[0], len(ms))
		}
		return ms[0]
	}
	injected := false
	for i, line := range lines {
		what, rest, _ := strings.Cut(line, ": ")
		verb, file, _ := strings.Cut(what, " ")
		if verb != "memory" && verb != "files" && verb != "instead" && !injected {
			injectInto(t, s, m)
			injected = true
		}
		id, path := fmt.Sprint("t", i), "/home/dev/shop/"+file
		switch verb {
		case "memory":
			m.Kind, m.Title = mem.Kind(file), rest
		case "files":
			m.Files = strings.Fields(rest)
		case "instead":
			_, m.Body, _ = strings.Cut(m.Title, "done by `")
			m.Command, m.Body = rest, strings.TrimSuffix(m.Body, "`")
		case "edit":
			from, to, _ := strings.Cut(rest, " -> ")
			s.play(in("two", edited("q1", id, path, must(strconv.Unquote(from)), must(strconv.Unquote(to))))...)
		case "write":
			written := map[string]any{"file_path": path, "content": must(strconv.Unquote(rest))}
			s.play(in("two", tool(mem.PostToolUse, "q1", id, "Write", written, nil))...)
		case "run":
			s.play(in("two", ran("q1", id, rest, "ok"))...)
		case "fails":
			s.play(in("two", failed("q1", id, rest, "exit status 1"))...)
		case "says":
			s.play(in("two", stop("q1", strings.ReplaceAll(rest, "ID", given().ID)))...)
		case "used", "not used", "not":
		default:
			t.Fatalf("not understood: %q", line)
		}
	}
	if uses := given().UsedIn; len(uses) > 0 {
		return true, uses[0].How
	}
	return false, ""
}

// injectInto stores a memory, and a receipt of it in session two.
func injectInto(t *testing.T, s *stage, m mem.Memory) {
	t.Helper()
	wrote := must(s.store.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{m}}))
	must(s.store.Apply(t.Context(), mem.Batch{Receipts: []mem.Receipt{{
		ID: "r_77777777", Event: "e_77777777", Session: "two", At: s.clock, Trigger: "prompt", Outcome: mem.Injected,
		Items: []mem.InjectedItem{{ID: wrote[0].IDs[0], Kind: m.Kind, Title: m.Title, Tokens: 10}},
	}}}))
}
