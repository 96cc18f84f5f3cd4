// Command fitcapture fits the weights by which statements are chosen (internal/extract/weights.tsv)
// on labelled sessions, and shows what the weights keep of them. It copies nothing of
// the sessions.
//
//	go run ./tools/fitcapture -turns internal/engine/testdata/turns/work -sessions DIR -labels FILE
//	    [-verdicts FILE] [-fit] [-show]
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"remanence/internal/extract"
)

func main() {
	var (
		dirs     multi
		sessions = flag.String("sessions", "", "folder of transcripts, in folders by project")
		file     = flag.String("labels", "", "labels of the transcripts, as JSON")
		judged   = flag.String("verdicts", "", "verdicts on passages: lines of session, useful, partly, noise or wrong, text")
		fit      = flag.Bool("fit", false, "fit the weights and print the new table")
		show     = flag.Bool("show", false, "print what is kept, and what is missed")
		ridge    = flag.Float64("ridge", 3, "how strongly the fitted weights are held to the present ones")
	)
	explain := flag.String("explain", "", "print the features of a text that count, and their weights")
	flag.Var(&dirs, "turns", "folder of scripted sessions; may be repeated")
	flag.Parse()
	if *explain != "" {
		explainText(*explain)
		return
	}
	all, err := read(*sessions, *file, dirs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fitcapture:", err)
		os.Exit(1)
	}
	if err := readVerdicts(*judged, all); err != nil {
		fmt.Fprintln(os.Stderr, "fitcapture:", err)
		os.Exit(1)
	}
	if *fit {
		person := extract.Weights(extract.ModelPerson) // verdicts say nothing about what the person said
		if *judged == "" {
			person = fitted(all, extract.ModelPerson, *ridge)
		}
		printWeights(fitted(all, extract.ModelAssistant, *ridge), person)
		return
	}
	report(all, *show)
}

type multi []string

func (m *multi) String() string { return strings.Join(*m, ",") }

func (m *multi) Set(s string) error {
	*m = append(*m, s)
	return nil
}

func read(dir, file string, turns []string) ([]session, error) {
	var out []session
	if dir != "" {
		s, err := readSessions(dir, file)
		if err != nil {
			return nil, err
		}
		out = append(out, s...)
	}
	for _, d := range turns {
		s, err := readTurns(d)
		if err != nil {
			return nil, err
		}
		out = append(out, s...)
	}
	return out, nil
}

// report prints how many facts the present weights keep.
func report(all []session, show bool) {
	facts, kept, not, broken, statements := 0, 0, 0, 0, 0
	judged, keptJudged := map[float64]int{}, map[float64]int{}
	for _, s := range all {
		said := s.kept()
		statements += len(said)
		for text, v := range s.verdicts {
			judged[v]++
			if end := text[max(0, len(text)-60):]; slices.ContainsFunc(said, func(p extract.Point) bool {
				return strings.Contains(textKey(p.Text), strings.TrimRight(end, ".;, "))
			}) {
				keptJudged[v]++
			}
		}
		if show {
			fmt.Println("==", s.id)
			for _, p := range said {
				mark := "   "
				for _, f := range s.facts {
					if f.meets(p.Text) {
						mark = " + "
					}
				}
				for _, f := range s.not {
					if f.meets(p.Text) {
						mark = "!! "
					}
				}
				fmt.Printf("%s%.2f %-10s %s\n", mark, p.Salience, p.Kind, p.Text)
			}
		}
		for _, f := range s.facts {
			facts++
			if meets(said, f) {
				kept++
			} else if show {
				fmt.Println("   MISSED", f.id, f.who)
			}
		}
		for _, f := range s.not {
			not++
			if meets(said, f) {
				broken++
			}
		}
	}
	fmt.Printf("%d sessions: kept %d of %d facts (%.0f%%), %d of %d must-nots, %.1f statements a session\n", len(all),
		kept, facts,
		100*float64(kept)/math.Max(1, float64(facts)), broken, not, float64(statements)/math.Max(1, float64(len(all))))
	if len(judged) > 0 {
		fmt.Printf("passages kept: %d of %d useful, %d of %d partly, %d of %d noise or wrong\n", keptJudged[1], judged[1],
			keptJudged[0.5], judged[0.5], keptJudged[0], judged[0])
	}
}

