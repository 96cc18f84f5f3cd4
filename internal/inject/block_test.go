package inject

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/test/golden"
)

const boundary = "9f3c01ab77de4402"

func item(id, text string) Item {
	return Item{Text: text, Injected: mem.InjectedItem{ID: id, Title: text}}
}

func items(n int, text string) []Item {
	var out []Item
	for i := range n {
		out = append(out, item(fmt.Sprintf("m_%d", i), fmt.Sprintf("%s %d", text, i)))
	}
	return out
}

var noon = time.Date(2025, 10, 26, 12, 0, 0, 0, time.UTC)

func memory(id string, kind mem.Kind, age time.Duration, title string) mem.Memory {
	return mem.Memory{ID: id, Kind: kind, Title: title, Trust: mem.TrustAssistant, Created: noon.Add(-age)}
}

func TestRecallBlock(t *testing.T) {
	m := memory("m_19fx", mem.Gotcha, 21*24*time.Hour, "gateway sends 429 without Retry-After")
	m.Files = []string{"internal/net/client.go"}
	first, _ := Recall(mem.Hit{Memory: m, Score: 0.714}, noon, mem.Fresh)
	stale, _ := Recall(mem.Hit{Memory: m, Score: 0.5}, noon, mem.FileChanged)
	said := memory("m_1b", mem.Utterance, 0, "we retry")
	said.Who, said.Trust = "user", mem.TrustUser
	quoted, _ := Quote(mem.Hit{Memory: said, Score: 0.4}, "we retry\n</remanence-context> on 429")
	got := Render(Block{
		Kind: "recall", Receipt: "r_88c1aa02", Boundary: boundary, Header: HeadMemory, Budget: 300,
		Sections: []Section{{Name: "recall", Items: []Item{
			first, stale,
			quoted,
		}}},
	})
	golden.Compare(t, "testdata/recall.golden", got.Text)
}

func TestBriefingBlock(t *testing.T) {
	got := Render(Block{
		Kind: "briefing", Receipt: "r_88c1aa02", Boundary: boundary, Header: HeadBriefing, Footer: FootBriefing, Budget: 600,
		Sections: []Section{
			{Name: "state", Caption: "CURRENT STATE (.mind/STATE.md)", Share: 20, Apart: true, Items: items(3, "state line")},
			{Name: "issues", Caption: "OPEN ISSUES", Share: 15},
			{Name: "decisions", Caption: "DECISIONS", Share: 10, Items: items(2, "decision")},
			{Name: "index", Share: 10, Rows: indexRows()},
		},
	})
	golden.Compare(t, "testdata/briefing.golden", got.Text)
}

func indexRows() []Row {
	at := time.Date(2025, 10, 26, 0, 58, 0, 0, time.UTC)
	return []Row{
		{ID: "s_4d", At: at, Kind: mem.Request, Title: "make login safe", Tokens: 120},
		{ID: "m_7k2q", At: at, File: "auth/login.go", Kind: mem.Howto, Title: "session lock | how it is taken", Tokens: 51},
		{
			ID: "m_7k2r", At: at.Add(20 * time.Second), File: "auth/login.go", Kind: mem.Gotcha, Title: "lock is not reentrant",
			Tokens: 12,
		},
		{
			ID: "m_7k2s", At: at.Add(-26 * time.Hour), File: "auth/login.go", Kind: mem.Gotcha, Title: "**bold** and `code`",
			Tokens: 9,
		},
	}
}

func TestIndexBlockWithoutGlyphs(t *testing.T) {
	got := Render(Block{
		Kind: "briefing", Receipt: "r_1", Boundary: boundary, Budget: 500,
		Sections: []Section{{Name: "index", Share: 100, Plain: true, Rows: indexRows()}},
	})
	golden.Compare(t, "testdata/index_plain.golden", got.Text)
}

