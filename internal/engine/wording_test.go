package engine

import (
	"slices"
	"testing"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

func TestSentencesOfAnAnswer(t *testing.T) {
	in := "# Done\n\nThe root cause was **a race** in `session.go`. See v1.2 for more. It is 3.5 s!\n\n- first " +
		"item\n2. second item\n\n```go\nx := 1. // code\n```\n| a | b |\n日本語の文。もう一つ。\nok, keep the drop-down. next the " +
		"footer\nMeasured SQLite vs. Postgres (cf. Table 2).\n"
	want := []string{
		"The root cause was a race in `session.go`.", "See v1.2 for more.", "It is 3.5 s!", "first item",
		"second item", "日本語の文。", "もう一つ。", "ok, keep the drop-down.", "next the footer",
		"Measured SQLite vs. Postgres (cf. Table 2).",
	}
	if got := extract.Sentences(in); !slices.Equal(got, want) {
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
		{"We use SQLite instead of Postgres here.", mem.Convention},
		{"Switched back to zerolog; allocations went from 41 to 12.", mem.Decision},
		{"Careful: the loader ignores the whole line then.", mem.Gotcha},
		{"Still open: the logout path has no test.", mem.Todo},
		{"❌ Not profiled yet with the big catalogue", mem.Todo},
		{"Amounts are always in cents.", mem.Convention},
		{"⚠️ `--force` also drops rows that were added on purpose.", mem.Gotcha},
		{"To run the slow tests set SLOW=1.", mem.Howto},
		{"By convention every handler lives in its own file.", mem.Convention},
		{"I will look at the files now.", ""},
		{"All tests pass.", ""},
		{"Should I use one mutex instead of two?", ""},
		{"Fixed.", ""},
		{"Two things to be aware of:", ""},
		{"Ich würde die mittlere Genauigkeit nehmen, weil nur fünf Prozent angerufen werden statt aller.", ""},
		{"If clients rely on it, we'd need a column of its own, otherwise they break.", ""},
	} {
		if got := kindChosen(extract.TurnFacts{}, tt.said); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.said, got, tt.want)
		}
	}
}

