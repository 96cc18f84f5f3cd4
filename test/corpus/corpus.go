// Package corpus makes memories of a made-up shop, as many as wanted, whose words
// come as often as those of a language. It is for benchmarks and tests only.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// What a shop's till is made of, statements about its parts, and how the
// sentence ends.
var (
	parts = []string{
		"receipt printer", "barcode scanner", "coupon engine", "loyalty ledger", "card terminal", "cash drawer",
		"invoice exporter", "stock forecast", "price catalogue", "tax table", "refund desk", "gift voucher",
		"shift roster", "supplier feed", "delivery planner", "customer import", "search index", "image resizer",
		"mail queue", "audit trail", "session cache", "login throttle", "currency converter", "holiday calendar",
		"backup job",
	}
	facts = []string{
		"retries a lost connection three times, with jitter",
		"rounds half to even, never half up",
		"keeps its settings in TOML beside the binary",
		"must not hold the lock while it talks to the network",
		"is tested against a recorded transcript, not the live service",
		"reads dates as local time and stores them as UTC",
		"drops messages that are older than a day",
		"writes a temporary file first and renames it",
	}
	reasons = []string{
		"because the vendor's gateway times out at peak hours",
		"after the accountant's complaint in spring",
		"so that two shops can share one database",
		"which the nightly build relies on",
		"as agreed with operations",
	}
	kinds = []mem.Kind{mem.Fact, mem.Decision, mem.ErrorFix, mem.Gotcha, mem.Howto, mem.Discovery}
)

// subject is what the i-th memory is about: a part of the shop, or of one of its
// branches. The thousand combinations of statements come back in each branch.
func subject(i int) string {
	part, branch := parts[i%len(parts)], i/(len(parts)*len(facts)*len(reasons))
	if branch == 0 {
		return part
	}
	return name(rarest+uint64(branch)) + " " + part
}

// Paragraph asks for some of n memories in about so many characters.
func Paragraph(n, chars int, w Words) string {
	var b strings.Builder
	b.WriteString(Question(n) + ".\n")
	for b.Len() < chars {
		b.WriteString(w.Text(9) + ". ")
	}
	return b.String()
}

// statement is the i-th memory's text; no two are alike.
func statement(i int) string {
	rest := i / len(parts)
	return fmt.Sprintf("The %s %s %s.", subject(i), facts[rest%len(facts)], reasons[rest/len(facts)%len(reasons)])
}

// Question asks for some of the first n memories.
func Question(n int) string {
	i := rand.IntN(n)
	return fmt.Sprintf("please find out why the %s %s, and fix its tests", subject(i), facts[i/len(parts)%len(facts)])
}

// rarest is beyond the words that bodies are made of.
const rarest = 20_000

// Words makes text whose words come as often as those of a language: the n-th
// most frequent of 20,000 about 1/n as often as the first.
type Words struct {
	r    *rand.Rand
	zipf *rand.Zipf
}

// NewWords begins the same text each time.
func NewWords() Words {
	r := rand.New(rand.NewPCG(1, 2))
	return Words{r, rand.NewZipf(r, 1.07, 4, rarest-1)}
}

// Text is n words.
func (w Words) Text(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(name(w.zipf.Uint64()))
		b.WriteByte(' ')
	}
	return b.String()
}

// name is the i-th word: syllables, so that it can be read and distinguished.
func name(i uint64) string {
	const onset, vowel = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for i += 70; i > 0; i /= uint64(len(onset) * len(vowel)) {
		b.WriteByte(onset[i%uint64(len(onset))])
		b.WriteByte(vowel[i/uint64(len(onset))%uint64(len(vowel))])
	}
	return b.String()
}

// LinksOf returns up-to-date links for the i-th memory of a store that was empty. Without them the first job
// of a worker would compute the links of all memories.
func LinksOf(i int, m mem.Memory) mem.MemoryLinks {
	return mem.MemoryLinks{Memory: chars.ShortID("m_", int64(i)+1), Updated: m.Updated}
}

// Numbered is a memory of a store that was empty, with its number.
type Numbered struct {
	mem.Memory
	Number int
}

// ID is the id that the store gives the memory.
func (n Numbered) ID() string { return chars.ShortID("m_", int64(n.Number)+1) }

// Memory is the i-th memory of a project: a title, a body of 20 to 60 words, and
// a file for a third of them.
func Memory(p mem.Project, i int, at time.Time, w Words) mem.Memory {
	m := mem.Memory{
		Scope: mem.ScopeProject, Project: p.Key, Kind: kinds[i%len(kinds)], Title: statement(i), Body: w.Text(20 + i%41),
		Importance: 0.3 + float64(i%7)/10, Confidence: 0.8, Trust: mem.TrustAssistant, Origin: mem.FromAssistant,
		Resolved: true, Created: at, Updated: at,
	}
	if i%3 == 0 {
		m.Files = []string{fmt.Sprintf("internal/%s/%s.go", name(uint64(i%300)), name(uint64(i%5000)))}
	}
	m.Index = rank.Index(m)
	return m
}
