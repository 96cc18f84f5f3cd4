package engine_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"remanence/internal/blame"
	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/views"
)

const blamedFile = "/home/dev/shop/fee.go"

// blames returns what is known of lines of a file, a line of text for each row.
func (s *stage) blames(lines ...blame.Line) string {
	s.t.Helper()
	for i := range lines {
		lines[i].Number = i + 1
	}
	got, err := s.Views.Blame(s.t.Context(), views.BlameRequest{
		ProjectRef: shop, File: blamedFile, Top: "/home/dev/shop", Lines: lines,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	var rows []string
	for _, r := range got.Rows {
		text := fmt.Sprintf("%d-%d", r.From, r.To)
		if o := r.Origin; o != nil {
			text += fmt.Sprintf(" %s by %s: %q", o.Session, o.Evidence, o.Prompt)
			if o.Memory != nil {
				text += fmt.Sprintf(", %s: %s", o.Memory.Kind, o.Memory.Title)
			}
		}
		rows = append(rows, text)
	}
	return strings.Join(rows, "\n")
}

func TestALineIsTracedToItsPromptAndDecision(t *testing.T) {
	s := newStage(t)
	s.common, s.commits = "/home/dev/shop/.git", []mem.Commit{{ID: "0a1b2c3d4e", Committed: s.clock, Authored: s.clock}}
	s.play(start("startup"), prompt("p1", "round the card fee half up"),
		edited("p1", "t1", blamedFile, "\treturn x / 1000", "\treturn (x + 500) / 1000"),
		ran("p1", "t2", "git commit -am 'fee: round half up'", "[main 0a1b2c3] fee: round half up\n 1 file changed\n"),
		stop("p1", "We decided to round fees half up in `fee.go`, because the bank does."))
	s.inSession = "two"
	s.play(start("startup"), prompt("p2", "name the constant <private>for customer 4711</private>"),
		edited("p2", "t3", blamedFile, "const n = 1", "const permille = 1000"), stop("p2", "Done."))
	committed := s.clock.Add(time.Hour)
	got := s.blames(
		blame.Line{Text: "package fee", Commit: "ffffffff", Committed: committed},
		blame.Line{Text: "\treturn (x + 500) / 1000", Commit: "0a1b2c3d4e", Committed: committed},
		blame.Line{Text: "}", Commit: "0a1b2c3d4e", Committed: committed},
		blame.Line{Text: "// generated", Commit: "0a1b2c3d4e", Committed: committed},
		blame.Line{Text: "const permille = 1000"},
	)
	for i, want := range []string{
		"1-1",
		`2-3 s_1 by edit: "round the card fee half up", decision: We decided to round fees half up in`,
		`4-4 s_1 by made: "round the card fee half up", decision: We decided`,
		"5-5 s_2 by edit: ",
	} {
		if line := strings.Split(got, "\n")[i]; !strings.HasPrefix(line, want) {
			t.Errorf("row %d is\n%s, want\n%s", i, line, want)
		}
	}
	if strings.Contains(got, "4711") {
		t.Errorf("private text is shown:\n%s", got)
	}
	s.inSession = "three"
	s.play(start("startup"), prompt("p3", "Implement the following plan:\n\n# Plan: Round the fee\n\n## Steps\n- add 5"),
		edited("p3", "t4", blamedFile, "a", "const five = 5"), stop("p3", "Done."))
	if got := s.blames(blame.Line{Text: "const five = 5"}); !strings.HasPrefix(got, `1-1 s_3 by edit: "Round the fee"`) {
		t.Errorf("a plan is quoted as\n%s", got)
	}
	// A line of the same text that was committed before the edit is not the agent's.
	before := blame.Line{Text: "\treturn (x + 500) / 1000", Commit: "eeeeeeee", Committed: s.clock.AddDate(0, -1, 0)}
	if got := s.blames(before); got != "1-1" {
		t.Errorf("a line of before is traced to %s", got)
	}
	decision := must(s.store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.Decision}, Within: "*"}))[0]
	if _, err := s.Curate.Mark(t.Context(), curate.MarkRequest{
		ProjectRef: shop, IDs: []string{decision.ID}, Verb: "forget",
	}); err != nil {
		t.Fatal(err)
	}
	if got := s.blames(blame.Line{Text: "\treturn (x + 500) / 1000"}); strings.Contains(got, "decision") {
		t.Errorf("a forgotten decision is shown: %s", got)
	}
}

