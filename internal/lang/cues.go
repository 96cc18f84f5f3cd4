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
	returns   []string // phrases by which a speaker comes back to something
	frames    []string // phrases that say nothing of what is laid down
	slots     map[string]slot
	sets      map[string]map[string]bool // laying verbs, words that begin a reason, words of addition
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
		slots: map[string]slot{}, sets: map[string]map[string]bool{"laying": {}, "reason": {}, "adding": {}},
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
		case "return":
			c.returns = append(c.returns, phrases(words)...)
		case "frame":
			c.frames = append(c.frames, phrases(words)...)
		case "laying", "reason", "adding":
			for _, w := range words {
				c.sets[f[0]][w] = true
			}
		case "slot":
			for _, w := range words {
				c.slots[w] = map[string]slot{"subject": subject, "place": place, "means": means}[f[1]]
			}
		default:
			for _, w := range words {
				c.classes[w] |= names[f[0]]
			}
		}
	}
	return c
}

// phrases returns phrases whose words are joined in the table by low lines.
func phrases(words []string) []string {
	var out []string
	for _, w := range words {
		out = append(out, " "+strings.ReplaceAll(w, "_", " "))
	}
	return out
}

func addAll(table map[string]string, value string, words []string) {
	for _, w := range words {
		table[w] = value
	}
}
