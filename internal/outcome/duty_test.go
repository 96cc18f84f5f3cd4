package outcome

import (
	"slices"
	"strings"
	"testing"

	"remanence/internal/lang"
)

func never(string) bool { return false }

func TestTheTableOfDutiesIsWellFormed(t *testing.T) {
	classes := []string{"duty", "act", "op", "must", "hand", "maybe", "none", "any", "section", "manual", "look"}
	if _, err := lang.ParseLexicon(dutyTable, classes); err != nil {
		t.Fatal(err)
	}
}

func TestWhatOnlyThePersonCanDoIsFound(t *testing.T) {
	for _, last := range []string{
		"Before the first run you need to set `S3_BUCKET` in the hosting dashboard",
		"Run `npm run migrate` before you start the server",
		"Restart the dev server to see it",
		"Du musst noch `S3_KEY` in der Konsole eintragen",
		"Vous devez redémarrer le service",
		"Tienes que iniciar sesión en la consola",
		"Вам нужно перезапустить сервис",
		"サーバーを再起動してください",
		"您需要在控制台设置 `S3_KEY`",
	} {
		if got := duties("The export works now.\n\n"+last+".", never); !slices.Equal(got, []string{last}) {
			t.Errorf("%s: got %q", last, got)
		}
	}
	for _, last := range []string{
		"The fee is rounded.", "If you want, run `npm run migrate`.", "You can restart the server at any time.",
		"You don't need to restart the server.", "Should I deploy it? You need to log in first, right?",
		"- Add `useMemo` to the imports\n- Set the width to 3rem",
		"```\nRun `npm run migrate`\nyou need to set S3_KEY in production\n```",
		"Wenn du willst, musst du den Dienst neu starten.",
		"Устанавливать ничего не нужно, перезапуск не требуется.",
	} {
		if got := duties("The export works now.\n\n"+last, never); len(got) > 0 {
			t.Errorf("%s: got %q", last, got)
		}
	}
}

func TestAListOfWhatThePersonHasToDoIsOneLine(t *testing.T) {
	for answer, want := range map[string]string{
		"It is done.\n\nYou still need to:\n- add `S3_KEY` to the vault\n- **restart** the worker\n": "" +
			"You still need to: add `S3_KEY` to the vault, restart the worker",
		"**Required secrets** (must be set in the repository settings):\n\n| name | value |\n|---|---|\n" +
			"| `SIGN_KEY` | base64 |\n| `SIGN_PASSWORD` | text |\n| `SIGN_ID` | text |\n| `TEAM_ID` | text |\n": "" +
			"Required secrets (must be set in the repository settings): SIGN_KEY, SIGN_PASSWORD, SIGN_ID and 1 more",
		"The form needs these fields, all required:\n- the name\n- the street\n": "",
		"## Required secrets\n- `SIGN_KEY`\n- `SIGN_ID`":                         "Required secrets: SIGN_KEY, SIGN_ID",
		"You need to set two secrets in the console.\n- `SIGN_KEY`\n- `SIGN_ID`": "" +
			"You need to set two secrets in the console: SIGN_KEY, SIGN_ID",
		"If you sign it yourself, you need to set:\n- `SIGN_KEY`": "",
	} {
		if got := strings.Join(duties("The job signs now.\n\n"+answer, never), " | "); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", answer, got, want)
		}
	}
}

// What the person has to do names a command, a variable or something that is outside of the session.
func TestOnlyWhatIsNamedIsLeftToThePerson(t *testing.T) {
	for said, want := range map[string]bool{
		"You need to set S3_KEY":               true,
		"You need to set S3_KEY=abc":           true,
		"You need to set `S3_KEY=abc`":         true,
		"You need to call `make seed`":         true,
		"You need to know the S3 KEY":          false,
		"You need to know A_B":                 false,
		"You need to know `PARTS`":             false,
		"You need to see the new column":       false,
		"You need to call `seed`":              false,
		"You need to call `Seed the table`":    false,
		"You need to call `seed(a, b)`":        false,
		"You need to know `snake_case_of_one`": false,
	} {
		if got := duties("The export works now.\n\n"+said+".", never); len(got) > 0 != want {
			t.Errorf("%s: got %q", said, got)
		}
	}
}

func TestWhatTheAgentRanIsNotLeftToThePerson(t *testing.T) {
	ran := func(name string) bool { return name == "npm run migrate" }
	answer := "The table has a column.\n\nRun `npm run migrate` first.\n\nRun `npm run seed` then."
	if got := duties(answer, ran); !slices.Equal(got, []string{"Run `npm run seed` then"}) {
		t.Errorf("got %q", got)
	}
	if got := duties("The table has a column.\n\nYou need to run:\n- `npm run migrate`\n", ran); len(got) > 0 {
		t.Errorf("in a list: got %q", got)
	}
}

func TestOnlyTheEndOfAnAnswerIsLookedAt(t *testing.T) {
	answer := "You need to restart the server each time, that was the problem.\n" +
		strings.Repeat("It watches the file now.\n\n", 9)
	if got := duties(answer, never); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}
