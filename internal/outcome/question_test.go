package outcome

import (
	"strings"
	"testing"
)

// A question that the turn was about, in each language that answers are read in.
func TestAQuestionThatNobodyAnsweredIsOpen(t *testing.T) {
	for _, c := range []struct{ said, asked string }{
		{"The fee is stored in cents.", "Should the refund be stored in cents as well?"},
		{"There are two ways to store the refund.", "Would you like the refund stored as cents or as a decimal?"},
		{"Die Gebühr steht jetzt in der Tabelle.", "Soll ich die alte Tabelle löschen?"},
		{"Die Gebühr wird gerundet.", "Möchtest du, dass auch Rechnungen so gerundet werden?"},
		{"La colonne des frais est ajoutée.", "Faut-il garder l'ancienne colonne ?"},
		{"La tabla nueva tiene la comisión.", "¿Quieres que borre la tabla antigua?"},
		{"A tabela nova tem a taxa.", "Quer que eu remova a tabela antiga?"},
		{"La tabella nuova contiene la commissione.", "Vuoi che elimini la vecchia tabella?"},
		{"Новая таблица готова, старую таблицу никто не читает.", "Удалить старую таблицу?"},
		{"新しいテーブルを追加しました。", "古いテーブルを削除しますか？"},
		{"新しい列を追加しました。旧列は未使用です。", "旧列を削除しましょうか。"},
		{"新表已经建好，旧表不再使用。", "要删除旧表吗？"},
		{"تمت إضافة الجدول الجديد.", "هل أحذف الجدول القديم؟"},
	} {
		s := session([]string{"fee.go"}).talk("go on > " + c.said + "\n\n" + c.asked)
		if got, want := s.open(), "for you: answer “"+c.asked+"”"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Whether there is anything else to do, and whether it is fine, says nothing of what is left open.
func TestACourtesyIsNotOpen(t *testing.T) {
	for _, c := range []string{
		"Anything else?", "Is there anything else I can help you with?", "Would you like me to make any other changes?",
		"Does that help?", "What would you like to do next?", "How does that look?", "Any questions?", "Shall I go on?",
		"Soll ich noch etwas tun?", "Kann ich sonst noch helfen?", "Passt das so?", "Noch Fragen?",
		"Gibt es sonst noch etwas an der Gebühr zu ändern?", "Autre chose ?", "Puis-je faire autre chose pour vous ?",
		"Ça te convient ?", "¿Algo más?", "¿Necesitas algo más?", "¿Te parece bien?", "Posso fare altro?",
		"Precisa de mais alguma coisa?", "Что-нибудь ещё?", "Могу ещё чем-то помочь?", "他に何かありますか？",
		"他に何かお手伝いできることはありますか？", "还有什么需要帮忙的吗？", "还需要别的吗？", "这样可以吗？",
	} {
		const turn = "round the card fee > The card fee is rounded. Die Gebühr ist gerundet.\n\n"
		s := session([]string{"fee.go"}).talk(turn + c)
		if got := s.open(); got != "" {
			t.Errorf("%s: got %q", c, got)
		}
	}
}

func TestAQuestionIsReadWithWhatItPutsToChoice(t *testing.T) {
	for answer, want := range map[string]string{
		"Both work.\n\nWhich one do you prefer?\n1. `cents`\n2. `decimal`": "" +
			"Which one do you prefer?”: cents, decimal",
		"Both work:\n- one column, simple\n- two columns, exact\n\nWhich of these do you prefer?": "" +
			"Which of these do you prefer?”: one column, simple, two columns, exact",
		"It is a large change.\n\n**Do you want the `refund` rounded too?** 🙂": "" +
			"Do you want the `refund` rounded too?",
		"It is a large change.\n\nShall I split the change by `package`? (It takes an hour.)": "" +
			"Shall I split the change by `package`?",
		"I need two things of you:\n1. Which bucket holds `export.csv`?\n2. Who owns the job?": "" +
			"Which bucket holds `export.csv`? Who owns the job?",
		"It is done.\n\nShould the refund be rounded too? Or is the refund exact?": "" +
			"Should the refund be rounded too? Or is the refund exact?",
		"I changed:\n- the fee\n- the refund\n\nShall I push to `main`?": "" +
			"Shall I push to `main`?",
		"Why is it rounded? The bank does.":                                                        "",
		"Is the refund rounded? I looked at the refund, and it is.\n\nThe card fee is, too.":       "",
		"The link is http://localhost/fee?":                                                        "",
		"It prints:\n```\nDelete the refund?\n```":                                                 "",
		"> Should the refund be rounded?\n\nYes.":                                                  "",
		"What would you like to do next?\n- the fee\n- the refund\n\nAll is documented in fee.md.": "",
	} {
		got := session([]string{"fee.go"}).talk("round the refund > " + answer).open()
		if want != "" {
			want = "for you: answer “" + want
			if !strings.Contains(want, "”") {
				want += "”"
			}
		}
		if got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", answer, got, want)
		}
	}
}

func TestAQuestionThatIsAllThatWasSaidLeavesTheRequestOpen(t *testing.T) {
	got := session(nil).talk("drop the orders table > Are you sure?").open()
	if want := "asked for, not done: drop the orders table; the agent asked “Are you sure?”"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnAnsweredQuestionIsNotOpen(t *testing.T) {
	const turn = "round the card fee > The card fee is rounded.\n\nShould the refund be rounded to cents?"
	for name, s := range map[string]*Session{
		"answered":         session([]string{"fee.go"}, nil).talk(turn, "no > Then the refund stays exact."),
		"not yet answered": session([]string{"fee.go"}, nil).talk(turn, "what is a cent"),
	} {
		if got := s.open(); strings.Contains(got, "answer") {
			t.Errorf("%s: got %q", name, got)
		}
	}
	s := session([]string{"fee.go"}).talk(turn)
	if got := s.open("round the refund to cents, too"); got != "" {
		t.Errorf("answered in a later session: got %q", got)
	}
	if got := s.open("show the fee in the export"); got == "" {
		t.Error("another request of a later session answered it")
	}
}

func TestALongQuestionOfTheToolIsSaidByItsLastSentence(t *testing.T) {
	s := session(nil).talk("commit this > It failed.")
	s.Exchanges[0].Question = "The hook failed in the type check, because the assets that the build generates " +
		"(web.ts, prompts.ts and three more files) are missing in this checkout, which was so before the change and has " +
		"nothing to do with it. Shall I commit without the hook?"
	if got, want := s.open(), "for you: answer “Shall I commit without the hook?”"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
