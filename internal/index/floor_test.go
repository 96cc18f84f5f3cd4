package index

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// lines reads a table of the test data, one row a line, cells between bars.
func lines(t testing.TB, name string) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out = append(out, cells)
	}
	return out
}

// bigStore is the sixty written memories and 240 more of the kind that a rule
// makes out of tool output, which share the words of programming at large.
func bigStore(t testing.TB) *shelf {
	t.Helper()
	out := &shelf{New(false), map[string]mem.Memory{}}
	add := func(kind, title, body, file string) {
		m := mem.Memory{
			ID: fmt.Sprintf("m_%d", len(out.byID)), Kind: mem.Kind(kind), Title: title, Body: body, Scope: mem.ScopeProject,
			Trust:      mem.TrustAssistant,
			Importance: 0.5, Confidence: 0.6, Created: noon.Add(-time.Duration(len(out.byID)) * 7 * time.Hour),
		}
		if file != "" {
			m.Files = []string{file}
		}
		out.put(m)
	}
	for _, c := range lines(t, "memories.txt") {
		add(c[0], c[1], c[2], c[3])
	}
	units := []string{
		"parser", "scheduler", "renderer", "importer", "exporter", "router", "mailer", "indexer", "validator", "compiler",
		"formatter", "uploader", "watcher", "tokenizer", "balancer", "resolver", "poller", "logger", "encoder", "decoder",
	}
	for i, u := range units {
		dir := fmt.Sprintf("pkg/%s", u)
		for j, form := range []string{
			"changed %s.go: 12 lines added, 3 removed", "go test ./%s: exit 1", "go build ./%s: exit 0", "created %s_test.go",
			"read %s.go to find where the value is set", "refactor of the %s: one function split into two",
			"fixed a wrong list order in the %s",
			"added a parameter for the page size to the %s", "the %s returns an error when the file is empty",
			"renamed a variable in the %s and moved its helper class",
			"wrote documentation and an example for the %s", "updated dependencies of the %s",
		} {
			add("change", fmt.Sprintf(form, u), "", fmt.Sprintf("%s/%s_%d.go", dir, u, (i+j)%5))
		}
	}
	return out
}

// recall is what a prompt finds in a store that is relevant enough, and what is not.
func recall(store *shelf, prompt string) (kept []mem.Hit, cuts []mem.LeftOutItem) {
	if rank.Trivial(prompt) {
		return nil, nil
	}
	q := rank.Ask{
		Text: prompt, Terms: rank.Terms(prompt), Now: noon, Profile: rank.ProfileOf(prompt), Back: rank.RefersBack(prompt),
	}
	var hits []mem.Hit
	for _, c := range store.x.Search(Query{Query: mem.Query{Text: prompt, Within: "*"}, Now: noon}).Candidates {
		hits = append(hits, mem.Hit{Memory: store.byID[c.ID], Score: c.Score, Parts: c.Parts})
	}
	kept, cuts = rank.Floor(q, rank.Order(q, hits), rank.LeastRelevance, nil)
	return kept, cuts
}

// shelf is an index with the memories in it.
type shelf struct {
	x    *Index
	byID map[string]mem.Memory
}

func (s *shelf) put(m mem.Memory) {
	m.Status = mem.Active
	s.byID[m.ID] = m
	s.x.Put(m)
}

// The plain tables were written before the floor was set. The later ones were
// written after it and added a dozen general words to the everyday ones. The
// fresh one was only measured: it shows what to expect of new prompts. False
// injections annoy on every prompt, misses only on some; hence the bounds.
func TestUnrelatedPromptsInjectNothing(t *testing.T) {
	store := bigStore(t)
	for _, name := range []string{"unrelated.txt", "unrelated_later.txt", "unrelated_fresh.txt"} {
		prompts := lines(t, name)
		var told []string
		for _, cells := range prompts {
			prompt := strings.Join(cells, "|")
			if kept, _ := recall(store, prompt); len(kept) > 0 {
				told = append(told, fmt.Sprintf("%q: %q %v", prompt, kept[0].Memory.Title, kept[0].Parts))
			}
		}
		t.Logf("%s: told something on %d of %d", name, len(told), len(prompts))
		if len(told)*20 > len(prompts) {
			t.Errorf("%s: told something on %d of %d prompts, want at most one in twenty:\n%s", name, len(told), len(prompts),
				strings.Join(told, "\n"))
		}
	}
}

// What a memory attains of a prompt falls with what else the prompt says, so that a long one is not more relevant for
// its length.
func TestAMemoryAttainsLessOfALongPrompt(t *testing.T) {
	store := bigStore(t)
	attained := func(prompt string) float64 {
		for _, c := range store.x.Search(Query{Query: mem.Query{Text: prompt, Within: "*"}, Now: noon}).Candidates {
			if store.byID[c.ID].Title == "login race fixed by taking the session lock" {
				return c.Parts[rank.PartAttained]
			}
		}
		t.Errorf("%q does not find the session lock", prompt)
		return 0
	}
	short := "the login race and the session lock"
	var other []string
	for _, row := range lines(t, "related.txt") {
		if !strings.Contains(row[0], "session") {
			other = append(other, row[0])
		}
	}
	before := attained(short)
	if before < 0.3 {
		t.Errorf("of a short prompt %.2f, want most of it", before)
	}
	for _, n := range []int{4, 16} {
		long := attained(short + "\n" + strings.Join(other[:n], "\n"))
		if t.Logf("with %d more prompts: %.2f of %.2f", n, long, before); long > 0.7*before {
			t.Errorf("with %d more prompts: %.2f, want far less than %.2f", n, long, before)
		}
		before = long
	}
}

