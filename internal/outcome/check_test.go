package outcome

import (
	"strings"
	"testing"
)

func texts(checks []Check) string {
	var out []string
	for _, c := range checks {
		said, _ := c.said()
		out = append(out, said)
	}
	return strings.Join(out, " | ")
}

func TestChecksByHandStandBelowTheirHeading(t *testing.T) {
	for _, c := range []struct{ plan, want string }{
		{
			"# Round the fee\n## Steps\n- verify the type\n## Verification\n1. Run `go test ./...` and verify that it passes\n" +
				"2. Manual test: open the receipt → the fee is whole\n" +
				"3. `npm run dev`, visually confirm:\n   - the sum\n   - the fee\n" +
				"## Notes\n- check the docs",
			"open the receipt → the fee is whole | `npm run dev`, visually confirm: the sum; the fee",
		},
		{"## Verification\n4. Manual testing:\n   - Open the receipt\n   - Print it", "Open the receipt; Print it"},
		{"## Test plan\n- [x] Check the receipt\n- [ ] Check the export\n- Add a test for it", "Check the export"},
		{"**Verification**\n- Confirm that the fee is whole", "Confirm that the fee is whole"},
		{"## Verification\n- All tests should pass\n- The fee should be whole", "The fee should be whole"},
		{"## Tests\n- Manual fee: verify that it is kept", ""},
		{"## Verification\n```\n- verify this\n```\n- `go test ./...` passes", ""},
		{
			"## Verification\n- Test with an old receipt: the fee is whole\n- The test suite passes\n- Visit the table\n" +
				"\nManual spot check: print a receipt\n\nThe rest is as before.",
			"Test with an old receipt: the fee is whole | Visit the table | print a receipt",
		},
		{"## Überprüfung\n- Manuell: Beleg öffnen und die Gebühr ansehen", "Beleg öffnen und die Gebühr ansehen"},
		{"## Vérification\n- Vérifier les frais sur le reçu", "Vérifier les frais sur le reçu"},
		{"## Verificación\n- Comprobar la comisión en el recibo", "Comprobar la comisión en el recibo"},
		{"## Verificação\n- Verificar a taxa no recibo", "Verificar a taxa no recibo"},
		{"## Verifica\n- Controllare la ricevuta nel browser", "Controllare la ricevuta nel browser"},
		{"## Проверка\n- Вручную открыть чек", "Вручную открыть чек"},
		{"## 動作確認\n- ブラウザで領収書を開く", "ブラウザで領収書を開く"},
		{"## 验证\n- 手动打开收据", "手动打开收据"},
	} {
		if got := texts(Checks(c.plan, false)); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.plan, got, c.want)
		}
	}
	const answer = "## Verification\n- Verify: the receipt is whole\n- [ ] Check the export by hand\n"
	if got := texts(Checks(answer, true)); got != "Check the export by hand" {
		t.Errorf("of an answer: got %s", got)
	}
}

func TestAnUntickedCheckIsOpenUntilSomethingDidIt(t *testing.T) {
	const plan = "# Round the fee\n## Verification\n1. Run `go test ./...`\n" +
		"2. `npm run dev` and visually confirm the receipt\n3. Manual: check the exported table\n"
	const line = "for you: check by hand: "
	const receipt = line + "`npm run dev` and visually confirm the receipt"
	for name, c := range map[string]struct {
		ran         []string
		next, later string
		want        string
	}{
		"nothing did them": {
			ran: []string{"go test ./..."}, want: receipt + "; 1 more",
		},
		"one was run":               {ran: []string{"cd web && npm run dev"}, want: line + "check the exported table"},
		"a browser was used":        {ran: []string{"npx playwright test"}},
		"the person speaks of one":  {next: "the exported table has no fee", want: receipt},
		"a later session is for it": {later: "check the exported table", want: receipt},
	} {
		s := session([]string{"fee.go"})
		s.Ran = c.ran
		s.talk("Implement the following plan > The fee is rounded.")
		s.Exchanges[0].Checks = Checks(plan, false)
		if c.next != "" {
			s.talk("x", c.next+" > It has one now.")
			s.Exchanges = append(s.Exchanges[:1], s.Exchanges[2])
		}
		if got := s.open(c.later); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	s := session([]string{"fee.go"}, []string{"fee.go"})
	s.talk("Implement the following plan > The fee is rounded.", "put it below the sum > It is below the sum now.")
	s.Exchanges[0].Checks = Checks(plan, false)
	if got := s.open(); got != "" {
		t.Errorf("a plan whose result was changed again: got %q", got)
	}
	s = session([]string{"fee.go"}).talk("Implement the following plan > The fee is rounded.")
	s.Exchanges[0].Checks = Checks("## Verification\n- Manual: the receipt should show:\n```\n12\n```", false)
	if got, want := s.open(), line+"the receipt should show"; got != want {
		t.Errorf("a check that ends with a block: got %q, want %q", got, want)
	}
	s = session([]string{"fee.go"}).talk("Implement the following plan > The fee is rounded.")
	s.Exchanges[0].Checks = Checks("## Verification\n- Start the server\n- Open a receipt\n- Verify on it:\n"+
		strings.Repeat("  - the fee of the card is whole\n", 6), false)
	want := line + "Verify on it: " + strings.Repeat("the fee of the card is whole; ", 4) + "4 more"
	if got := s.open(); got != want {
		t.Errorf("a check of many parts: got %q, want %q", got, want)
	}
	s = session(nil)
	s.talk("Implement the following plan > The fee is rounded.")
	s.Exchanges[0].Checks = Checks(plan, false)
	if got := s.open(); got != "" {
		t.Errorf("a plan that changed nothing: got %q", got)
	}
}
