package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/test/golden"
)

// labelled is one session of the labelled turns: what happens in it, and what a
// careful engineer would keep of it. testdata/turns/README.md has the form.
type labelled struct {
	name      string
	events    []mem.Event
	labels    []label
	not       []string
	closed    []string
	noSummary bool
	level     mem.Trust // nothing made of words is trusted further
}

type label struct {
	kinds    []mem.Kind
	words    []string
	files    []string
	optional bool
}

func (l label) String() string {
	return strings.TrimSpace(fmt.Sprint(l.kinds[0], ": ", strings.Join(l.words, " | "), " ", strings.Join(l.files, " ")))
}

// meets reports whether a memory is the one that the label asks for.
func (l label) meets(mm mem.Memory) bool {
	text := strings.ToLower(strings.Join(append([]string{mm.Title, mm.Body, mm.Command}, mm.Facts...), "\n"))
	for _, w := range l.words {
		if !strings.Contains(text, strings.ToLower(w)) {
			return false
		}
	}
	for _, f := range l.files {
		if !slices.Contains(mm.Files, f) {
			return false
		}
	}
	return slices.Contains(l.kinds, mm.Kind)
}

func readTurns(t testing.TB, set string) []labelled {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "turns", set, "*.txt"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%s: %d files, %v; want 8 kinds of work at least", set, len(files), err)
	}
	var out []labelled
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split("\n"+string(b), "\n=== ")[1:] {
			name, body, _ := strings.Cut(part, "\n")
			does, labels, ok := strings.Cut(body, "\n---\n")
			if !ok {
				t.Fatalf("%s: %s has no labels", file, name)
			}
			l := labelled{name: strings.TrimSuffix(filepath.Base(file), ".txt") + "/" + name, level: mem.TrustUser}
			script := turnScript{t: t, name: l.name}
			for _, step := range steps(does) {
				script.add(step)
			}
			l.events = script.events
			l.read(t, labels)
			out = append(out, l)
		}
	}
	return out
}

func (l *labelled) read(t testing.TB, labels string) {
	t.Helper()
	for line := range strings.Lines(labels) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "":
		case "keep", "may":
			kinds, words, _ := strings.Cut(rest, ": ")
			la := label{optional: verb == "may"}
			for _, k := range strings.Split(kinds, "/") {
				if _, ok := mem.Kind(k).Info(); !ok {
					t.Fatalf("%s: no kind %q", l.name, k)
				}
				la.kinds = append(la.kinds, mem.Kind(k))
			}
			words, files, _ := strings.Cut(words, " @")
			la.files = strings.Fields(files)
			for _, w := range strings.Split(words, " | ") {
				la.words = append(la.words, strings.TrimSpace(w))
			}
			l.labels = append(l.labels, la)
		case "not:":
			l.not = append(l.not, rest)
		case "closed:":
			l.closed = append(l.closed, rest)
		case "no":
			l.noSummary = true
		case "level":
			n, err := strconv.Atoi(rest)
			if err != nil {
				t.Fatalf("%s: %v", l.name, err)
			}
			l.level = mem.Trust(n)
		default:
			t.Fatalf("%s: label %q", l.name, line)
		}
	}
}

// step is one line of a script with the lines indented below it.
type step struct{ verb, rest, below string }

func steps(s string) []step {
	var out []step
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		if n := len(out); n > 0 && (line == "" || strings.HasPrefix(line, "  ")) {
			out[n-1].below += strings.TrimPrefix(line, "  ") + "\n"
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		out = append(out, step{verb: verb, rest: rest})
	}
	for i := range out {
		out[i].below = strings.TrimSpace(out[i].below)
	}
	return out
}

// turnScript turns steps into events.
type turnScript struct {
	t       testing.TB
	name    string
	turn    string
	n, asks int
	events  []mem.Event
}

