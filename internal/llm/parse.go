package llm

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Bounds of what is read of an answer, in characters and items. What is longer is
// cut, what is more is left out.
const (
	maxText         = 4000
	maxList         = 30
	maxObservations = 12
)

// Parse reads what a model answered: JSON or tags, alone or among other words, in
// a fence or not, complete or broken off. An observation without a title is none.
// An answer that holds neither an observation nor a summary nor the word that
// there is nothing is an error.
func Parse(text string) (mem.Digest, error) {
	readers := []func(string) (mem.Digest, bool){parseJSON, parseTags}
	if tagged(text) {
		slices.Reverse(readers)
	}
	for _, read := range readers {
		if d, ok := read(text); ok {
			return d, nil
		}
	}
	return mem.Digest{}, errAnswer
}

// tagged reports whether the first thing in a text that may be an answer is a tag:
// the one form may be quoted in the other.
func tagged(text string) bool {
	brace := strings.IndexAny(text, "{[")
	for _, name := range [...]string{"observation", "summary", "skip_summary"} {
		if at, _ := open(text, name); at >= 0 && (brace < 0 || at < brace) {
			return true
		}
	}
	return false
}

// parseJSON reads the first JSON object or list in a text that is one of ours.
func parseJSON(text string) (mem.Digest, bool) {
	for range maxList { // braces of another kind may come first
		at := strings.IndexAny(text, "{[")
		if at < 0 {
			return mem.Digest{}, false
		}
		text = text[at:]
		v, end, err := value(text)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			if d, ok := ofBroken(text); ok {
				return d, true
			}
		}
		if err != nil {
			text = text[1:]
			continue
		}
		if d, ok := ofValue(v); ok {
			return d, true
		}
		text = text[end:]
	}
	return mem.Digest{}, false
}

// value is the JSON value that a text begins with, and where it ends.
func value(text string) (v any, end int64, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber() // of any size: none is read
	err = dec.Decode(&v)
	return v, dec.InputOffset(), err
}

// ofBroken reads JSON that is right but for its end, which is missing, up to the
// last object that is whole.
func ofBroken(text string) (mem.Digest, bool) {
	var open, missing []byte // the brackets that close what is open at the end, and there; last first
	end, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			open = append(open, c+2) // in ASCII
		case c == '}' || c == ']':
			open = open[:len(open)-1]
			if c == '}' {
				end, missing = i+1, slices.Clone(open)
			}
		}
	}
	slices.Reverse(missing)
	v, _, err := value(text[:end] + string(missing))
	if err != nil {
		return mem.Digest{}, false
	}
	return ofValue(v)
}

// ofValue is a list of observations, one alone, or an object that holds them.
func ofValue(v any) (mem.Digest, bool) {
	list, isList := v.([]any)
	if isList {
		return wellMade(mem.Digest{Observations: observations(list)}, false)
	}
	o, isObject := v.(map[string]any)
	if !isObject {
		return mem.Digest{}, false
	}
	d := mem.Digest{Summary: summaryOf(o["summary"])}
	if list, ok := o["observations"].([]any); ok {
		d.Observations = observations(list)
	} else if one, ok := o["observation"]; ok {
		d.Observations = observations([]any{one})
	} else if _, ok := o["title"]; ok {
		d.Observations = observations([]any{o})
	}
	skip, named := o["skip_summary"]
	_, empty := o["observations"].([]any)
	return wellMade(d, named && skip != false || empty)
}

// wellMade reports whether a digest says something, or that there is nothing.
func wellMade(d mem.Digest, nothing bool) (mem.Digest, bool) {
	return d, nothing || len(d.Observations) > 0 || d.Summary != nil
}

func observations(list []any) []mem.Observation {
	var out []mem.Observation
	for _, v := range list {
		o, ok := v.(map[string]any)
		if !ok {
			continue
		}
		ob := mem.Observation{
			Type: word(o["type"]), Title: word(o["title"]), Subtitle: word(o["subtitle"]), Narrative: word(o["narrative"]),
			Facts: words(o["facts"]), Concepts: words(o["concepts"]), Read: words(o["files_read"]),
			Modified: words(o["files_modified"]),
		}
		if ob.Title != "" && len(out) < maxObservations {
			out = append(out, ob)
		}
	}
	return out
}

func summaryOf(v any) *mem.SummaryText {
	o, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	return summary(func(name string) string { return word(o[name]) })
}

// summary is made of its parts by name; nil if all are empty.
func summary(part func(name string) string) *mem.SummaryText {
	s := mem.SummaryText{
		Request: part("request"), Investigated: part("investigated"), Learned: part("learned"),
		Completed: part("completed"), NextSteps: part("next_steps"), Notes: part("notes"),
	}
	if s == (mem.SummaryText{}) {
		return nil
	}
	return &s
}

// word is a text of a JSON value; a list is its items in a row.
func word(v any) string {
	switch x := v.(type) {
	case string:
		return tidy(x)
	case []any:
		return tidy(strings.Join(words(x), "; "))
	}
	return ""
}

// words are the texts of a JSON value; one text is a list of its lines.
func words(v any) []string {
	var out []string
	switch x := v.(type) {
	case string:
		return lines(x)
	case []any:
		for _, item := range x {
			if s, ok := item.(string); ok {
				out = appendWord(out, s)
			}
		}
	}
	return out
}

// lines are the lines of a list that was written as text.
func lines(s string) []string {
	var out []string
	for line := range strings.Lines(s) {
		out = appendWord(out, strings.TrimLeft(line, "-*• \t"))
	}
	return out
}

func appendWord(list []string, s string) []string {
	if s = tidy(s); s == "" || len(list) >= maxList {
		return list
	}
	return append(list, s)
}

// tidy is a text that is safe to keep: valid, without control characters, bounded.
func tidy(s string) string {
	if len(s) > 4*maxText {
		s = s[:4*maxText]
	}
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.TrimSpace(s)
	switch strings.ToLower(strings.Trim(s, ".")) {
	case "none", "n/a", "null", "-": // the word for nothing
		return ""
	}
	return chars.Clip(s, maxText)
}
