package inject

import (
	"fmt"
	"strings"
	"testing"

	"remanence/internal/mem"
)

func many(n int, item func(i int) Item) []Item {
	out := make([]Item, 0, n)
	for i := range n {
		out = append(out, item(i))
	}
	return out
}

func numbered(word string, n int) []Item {
	return many(n, func(i int) Item {
		return Item{
			Text:     fmt.Sprintf("%s %d is a line of some length, as they are", word, i),
			Injected: mem.InjectedItem{ID: fmt.Sprint(word, i)},
		}
	})
}

func TestSectionsOfOnePoolShareOneShare(t *testing.T) {
	b := Block{Kind: "briefing", Receipt: "r_1", Boundary: "b", Budget: 1000, Sections: []Section{
		{Name: "a", Share: 25, Pool: "v", Capped: true, Apart: true, Items: numbered("first", 5)},
		{Name: "other", Share: 20, Items: numbered("other", 50)},
		{Name: "b", Share: 25, Pool: "v", Part: 40, Capped: true, Apart: true, Items: numbered("part", 50)},
		{Name: "c", Share: 25, Pool: "v", Capped: true, Apart: true, Last: true, Items: numbered("last", 50)},
	}}
	out := Render(b)
	tokens := map[string]int{}
	for _, it := range out.Injected {
		tokens[it.Section] += it.Tokens
	}
	if sum := tokens["a"] + tokens["b"] + tokens["c"]; sum > 250 || sum < 200 {
		t.Errorf("%v: the purse gave %d, want about a quarter of 1000", tokens, sum)
	}
	if tokens["b"] > 100 || tokens["b"] < 60 {
		t.Errorf("%v: want a part of 40 percent", tokens)
	}
	if !strings.Contains(out.Text, "last 49") || strings.Contains(out.Text, "last 0 ") {
		t.Errorf("of the last ones the last are injected:\n%s", out.Text)
	}
	if strings.Index(out.Text, "other 0") > strings.Index(out.Text, "part 0") {
		t.Error("filled first is not injected first")
	}
}

func TestWhatIsRequiredIsInjectedInShortOrNamed(t *testing.T) {
	long := many(1, func(int) Item {
		return Item{
			Text: "whole", More: []string{strings.Repeat("word ", 70), strings.Repeat("word ", 70)},
			Short: "in short", Required: true, Injected: mem.InjectedItem{ID: "page"},
		}
	})
	b := Block{Kind: "briefing", Receipt: "r_1", Boundary: "b", Budget: 200, Sections: []Section{
		{Name: "a", Share: 25, Pool: "v", Capped: true, Apart: true, Items: long},
		{Name: "other", Share: 75, Items: numbered("other", 30)},
	}}
	if out := Render(b); !strings.Contains(out.Text, "- in short\n") || strings.Contains(out.Text, "whole") {
		t.Errorf("got\n%s", out.Text)
	}
	b.Budget = 1500
	if out := Render(b); !strings.Contains(out.Text, "- whole\n- word") || strings.Contains(out.Text, "in short") {
		t.Errorf("with room for all of it:\n%s", out.Text)
	}
	// More of it than the share has room for takes what others leave.
	b.Budget, b.Sections[0].Items = 400, many(12, func(i int) Item {
		return Item{
			Text: fmt.Sprintf("always %d, whatever else there is to inject", i), Required: true,
			Injected: mem.InjectedItem{ID: fmt.Sprint("m_", i)},
		}
	})
	b.Sections[1].Items = numbered("other", 3)
	if out := Render(b); strings.Count(out.Text, "always") != 12 {
		t.Errorf("%d are injected, want all that are required:\n%s", strings.Count(out.Text, "always"), out.Text)
	}
	b.Budget = 60
	out := Render(b)
	missing := 0
	for _, c := range out.Cuts {
		if c.Required && c.Gate == "budget" {
			missing++
		}
	}
	if missing == 0 || missing+strings.Count(out.Text, "always") != 12 {
		t.Errorf("%d named as missing of:\n%s", missing, out.Text)
	}
}