func TestWhatStandsUnderALineIsWhatTheLineSays(t *testing.T) {
	for _, tt := range []struct {
		text string
		want mem.Kind
	}{
		{"Three things are not done yet:\n- The importer was not run, because the bucket is empty.", mem.Todo},
		{"Noch nicht erledigt sind:\n- Der Import lief nicht, weil der Eimer leer ist.", mem.Todo},
		{"Ce n'est pas encore fait :\n- Les migrations, car la base est verrouillée.", mem.Todo},
		{"Maybe later, not done yet:\n- The importer could be split in two parts.", ""},
		{"What I did:\n- [x] the header\n- [ ] the footer of the second page", mem.Todo},
		{"What I did:\n- [ ] the header\n- [x] the footer of the second page", ""},
		{"Ideas:\n- [ ] the footer of the second page", ""},
		{"## Decisions\n- Retries in the client, so the server stays simple.", mem.Decision},
		{"## Root cause\n- Retries in the client, so the server saw each order twice.", mem.ErrorFix},
		{"Two facts:\n- Retries in the client, so the server saw each order twice.", mem.ErrorFix},
	} {
		if got := kindChosen(extract.TurnFacts{Trouble: true}, tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

// kindChosen is the kind of the last statement that is kept of an answer; empty if none is.
func kindChosen(w extract.TurnFacts, answer string) mem.Kind {
	points := w.Choose(extract.Statements(answer), extract.MaxStatements, 0)
	if len(points) == 0 {
		return ""
	}
	return points[len(points)-1].Kind
}

func TestPromiseOrRequestIsNotStored(t *testing.T) {
	for said, want := range map[string]bool{
		"Got it, sorry: I won't touch the generated client without a word from you.":            false,
		"You're right, I didn't wait for the lock, so the job ran twice.":                       false,
		"Verstanden, ich fasse den generierten Client nicht mehr an, weil er neu erzeugt wird.": false,
		"The job didn't wait for the lock, so it ran twice.":                                    true,
		"The wildcard in `tsconfig.json` makes the compiler read all of `node_modules`.":        true,
	} {
		if got := kindChosen(extract.TurnFacts{Trouble: true}, said) != ""; got != want {
			t.Errorf("%q: kept %v, want %v", said, got, want)
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
		{"never mind the broken link.", ""},
		{"always nice to see it green", ""},
		{"always a comma behind the last argument", mem.Convention},
		{"dates in this service are UTC without exception", mem.Convention},
		{"dans ce projet on teste avec Pest", mem.Convention},
		{"please work on the parser in this repo first", ""},
		{"two tests are failing in this module", ""},
		{"there are three parsers in this package", ""},
		{"Bei uns im Team: wir mocken immer gegen den lokalen Broker", mem.Convention},
		{"on ne fusionne jamais un vendredi", mem.Convention},
		{"wir haben immer noch denselben Fehler", ""},
		{"wir müssen den Server immer wieder neu starten", ""},
		{"das haben wir nie getestet", ""},
		{"wir bekommen nie eine Antwort von dem Dienst", ""},
		{"on a toujours le même message", ""},
		{"no snapshots in the unit tests, ever", mem.Convention},
		{"and in general: no inline styles, ever", mem.Convention},
		{"One rule for this folder: no default exports, ever.", mem.Convention},
		{"und: den Seed immer aus der Datei, nie im Code", mem.Convention},
		{"and please remember this", ""},
		{"dont delete anything in prod without asking me!!", mem.Convention},
		{"did that work, ever", ""},
		{"In this repo each migration has a down script", mem.Convention},
		{"In diesem Projekt ist jede Route typisiert", mem.Convention},
		{"In this repo there is a bug in the parser", ""},
		{"In this repo every test is red", ""},
		{"rename every handler in this repo", ""},
		{"In this repo, check that every handler has a test", ""},
		{"In this project all tests pass", ""},
		{"don't push to main without asking", mem.Convention},
		{"bitte nichts löschen, ohne mich zu fragen", mem.Convention},
		{"don't delete branches without asking, that one was mine", mem.Convention},
		{"you did that without asking", ""},
		{"you don't need to ask, but do not push without asking", mem.Convention},
		{"go ahead without asking", ""},
		{"ok, we stay with gunicorn", mem.Decision},
		{"dann bleiben wir bei Flyway", mem.Decision},
		{"we don't use lodash here", mem.Convention},
		{"we don't use it yet", ""},
		{"we don't use this function, delete it please", ""},
		{"wir sollten das nie wieder so machen", ""},
		{"on ne sait jamais", ""},
		{"can we stick with the old one", ""},
	} {
		var got mem.Kind
		if points := extract.FromPerson(tt.said, ""); len(points) > 0 {
			got = points[0].Kind
		}
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.said, got, tt.want)
		}
	}
}

func TestProfilesHaveTheirBudgets(t *testing.T) {
	lean, full := event.Defaults(event.Lean), event.Defaults(event.Full)
	if want := (event.Budgets{
		SessionStart: 1200, Resume: 300, Compact: 2000, UserPrompt: 300, Read: 120, Write: 120,
		Bash: 120, Task: 400,
	}); lean.Budgets != want {
		t.Errorf("lean: got %+v, want %+v", lean.Budgets, want)
	}
	if want := (event.Budgets{
		SessionStart: 2000, Resume: 2000, Compact: 2000, UserPrompt: 1500, Read: 500, Write: 500,
		Bash: 300, Task: 800,
	}); full.Budgets != want {
		t.Errorf("full: got %+v, want %+v", full.Budgets, want)
	}
	if perPrompt := lean.Budgets.UserPrompt + lean.StateLineTokens; perPrompt > 360 {
		t.Errorf("a lean prompt may take %d tokens, want at most 360", perPrompt)
	}
	if h := lean.WithoutInjection(); h.Budgets != (event.Budgets{}) || h.StateLineRule != event.StateLineNever {
		t.Errorf("silent settings still inject: %+v", h)
	}
}
