package outcome

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
)

var began = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func at(minutes int) time.Time { return began.Add(time.Duration(minutes) * time.Minute) }

// session returns one whose turns end ten minutes apart. Each changes the files that are given for it.
func session(files ...[]string) *Session {
	s := &Session{Repository: true, Root: "/home/dev/shop", Log: NewLog(History{})}
	for i, of := range files {
		prompt := fmt.Sprint("p", i+1)
		s.Turns = append(s.Turns, Turn{
			ID: fmt.Sprint("m", i+1), Prompt: prompt, Text: "text " + prompt, At: at(10*i + 9), Files: of,
		})
		for _, f := range of {
			s.Edits = append(s.Edits, Edit{Prompt: prompt, File: f, First: at(10*i + 1), Last: at(10*i + 2)})
		}
	}
	return s
}

func (s *Session) run(t *testing.T, minute int, line, output string, failed bool) {
	t.Helper()
	c, ok := Read(Call{
		At: at(minute), Prompt: fmt.Sprint("p", minute/10+1), Cwd: "/home/dev/shop", Line: line, Output: output,
		Failed: failed,
	})
	if !ok {
		t.Fatalf("%s is of no use", line)
	}
	s.Commands = append(s.Commands, c)
}

func (s *Session) text() (out string) {
	for _, p := range s.Pieces(at(1000), false) {
		out += fmt.Sprintf("%s: %s\n", p.Title, p.State)
	}
	return out
}

func TestTurnsThatChangeTheSameFilesAreOnePiece(t *testing.T) {
	s := session([]string{"fee.go"}, []string{"export.go"}, []string{"fee.go", "fee_test.go"}, nil)
	if got, want := s.text(), "text p1; text p3: not committed\ntext p2: not committed\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s.run(t, 35, "git commit -am work", "[main 0a1b2c3] work\n", false)
	if got, want := s.text(), "work; text p1; text p3; text p2: committed 0a1b2c3\n"; got != want {
		t.Errorf("with a commit of both: got\n%swant\n%s", got, want)
	}
}

func TestAPushTakesEarlierCommitsWithIt(t *testing.T) {
	s := session([]string{"fee.go"}, []string{"export.go"}, []string{"a.go"})
	s.run(t, 5, "git commit -am fee", "[main 1111111] fee\n", false)
	s.run(t, 15, "git commit -am export", "[main 2222222] export\n", false)
	s.run(t, 18, "git push", "To shop.git\n", false)
	s.run(t, 25, "git commit -am a", "[main 3333333] a\n", false)
	s.run(t, 26, "git push", "Exit code 1\n ! [rejected]", true)
	want := "fee; text p1: committed 1111111, pushed\nexport; text p2: committed 2222222, pushed\n" +
		"a; text p3: committed 3333333, push failed\n"
	if got := s.text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s.run(t, 27, "gh run view 7 --json conclusion", `{"conclusion":"failure"}`, false)
	s.run(t, 28, "git push", "To shop.git\n", false)
	s.run(t, 29, "gh run view 8 --json conclusion", `{"conclusion":"success"}`, false)
	want = "fee; text p1: committed 1111111, pushed\nexport; text p2: committed 2222222, pushed\n" +
		"a; text p3: committed 3333333, pushed\n"
	if got := s.text(); got != want {
		t.Errorf("after the second push: got\n%swant\n%s", got, want)
	}
}