func TestRelatedPromptsFindTheirMemory(t *testing.T) {
	store := bigStore(t)
	for _, name := range []string{"related.txt", "related_later.txt"} {
		table := lines(t, name)
		var missed []string
		first, told := 0, 0
		for _, row := range table {
			kept, cuts := recall(store, row[0])
			told += len(kept)
			switch slices.IndexFunc(kept, func(h mem.Hit) bool { return h.Memory.Title == row[1] }) {
			case 0:
				first++
			case 1, 2:
			default:
				missed = append(missed, row[0]+partsOf(cuts, row[1]))
			}
		}
		t.Logf("%s: of %d first %d, missed %d, told %.1f each", name, len(table), first, len(missed),
			float64(told)/float64(len(table)))
		if len(missed)*10 > len(table) || first*10 < len(table)*8 {
			t.Errorf("%s: of %d first %d, missed %d, want at least 8 in 10 and at most 1 in 10:\n%s", name, len(table), first,
				len(missed), strings.Join(missed, "\n"))
		}
	}
}

func partsOf(cuts []mem.LeftOutItem, title string) string {
	for _, c := range cuts {
		if c.Title == title {
			return fmt.Sprintf(": cut with %v", c.Parts)
		}
	}
	return ": not among the candidates, or too far down"
}

func TestGermanWordsOfAnyRequestMeetNothing(t *testing.T) {
	store := bigStore(t)
	for i, said := range []string{
		"Ab jetzt bitte Nachrichten der Commits auf Englisch, Kommentare bleiben deutsch.",
		"schreib die Migration, aber bitte ohne dabei etwas an der Spalte zu ändern, die gerade wieder neu ist",
	} {
		mm := mem.Memory{
			ID: fmt.Sprint("m_d", i), Kind: mem.Convention, Title: said, Scope: mem.ScopeProject,
			Trust: mem.TrustUser, Importance: 0.8, Confidence: 0.9, Created: noon,
		}
		store.put(mm)
	}
	for _, prompt := range []string{
		"Warum bricht der Export wieder ab?", "schreib einen Test für die Rechnung",
		"füge dabei noch etwas hinzu",
	} {
		if kept, _ := recall(store, prompt); len(kept) > 0 {
			t.Errorf("%q: told %q", prompt, kept[0].Memory.Title)
		}
	}
	if kept, _ := recall(store, "schreib noch eine Migration für die Spalte"); len(kept) == 0 {
		t.Error("the migration is not told")
	}
}

func TestCutsSayWhichRuleCutThem(t *testing.T) {
	q := rank.Ask{Terms: rank.Terms("login race in the haiku about oceans and mountains")}
	q.Corpus = mem.Corpus{Size: 300, DocFreq: make([]int, len(q.Terms))}
	hits := Rerank(q, []mem.Hit{
		{Memory: mem.Memory{ID: "m_1", Title: "login is slow"}, Score: 1},
		{Memory: mem.Memory{ID: "m_2", Title: "login race, oceans and mountains haiku"}, Score: 2},
	})
	kept, cuts := rank.Floor(q, hits, rank.LeastRelevance, nil)
	floor := rank.LeastRelevance
	if len(kept) != 1 || kept[0].Memory.ID != "m_2" {
		t.Fatalf("kept %v, want m_2", kept)
	}
	if floor != rank.LeastRelevance {
		t.Errorf("floor %v, want %v", floor, rank.LeastRelevance)
	}
	if len(cuts) != 1 || cuts[0].ID != "m_1" || cuts[0].Gate != rank.BelowFloor {
		t.Fatalf("cut %v, want m_1 below the floor", cuts)
	}
	if r := cuts[0].Parts[rank.PartRelevance]; r <= 0 || r >= floor {
		t.Errorf("relevance %v is left out, want one between 0 and %v", r, floor)
	}
	if r := kept[0].Parts[rank.PartRelevance]; r < floor {
		t.Errorf("relevance %v is kept, want %v or more", r, floor)
	}
}

func TestReferringBackLowersTheFloor(t *testing.T) {
	hits := []mem.Hit{{Memory: mem.Memory{ID: "m_1", Title: "turborepo breaks caching"}, Score: 1}}
	for back, want := range map[bool]int{false: 0, true: 1} {
		q := rank.Ask{Terms: rank.Terms("that turborepo problem with windows"), Back: back}
		q.Corpus = mem.Corpus{Size: 300, DocFreq: make([]int, len(q.Terms))}
		if kept, _ := rank.Floor(q, Rerank(q, hits), rank.LeastRelevance, nil); len(kept) != want {
			t.Errorf("back %v: kept %d, want %d", back, len(kept), want)
		}
	}
}

func TestLongPromptStillFindsWhatItIsAbout(t *testing.T) {
	store := bigStore(t)
	prompt := `I looked at the incident from yesterday evening: about forty customers on the enterprise plan
reported that they were signed out at random. Support collected browser traces, and in each of them two tabs
refresh the session within a few milliseconds. My suspicion is the session handler: it does not hold the session
lock while it reads, therefore the second write wins. Please examine auth/session.go, propose a patch, mention
edge cases such as sleeping laptops, and estimate the risk.`
	kept, _ := recall(store, prompt)
	if len(kept) == 0 || kept[0].Memory.Title != "login race fixed by taking the session lock" {
		t.Errorf("kept %v, want the session lock first", kept)
	}
}

func BenchmarkRecall(b *testing.B) {
	store := bigStore(b)
	b.ReportAllocs()
	for b.Loop() {
		recall(store, "why did the session lock in auth/session.go race with the login handler")
	}
}
