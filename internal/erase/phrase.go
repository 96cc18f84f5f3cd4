package erase

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/event"
)

// The kinds of finds of a phrase, each counted once a record.
const (
	holdsPhrase = "text" // as words of their own; erased
	inName      = "name" // in an id, a directory or the name of a project; kept
	inWord      = "word" // within a longer word; kept
)

// Erased stands for each line that held erased words.
const Erased = chars.Erased

const shortestPhrase = 3 // letters and digits; two of a script without spaces

// phrase finds words in stored text. Upper and lower case are the same, and so is all white space.
type phrase struct {
	find  *regexp.Regexp
	rare  *regexp.Regexp // the longest run of letters and digits, which JSON does not escape
	ascii []byte         // the same in lower case if it is ASCII, else nil
}

// parsePhrase returns the phrase of a text. Fewer than three letters and digits are an event.ErrShortText.
func parsePhrase(text string) (*phrase, error) {
	isMark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	runs := strings.FieldsFunc(text, isMark)
	letters, wide := 0, false
	for _, run := range runs {
		letters += utf8.RuneCountInString(run)
		wide = wide || strings.ContainsFunc(run, chars.Wide)
	}
	if letters < shortestPhrase && (!wide || letters < shortestPhrase-1) {
		return nil, fmt.Errorf("%q: %w", text, event.ErrShortText)
	}
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
	}
	longest := slices.MaxFunc(runs, func(a, b string) int { return len(a) - len(b) })
	p := &phrase{}
	var err error
	if p.find, err = regexp.Compile(`(?i)` + strings.Join(words, `\s+`)); err == nil {
		p.rare, err = regexp.Compile(`(?i)` + regexp.QuoteMeta(longest))
	}
	if !strings.ContainsFunc(longest, func(r rune) bool { return r >= utf8.RuneSelf }) {
		p.ascii = []byte(strings.ToLower(longest))
	}
	return p, err
}

// mayHold reports whether the stored texts of a record may hold the phrase. Most hold none, and the expression takes 20
// times as long to find that out. A text of JSON may hold it escaped.
func (p *phrase) mayHold(texts []byte) bool {
	return p.mayRead(texts) || bytes.Contains(texts, []byte(`\u`))
}

// mayRead reports whether a document may hold the phrase as it is read.
func (p *phrase) mayRead(doc []byte) bool {
	// Beside its own upper case only these two letters are the same as one of ASCII: the sign for kelvin, the long s.
	if p.ascii == nil || bytes.Contains(doc, []byte("\u212a")) || bytes.Contains(doc, []byte("\u017f")) {
		return p.rare.Match(doc)
	}
	lower := make([]byte, len(doc))
	for i, c := range doc {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return bytes.Contains(lower, p.ascii)
}

// in reports whether a text holds the phrase, as words of their own or only within longer words.
func (p *phrase) in(text string) (own, within bool) {
	if !p.mayRead([]byte(text)) {
		return false, false
	}
	for _, at := range p.find.FindAllStringIndex(text, -1) {
		if isEdge(text, at[0]) && isEdge(text, at[1]) {
			return true, within
		}
		within = true
	}
	return false, within
}

// without returns the text with Erased in place of each line that holds the phrase.
func (p *phrase) without(text string) string {
	var b strings.Builder
	done := 0
	for _, at := range p.find.FindAllStringIndex(text, -1) {
		if at[0] < done || !isEdge(text, at[0]) || !isEdge(text, at[1]) {
			continue
		}
		from, to := strings.LastIndexByte(text[:at[0]], '\n')+1, len(text)
		if n := strings.IndexByte(text[at[1]:], '\n'); n >= 0 {
			to = at[1] + n
		}
		b.WriteString(text[done:max(done, from)])
		b.WriteString(Erased)
		done = to
	}
	b.WriteString(text[done:])
	return b.String()
}

// isEdge reports whether a word begins or ends at a position of a text. The parts of an identifier are words.
func isEdge(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, size := utf8.DecodeRuneInString(text[at:])
	switch {
	case at == 0 || at == len(text):
		return true
	case unicode.IsLetter(before) != unicode.IsLetter(after) || chars.Wide(before) || chars.Wide(after):
		return true
	case !unicode.IsLetter(before):
		return !unicode.IsDigit(before) || !unicode.IsDigit(after)
	case unicode.IsLower(before) && unicode.IsUpper(after):
		return true
	}
	next, _ := utf8.DecodeRuneInString(text[at+size:])
	return unicode.IsUpper(before) && unicode.IsUpper(after) && unicode.IsLower(next)
}

// cleaner returns a function for mem.Eraser.Scrub that takes the phrase out of records. With all it counts what
// stays, too.
func (p *phrase) cleaner(all bool) func(doc []byte) ([]byte, map[string]int, error) {
	return func(doc []byte) ([]byte, map[string]int, error) {
		if !p.mayHold(doc) {
			return doc, nil, nil
		}
		d := json.NewDecoder(bytes.NewReader(doc))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, nil, err
		}
		w := phraseWalk{phrase: p, found: map[string]int{}}
		v = w.walk(v, "", false)
		if !all {
			delete(w.found, inName)
			delete(w.found, inWord)
		}
		if w.found[holdsPhrase] == 0 {
			return doc, w.found, nil
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		err := e.Encode(v)
		return bytes.TrimSpace(b.Bytes()), w.found, err
	}
}

// phraseWalk takes a phrase out of the strings of one record.
type phraseWalk struct {
	*phrase
	found map[string]int // by kind, 1 at most
}

// walk returns a value without the phrase. free means that the value is the input or the output of a tool, in which no
// name has a meaning of ours.
func (w phraseWalk) walk(v any, key string, free bool) any {
	switch v := v.(type) {
	case string:
		own, within := w.in(v)
		switch {
		case within && key == "terms": // words of a query, in lower case
			w.found[holdsPhrase] = 1
			return Erased
		case own && !free && isKept(key):
			w.found[inName] = 1
		case own:
			w.found[holdsPhrase] = 1
			return w.without(v)
		case within:
			w.found[inWord] = 1
		}
	case []any:
		for i := range v {
			v[i] = w.walk(v[i], key, free)
		}
	case map[string]any:
		_, isProject := v["root"]
		for k, part := range v {
			name := k
			if k == "name" && isProject {
				name = "project_name"
			}
			part = w.walk(part, name, free || k == "input" || k == "response")
			if own, _ := w.in(k); own {
				w.found[holdsPhrase] = 1
				delete(v, k)
				k = Erased
			}
			v[k] = part
		}
	}
	return v
}

// isKept reports whether strings under a key of a record are ids, directories, names of projects and agents, or words
// of a fixed set. Without them a session would not be found again.
func isKept(key string) bool {
	switch key {
	case "id", "key", "session", "short", "agent", "prompt_id", "tool_use_id", "agent_id", "agent_type", "task_id",
		"task_list", "project", "project_name", "root", "cwd", "common", "origin", "transcript", "entrypoint", "model",
		"source", "kind", "tool", "at", "trigger", "outcome", "status", "place", "gate", "scope", "trust", "verdict", "how",
		"by", "speaker", "who", "end_reason", "stale", "phase", "checkpoint", "hash":
		return true
	}
	return false
}
