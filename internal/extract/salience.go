package extract

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

//go:embed weights.tsv
var weightTable string

// Features lists the features of a passage in the order of a vector's values.
func Features() []string {
	return []string{
		"bias", "names", "path", "figure", "arrow", "symbol", "cause", "reason", "fix", "decide", "against", "contrast",
		"norm", "warn",
		"limit", "open", "convention", "tradeoff", "howto", "place", "find", "under_cause", "under_decision",
		"under_open", "under_other", "item", "row", "joined", "label", "first", "late", "only", "short", "long",
		"inventory", "praise", "verify", "hedge", "thought", "report", "self", "past", "ideas", "aside", "doubt", "points",
		"taken_back", "abandoned", "changed", "trouble", "solved", "asked", "repeats_request", "new_names", "open_trouble",
		"cause_trouble", "task", "prefer", "own", "wish", "remember", "reverse", "meta", "under_checks", "under_fix", "here",
		"left", "reason_trouble", "measures", "fresh", "volunteered", "edit", "words", "denial", "looks", "commits", "tests",
	}
}

// weights are the weights of the features, by name of the model.
type weights map[string][]float64

var (
	weightsOnce sync.Once
	weightsRead weights
)

// weightsOf returns the weights of a model. The table is parsed at first use.
func weightsOf(model string) []float64 {
	weightsOnce.Do(func() { weightsRead = parseWeights(weightTable) })
	return weightsRead[model]
}

// parseWeights reads lines of a feature and a weight for each model; the first line
// names the models.
func parseWeights(table string) weights {
	out := weights{}
	at := map[string]int{}
	for i, f := range Features() {
		at[f] = i
	}
	var models []string
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		switch {
		case len(f) < 2 || f[0] == "#":
		case f[0] == "feature":
			models = f[1:]
			for _, m := range models {
				out[m] = make([]float64, len(at))
			}
		default:
			i, known := at[f[0]]
			for j, m := range models {
				if w, err := strconv.ParseFloat(f[j+1], 64); err == nil && known {
					out[m][i] = w
				}
			}
		}
	}
	return out
}

// The models of weights.tsv.
const (
	ModelAssistant = "assistant"
	ModelPerson    = "person"
)

// TurnFacts is what passages are judged by besides themselves.
type TurnFacts struct {
	Reported bool                   // the person reported a problem
	Trouble  bool                   // they did, or a command failed
	Solved   bool                   // a command that failed passes again
	Changed  bool                   // files were changed
	Files    []string               // that the turn changed
	Request  string                 // the prompt
	Known    func(name string) bool // whether the project's memories hold a name; nil: none does
	Edited   map[string]bool        // the terms that its edits put into files

	asked []string // the terms of the request; filled in by who calls vector
}

// NewTurnFacts returns what is known of a turn from its request and the files that it dealt with.
func NewTurnFacts(request string, files []string) TurnFacts {
	reported := len(request) <= PastedLength && Complains(request)
	return TurnFacts{Files: files, Request: request, Reported: reported, Trouble: reported}
}

// vector is a passage's features. Each value is between 0 and 1.
func (w TurnFacts) vector(p passage, of int) []float64 {
	v := make([]float64, 0, 64)
	text := p.plain()
	names := codeNames(text)
	head := p.all[0]
	width := lang.Width(text)
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	share := func(n, most int) float64 { return float64(min(n, most)) / float64(most) }
	fresh := 0
	asked := strings.ToLower(w.Request)
	for _, n := range names {
		if !strings.Contains(asked, n) {
			fresh++
		}
	}
	unknown := 0
	if w.Known != nil {
		for _, n := range names {
			if !w.Known(n) {
				unknown++
			}
		}
	}
	terms := rank.Terms(text)
	repeats := float64(CountShared(terms, w.asked)) / float64(max(1, len(terms)))
	_, label, _ := labelOf(text)
	cause := p.found(cueCause)
	open := is(p.open())
	v = append(v, 1, share(len(names), 4), is(strings.ContainsAny(text, "/") && hasPath(names)), is(hasFigure(text)),
		is(strings.Contains(text, "→") || strings.Contains(text, "=>")), is(strings.Contains(text, "`")),
		cause, p.found(cueReason), p.found(cueFix), p.found(cueDecide), p.found(cueAgainst), p.found(cueContrast),
		p.found(cueNorm), p.found(cueWarn), p.found(cueLimit), open, p.found(cueConvention), p.found(cueTradeOff),
		p.found(cueHowto), p.found(cuePlace), p.found(cueFind),
		is(p.under() == mem.ErrorFix), is(p.under() == mem.Decision), is(p.under() == mem.Todo),
		is(p.under() != "" && p.under() != mem.ErrorFix && p.under() != mem.Decision && p.under() != mem.Todo),
		is(head.list != 0 && !head.row), is(head.row), is(p.joined), is(label), is(p.at == 0), share(p.at, max(of-1, 1)),
		is(of == 1),
		is(width < 2*MinStatement), is(width > 240),
		p.found(cueInventory), p.found(cuePraise), p.found(cueVerify), p.found(cueHedge), p.found(cueThought),
		p.found(cueReport), p.found(cueSelf), p.found(cuePast), is(p.above(cueIdeas)),
		is(head.stands == aside || head.stands == suggested), is(head.doubt), is(head.cues.Has(cuePoints)),
		is(cuesIn(lang.CueText(p.all[len(p.all)-1].after)).Has(cueTakenBack)), p.found(cueAbandoned),
		is(w.Changed), is(w.Trouble), is(w.Solved), is(Asks(w.Request)), repeats, share(fresh, 3),
		open*is(w.Trouble), cause*is(w.Trouble),
		is(head.cues.Has(cueTask)), p.found(cuePrefer), p.found(cueOwn), p.found(cueWish), p.found(cueRemember),
		p.found(cueReverse), p.found(cueMeta), is(p.above(cueChecks)), is(p.above(cueFix)), p.found(cueHere),
		is(head.stands == left && (p.open() || p.under() == mem.Todo)),
		p.found(cueReason)*is(w.Trouble), is(measures(text)), share(unknown, 3), p.found(cueVolunteer),
		is(w.reportsEdit(p)), share(plainWords(text), 40), p.found(cueDenial), p.found(cueLooks), p.found(cueCommits),
		p.found(cueTests))
	return v
}

