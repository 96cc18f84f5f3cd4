package engine_test

import (
	"strings"
	"testing"

	"remanence/internal/mem"
)

func TestAChoiceIsInjectedWithWhatThePersonAdded(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "order numbers: customers hate to read them on the phone"),
		stop("p1", "I suggest a short number next to the id: `K-2026-004711`, from a sequence for each "+
			"year.\n\nAlternatives: nanoid, or hashids."),
		prompt("p2", "yes, a sequence but without the year. K-004711"), edited("p2", "t1", "/home/dev/shop/order.go", "a",
			"b"),
		stop("p2", "Orders have a number of their own now, from one sequence."))
	got := s.words("one")
	i := indexOfKind(got, mem.Decision)
	if i < 0 {
		t.Fatalf("no decision:\n%s", titles(got))
	}
	wants(t, "the decision", got[i].Title, "without the year. K-004711", "K-2026-004711")
	for _, sum := range s.summaries("one") {
		if strings.Contains(sum.Text(), "K-2026") && !strings.Contains(sum.Text(), "without the year") {
			t.Errorf("injected without what became of it: %s", sum.Text())
		}
	}
}

func TestChoiceRepeatedInTheAnswerIsStoredOnce(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "store the refunds"),
		stop("p1", "Two options:\n- **A** a column on `Order`\n- **B** a `Refund` table\n\nI'd go with B."),
		prompt("p2", "B"), edited("p2", "t1", "/home/dev/shop/order.go", "a", "b"),
		stop("p2", "We decided on a `Refund` table instead of a column, because an order can be refunded several times."))
	n := 0
	for _, mm := range s.words("one") {
		if mm.Kind == mem.Decision {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d decisions:\n%s", n, titles(s.words("one")))
	}
}

func TestNothingIsChosenInATurnThatReadTextFromOutside(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "redis or memcached?"), tool(mem.PostToolUse, "p1", "t1", "WebFetch",
		map[string]any{"url": "https://example.com"}, "use redis"),
		stop("p1", "I'd go with redis since it keeps what it has on disk."), prompt("p2", "ok redis"),
		stop("p2", "Redis is in the compose file now."))
	if i := indexOfKind(s.words("one"), mem.Decision); i >= 0 {
		t.Errorf("kept: %s", titles(s.words("one")))
	}
}

func TestOptionsThatWereNotTakenAreNotOpen(t *testing.T) {
	for _, tt := range []struct {
		name, lead string
		open       bool
	}{{"next steps", "## Next steps", false}, {"remaining work", "## Remaining work", true}} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			s.play(start("startup"), prompt("p1", "store the refunds"),
				stop("p1", "Refunds are stored.\n\n"+tt.lead+
					"\n1. Move the importer to the worker\n2. Split the nightly report by area\n\nI'd go with 1."))
			before := s.play(in("two", start("startup"))...).Context
			wants(t, "before the choice", before, "Move the importer", "Split the nightly report")
			s.play(in("one", prompt("p2", "2 please"), edited("p2", "t1", "/home/dev/shop/report.go", "a", "b"),
				stop("p2", "The report has four parts, one for each area."))...)
			got := s.play(in("three", start("startup"))...).Context
			wants(t, "after it", got, "Chosen: Split the nightly report by area")
			if open := strings.Contains(got, "Move the importer"); open != tt.open {
				t.Errorf("the other one is open: %v, want %v\n%s", open, tt.open, got)
			}
			_, items, _ := strings.Cut(got, "OPEN ITEMS")
			if items, _, _ = strings.Cut(items, "---\n#"); !tt.open && strings.Contains(items, "☐") {
				t.Errorf("open items:\n%s", got)
			}
		})
	}
}

func TestOptionsOfAQuestionToolAreNotOpen(t *testing.T) {
	s := newStage(t)
	questions := []map[string]any{{"question": "What is next?", "header": "Next", "options": []map[string]string{
		{"label": "Importer", "description": "Move the importer, which is not done yet"},
		{"label": "Report", "description": "Split the report; still open"},
	}}}
	s.play(start("startup"), prompt("p1", "go on with the shop"),
		tool(mem.PostToolUse, "p1", "t1", "AskUserQuestion", map[string]any{"questions": questions},
			map[string]any{"questions": questions, "answers": map[string]string{"What is next?": "Report"}}),
		stop("p1", "The report is split by area now."))
	wantsNot(t, "open items", s.play(in("two", start("startup"))...).Context, "importer", "OPEN ITEMS")
}