func (s *turnScript) add(st step) {
	s.n++
	id := fmt.Sprint("t", s.n)
	file := "/home/dev/shop/" + st.rest
	switch verb, code, _ := strings.Cut(st.verb, "["); verb {
	case ">":
		s.asks++
		s.turn = fmt.Sprint("p", s.asks)
		s.put(prompt(s.turn, st.rest))
	case "read":
		s.put(tool(mem.PostToolUse, s.turn, id, "Read", map[string]any{"file_path": file}, nil))
	case "write":
		s.put(tool(mem.PostToolUse, s.turn, id, "Write",
			map[string]any{"file_path": file, "content": strings.TrimPrefix(st.below, "+ ")}, nil))
	case "edit":
		from, to, _ := strings.Cut(st.below, "\n+")
		s.put(edited(s.turn, id, file, strings.TrimPrefix(from, "- "), strings.TrimSpace(to)))
	case "ran":
		s.put(ran(s.turn, id, st.rest, st.below))
	case "fail":
		s.put(failed(s.turn, id, st.rest, "Exit code "+strings.TrimSuffix(code, "]")+"\n"+st.below))
	case "web":
		s.put(tool(mem.PostToolUse, s.turn, id, "WebFetch", map[string]any{"url": st.rest}, st.below))
	case "mcp":
		s.put(tool(mem.PostToolUse, s.turn, id, st.rest, nil, st.below))
	case "todo":
		s.todo(id, st.below)
	case "agent":
		kind, about, _ := strings.Cut(st.rest, ": ")
		s.put(tool(mem.PreToolUse, s.turn, id, "Agent", map[string]any{
			"description": about, "prompt": about,
			"subagent_type": kind,
		}, nil))
		s.put(mem.Event{Kind: mem.SubagentStart, PromptID: s.turn, AgentID: id, AgentType: kind})
		s.put(mem.Event{Kind: mem.SubagentStop, PromptID: s.turn, AgentID: id, AgentType: kind, Text: st.below})
	case "say":
		e := stop(s.turn, st.below)
		if st.rest == "background" {
			e.Background = 1
		}
		s.put(e)
	default:
		s.t.Fatalf("%s: step %q", s.name, st.verb)
	}
}

func (s *turnScript) put(e mem.Event) { s.events = append(s.events, e) }

func (s *turnScript) todo(id, list string) {
	var todos []map[string]string
	for line := range strings.Lines(list) {
		mark, text, _ := strings.Cut(strings.TrimSpace(line), "] ")
		status := "pending"
		if mark == "[x" {
			status = "completed"
		}
		todos = append(todos, map[string]string{"content": text, "status": status})
	}
	s.put(tool(mem.PostToolUse, s.turn, id, "TodoWrite", map[string]any{"todos": todos}, nil))
}

// tally counts, for one kind or for all: labels and those met, memories kept and
// those that meet a label.
type tally struct{ labels, met, kept, right int }

func (c tally) String() string {
	share := func(a, b int) string {
		if b == 0 {
			return "–"
		}
		return fmt.Sprintf("%.2f", float64(a)/float64(b))
	}
	return fmt.Sprintf("%6d %4d %6s %5d %6d %10s", c.labels, c.met, share(c.met, c.labels), c.kept, c.right,
		share(c.right, c.kept))
}

// graded is what became of a set of labelled sessions.
type graded struct {
	by                    map[mem.Kind]*tally
	all                   tally
	missed, extra, broken []string
}

func (g *graded) of(k mem.Kind) *tally {
	if g.by[k] == nil {
		g.by[k] = &tally{}
	}
	return g.by[k]
}

// ofWords reports whether a memory is of the sort that is judged here.
func ofWords(mm mem.Memory) bool {
	switch mm.Kind {
	case mem.Change, mem.Command, mem.Summary, mem.Snapshot, mem.Utterance:
		return false
	}
	return mm.Kind != mem.Todo || !mm.Resolved
}

