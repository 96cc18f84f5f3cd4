package engine

import (
	"slices"
	"strings"
	"testing"

	"remanence/internal/extract"
	"remanence/internal/mem"
)

// What an answer puts to choice or rules out is no work that is left, whatever its
// words: the place in the text decides.
func TestOpenItemsOfAnAnswer(t *testing.T) {
	const a, b = "Move the importer, which is not done yet", "Split the nightly report; still open in the backlog"
	list := "- " + a + "\n- " + b + "\n"
	numbered := "1. " + a + "\n2. " + b + "\n"
	for _, tt := range []struct {
		name, text string
		want       int // open items
	}{
		{"remainder", "Still open:\n" + list, 2},
		{"remainder under a heading", "## Not done yet\n\n" + list, 2},
		{"remainder with an offer to go on", "Still open:\n" + list + "\nShall I go on with the first?", 2},
		{
			"remainder under a heading, with a question", "## Remaining work\n" + numbered + "\nWhere do you want me to start?",
			2,
		},
		{"boxes with a question", "What I planned:\n- [ ] " + a + "\n- [ ] " + b + "\n\nOK so far?", 2},
		{"next steps", "## Next steps\n" + list, 2},
		{"list, then a report", "What I saw:\n" + list + "\nThe tests pass.", 2},
		{"question of another section", "## State\n" + list + "\n## Question\nIs the staging bucket yours?", 2},
		{"question before", "Is the staging bucket yours? I saw it there.\n\n## State\n" + list, 2},
		{"rhetorical question, then a report", "What I saw:\n" + list + "\nWhy now? The bucket was empty.", 2},

		{"numbers, then a question", "Two ways to go on.\n\n" + numbered + "\nWhich do you prefer?", 0},
		{"numbers, a word for one, then a question", numbered + "\nThe first is smaller.\n\nWhich do you prefer?", 0},
		{"bullets, then a question about them", "What I saw:\n\n" + list + "\nWhich of these is first?", 0},
		{"a report, then an offer", "What I changed:\n" + list + "\nShall I commit it?", 2},
		{
			"a numbered report, then an offer to go on", "Where it stands:\n" + numbered + "\nShall I go on with the report?",
			2,
		},
		{"what could be done", "You could:\n" + list + "\nWhat is it to be?", 0},
		{
			"next steps in bullets, then a question",
			"## Next steps\n- Move the importer to the worker\n- Split the nightly report by area\n\nShall I?", 0,
		},
		{
			"next steps in bullets", "## Next steps\n- Move the importer to the worker\n- Split the nightly report by area\n",
			2,
		},
		{"next steps, then a question", "## Next steps\n" + numbered + "\nWant me to take one of them?", 0},
		{"next steps, then an offer", "## Next steps\n" + numbered + "\nLet me know which of them I may take.", 0},
		{"question that leads", "Want me to:\n" + numbered, 0},
		{"question that leads, with its mark", "Which of these is next?\n" + numbered, 0},
		{"offer that leads under a heading", "## Next steps\nIf you like, I can:\n" + list, 0},
		{"letters", "A) " + a + "\nB) " + b + "\n\nYour choice?", 0},
		{"letters in brackets", "(a) " + a + "\n(b) " + b + "\n\nYour choice?", 0},
		{"bold letters", "**A.** " + a + "\n**B.** " + b + "\n\nYour choice?", 0},
		{"headings", "### Option A: one pass\n" + a + ".\n\n### Option B: two passes\n" + b + ".\n\nWhich one?", 0},
		{"lines of an item", "1. One pass\n   " + a + "\n2. Two passes\n   " + b + "\n\nWhich one?", 0},
		{"a heading for options", "## Options\n\n" + list, 0},
		{"German", "## Nächste Schritte\n1. Der Import ist noch nicht umgezogen\n2. Der Bericht ist noch offen im " +
			"Backlog\n\nWas soll zuerst kommen?", 0},
		{"French", "1. L'import n'est pas encore déplacé\n2. Il reste à couper le rapport\n\nLequel préfères-tu ?", 0},
		{"Japanese", "1. インポートの移動はまだ終わっていないので続ける\n2. 夜間レポートの分割は未着手なので始める\n\nどちらにしますか。", 0},
		{"Chinese", "1. 导入任务的迁移还没有完成，可以继续做下去\n2. 夜间报告的拆分尚未开始，可以现在开始做\n\n你想先做哪一个？", 0},

		{"out of scope", "## Out of scope\n" + list, 0},
		{"not in scope, as a line", "Not in scope:\n" + list, 0},
		{"non-goals", "**Non-goals**\n" + list, 0},
		{"will not do", "### Won't do\n" + list, 0},
		{"out of scope in a sentence", "The nightly report of the importer is out of scope.", 0},
		{"out of scope as a label", "**Out of scope:** the nightly report is not split yet.", 0},
		{"German scope", "## Nicht im Umfang\n" + list, 0},
		{"French scope", "Hors périmètre :\n" + list, 0},
		{"Spanish scope", "## Fuera de alcance\n" + list, 0},
		{"Japanese scope", "## 対象外\n" + list, 0},
		{"after what is out of scope", "## Out of scope\n- The mail gateway of the other team\n\n## Still open\n" + list, 2},

		{"heading that reports", "**Updated the TODO items:**\n- Sorted them into six groups by area\n- Twelve of them in " +
			"all, none twice", 0},
		{"list in a list", "Still open:\n- The importer\n  - " + a + "\n  - " + b, 2},
	} {
		var got []string
		for _, p := range (extract.TurnFacts{}).Choose(extract.Statements(tt.text), extract.MaxStatements, 0) {
			if p.Kind == mem.Todo {
				got = append(got, p.Text)
			}
		}
		if len(got) != tt.want {
			t.Errorf("%s: got %d open items %q, want %d", tt.name, len(got), got, tt.want)
		}
	}
}

// Other kinds are kept from a choice as before.
func TestChoiceKeepsWhatItSaysOfTheCode(t *testing.T) {
	text := "1. Keep the pool\n2. Drop it\n\nCareful: the loader ignores the whole line then.\n\nWhich one?"
	kinds := []mem.Kind{}
	for _, p := range (extract.TurnFacts{}).Choose(extract.Statements(text), extract.MaxStatements, 0) {
		kinds = append(kinds, p.Kind)
	}
	if !slices.Contains(kinds, mem.Gotcha) {
		t.Errorf("got %v, want a gotcha", kinds)
	}
}

func TestLongAnswerIsLaidOutInTime(t *testing.T) {
	text := strings.Repeat("1. Move the importer\n2. Split the report\n\nWhich one?\n\n", 20000)
	if n := len(extract.Statements(text)); n > extract.MaxSentences+10 {
		t.Errorf("%d statements", n)
	}
}
