package eval

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"remanence/internal/extract"
)

//go:embed capture/*.txt
var captureFiles embed.FS

// CaptureSession is a session of the exam of capture: what was said in it, and what
// should be kept of it.
type CaptureSession struct {
	Name  string
	Turns []CaptureTurn
	Keep  []CaptureLabel
	Not   []CaptureLabel
}

// CaptureTurn is a prompt, the answer to it, and what the turn changed.
type CaptureTurn struct {
	Prompt, Answer string
	Files          []string
	Failed         bool // a command failed
}

// CaptureLabel is met by a statement that holds all of its words.
type CaptureLabel struct {
	Who   string // person, assistant or any; "" means any
	Kinds []string
	Words []string
}

// Met reports whether a text holds the words of a label.
func (l CaptureLabel) Met(text string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(l.Words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) })
}

// CaptureResult is what the rules of capture keep of the exam's sessions.
type CaptureResult struct {
	Sessions   int               `json:"sessions"`
	Statements int               `json:"statements"`
	Facts      int               `json:"facts"`
	Kept       int               `json:"kept"`
	RightKind  int               `json:"right_kind"` // of those kept whose label names kinds
	WithKind   int               `json:"with_kind"`
	MustNot    int               `json:"must_not"`
	Broken     int               `json:"broken"` // must-nots that are kept
	By         map[string][2]int `json:"by"`     // speaker: facts kept, facts
	Notes      []string          `json:"notes"`  // what is missed or kept against a label
}

// Capture runs the built-in exam of capture: which of what two speakers say in a session
// becomes a memory. It needs no store.
func Capture() (CaptureResult, error) {
	r := CaptureResult{By: map[string][2]int{}}
	entries, err := captureFiles.ReadDir("capture")
	if err != nil {
		return r, fmt.Errorf("exam of capture: %w", err)
	}
	for _, e := range entries {
		text, err := captureFiles.ReadFile(path.Join("capture", e.Name()))
		if err != nil {
			return r, fmt.Errorf("exam of capture: %w", err)
		}
		sessions, err := ParseCapture(string(text))
		if err != nil {
			return r, fmt.Errorf("%s: %w", e.Name(), err)
		}
		for _, s := range sessions {
			r.add(s)
		}
	}
	return r, nil
}

// add counts what is kept of a session.
func (r *CaptureResult) add(s CaptureSession) {
	person, assistant := s.Statements()
	r.Sessions++
	r.Statements += len(person) + len(assistant)
	for _, l := range s.Keep {
		of := slices.Concat(person, assistant)
		switch l.Who {
		case "person":
			of = person
		case "assistant":
			of = assistant
		}
		r.Facts++
		count := r.By[l.Who]
		count[1]++
		met := slices.DeleteFunc(slices.Clone(of), func(p extract.Point) bool { return !l.Met(p.Text) })
		if len(met) > 0 {
			r.Kept++
			count[0]++
			r.kind(l, met)
		} else {
			r.Notes = append(r.Notes, fmt.Sprintf("missed: %s: %s: %s", s.Name, l.Who, strings.Join(l.Words, " | ")))
		}
		r.By[l.Who] = count
	}
	for _, l := range s.Not {
		r.MustNot++
		for _, p := range slices.Concat(person, assistant) {
			if l.Met(p.Text) {
				r.Broken++
				r.Notes = append(r.Notes, fmt.Sprintf("kept: %s: %s", s.Name, p.Text))
				break
			}
		}
	}
}

func (r *CaptureResult) kind(l CaptureLabel, met []extract.Point) {
	if len(l.Kinds) == 0 {
		return
	}
	r.WithKind++
	if slices.ContainsFunc(met, func(p extract.Point) bool { return slices.Contains(l.Kinds, string(p.Kind)) }) {
		r.RightKind++
	}
}

// Statements returns what is kept of both speakers.
func (s CaptureSession) Statements() (person, assistant []extract.Point) {
	for _, t := range s.Turns {
		person = append(person, extract.FromPerson(t.Prompt)...)
		assistant = append(assistant, t.Facts().Choose(extract.Statements(t.Answer), extract.MaxStatements,
			len(assistant))...)
	}
	return person, assistant
}

// Facts returns what the statements of a turn are judged by.
func (t CaptureTurn) Facts() extract.TurnFacts {
	w := extract.TurnFacts{
		Changed: len(t.Files) > 0, Files: t.Files, Request: t.Prompt,
		Reported: len(t.Prompt) <= extract.PastedLength && extract.Complains(t.Prompt),
	}
	w.Trouble = w.Reported || t.Failed
	return w
}

// ParseCapture reads sessions of scripts and labels. A session begins with "=== name". A
// turn begins with "> prompt"; "edit F" and "write F" change a file, "fail C" is a command
// that failed, "say" is followed by the indented answer. Behind "---" stand the labels:
// "keep [WHO] [KIND/KIND]: words | words", "may …" likewise, "not: words". Other lines of
// scripts and labels are passed over.
func ParseCapture(text string) ([]CaptureSession, error) {
	var out []CaptureSession
	for _, part := range strings.Split("\n"+text, "\n=== ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		script, labels, ok := strings.Cut(body, "\n---\n")
		if !ok {
			return nil, fmt.Errorf("session %q has no labels", name)
		}
		s := CaptureSession{Name: name, Turns: parseScript(script)}
		for line := range strings.Lines(labels) {
			s.label(strings.TrimSpace(line))
		}
		out = append(out, s)
	}
	return out, nil
}

func parseScript(script string) []CaptureTurn {
	out := []CaptureTurn{}
	verb := ""
	for line := range strings.Lines(script) {
		if below, ok := strings.CutPrefix(line, "  "); ok || strings.TrimSpace(line) == "" {
			if len(out) > 0 && verb == "say" {
				out[len(out)-1].Answer += below
			}
			if len(out) > 0 && verb == ">" {
				out[len(out)-1].Prompt += "\n" + strings.TrimRight(below, "\n")
			}
			continue
		}
		var rest string
		verb, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
		if verb == ">" {
			out = append(out, CaptureTurn{Prompt: rest})
			continue
		}
		if len(out) == 0 {
			continue
		}
		last := &out[len(out)-1]
		switch {
		case verb == "edit" || verb == "write":
			last.Files = append(last.Files, rest)
		case strings.HasPrefix(verb, "fail"):
			last.Failed = true
		}
	}
	return out
}

func (s *CaptureSession) label(line string) {
	head, words, ok := strings.Cut(line, ": ")
	f := strings.Fields(head)
	if !ok || len(f) == 0 || f[0] != "keep" && f[0] != "may" && f[0] != "not" {
		return
	}
	words, _, _ = strings.Cut(words, " @")
	l := CaptureLabel{}
	for _, w := range strings.Split(words, " | ") {
		l.Words = append(l.Words, strings.TrimSpace(w))
	}
	for _, w := range f[1:] {
		if w == "person" || w == "assistant" || w == "any" {
			l.Who = w
		} else {
			l.Kinds = strings.Split(w, "/")
		}
	}
	if f[0] == "not" {
		s.Not = append(s.Not, l)
	} else {
		s.Keep = append(s.Keep, l)
	}
}