// A commit is linked to the turn that made it: git reported it, the repository has it, and it is of that time. One that
// was only printed, or made elsewhere, is not. Rebased, it has another id and the time of before.
func TestOnlyCommitsThatATurnMadeAreLinkedToIt(t *testing.T) {
	s := newStage(t)
	s.common = "/home/dev/shop/.git"
	made, old := s.clock, s.clock.AddDate(0, 0, -3)
	s.commits = []mem.Commit{
		{ID: "1111111aaaa", Committed: made, Authored: made}, {ID: "2222222bbbb", Committed: old, Authored: old},
	}
	s.play(start("startup"), prompt("p1", "generate the client and commit"),
		ran("p1", "t1", "go generate && git commit -am client; cat log",
			"[main 1111111] client\n[main 2222222] an old one\n[main 3333333] of another repository\n"),
		stop("p1", "Done."))
	sum := s.summaries("one")[0]
	if want := []mem.Commit{{ID: "1111111aaaa", Authored: made}}; !reflect.DeepEqual(sum.Commits, want) {
		t.Errorf("linked are %v, want %v", sum.Commits, want)
	}
	recap := must(s.Views.Recap(t.Context(), views.RecapRequest{ProjectRef: shop, Since: old}))
	for i, want := range []string{"1111111aaaa", "", ""} {
		if got := recap.Days[0].Commits[i]; got.ID != want {
			t.Errorf("the recap has the id %q of %s, want %q", got.ID, got.Hash, want)
		}
	}
	s.inSession = "two"
	s.play(start("startup"), prompt("p2", "generate the server"), stop("p2", "Done."))
	squashed := s.clock.Add(time.Hour)
	rebased := s.clock.AddDate(0, 0, 9)
	got := s.blames(
		blame.Line{Text: "// one", Commit: "1111111aaaa", Committed: made, Authored: made},
		blame.Line{Text: "// two", Commit: "2222222bbbb", Committed: old, Authored: old},
		blame.Line{Text: "// three", Commit: "3333333cccc", Committed: made, Authored: old},
		blame.Line{Text: "// four", Commit: "4444444dddd", Committed: rebased, Authored: made},
		blame.Line{Text: "// five", Commit: "5555555eeee", Committed: squashed, Authored: squashed, Session: "two"},
		blame.Line{Text: "// six", Commit: "6666666ffff", Committed: squashed, Authored: squashed, Session: "elsewhere"},
		blame.Line{Text: "// seven", Commit: "7777777aaaa", Committed: old, Authored: old, Session: "two"},
	)
	for i, want := range []string{`5-5 s_2 by trailer: "generate the server"`, "6-6", "7-7"} {
		if line := strings.Split(got, "\n")[4+i]; !strings.HasPrefix(line, want) || i > 0 && line != want {
			t.Errorf("a commit that names a session: %s, want %s", line, want)
		}
	}
	for i, linked := range []bool{true, false, false, true} {
		line := strings.Split(got, "\n")[i]
		if strings.Contains(line, ` s_1 by commit: "generate the client and commit"`) != linked {
			t.Errorf("commit %d, linked %v: %s", i+1, linked, line)
		}
	}
}

// The first turn whose commit was amended wrote its lines, more likely than the one that amended it, and than the one
// that the amended commit names. Of commits made within one second each belongs to its own turn.
func TestAnAmendedCommitBelongsToTheTurnThatMadeItFirst(t *testing.T) {
	s := newStage(t)
	s.common = "/home/dev/shop/.git"
	made := s.clock
	commit := func(session, prompt0, hash string) {
		t.Helper()
		s.play(in(session, start("startup"), prompt("p-"+session, prompt0),
			ran("p-"+session, "t-"+session, "git commit -am work", "[main "+hash+"] work\n"), stop("p-"+session, "Done."))...)
	}
	s.commits = []mem.Commit{
		{ID: "1111111aaaa", Committed: made, Authored: made}, {ID: "2222222bbbb", Committed: made, Authored: made},
	}
	commit("one", "generate the client", "1111111")
	commit("two", "generate the server", "2222222")
	s.clock = s.clock.Add(time.Hour)
	amended := s.clock
	s.commits = append(s.commits, mem.Commit{ID: "3333333cccc", Committed: amended, Authored: made})
	commit("three", "amend the commit", "3333333")
	got := s.blames(
		blame.Line{Text: "// one", Commit: "1111111aaaa", Committed: made, Authored: made},
		blame.Line{Text: "// two", Commit: "2222222bbbb", Committed: made, Authored: made, Session: "two"},
		blame.Line{Text: "// three", Commit: "3333333cccc", Committed: amended, Authored: made, Session: "three"},
		blame.Line{Text: "// four", Commit: "4444444dddd", Committed: amended, Authored: made, Session: "three"},
		blame.Line{Text: "// five", Commit: "5555555eeee", Committed: s.clock, Authored: s.clock, Session: "three"},
	)
	for i, want := range []string{
		`1-1 s_1 by made: "generate the client"`, `2-2 s_2 by made: "generate the server"`,
		`3-3 s_1 by made: "generate the client"`, `4-4 s_1 by made: "generate the client"`,
		`5-5 s_3 by trailer: "amend the commit"`,
	} {
		if line := strings.Split(got, "\n")[i]; !strings.HasPrefix(line, want) {
			t.Errorf("commit %d: %s, want %s", i+1, line, want)
		}
	}
}