func TestAFileOutsideOfTheProjectIsNoWork(t *testing.T) {
	if got := session([]string{"/home/dev/.notes/plan.md"}, []string{"../other/a.go"}).text(); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestManyCommitsAreCounted(t *testing.T) {
	s := session([]string{"fee.go"})
	for i := range 4 {
		s.run(t, 5+i, "git commit -am fee", fmt.Sprintf("[main 111111%d] fee\n", i), false)
	}
	if got, want := s.text(), "fee; text p1: 4 commits, 1111110 to 1111113\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
}

func TestASubjectOfATurnWithoutASummaryCanBeLeftOut(t *testing.T) {
	s := session([]string{"fee.go"})
	s.run(t, 15, "git commit -am secret", "[main 1111111] secret\n", false)
	if got := s.Pieces(at(99), true); len(got) != 1 || got[0].Title != "text p1" || got[0].State != "committed 1111111" {
		t.Errorf("got %+v", got)
	}
	if got := s.Pieces(at(99), false)[0].Title; got != "secret; text p1" {
		t.Errorf("with subjects: %s", got)
	}
}

func TestASessionThatOnlyPublishesSaysWhetherItFailed(t *testing.T) {
	s := session(nil)
	s.run(t, 3, "npm publish", "403", true)
	if got, want := s.text(), "text p1: `npm publish` failed\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
	s = session(nil)
	s.run(t, 3, "git push", "! [rejected]", true)
	if got := s.text() + s.Undelivered(at(99)); got != "`git push` failed" {
		t.Errorf("a push alone: got %s", got)
	}
}

func TestALineOfSeveralChecksFailsUntilOneOfThemPasses(t *testing.T) {
	s := session([]string{"fee.go"})
	s.run(t, 3, "npm test && npm run lint", "lint: fee.go:3", true)
	if got, want := s.text(), "text p1: not committed, `npm test && npm run lint` fails\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
	s.run(t, 4, "npm run lint:fix", "", false)
	if got, want := s.text(), "text p1: not committed\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
}

func TestTheRepositoryKnowsWhatElseWasCommitted(t *testing.T) {
	logged := func(minute int, id, subject string, files ...string) Logged {
		return Logged{ID: id + "ffffffffff", At: at(minute), Subject: subject, Files: files}
	}
	before, other := logged(1, "1111111", "old", "fee.go", "fee_test.go"), logged(9, "2222222", "b", "b.go")
	both, fee := logged(9, "3333333", "all", "fee.go", "fee_test.go"), logged(9, "3333333", "fee", "fee.go")
	for want, log := range map[string][]Logged{ // newest first
		"not committed by the agent":    nil,
		"not committed":                 {other, before},
		"committed 3333333":             {logged(99, "4444444", "later", "fee.go"), both, before},
		"committed 3333333 in part":     {fee},
		"committed 3333333 and 4444444": {logged(20, "4444444", "tests", "fee_test.go"), fee},
	} {
		s := session([]string{"fee.go", "fee_test.go"})
		if s.Log = nil; log != nil {
			s.Log = NewLog(History{Commits: log})
		}
		got := s.Pieces(at(999), false)
		if len(got) != 1 || got[0].State != want || !got[0].Unknown {
			t.Errorf("with %+v: got %+v, want %s", log, got, want)
		}
	}
	pushes := session([]string{"fee.go"})
	pushes.Log = NewLog(History{Commits: []Logged{logged(4, "3333333", "fee", "fee.go")}})
	pushes.run(t, 5, "git push", "! [rejected]", true)
	if got, want := pushes.text(), "text p1: committed 3333333, push failed\n"; got != want {
		t.Errorf("a push of what another one committed: got %swant %s", got, want)
	}
	s := session([]string{"fee.go"})
	s.run(t, 5, "git commit -qm 'fee: round'", "", false)
	s.Log = NewLog(History{Commits: []Logged{
		logged(5, "3333333", "fee: round", "fee.go"), logged(2, "2222222", "other", "fee.go"),
	}})
	if got, want := s.text(), "fee: round; text p1: committed 3333333\n"; got != want {
		t.Errorf("a commit that git printed nothing of: got %swant %s", got, want)
	}
}

func TestARebasedCommitHasAnotherHash(t *testing.T) {
	s := session([]string{"fee.go"})
	s.run(t, 5, "git commit -m 'fee: round'", "[main 1111111] fee: round\n 1 file changed", false)
	s.run(t, 6, "git push", "! [rejected]", true)
	s.run(t, 7, "git pull --rebase origin main", "", false)
	s.run(t, 8, "git push", "", false)
	got := s.Pieces(at(999), false)
	if len(got) != 1 || got[0].State != "committed, pushed" || !got[0].Unknown {
		t.Errorf("without the repository: got %+v", got)
	}
	s.Log = NewLog(History{Commits: []Logged{
		{ID: "3333333ffff", At: at(7), Subject: "fee: round", Files: []string{"fee.go"}},
	}})
	if got, want := s.text(), "fee: round; text p1: committed 3333333, pushed\n"; got != want {
		t.Errorf("with the repository: got %swant %s", got, want)
	}
}

func TestACommitIsNotRebasedByItsMessage(t *testing.T) {
	s := session([]string{"fee.go"})
	s.run(t, 5, "git commit -m 'fee: round after git rebase'", "[main 1111111] fee: round after git rebase", false)
	if got, want := s.text(), "fee: round after git rebase: committed 1111111\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
}

func TestAnAmendedCommitReplacesTheLast(t *testing.T) {
	s := session([]string{"fee.go"}, []string{"fee_test.go"})
	s.run(t, 5, "git commit -m 'fee: round'", "[main 1111111] fee: round", false)
	s.run(t, 15, "git add -A && git commit --amend -m 'fee: round up'", "[main 2222222] fee: round up", false)
	if got, want := s.text(), "fee: round up: committed 2222222\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
}

func TestAnAmendedCommitKeepsItsSubjectAndTheCommitsBefore(t *testing.T) {
	s := session([]string{"fee.go"})
	s.run(t, 5, "git commit -m 'fee: round'", "[main 1111111] fee: round", false)
	s.run(t, 6, "git commit -q --amend --no-edit", "", false)
	s.Log = NewLog(History{Commits: []Logged{
		{ID: "3333333ffff", At: at(6), Subject: "fee: round", Files: []string{"fee.go"}},
	}})
	if got, want := s.text(), "fee: round; text p1: committed 3333333\n"; got != want {
		t.Errorf("git prints nothing: got %swant %s", got, want)
	}
	s = session([]string{"fee.go"})
	s.run(t, 5, "git commit -m one && git commit -m two", "[main 1111111] one\n[main 1111112] two\n", false)
	s.run(t, 6, "git commit --amend -m three", "[main 2222222] three\n", false)
	for range 2 { // nothing is changed by a look
		if got, want := s.text(), "one; three; text p1: committed 1111111 and 2222222\n"; got != want {
			t.Errorf("the last of two: got %swant %s", got, want)
		}
	}
}

func TestALogThatDoesNotReachBackSaysNothing(t *testing.T) {
	s := session([]string{"fee.go"}, []string{"export.go"})
	later := Logged{ID: "3333333ffff", At: at(14), Subject: "later", Files: []string{"fee.go"}}
	s.Log = NewLog(History{Commits: []Logged{later}, From: at(8)})
	if got, want := s.text(), "text p1: not committed by the agent\ntext p2: not committed\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestAnIgnoredFileNeedsNoCommit(t *testing.T) {
	s := session([]string{"fee.go", "notes.txt"}, []string{"todo.txt"})
	s.Log = NewLog(History{
		Commits: []Logged{{ID: "3333333ffff", At: at(9), Files: []string{"fee.go"}}},
		Ignored: []string{"notes.txt", "todo.txt"},
	})
	if got, want := s.text(), "text p1: committed 3333333\ntext p2: \n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestACommitThatLeavesFilesOutSaysWhich(t *testing.T) {
	s := session([]string{"fee.go", "web/export.go", "a.go"}, []string{"b.go"})
	s.run(t, 4, "git add fee.go", "", false)
	s.run(t, 5, "cd web && git add export.go && git commit -m fee", "[main 1111111] fee\n", false)
	want := "fee; text p1: committed 1111111 with 2 of 3 files, not a.go\ntext p2: not committed\n"
	if got := s.text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if !Unfinished(s.Pieces(at(1000), false)[0].State) {
		t.Error("what a commit left out is not unfinished")
	}
	s.Log = NewLog(History{Commits: []Logged{{ID: "9999999", At: at(7), Files: []string{"a.go"}}}})
	if got, want := s.Pieces(at(1000), false)[0].State, "committed 1111111"; got != want {
		t.Errorf("after a commit by the person: got %s, want %s", got, want)
	}
	s.Log = NewLog(History{})
	s.run(t, 18, "git commit -am rest", "[main 2222222] rest\n", false)
	want = "fee; text p1: committed 1111111\nrest; text p2: committed 2222222\n"
	if got := s.text(); got != want {
		t.Errorf("after the rest: got\n%swant\n%s", got, want)
	}
}

func TestACommitTakesOnlyThePiecesThatItHolds(t *testing.T) {
	s := session([]string{"fee.go"}, []string{"export.go"})
	s.run(t, 18, "git add export.go && git commit -m export", "[main 1111111] export\n", false)
	if got, want := s.text(), "text p1: not committed\nexport; text p2: committed 1111111\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestACommitInAnotherDirectoryHoldsNothingOfTheProject(t *testing.T) {
	for line, want := range map[string]string{
		"cd /srv/api && git commit -am api":     "text p1: not committed\napi: committed 1111111 in api\n",
		"git -C ../api commit -q -am api":       "text p1: not committed\napi: committed in api\n",
		"git -C web commit -q -am api":          "api; text p1: committed\n",
		"cd /home/dev && git commit -q -am api": "api; text p1: committed\n",
	} {
		s := session([]string{"fee.go"})
		output := ""
		if !strings.Contains(line, "-q") {
			output = "[main 1111111] api\n"
		}
		if s.run(t, 8, line, output, false); s.text() != want {
			t.Errorf("%s: got\n%swant\n%s", line, s.text(), want)
		}
	}
}

func TestAFileThatIsWrittenAndDeletedIsNoWork(t *testing.T) {
	s := session([]string{"try.go"}, []string{"fee.go", "web/try.go"})
	for i := range s.Edits {
		s.Edits[i].Written = s.Edits[i].File != "fee.go"
	}
	s.run(t, 18, "cd web && rm try.go; rm -f /home/dev/shop/try.go", "", false)
	if got, want := s.text(), "text p2: not committed\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	s = session([]string{"fee.go"})
	s.run(t, 8, "rm fee.go", "", false)
	if got, want := s.text(), "text p1: not committed\n"; got != want {
		t.Errorf("a file from before: got\n%swant\n%s", got, want)
	}
}

func TestTagsAreSaidToBePushed(t *testing.T) {
	for line, want := range map[string]string{
		"git tag v1.2 && git push origin main v1.2":        "pushed, tag v1.2 pushed",
		"git tag v1.2; git push":                           "pushed, tag v1.2",
		"git tag v1.2 && git push --follow-tags":           "pushed, tag v1.2 pushed",
		"git tag -d v1.2 && git push":                      "pushed",
		"git push && gh release create v1.2 --notes 'one'": "pushed, released v1.2",
	} {
		s := session([]string{"fee.go"})
		s.run(t, 5, "git commit -am fee", "[main 1111111] fee\n", false)
		s.run(t, 8, line, "", false)
		if got, want := s.text(), "fee; text p1: committed 1111111, "+want+"\n"; got != want {
			t.Errorf("%s: got\n%swant\n%s", line, got, want)
		}
	}
}

func TestWhatIsUndoneIsNotLeftToCommit(t *testing.T) {
	clean := NewLog(History{Compared: true, Changed: []string{"other.go"}})
	s := session([]string{"fee.go"})
	if s.Log = clean; s.text() != "text p1: undone or stashed since\n" {
		t.Errorf("got %s", s.text())
	}
	if s.Elsewhere = true; s.text() != "text p1: not committed\n" {
		t.Errorf("in another checkout: got %s", s.text())
	}
	s = session([]string{"fee.go", "export.go"})
	s.run(t, 5, "git add fee.go && git commit -m fee", "[main 1111111] fee\n", false)
	if s.Log = clean; s.text() != "fee; text p1: committed 1111111\n" {
		t.Errorf("of a part: got %s", s.text())
	}
	s.Log = NewLog(History{Compared: true, Changed: []string{"export.go"}})
	if want := "fee; text p1: committed 1111111 with 1 of 2 files, not export.go\n"; s.text() != want {
		t.Errorf("got %s, want %s", s.text(), want)
	}
}

// Without the log of the repository it is only known that nothing was committed since if the commit is checked out.
func TestWhatACommitLeftOutIsNotSaidOnceAnotherIsCheckedOut(t *testing.T) {
	s := session([]string{"fee.go", "export.go"})
	s.run(t, 5, "git add fee.go && git commit -m fee", "[main 1111111] fee\n", false)
	s.Log = nil
	for head, want := range map[string]string{
		"":           "fee; text p1: committed 1111111 with 1 of 2 files, not export.go\n",
		"1111111aaa": "fee; text p1: committed 1111111 with 1 of 2 files, not export.go\n",
		"2222222aaa": "fee; text p1: committed 1111111\n",
	} {
		if s.Head = head; s.text() != want {
			t.Errorf("with %q checked out: got %s, want %s", head, s.text(), want)
		}
	}
}

func TestAPipeHidesWhetherACheckPassed(t *testing.T) {
	const left = "text p1: not committed"
	const fails = left + ", `go test ./...` fails\n"
	for _, c := range []struct{ line, output, want string }{
		{"go test ./... | tail -5", "FAIL\tshop/fee\t0.1s\nFAIL\n", fails},
		{"go test ./... | tail -5", "ok  \tshop/fee\t0.1s\n", left + "\n"},
		{"go test ./... 2>&1 | grep -c fee", "7\n", left + "\n"},
		{"go test ./... || true", "--- FAIL: TestFee (0.00s)\nFAIL\n", left + ", `go test ./... || true` fails\n"},
		{"go test ./...; echo done", "FAIL\tshop/fee [build failed]\n", left + ", `go test ./...; echo done` fails\n"},
		{"go vet ./... && go test ./... | tail -1", "FAIL\n", left + ", `go vet ./... && go test ./...` fails\n"},
	} {
		s := session([]string{"fee.go"})
		s.run(t, 4, c.line, c.output, false)
		if got := s.text(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.line, got, c.want)
		}
	}
	s := session([]string{"fee.go"})
	s.run(t, 3, "npm run lint 2>&1 | grep error", "", true) // grep found nothing
	if got := s.text(); got != "text p1: not committed\n" {
		t.Errorf("a filter without a match: got %s", got)
	}
}