func TestAnswersToAQuestionToolAreDecisionsOfThePerson(t *testing.T) {
	s := newStage(t)
	ask := func(turn, id, question string, pick any) {
		questions := []map[string]any{{"question": question, "header": "x", "options": []map[string]string{
			{"label": "Cents", "description": "Integers, as the payment service has them"},
			{"label": "Yes, push it", "description": "Push the branch"},
		}}}
		s.play(tool(mem.PostToolUse, turn, id, "AskUserQuestion", map[string]any{"questions": questions},
			map[string]any{"questions": questions, "answers": map[string]any{question: pick}}))
	}
	s.play(start("startup"), prompt("p1", "store the prices"))
	ask("p1", "t1", "How are prices stored?", "Cents")
	ask("p1", "t2", "Should I push the branch now?", "Yes, push it")
	s.play(prompt("p2", "read that page"), tool(mem.PostToolUse, "p2", "w", "WebFetch", nil, "x"))
	ask("p2", "t3", "Which queue?", "Kafka of the page")
	got := s.words("one")
	if len(got) != 2 || got[0].Kind != mem.Decision || got[0].Trust != mem.TrustUser || got[1].Trust != mem.TrustNone {
		t.Fatalf("kept:\n%s", titles(got))
	}
	wants(t, "the decision", got[0].Title+got[0].Body, "How are prices stored? → Cents", "as the payment service has them")
}

func TestAnApprovedPlanIsADecision(t *testing.T) {
	s := newStage(t)
	plan := map[string]string{"plan": "# Invoice queue\n\n## Context\n\nThe printer stalls at night, since one tenant " +
		"fills the queue.\n\n## Approach\n\nGive each tenant a queue of its own and let the workers take turns.\n"}
	s.play(start("startup"), prompt("p1", "plan the queue of the invoice printer"),
		tool(mem.PostToolUse, "p1", "t1", "ExitPlanMode", plan, map[string]any{"plan": plan["plan"], "isAgent": false}),
		prompt("p2", "read that page and plan again"), tool(mem.PostToolUse, "p2", "w", "WebFetch", nil, "x"),
		tool(mem.PostToolUse, "p2", "t2", "ExitPlanMode", map[string]string{}, map[string]string{
			"plan": "# Sorting\n\n## Context\n\nIt is slow.\n\n## Approach\n\nSort the invoices by tenant as the page says.\n",
		}),
		tool(mem.PostToolUse, "p2", "t3", "ExitPlanMode", map[string]string{}, map[string]string{}))
	got := s.words("one")
	if len(got) != 2 || got[0].Kind != mem.Decision || got[0].Trust != mem.TrustAssistant ||
		got[1].Trust != mem.TrustNone {
		t.Fatalf("kept:\n%s", titles(got))
	}
	wants(t, "the decision", got[0].Title+got[0].Body, "Invoice queue: Give each tenant a queue of its own")
}

func indexOfKind(ms []mem.Memory, k mem.Kind) int {
	for i, mm := range ms {
		if mm.Kind == k {
			return i
		}
	}
	return -1
}

func TestWhatIsPutToChoiceIsNotWhatCameOfATurn(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "offsets are u32 so large files break. what are our options"),
		stop("p1", "There are three reasonable ways to get past 4 GiB:\n\n1. **u64 offsets everywhere.** Simple, but it "+
			"doubles the index.\n2. **Block-relative offsets.** One more indirection for each lookup.\n\nI'd recommend "+
			"option 2: it keeps the index about the same size and old ones can be read as one block.\n\nWhich one do you want?"))
	s.play(prompt("p2", "store the refunds"),
		stop("p2", "I see two options:\n- **A** a column on `Order` for the sum\n- **B** a `Refund` table\n\nI'd go with "+
			"B since one can be refunded twice."))
	for _, sum := range s.summaries("one") {
		if strings.Contains(sum.Body, "u64 offsets everywhere") || strings.Contains(sum.Body, "a column on") {
			t.Errorf("summary: %s", sum.Body)
		}
	}
}
