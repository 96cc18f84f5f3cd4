package eval

import (
	"fmt"
	"strings"
)

// CaptureStep is what a turn did besides its answer.
type CaptureStep struct {
	Verb string // read, run, fail, edit, write, ask or deny
	On   string // file, command or question
	Text string // content, output, changed lines, options, or the person's words
}

// CaptureProbe is a prompt of a later session.
type CaptureProbe struct {
	Prompt string
	Want   *CaptureLabel // what should be injected; nil means nothing
}

// ParseCapture reads sessions of scripts and labels. A session begins with "=== name". A
// turn begins with "> prompt". Indented lines below a line belong to it. These lines follow
// a prompt:
//
//   - "read F", "write F": a file and its content
//   - "edit F": lines that begin with "- " are replaced by those that begin with "+ "
//   - "run C", "fail C": a command that worked or failed, and its output
//   - "ask Q": a question with options "- label: description" and the pick "= label"
//   - "deny C": a command that the person denied, and the reason
//   - "say": the answer
//
// Behind "---" stand the labels and later prompts:
//
//   - "keep [WHO] [KIND/KIND]: words | words", "may …" likewise; see CaptureLabel
//   - "not: words | words"
//   - "probe: prompt => words | words", "unrelated: prompt"
//
// Other lines of scripts and labels are passed over.
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
			if len(out) > 0 {
				out[len(out)-1].below(verb, below)
			}
			continue
		}
		var rest string
		verb, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
		if verb == ">" {
			out = append(out, CaptureTurn{Prompt: rest})
		} else if len(out) > 0 {
			out[len(out)-1].step(verb, rest)
		}
	}
	return out
}

// below adds an indented line to what stands above it.
func (t *CaptureTurn) below(verb, line string) {
	switch {
	case verb == ">":
		t.Prompt += "\n" + strings.TrimRight(line, "\n")
	case verb == "say":
		t.Answer += line
	case len(t.Steps) > 0:
		t.Steps[len(t.Steps)-1].Text += line
	}
}

func (t *CaptureTurn) step(verb, rest string) {
	switch {
	case verb == "edit" || verb == "write":
		t.Files = append(t.Files, rest)
	case strings.HasPrefix(verb, "fail"):
		verb, t.Failed = "fail", true
	}
	if verb != "say" {
		t.Steps = append(t.Steps, CaptureStep{Verb: verb, On: rest})
	}
}

func (s *CaptureSession) label(line string) {
	head, words, ok := strings.Cut(line, ": ")
	f := strings.Fields(head)
	if !ok || len(f) == 0 {
		return
	}
	switch f[0] {
	case "keep", "may":
		s.Keep = append(s.Keep, newCaptureLabel(f[1:], words))
	case "not":
		s.Not = append(s.Not, newCaptureLabel(f[1:], words))
	case "probe":
		if prompt, want, ok := strings.Cut(words, " => "); ok {
			l := newCaptureLabel(nil, want)
			s.Probes = append(s.Probes, CaptureProbe{prompt, &l})
		}
	case "unrelated":
		s.Probes = append(s.Probes, CaptureProbe{Prompt: words})
	}
}

func newCaptureLabel(head []string, words string) CaptureLabel {
	words, _, _ = strings.Cut(words, " @")
	l := CaptureLabel{}
	for _, w := range strings.Split(words, " | ") {
		l.Words = append(l.Words, strings.TrimSpace(w))
	}
	for _, w := range head {
		if w == "person" || w == "assistant" || w == "any" {
			l.Who = w
		} else {
			l.Kinds = strings.Split(w, "/")
		}
	}
	return l
}