func TestACheckThatAPipeHidDoesNotSettleAFailure(t *testing.T) {
	failed := mem.Memory{Kind: mem.Command, Command: "go test ./...", Created: at(1), Updated: at(1)}
	for output, want := range map[string]bool{"FAIL\n": false, "?\n": false, "ok  \tshop/fee\t0.1s\n": true} {
		s := session([]string{"fee.go"})
		s.run(t, 4, "go test ./... | tail -1", output, false)
		if got := s.Settled(failed); got != want {
			t.Errorf("after %q: settled is %v", output, got)
		}
	}
}

func TestACommitSaysWhatItHoldsBesidesAndWhichChecksItSkipped(t *testing.T) {
	const many = " 3 files changed, 9 deletions(-)"
	for _, c := range []struct {
		line, output, ran, want string
		partial                 bool
	}{
		{line: "git commit --no-verify -am fee", want: "committed 1111111, checks skipped by --no-verify"},
		{line: "git commit --no-gpg-sign -am fee", want: "committed 1111111"},
		{line: "git commit -am fee", output: " 1 file changed, 2 insertions(+)", want: "committed 1111111"},
		{line: "git commit -am fee", output: many, want: "committed 1111111, with 2 files the session did not edit"},
		{line: "git commit -am fee", output: many, ran: "npm install x", want: "committed 1111111"},
		{line: "git commit -am fee", output: many, partial: true, want: "committed 1111111"},
		{
			line: "git add fee.go web/a.css web/b.css && git commit -m fee", output: many,
			ran: "sort -o web/a.css", want: "committed 1111111, with a file the session did not edit",
		},
		{line: "git add fee.go a.css && git commit -m fee", want: "committed 1111111"}, // a.css may not have changed
	} {
		s := session([]string{"fee.go"})
		s.Ran, s.Partial = []string{c.ran}, c.partial
		s.run(t, 5, c.line, "[main 1111111] fee\n"+c.output+"\n", false)
		if got, want := s.text(), "fee; text p1: "+c.want+"\n"; got != want {
			t.Errorf("%s after %q: got %s, want %s", c.line, c.ran, got, want)
		}
	}
}