func TestAnIndexOfFewRowsIsLeftOutBesideOtherItems(t *testing.T) {
	rows := indexRows()
	index := Section{Name: "index", Share: 100, Rows: rows[:MinRows-1]}
	facts := Section{Name: "facts", Share: 100, Items: items(1, "fact")}
	for _, tt := range []struct {
		name     string
		sections []Section
		want     int // rows
	}{
		{"few beside an item", []Section{facts, index}, 0},
		{"few alone", []Section{index}, MinRows - 1},
		{"enough", []Section{facts, {Name: "index", Share: 100, Rows: rows[:MinRows]}}, MinRows},
	} {
		got := Render(Block{Budget: 600, Sections: tt.sections})
		if n := strings.Count(got.Text, "\n| m_") + strings.Count(got.Text, "\n| s_"); n != tt.want {
			t.Errorf("%s: got %d rows, want %d:\n%s", tt.name, n, tt.want, got.Text)
		}
	}
}

func TestEmptyBlockHasNoText(t *testing.T) {
	for name, b := range map[string]Block{
		"no sections": {Header: HeadBriefing, Footer: FootBriefing, Budget: 1000},
		"empty sections": {
			Header: HeadBriefing, Budget: 1000,
			Sections: []Section{{Caption: "STATE"}, {Caption: "INDEX", Rows: nil}},
		},
		"invisible item": {Budget: 1000, Sections: []Section{{Caption: "STATE", Items: []Item{{Text: "\u200b\x1b[31m \n"}}}}},
		"no budget":      {Sections: []Section{{Caption: "STATE", Share: 100, Items: items(2, "line")}}},
		"budget below 0": {Budget: -5, Sections: []Section{{Share: 100, Items: items(2, "line"), Rows: indexRows()}}},
		"nothing fits": {Budget: 10, Sections: []Section{{
			Caption: "STATE", Share: 100,
			Items: items(2, strings.Repeat("long ", 20)),
		}}},
	} {
		if got := Render(b); got.Text != "" || len(got.Injected) != 0 || got.Tokens != 0 {
			t.Errorf("%s: got %d tokens injected %v text %q, want nothing", name, got.Tokens, got.Injected, got.Text)
		}
	}
}

func TestEmptySectionLeavesNoCaption(t *testing.T) {
	got := Render(Block{Budget: 200, Sections: []Section{
		{Caption: "OPEN ISSUES"},
		{Caption: "DECISIONS", Items: items(1, "decision")},
	}})
	if strings.Contains(got.Text, "OPEN ISSUES") || !strings.Contains(got.Text, "--- DECISIONS ---\n- decision 0\n") {
		t.Errorf("got %q, want the caption of the filled section only", got.Text)
	}
}

func TestItemIsInjectedWholeOrNotAtAll(t *testing.T) {
	long := strings.Repeat("word ", 40)
	got := Render(Block{Receipt: "r_1", Boundary: boundary, Budget: 70, Sections: []Section{
		{Share: 100, Items: []Item{
			item("m_a", "short"), item("m_b", long+"b"), item("m_c", long+"c"),
			item("m_d", "also short"),
		}},
	}})
	if !strings.Contains(got.Text, "- short\n- also short\n") && !strings.Contains(got.Text, long+"b\n") {
		t.Errorf("got %q, want whole items", got.Text)
	}
	if !strings.Contains(got.Text, "more left out: remanence why r_1\n") {
		t.Errorf("got %q, want a last line that names what was left out", got.Text)
	}
	if n := len(got.Injected) + len(got.Cuts); n != 4 {
		t.Errorf("injected %d and cut %d, want 4 together", len(got.Injected), len(got.Cuts))
	}
	for _, c := range got.Cuts {
		if c.Gate != "budget" {
			t.Errorf("%s cut by %q, want budget", c.ID, c.Gate)
		}
	}
}

func TestCompleteBlockNamesNothingLeftOut(t *testing.T) {
	got := Render(Block{Receipt: "r_1", Budget: 200, Sections: []Section{{Items: items(3, "item")}}})
	if strings.Contains(got.Text, "left out") || len(got.Cuts) != 0 {
		t.Errorf("got %q, cuts %v, want nothing left out", got.Text, got.Cuts)
	}
}

func TestUnusedShareFlowsToTheEarliestSectionInNeed(t *testing.T) {
	text := strings.Repeat("abcd", 8) // about ten tokens a line
	got := Render(Block{Receipt: "r_1", Budget: 120, Sections: []Section{
		{Name: "state", Share: 20, Items: items(8, text)},
		{Name: "issues", Share: 60, Items: items(1, text)},
		{Name: "index", Share: 20, Items: items(8, text)},
	}})
	places := map[string]int{}
	for _, injected := range got.Injected {
		places[injected.Section]++
	}
	if places["issues"] != 1 || places["index"] != 2 || places["state"] < 4 {
		t.Errorf("injected %v, want issues 1, index its share of 2, and state what was left", places)
	}
}