// BenchmarkBlame traces a file of 2,000 lines in a store with 10,000 sessions, 500 of which edited it.
// What a person left in the file is committed by a session, which ran nothing that may have written it.
func TestALineThatASessionOnlyCommittedIsNotItsOwn(t *testing.T) {
	for command, evidence := range map[string]string{
		"go test ./...": "made", "git status": "made", "go generate ./...": "commit", "./tools/format.sh": "commit",
	} {
		s := newStage(t)
		s.common, s.commits = "/home/dev/shop/.git", []mem.Commit{{ID: "0a1b2c3d4e", Committed: s.clock, Authored: s.clock}}
		s.play(start("startup"), prompt("p1", "commit this"), ran("p1", "t1", command, "ok"),
			ran("p1", "t2", "git add fee.go && git commit -m fee", "[main 0a1b2c3] fee\n"), stop("p1", "Committed."))
		got := s.blames(blame.Line{Text: "const tax = 19", Commit: "0a1b2c3d4e", Committed: s.clock.Add(time.Hour)})
		if !strings.HasPrefix(got, "1-1 s_1 by "+evidence+":") {
			t.Errorf("after %s: %s, want the evidence %s", command, got, evidence)
		}
	}
}

// What a person typed since the last edit stands in a file that is written as a whole.
func TestAFileThatIsWrittenAsAWholeAddsOnlyWhatItChanged(t *testing.T) {
	s := newStage(t)
	text := "package fee\n\nconst typed = 19\nconst written = 20\n"
	call := edited("p1", "t1", blamedFile, "", "")
	call.Tool = mem.ToolWrite
	call.Input = must(json.Marshal(map[string]string{"file_path": blamedFile, "content": text}))
	hunk := map[string][]string{"lines": {" const typed = 19", "-const n = 1", "+const written = 20"}}
	call.Response = must(json.Marshal(map[string]any{
		"type": "update", "filePath": blamedFile, "content": text, "structuredPatch": []any{hunk},
	}))
	s.play(start("startup"), prompt("p1", "write the constant"), call, stop("p1", "Done."))
	got := s.blames(blame.Line{Text: "const typed = 19"}, blame.Line{Text: "const written = 20"})
	if want := "1-1\n2-2 s_1 by edit: \"write the constant\""; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func BenchmarkBlame(b *testing.B) {
	s := newStage(b)
	const sessions, editing, lines = 10_000, 500, 2000
	var req views.BlameRequest
	req.ProjectRef, req.File, req.Top = shop, blamedFile, "/home/dev/shop"
	for i := range sessions {
		s.inSession = fmt.Sprint("session-", i)
		id := fmt.Sprint("p", i)
		s.clock = s.clock.Add(time.Minute)
		s.play(prompt(id, fmt.Sprint("work on part ", i)))
		file := fmt.Sprintf("/home/dev/shop/part%d.go", i%400)
		var text []string
		if i%(sessions/editing) == 0 {
			file = blamedFile
			for range lines / editing {
				text = append(text, fmt.Sprintf("\tvalue%d := compute(%d)", len(req.Lines), i))
				req.Lines = append(req.Lines, blame.Line{Number: len(req.Lines) + 1, Text: text[len(text)-1]})
			}
		}
		s.play(edited(id, "t"+id, file, "x", strings.Join(text, "\n")))
	}
	for b.Loop() {
		got, err := s.Views.Blame(b.Context(), req)
		if err != nil || got.Known != lines {
			b.Fatalf("%d known, %v", got.Known, err)
		}
	}
}