func TestTheRepositorySaysWhatAQuietCommitHolds(t *testing.T) {
	s := session([]string{"fee.go"})
	s.run(t, 5, "git commit -q -am fee", "", false)
	s.Log = NewLog(History{Commits: []Logged{
		{ID: "1111111ff", At: at(5), Subject: "fee", Files: []string{"a.css", "b.css", "fee.go"}},
	}})
	if got, want := s.text(), "fee; text p1: committed 1111111, with 2 files the session did not edit\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWorkThatNoCommitNamesSaysWhatWasAskedFor(t *testing.T) {
	for _, c := range []struct{ title, asked, want string }{
		{"Fixed by looking up the name", "the modal shows the wrong agent", "Fixed by looking up the name; asked for: " +
			"the modal shows the wrong agent"},
		{"The modal shows the right agent", "the modal shows the wrong agent", "The modal shows the right agent"},
		{"Fixed by looking up the name", "", "Fixed by looking up the name"},
		{"implemented: Name the agent", "the modal shows the wrong agent", "implemented: Name the agent"},
		{"", "the modal shows the wrong agent", "changed a.go; asked for: the modal shows the wrong agent"},
	} {
		if got := (Piece{Title: c.title, files: []string{"a.go"}}).TitleFor(c.asked); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	made := Piece{Title: "fee: round", commits: []Command{{}}}
	if got := made.TitleFor("the receipt is wrong"); got != "fee: round" {
		t.Errorf("with a commit: got %q", got)
	}
}
