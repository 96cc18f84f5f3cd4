package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"remanence/internal/eval"
)

// session is what two speakers said, with what should be kept of it.
type session struct {
	id    string
	turns []turn
	facts []fact
	not   []fact
	// verdicts of people on the passages of the assistant, by textKey: the probability that one should be kept
	verdicts map[string]float64
}

// turn is a prompt, the last answer to it, and what the turn did.
type turn = eval.CaptureTurn

// fact is met by a passage that all expressions match.
type fact struct {
	id, who, kind string
	rx            []*regexp.Regexp
}

func (f fact) meets(text string) bool {
	for _, r := range f.rx {
		if !r.MatchString(text) {
			return false
		}
	}
	return true
}

// labels is the file of labels: sessions, facts and what must not be kept.
type labels struct {
	Facts   []labelled `json:"facts"`
	MustNot []labelled `json:"must_not"`
}

type labelled struct {
	ID      string   `json:"id"`
	Session string   `json:"session"`
	Who     string   `json:"who"`
	Kind    string   `json:"kind"`
	RX      []string `json:"rx"`
}

func (l labelled) fact() (fact, error) {
	f := fact{id: l.ID, who: l.Who, kind: l.Kind}
	for _, r := range l.RX {
		x, err := regexp.Compile("(?is)" + r)
		if err != nil {
			return f, fmt.Errorf("label %s: %w", l.ID, err)
		}
		f.rx = append(f.rx, x)
	}
	return f, nil
}

// readSessions reads transcripts of a folder, in folders by project, and their labels.
func readSessions(dir, file string) ([]session, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	var l labels
	if err := json.Unmarshal(raw, &l); err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*__*"))
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	var out []session
	for _, p := range paths {
		_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(p), filepath.Ext(p)), "__")
		s := session{id: name}
		read := readTranscript
		if filepath.Ext(p) == ".md" {
			read = readRendered
		}
		if s.turns, err = read(p); err != nil {
			return nil, err
		}
		for _, x := range l.Facts {
			if x.Session == name {
				f, err := x.fact()
				if err != nil {
					return nil, err
				}
				s.facts = append(s.facts, f)
			}
		}
		for _, x := range l.MustNot {
			if x.Session == name {
				f, err := x.fact()
				if err != nil {
					return nil, err
				}
				s.not = append(s.not, f)
			}
		}
		out = append(out, s)
	}
	return out, nil
}

// textKey is what a passage is found again by.
func textKey(text string) string { return strings.Join(strings.Fields(text), " ") }

// readVerdicts reads verdicts on passages into the sessions that they are of.
func readVerdicts(file string, all []session) error {
	if file == "" {
		return nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("verdicts: %w", err)
	}
	want := map[string]float64{"useful": 1, "partly": 0.5, "noise": 0, "wrong": 0}
	for i, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		f := strings.SplitN(line, "\t", 3)
		if len(f) < 3 {
			return fmt.Errorf("verdicts: line %d has %d fields, want 3", i+1, len(f))
		}
		w, known := want[f[1]]
		at := slices.IndexFunc(all, func(s session) bool { return s.id == f[0] })
		if !known || at < 0 {
			return fmt.Errorf("verdicts: line %d: no such session or verdict", i+1)
		}
		if all[at].verdicts == nil {
			all[at].verdicts = map[string]float64{}
		}
		all[at].verdicts[textKey(f[2])] = w
	}
	return nil
}

type record struct {
	Type      string `json:"type"`
	Sidechain bool   `json:"isSidechain"`
	Meta      bool   `json:"isMeta"`
	Message   struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

type block struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Name    string `json:"name"`
	IsError bool   `json:"is_error"`
	Input   struct {
		File string `json:"file_path"`
	} `json:"input"`
}

// readTranscript reads a transcript as the client writes it.
func readTranscript(path string) ([]turn, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	defer f.Close()
	var out []turn
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var r record
		if json.Unmarshal(lines.Bytes(), &r) != nil || r.Sidechain || r.Meta {
			continue
		}
		var text string
		var blocks []block
		if json.Unmarshal(r.Message.Content, &text) != nil && json.Unmarshal(r.Message.Content, &blocks) != nil {
			continue
		}
		out = take(out, r.Type, text, blocks)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

func take(out []turn, who, text string, blocks []block) []turn {
	var last *turn
	if len(out) > 0 {
		last = &out[len(out)-1]
	}
	result := false
	for _, b := range blocks {
		switch {
		case b.Type == "text":
			text += b.Text
		case b.Type == "tool_result":
			result = true
			if last != nil && b.IsError {
				last.Failed = true
			}
		case b.Type == "tool_use" && last != nil && (b.Name == "Edit" || b.Name == "Write" || b.Name == "MultiEdit"):
			if f := path.Base(b.Input.File); !slices.Contains(last.Files, f) {
				last.Files = append(last.Files, f)
			}
		}
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" || result:
	case who == "assistant" && last != nil:
		last.Answer = text
	case who == "user" && !strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "[Request") &&
		!strings.HasPrefix(text, "Caveat:") && !strings.HasPrefix(text, "This session is being continued"):
		out = append(out, turn{Prompt: text})
	}
	return out
}

// readRendered reads a transcript that is rendered as markdown with a line for each
// speaker.
func readRendered(path string) ([]turn, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	speaker := regexp.MustCompile(`(?m)^_\*\*(User|Agent)[^\n]*\*\*_\s*$`)
	aside := regexp.MustCompile(`(?s)<think>.*?</think>|<tool-use.*?</tool-use>|(?m)^---\s*$`)
	text := string(raw)
	at := speaker.FindAllStringSubmatchIndex(text, -1)
	var out []turn
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		said := strings.TrimSpace(aside.ReplaceAllString(text[m[1]:end], ""))
		switch {
		case said == "" || strings.HasPrefix(said, "[Request"):
		case text[m[2]:m[3]] == "User":
			out = append(out, turn{Prompt: said})
		case len(out) > 0:
			out[len(out)-1].Answer = said
		}
	}
	return out, nil
}

// readTurns reads sessions written as scripts, with lines of what to keep and what not.
func readTurns(dir string) ([]session, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, fmt.Errorf("turns: %w", err)
	}
	var out []session
	for _, p := range paths {
		raw, err := os.ReadFile(p)
		if err != nil {
			return nil, fmt.Errorf("turns: %w", err)
		}
		parsed, err := eval.ParseCapture(string(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		for _, one := range parsed {
			s := session{id: filepath.Base(p) + "/" + one.Name, turns: one.Turns}
			for _, l := range one.Keep {
				s.facts = append(s.facts, factOf(s.id, l))
			}
			for _, l := range one.Not {
				s.not = append(s.not, factOf(s.id, l))
			}
			out = append(out, s)
		}
	}
	return out, nil
}

func factOf(session string, l eval.CaptureLabel) fact {
	f := fact{id: session + ": " + strings.Join(l.Words, " | "), who: l.Who}
	for _, w := range l.Words {
		var any []string
		for _, wording := range eval.Wordings(w) {
			any = append(any, regexp.QuoteMeta(wording))
		}
		f.rx = append(f.rx, regexp.MustCompile("(?is)"+strings.Join(any, "|")))
	}
	return f
}