func meets(said []extract.Point, f fact) bool {
	for _, p := range said {
		if f.meets(p.Text) {
			return true
		}
	}
	return false
}

// kept is what is chosen of a session.
func (s session) kept() []extract.Point {
	var out []extract.Point
	before, made := "", 0
	for _, t := range s.turns {
		out = append(out, extract.FromPerson(t.Prompt, before)...)
		before = t.Prompt
		said := t.Facts().Choose(extract.Statements(t.Answer), extract.MaxStatements, made)
		made += len(said)
		out = append(out, said...)
	}
	return out
}

// example is a passage as the fit sees it.
type example struct {
	v      []float64
	want   float64 // the probability that it should be kept
	weight float64
}

func (s session) examples(model string) []example {
	var out []example
	for _, t := range s.turns {
		text, w := t.Answer, t.Facts()
		if model == extract.ModelPerson && len(t.Prompt) > 1500 { // a paste
			continue
		}
		if model == extract.ModelPerson {
			text, w = t.Prompt, extract.TurnFacts{}
		}
		for _, r := range w.Rate(text, model) {
			e := example{v: r.Features, weight: 1}
			verdict, judged := s.verdicts[textKey(r.Text)]
			for _, f := range s.facts {
				if f.meets(r.Text) { // to miss one costs more than to keep one too many
					e.want, e.weight = 1, 2
				}
			}
			for _, f := range s.not {
				if f.meets(r.Text) {
					e.want, e.weight = 0, 3
				}
			}
			switch {
			case !judged || model == extract.ModelPerson || e.weight == 3:
			case len(s.facts) > 0: // two people judged it
				e.want = (e.want + verdict) / 2
			default:
				e.want, e.weight = verdict, 1+verdict
			}
			out = append(out, e)
		}
	}
	return out
}

// fitted are the weights of a logistic regression that is held to the present weights.
func fitted(all []session, model string, ridge float64) []float64 {
	var examples []example
	for _, s := range all {
		examples = append(examples, s.examples(model)...)
	}
	prior := extract.Weights(model)
	w := append([]float64{}, prior...)
	for range 4000 {
		grad := make([]float64, len(w))
		for _, e := range examples {
			sum := 0.0
			for i := range e.v {
				sum += e.v[i] * w[i]
			}
			d := 1/(1+math.Exp(-sum)) - e.want
			for i := range e.v {
				grad[i] += e.weight * d * e.v[i]
			}
		}
		for i := range w {
			if prior[i] == 0 { // no part of the model
				continue
			}
			hold := ridge * (1 + 3*math.Abs(prior[i])) // strong weights move less
			w[i] -= 0.5 * (grad[i] + hold*(w[i]-prior[i])) / float64(len(examples)/4+1)
		}
	}
	return w
}

func printWeights(assistant, person []float64) {
	fmt.Println("# Weights of the features of salience.go by model; written by tools/fitcapture.")
	fmt.Println("feature\tassistant\tperson")
	for i, f := range extract.Features() {
		fmt.Printf("%s\t%.2f\t%.2f\n", f, assistant[i], person[i])
	}
}

// explainText prints what makes the passages of an answer salient.
func explainText(text string) {
	for _, model := range []string{extract.ModelAssistant, extract.ModelPerson} {
		explainBy(text, model)
	}
}

func explainBy(text, model string) {
	weights := extract.Weights(model)
	for _, r := range (extract.TurnFacts{}).Rate(text, model) {
		fmt.Printf("%s: %.2f %s\n", model, r.Salience, r.Text)
		for i, f := range extract.Features() {
			if v := r.Features[i] * weights[i]; v != 0 {
				fmt.Printf("     %-16s %+.2f\n", f, v)
			}
		}
	}
}
