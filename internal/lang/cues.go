package lang

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed cues.tsv
var cueTable string

// class is what a word does in a sentence.
type class uint8

const (
	content      class = 0
	article      class = 1 << iota // ignored
	copula                         // forms of to be: one form of them all
	negation                       // turns what is said
	condition                      // restricts what is said
	marker                         // gives the words behind it their role
	conjunction                    // joins equals
	functionWord                   // says little: pronouns, auxiliaries
)

// cues are the word tables of all languages.
type cues struct {
	classes   map[string]class
	opposites map[[2]string]bool
	numbers   map[string]string
	units     map[string]string
	wide      []string // negations and restrictions of scripts without spaces
}

var (
	cuesOnce sync.Once
	cuesRead cues
)

// readCues returns the embedded table. It is parsed at first use, so that starting a
// hook process does not pay for it.
func readCues() cues {
	cuesOnce.Do(func() { cuesRead = parseCues(cueTable) })
	return cuesRead
}

func parseCues(table string) cues {
	c := cues{
		classes: map[string]class{}, opposites: map[[2]string]bool{},
		numbers: map[string]string{}, units: map[string]string{},
	}
	names := map[string]class{
		"article": article, "copula": copula, "negation": negation, "condition": condition, "marker": marker,
		"conjunction": conjunction, "light": functionWord,
	}
	for line := range strings.Lines(table) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		words := strings.Fields(f[len(f)-1])
		switch f[0] {
		case "opposite":
			c.opposites[[2]string{words[0], words[1]}], c.opposites[[2]string{words[1], words[0]}] = true, true
		case "number":
			addAll(c.numbers, f[1], words)
		case "unit":
			addAll(c.units, f[1], append(words, f[1]))
		case "wide":
			c.wide = words
		default:
			for _, w := range words {
				c.classes[w] |= names[f[0]]
			}
		}
	}
	return c
}

func addAll(table map[string]string, value string, words []string) {
	for _, w := range words {
		table[w] = value
	}
}
