package extract_test

import (
	"slices"
	"testing"

	"remanence/internal/extract"
)

func TestACommitIsReadFromWhatGitPrints(t *testing.T) {
	for _, tt := range []struct{ command, output, hash, subject string }{
		{"git commit -m 'Fix the clock'", "[main 1a2b3c4] Fix the clock\n 1 file changed", "1a2b3c4", "Fix the clock"},
		{"git add . && git commit -qm x", "", "", ""},
		{"cd a && git -C . commit -F msg", "lint ok\n[fix/a (root-commit) 1a2b3c4d5e] Begin\n", "1a2b3c4d5e", "Begin"},
		{"git log", "[main 1a2b3c4] Fix the clock", "", ""},
		{"git commit -m x", "[INFO warning] nothing", "", ""},
		{"git commit -m x", "[detached HEAD 0badcafe] x: y", "0badcafe", "x: y"},
	} {
		var want []extract.Commit
		if tt.hash != "" {
			want = []extract.Commit{{Hash: tt.hash, Subject: tt.subject}}
		}
		if got := extract.Commits(tt.command, tt.output); !slices.Equal(got, want) {
			t.Errorf("%q, %q: got %v, want %v", tt.command, tt.output, got, want)
		}
	}
}

func TestOnlyAReportOfTheCommitGivesWayToItsSubject(t *testing.T) {
	for text, want := range map[string]bool{
		"Committed all 8 files.": true,
		"Committed as `0b03276` — all tests pass, lint and typecheck clean.":                                  true,
		"Both changes are in one commit now.":                                                                 true,
		"The retry waits for the fake clock, so that a commit of the transaction is seen before it gives up.": false,
	} {
		if got := extract.ReportsCommit(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestAnAnswerIsQuotedWithoutItsNarration(t *testing.T) {
	for text, want := range map[string]string{
		"Let me check the full diff for `useApi.ts`.": "",
		"Now let me run the tests. The path was too long because of the folder.": "" +
			"The path was too long because of the folder.",
		"I see that retries failed because the clock was real. Shall I go on?": "" +
			"I see that retries failed because the clock was real.",
		"It is cached for 5 minutes.\n\n- `a.go` holds the key.": "It is cached for 5 minutes.\n- `a.go` holds the key.",
	} {
		if got := extract.WithoutNarration(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAPromptThatOnlyAsksToCommit(t *testing.T) {
	for prompt, want := range map[string]bool{
		"commit": true, "Commit this.": true, "commit and push": true, "bitte committen": true, "push!": true,
		"commit or stash?": false, "commit `a.go` only": false, "does the saga commit before the reply": false,
		"push the retry to the queue instead": false,
	} {
		if got := extract.AsksToCommit(prompt); got != want {
			t.Errorf("%q: got %v, want %v", prompt, got, want)
		}
	}
}

func TestACommitThatGitPrintsNothingOfIsSeen(t *testing.T) {
	for _, c := range []struct {
		command, output, subject string
		made                     bool
	}{
		{`git commit -qm "fee: round half up"`, "", "fee: round half up", true},
		{`git commit -q -m "fee: round half up"`, "", "fee: round half up", true},
		{`git add . && rtk git commit -m 'fee: round'`, "ok", "fee: round", true},
		{"git commit -q -m \"$(cat <<'EOF'\nfee: round half up\n\nBody\nEOF\n)\"", "", "fee: round half up", true},
		{`git -C web -c user.name=Ada commit -q -m 'fee: round'`, "", "fee: round", true},
		{`git log --grep commit`, "", "", false},
		{`git commit -m "fee"`, "[main 0a1b2c3] fee\n", "", false}, // Commits reads it
		{`git commit -m "fee"`, "FAILED: git commit\n", "", false},
		{`git commit -m "fee" || true`, "", "", false},
		{`git commit --dry-run`, "", "", false},
		{`git status`, "nothing to commit", "", false},
		{`git commit --amend --no-edit -q`, "", "", true},
	} {
		if subject, made := extract.QuietCommit(c.command, c.output); subject != c.subject || made != c.made {
			t.Errorf("%s: got %q, %v", c.command, subject, made)
		}
	}
}

func TestACommitReplacesOneThatFailed(t *testing.T) {
	const failed = `git add fee.go dist && git commit -m "fee: round half up"`
	for command, want := range map[string]bool{
		`git add fee.go && git commit -m "fee: round half up"`: true,
		`git commit -m "fee: round half up" --no-verify`:       true,
		`git commit -m "export: write the fee"`:                false,
		`git log`:                                              false,
	} {
		subject := "fee: round half up"
		if !want {
			subject = "export: write the fee"
		}
		c := extract.Call{Command: command, Output: "[main 0a1b2c3] " + subject + "\n"}
		if got := extract.MakesCommitOf(failed, c); got != want {
			t.Errorf("%s: got %v", command, got)
		}
	}
	if extract.MakesCommitOf("go test ./...", extract.Call{Command: failed, Output: "[main 0a1b2c3] fee: round half up"}) {
		t.Error("a commit replaced a test")
	}
}
