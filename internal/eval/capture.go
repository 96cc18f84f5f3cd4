package eval

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"remanence/internal/extract"
)

//go:embed capture/*.txt
var captureFiles embed.FS

// CaptureSession is a session of the exam of capture: its script, what should be kept
// of it, and later prompts. Sessions share a project if their names agree up to the
// first comma.
type CaptureSession struct {
	Name   string
	Turns  []CaptureTurn
	Keep   []CaptureLabel
	Not    []CaptureLabel
	Probes []CaptureProbe
}

// CaptureTurn is a prompt, the answer to it, and what the turn changed.
type CaptureTurn struct {
	Prompt, Answer string
	Files          []string
	Failed         bool // a command failed
	Steps          []CaptureStep
}

// CaptureLabel is met by a statement that holds all of its words.
type CaptureLabel struct {
	Who   string // person, assistant or any; "" means any
	Kinds []string
	Words []string // each one or more wordings, see Wordings
}

// Wordings returns the accepted wordings of a word of a label: "a / b" is met by either.
func Wordings(word string) []string { return strings.Split(word, " / ") }

// Met reports whether a text holds the words of a label.
func (l CaptureLabel) Met(text string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(l.Words, func(w string) bool {
		return !slices.ContainsFunc(Wordings(w), func(w string) bool { return strings.Contains(text, strings.ToLower(w)) })
	})
}

// CaptureResult is the result of the exam of capture: what the rules find in the exam's
// sessions, what a store holds after they were played, and what later prompts get.
type CaptureResult struct {
	Sessions int `json:"sessions"`
	CaptureScore
	Stored *CaptureScore `json:"stored"` // null if no engine was examined
	Probes *ProbeScore   `json:"probes"`
}

// CaptureScore counts which labels are met by statements.
type CaptureScore struct {
	Statements int               `json:"statements"`
	Facts      int               `json:"facts"`
	Kept       int               `json:"kept"`
	RightKind  int               `json:"right_kind"` // of those kept whose label names kinds
	WithKind   int               `json:"with_kind"`
	MustNot    int               `json:"must_not"`
	Broken     int               `json:"broken"`  // must-nots that are kept
	By         map[string][2]int `json:"by"`      // speaker: facts kept, facts
	ByKind     map[string][2]int `json:"by_kind"` // first kind of the label: facts kept, facts
	Notes      []string          `json:"notes"`   // what is missed or kept against a label
}

// statement is one thing that is kept of a session.
type statement struct {
	who  string // person, assistant or tool
	kind string
	text string
}

// Capture runs the built-in exam of capture: which statements of two speakers become
// memories. Without an engine, only the rules are examined.
func Capture(ctx context.Context, on CaptureSubject) (CaptureResult, error) {
	r := CaptureResult{CaptureScore: newCaptureScore()}
	sessions, err := builtinCapture()
	if err != nil {
		return r, err
	}
	for _, s := range sessions {
		r.Sessions++
		r.add(s, s.statements())
	}
	if on != nil {
		r.Stored, r.Probes, err = playCapture(ctx, sessions, on)
	}
	return r, err
}

// builtinCapture reads the sessions that come with the program.
func builtinCapture() ([]CaptureSession, error) {
	entries, err := captureFiles.ReadDir("capture")
	if err != nil {
		return nil, fmt.Errorf("exam of capture: %w", err)
	}
	var out []CaptureSession
	for _, e := range entries {
		text, err := captureFiles.ReadFile(path.Join("capture", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("exam of capture: %w", err)
		}
		sessions, err := ParseCapture(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		out = append(out, sessions...)
	}
	return out, nil
}

func newCaptureScore() CaptureScore {
	return CaptureScore{By: map[string][2]int{}, ByKind: map[string][2]int{}}
}

// add counts what is kept of a session.
func (r *CaptureScore) add(s CaptureSession, kept []statement) {
	r.Statements += len(kept)
	for _, l := range s.Keep {
		met := slices.DeleteFunc(slices.Clone(kept), func(p statement) bool { return !l.by(p.who) || !l.Met(p.text) })
		r.Facts++
		count(r.By, l.Who, len(met) > 0)
		if len(l.Kinds) > 0 {
			count(r.ByKind, l.Kinds[0], len(met) > 0)
		}
		if len(met) == 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("missed: %s: %s: %s", s.Name, l.Who, strings.Join(l.Words, " | ")))
			continue
		}
		r.Kept++
		r.kind(l, met)
	}
	for _, l := range s.Not {
		r.MustNot++
		for _, p := range kept {
			if l.Met(p.text) {
				r.Broken++
				r.Notes = append(r.Notes, fmt.Sprintf("kept: %s: %s", s.Name, p.text))
				break
			}
		}
	}
}

// Report returns the score as lines of text.
func (r *CaptureScore) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "statements %d\nkept %d of %d facts, of the right kind %d of %d\n", r.Statements, r.Kept, r.Facts,
		r.RightKind, r.WithKind)
	for _, by := range []map[string][2]int{r.By, r.ByKind} {
		for _, name := range slices.Sorted(maps.Keys(by)) {
			fmt.Fprintf(&b, "%s %d of %d\n", name, by[name][0], by[name][1])
		}
	}
	fmt.Fprintf(&b, "must-nots kept %d of %d\n%s\n", r.Broken, r.MustNot, strings.Join(r.Notes, "\n"))
	return b.String()
}

func count(by map[string][2]int, name string, kept bool) {
	c := by[name]
	c[1]++
	if kept {
		c[0]++
	}
	by[name] = c
}

// by reports whether a statement of a speaker can meet the label.
func (l CaptureLabel) by(who string) bool {
	return l.Who != "person" && l.Who != "assistant" || l.Who == who
}

func (r *CaptureScore) kind(l CaptureLabel, met []statement) {
	if len(l.Kinds) == 0 {
		return
	}
	r.WithKind++
	if slices.ContainsFunc(met, func(p statement) bool { return slices.Contains(l.Kinds, p.kind) }) {
		r.RightKind++
	}
}

// statements returns what the rules keep of both speakers.
func (s CaptureSession) statements() []statement {
	var out []statement
	ofAssistant := 0
	before := ""
	for _, t := range s.Turns {
		for _, p := range extract.FromPerson(t.Prompt, before) {
			out = append(out, statement{"person", string(p.Kind), p.Text})
		}
		before = t.Prompt
		chosen := t.Facts().Choose(extract.Statements(t.Answer), extract.MaxStatements, ofAssistant)
		ofAssistant += len(chosen)
		for _, p := range chosen {
			out = append(out, statement{"assistant", string(p.Kind), p.Text})
		}
	}
	return out
}

// Facts returns what the statements of a turn are judged by.
func (t CaptureTurn) Facts() extract.TurnFacts {
	w := extract.NewTurnFacts(t.Prompt, t.Files)
	w.Changed, w.Trouble = len(t.Files) > 0, w.Trouble || t.Failed
	return w
}