// plainWords counts the words of a text that are no names: in lower case and outside backticks. Three characters of a
// script without spaces count as a word.
func plainWords(text string) int {
	n, wide := 0, 0
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			continue
		}
		for _, w := range strings.FieldsFunc(part, endsWord) {
			first, _ := utf8.DecodeRuneInString(w)
			switch {
			case chars.Wide(first):
				wide += utf8.RuneCountInString(w)
			case w == strings.ToLower(w):
				n++
			}
		}
	}
	return n + wide/3
}

func endsWord(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }

// salience is the probability that a passage is worth keeping.
func salience(v, weight []float64) float64 {
	sum := 0.0
	for i := range min(len(v), len(weight)) {
		sum += v[i] * weight[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

// labelOf splits a text at the colon behind its first few words.
func labelOf(text string) (label string, ok bool, rest string) {
	label, rest, ok = strings.Cut(text, ": ")
	if !ok || len(strings.Fields(label)) > 6 {
		return "", false, text
	}
	return label, true, rest
}

// codeNames are the names in a text that are spelt like code: with signs, digits or
// capitals inside, or in backticks. Each is in lower case and once.
func codeNames(text string) []string {
	var out []string
	parts := strings.Split(text, "`")
	add := func(w string) {
		w = strings.ToLower(strings.Trim(w, ".,;:!?()[]{}'\"*"))
		if len(w) > 1 && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for i, part := range parts {
		if i%2 == 1 && i < len(parts)-1 {
			for _, w := range strings.Fields(part) {
				add(w)
			}
			continue
		}
		for _, w := range strings.Fields(part) {
			if spelledLikeCode(strings.Trim(w, ".,;:!?()[]{}'\"*")) {
				add(w)
			}
		}
	}
	return out
}

func spelledLikeCode(w string) bool {
	upper, lower, sign := 0, 0, false
	for i, r := range w {
		switch {
		case chars.Wide(r):
			return false
		case unicode.IsUpper(r) && i > 0:
			upper++
		case unicode.IsLower(r):
			lower++
		case r == '_' || r == '/' || r == '.' || r == '#' || r == '$' || r == '@':
			sign = sign || i > 0 && i < len(w)-1 || r == '/' || r == '.' && len(w) > 3
		case r == '-' && strings.HasPrefix(w, "--") && len(w) > 3:
			sign = true
		case r == '(':
			sign = true
		}
	}
	return sign && upper+lower > 1 || upper > 0 && lower > 0 && w[0] != '-' && !strings.Contains(w, "-") ||
		upper >= 2 && lower == 0
}

func hasPath(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "/") || strings.Contains(n, ".") })
}

func hasFigure(text string) bool { return strings.ContainsAny(text, "0123456789") }

// measures reports whether a text gives a figure before and after, in words.
func measures(text string) bool {
	n, last := 0, ""
	for _, w := range strings.Fields(strings.ToLower(text)) {
		digits := strings.Trim(w, ".,;:!?()%~≈*") // 12, 3.5, 910MB
		if digits != "" && digits[0] >= '0' && digits[0] <= '9' && len(digits) < 8 && !strings.Contains(digits, "/") {
			if n == 0 || slices.Contains([]string{"to", "auf", "à", "a", "до", "→", "of", "against", "statt", "than"}, last) {
				n++
			}
		}
		last = w
	}
	return n > 1
}

// Rating is a passage with its features, as the program that fits weights needs it.
type Rating struct {
	Text     string
	Features []float64
	Salience float64
}

// Rate returns the passages of a text with their features.
func (w TurnFacts) Rate(text, model string) []Rating {
	passages, out := passagesOf(Statements(text), model == ModelPerson), []Rating(nil)
	w.asked = rank.Terms(w.Request)
	for _, p := range passages {
		if lang.Width(p.text) < MinStatement {
			continue
		}
		v := w.vector(p, len(passages))
		out = append(out, Rating{p.text, v, salience(v, weightsOf(model))})
	}
	return out
}

// Weights returns the weights of a model in the order of Features.
func Weights(model string) []float64 { return slices.Clone(weightsOf(model)) }