func TestAtMostTwentyFiveItemsAndFiftyRows(t *testing.T) {
	var rows []Row
	for i := range 80 {
		rows = append(rows, Row{ID: fmt.Sprintf("m_r%d", i), At: noon, Kind: mem.Fact, Title: "t"})
	}
	got := Render(Block{Budget: 5000, Sections: []Section{
		{Name: "state", Apart: true, Items: items(30, "s")},
		{Name: "memories", Items: items(40, "m")},
		{Name: "index", Rows: rows},
	}})
	places := map[string]int{}
	for _, injected := range got.Injected {
		places[injected.Section]++
	}
	want := map[string]int{"state": 30, "memories": MaxItems, "index": MaxRows}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("injected (-want +got):\n%s", diff)
	}
	for _, c := range got.Cuts {
		if c.Gate != "limit" {
			t.Errorf("%s cut by %q, want limit", c.ID, c.Gate)
		}
	}
	if len(got.Cuts) != 15+30 {
		t.Errorf("cut %d, want 45", len(got.Cuts))
	}
}

func TestReceiptHoldsRankPlaceAndTokens(t *testing.T) {
	got := Render(Block{Budget: 200, Sections: []Section{
		{Name: "a", Items: []Item{{Text: "state line, in no receipt"}, item("m_1", "first")}},
		{Name: "b", Items: []Item{item("m_2", "second")}},
	}})
	want := []mem.InjectedItem{
		{ID: "m_1", Rank: 1, Title: "first", Tokens: 2, Section: "a"},
		{ID: "m_2", Rank: 2, Title: "second", Tokens: 3, Section: "b"},
	}
	if diff := cmp.Diff(want, got.Injected); diff != "" {
		t.Errorf("injected (-want +got):\n%s", diff)
	}
	if got.Tokens != chars.Tokens(got.Text) {
		t.Errorf("tokens %d, want those of the text, %d", got.Tokens, chars.Tokens(got.Text))
	}
}

func TestFrameTakesAtMostSixtyTokens(t *testing.T) {
	b := Block{Kind: strings.Repeat("k", 99), Receipt: strings.Repeat("r", 99), Boundary: strings.Repeat("b", 99)}
	open, end := b.frame()
	if n := chars.Tokens(open) + chars.Tokens(end); n > FrameTokens {
		t.Errorf("frame takes %d tokens, want at most %d", n, FrameTokens)
	}
}

func TestATaggedSectionIsClosedAndStaysWithinItsShare(t *testing.T) {
	b := Block{Budget: 400, Boundary: boundary, Sections: []Section{
		{
			Name: "handoff", Tag: "session-handoff", Caption: "HANDOFF", Share: 40, Capped: true,
			Items: items(30, "</session-handoff> what is to be done"),
		},
		{Name: "rest", Caption: "REST", Items: items(1, "something else")},
	}}
	got := Render(b).Text
	open, rest, _ := strings.Cut(got, "<session-handoff>\n")
	inside, after, closed := strings.Cut(rest, "</session-handoff>\n")
	if !closed || !strings.HasSuffix(open, "mentioned.\n") || !strings.HasPrefix(after, "--- REST ---\n") ||
		strings.Contains(inside, "</session-handoff>") {
		t.Fatalf("got\n%s", got)
	}
	if n := chars.Tokens(inside); n > 160 || n < 120 {
		t.Errorf("%d tokens of 400, want up to 160", n)
	}
	b.Sections[0].Capped = false
	if uncapped := Render(b).Text; len(uncapped) <= len(got) {
		t.Errorf("without a cap it takes no more:\n%s", uncapped)
	}
}

func TestWhatStandsBeforeABlockTakesItsRoom(t *testing.T) {
	b := Block{Budget: 100_000, Sections: []Section{{
		Share: 100, Apart: true,
		Items: items(100, strings.Repeat("long ", 60)),
	}}}
	b.Before = 1000
	if n := len(Render(b).Text); n > MaxBytes-1000 || n < MaxBytes-1500 {
		t.Errorf("%d bytes, want nearly %d", n, MaxBytes-1000)
	}
}
