package eval

import (
	_ "embed"
	"math/rand/v2"
	"strings"
)

// Prompt is a prompt with which nothing should be injected.
type Prompt struct {
	Class string // of ClassUnrelated, ClassTrivial, ClassGibberish, or another
	Text  string
}

// The classes of the built-in prompts.
const (
	ClassUnrelated = "unrelated" // everyday work on something else
	ClassTrivial   = "trivial"   // yes, go on, thanks
	ClassGibberish = "gibberish"
)

//go:embed prompts.txt
var promptText string

// Builtin are the project's own prompts, the same in every run.
func Builtin() []Prompt {
	return append(ParsePrompts(promptText, ClassUnrelated), gibberish(60)...)
}

// ParsePrompts reads prompts, one a line. A line "[name]" begins a class, until
// then it is class; "#" begins a comment.
func ParsePrompts(text, class string) []Prompt {
	var out []Prompt
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			class = line[1 : len(line)-1]
		default:
			out = append(out, Prompt{class, line})
		}
	}
	return out
}

// gibberish makes n prompts of letters that mean nothing: one third look like
// words, one third like keys that were hit, one third like noise on a line.
func gibberish(n int) []Prompt {
	r := rand.New(rand.NewPCG(1, 2)) // the same in every run
	out := make([]Prompt, 0, n)
	for i := range n {
		words := make([]string, 0, 8)
		for range 2 + r.IntN(7) {
			words = append(words, nonsense(r, i%3))
		}
		out = append(out, Prompt{ClassGibberish, strings.Join(words, " ")})
	}
	return out
}

func nonsense(r *rand.Rand, like int) string {
	var b strings.Builder
	switch like {
	case 0:
		for range 2 + r.IntN(3) {
			b.WriteByte("bcdfghjklmnprstvz"[r.IntN(17)])
			b.WriteByte("aeiou"[r.IntN(5)])
		}
	case 1:
		row := []string{"asdfghjkl", "qwertyuiop", "zxcvbnm"}[r.IntN(3)]
		for range 3 + r.IntN(8) {
			b.WriteByte(row[r.IntN(len(row))])
		}
	default:
		for range 3 + r.IntN(6) {
			b.WriteByte(byte('!' + r.IntN('~'-'!')))
		}
	}
	return b.String()
}
