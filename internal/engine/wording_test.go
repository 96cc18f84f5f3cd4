package engine

import (
	"slices"
	"testing"

	"remanence/internal/mem"
)

func TestSentencesOfAnAnswer(t *testing.T) {
	in := "# Done\n\nThe root cause was **a race** in `session.go`. See v1.2 for more. It is 3.5 s!\n\n- first item\n2. second item\n\n```go\nx := 1. // code\n```\n| a | b |\n日本語の文。もう一つ。\n"
	want := []string{"The root cause was a race in `session.go`.", "See v1.2 for more.", "It is 3.5 s!", "first item", "second item", "日本語の文。", "もう一つ。"}
	if got := sentences(in); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestStatementsWorthKeeping(t *testing.T) {
	for _, tt := range []struct {
		said string
		want mem.Kind
	}{
		{"The root cause was a missing lock around the map.", mem.ErrorFix},
		{"I decided to use one mutex for each session.", mem.Decision},
		{"We use SQLite instead of Postgres here.", mem.Decision},
		{"Careful: the loader ignores the whole line then.", mem.Gotcha},
		{"Still open: the logout path has no test.", mem.Todo},
		{"To run the slow tests set SLOW=1.", mem.Howto},
		{"By convention every handler lives in its own file.", mem.Convention},
		{"I will look at the files now.", ""},
		{"All tests pass.", ""},
		{"Should I use one mutex instead of two?", ""},
		{"Fixed.", ""},
		{"Two things to be aware of:", ""},
		{"If clients rely on it, we'd need a column of its own, otherwise they break.", ""},
	} {
		if got, _ := (turnOfWork{}).meaning(said{text: tt.said, bare: cueText(tt.said)}); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.said, got, tt.want)
		}
	}
}

func TestWhatAPersonLaysDown(t *testing.T) {
	for _, tt := range []struct {
		said string
		want mem.Kind
	}{
		{"From now on we use table tests in this repo.", mem.Convention},
		{"We use tabs, never spaces.", mem.Convention},
		{"Please remember that the staging database is read-only.", mem.Fact},
		{"Let's go with gRPC for the internal API.", mem.Decision},
		{"I prefer short commit messages.", mem.Preference},
		{"Don't touch that file!", ""},
		{"What do we use here?", ""},
		{"python here is always run through uv", mem.Convention},
		{"Beträge sind bei uns übrigens immer in Cent gespeichert", mem.Convention},
		{"it is always slow here", ""},
		{"I never changed anything here", ""},
		{"fix the tests please", ""},
	} {
		if got, _ := laidDown(tt.said); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.said, got, tt.want)
		}
	}
}

func TestProfilesHaveTheirBudgets(t *testing.T) {
	lean, full := Defaults(Lean), Defaults(Full)
	if want := (Budgets{SessionStart: 1200, Resume: 300, Compact: 2000, UserPrompt: 300, Read: 120, Write: 120, Bash: 120, Task: 400}); lean.Budgets != want {
		t.Errorf("lean: got %+v, want %+v", lean.Budgets, want)
	}
	if want := (Budgets{SessionStart: 2000, Resume: 2000, Compact: 2000, UserPrompt: 1500, Read: 500, Write: 500, Bash: 300, Task: 800}); full.Budgets != want {
		t.Errorf("full: got %+v, want %+v", full.Budgets, want)
	}
	if perPrompt := lean.Budgets.UserPrompt + lean.NudgeTokens; perPrompt > 360 {
		t.Errorf("a lean prompt may take %d tokens, want at most 360", perPrompt)
	}
	if h := lean.hushed(); h.Budgets != (Budgets{}) || h.NudgeEvery != NudgeNever {
		t.Errorf("hushed settings still tell: %+v", h)
	}
}