// grade plays a session and holds what it left against its labels.
func (g *graded) grade(t *testing.T, l labelled) {
	s := newStage(t)
	s.play(start("startup"))
	s.play(l.events...)
	s.play(mem.Event{Kind: mem.SessionEnd, Source: "prompt_input_exit"})
	kept, err := s.store.List(t.Context(), mem.Query{Within: "*", Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(kept)
	summaries := slices.ContainsFunc(kept, func(mm mem.Memory) bool { return mm.Kind == mem.Summary })
	if l.noSummary && summaries {
		g.broken = append(g.broken, l.name+": a summary")
	}
	kept = slices.DeleteFunc(kept, func(mm mem.Memory) bool { return !ofWords(mm) })
	for _, mm := range kept {
		g.judge(l, mm)
	}
	g.match(l, kept)
}

// judge notes what must not be.
func (g *graded) judge(l labelled, mm mem.Memory) {
	text := strings.ToLower(mm.Title + "\n" + mm.Body + "\n" + strings.Join(mm.Facts, "\n"))
	for _, n := range l.not {
		if strings.Contains(text, strings.ToLower(n)) {
			g.broken = append(g.broken, fmt.Sprintf("%s: %s: %s", l.name, n, mm.Title))
		}
	}
	for _, c := range l.closed {
		if mm.Kind == mem.Todo && strings.Contains(text, strings.ToLower(c)) {
			g.broken = append(g.broken, l.name+": not closed: "+mm.Title)
		}
	}
	if mm.Trust > l.level {
		g.broken = append(g.broken, fmt.Sprintf("%s: %s: %s", l.name, mm.Trust, mm.Title))
	}
}

// match counts the labels that a memory meets, each by one of its own if there is one: a list that is kept as one
// memory meets several.
func (g *graded) match(l labelled, kept []mem.Memory) {
	labels := slices.Clone(l.labels)
	slices.SortStableFunc(labels, func(a, b label) int { return order(a.optional) - order(b.optional) })
	right := make([]bool, len(kept))
	for _, la := range labels {
		i := slices.IndexFunc(kept, la.meets)
		for at, mm := range kept {
			if !right[at] && la.meets(mm) {
				i = at
				break
			}
		}
		if i >= 0 {
			right[i] = true
		}
		if la.optional {
			continue
		}
		g.of(la.kinds[0]).labels++
		g.all.labels++
		if i < 0 {
			g.missed = append(g.missed, l.name+": "+la.String())
			continue
		}
		g.of(la.kinds[0]).met++
		g.all.met++
	}
	for i, mm := range kept {
		c := g.of(mm.Kind)
		c.kept++
		g.all.kept++
		if right[i] {
			c.right++
			g.all.right++
			continue
		}
		g.extra = append(g.extra, fmt.Sprintf("%s: %s: %s", l.name, mm.Kind, mm.Title))
	}
}

func order(optional bool) int {
	if optional {
		return 1
	}
	return 0
}

func (g *graded) table(b *strings.Builder, set string, sessions int) {
	fmt.Fprintf(b, "\n%s: %d sessions\n%-12s %6s %4s %6s %5s %6s %10s\n", set, sessions, "kind", "labels", "met", "recall",
		"kept", "right", "precision")
	for _, info := range mem.Kinds() {
		if c := g.by[info.Kind]; c != nil {
			fmt.Fprintf(b, "%-12s %s\n", info.Kind, c)
		}
	}
	fmt.Fprintf(b, "%-12s %s\n", "all", g.all)
}

// What the rules keep of the labelled turns is what it was. Look at what a
// change of the rules makes of them, and write the golden anew with -update.
func TestWhatIsKeptOfLabelledTurns(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What the rules keep of the labelled turns; see turns/README.md.\n# Written by: go test " +
		"./internal/engine -run TestWhatIsKeptOfLabelledTurns -update\n")
	for _, set := range []string{"work", "held", "late", "last"} {
		g := graded{by: map[mem.Kind]*tally{}}
		sessions := readTurns(t, set)
		for _, l := range sessions {
			g.grade(t, l)
		}
		g.table(&b, set, len(sessions))
		for _, section := range []struct {
			name string
			list []string
		}{{"named as noise and kept", g.broken}, {"missed", g.missed}, {"extra", g.extra}} {
			fmt.Fprintf(&b, "%s: %d\n", section.name, len(section.list))
			if set != "held" {
				for _, line := range section.list {
					b.WriteString("  " + line + "\n")
				}
			}
		}
	}
	golden.Compare(t, filepath.Join("testdata", "turns.golden"), b.String())
}
