package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// form is the layout of a JSON file.
type form int

const (
	formLoCoMo form = iota
	formLongMemEval
)

// formOf returns the layout of a file, by its first element.
func formOf(file string) (form, error) {
	for raw, err := range elements(file) {
		if err != nil {
			return 0, err
		}
		var first struct {
			Conversation json.RawMessage `json:"conversation"`
			Haystack     json.RawMessage `json:"haystack_sessions"`
		}
		switch err := json.Unmarshal(raw.text, &first); {
		case err != nil:
			return 0, raw.mistake(err)
		case first.Conversation != nil:
			return formLoCoMo, nil
		case first.Haystack != nil:
			return formLongMemEval, nil
		}
		return 0, raw.mistake(errors.New("neither a LoCoMo conversation nor a LongMemEval question"))
	}
	return 0, &Mistake{File: file, Err: errors.New("the list is empty")}
}

// element is one value of the array that a file holds.
type element struct {
	file string
	at   int64 // where it begins, in bytes
	text []byte
}

// mistake says where in its file the element is wrong.
func (e element) mistake(err error) error {
	at := e.at
	if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at += typed.Offset
	}
	return &Mistake{File: e.file, Line: lineOf(e.file, at), Err: inWords(err)}
}

// inWords names what JSON holds where something else is wanted, without the
// types of our code.
func inWords(err error) error {
	var typed *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &typed):
		return err
	case typed.Field == "":
		return fmt.Errorf("got JSON of type %s, want an object", typed.Value)
	}
	return fmt.Errorf("%s cannot be of type %s", typed.Field, typed.Value)
}

// elements reads a JSON array, one value after the other.
func elements(file string) iter.Seq2[element, error] {
	return func(yield func(element, error) bool) {
		in, err := os.Open(file)
		if err != nil {
			yield(element{}, err)
			return
		}
		defer in.Close()
		dec := json.NewDecoder(in)
		if t, err := dec.Token(); err != nil || t != json.Delim('[') {
			yield(element{}, &Mistake{File: file, Line: 1, Err: errors.New("want a JSON array")})
			return
		}
		for dec.More() {
			var raw json.RawMessage
			if err := dec.Decode(&raw); err != nil {
				yield(element{}, broken(file, err))
				return
			}
			if !yield(element{file, dec.InputOffset() - int64(len(raw)), raw}, nil) {
				return
			}
		}
		if _, err := dec.Token(); err != nil {
			yield(element{}, broken(file, err))
		}
	}
}

// broken says where a file stops being JSON. A decoder of a stream does not
// know, so the file is read again.
func broken(file string, err error) error {
	text, rerr := os.ReadFile(file)
	if rerr != nil {
		return fmt.Errorf("%w: %w", rerr, err)
	}
	var whole json.RawMessage
	var syntax *json.SyntaxError
	if again := json.Unmarshal(text, &whole); errors.As(again, &syntax) {
		return &Mistake{
			File: file, Line: 1 + bytes.Count(text[:min(syntax.Offset, int64(len(text)))], []byte("\n")),
			Err: again,
		}
	}
	return &Mistake{File: file, Err: err}
}

// lineOf is the number of the line in which a byte of a file stands.
func lineOf(file string, at int64) int {
	in, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer in.Close()
	line, buf := 1, make([]byte, 1<<16)
	for r := io.LimitReader(in, at); ; {
		n, err := r.Read(buf)
		line += bytes.Count(buf[:n], []byte("\n"))
		if err != nil {
			return line
		}
	}
}
