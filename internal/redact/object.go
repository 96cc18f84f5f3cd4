package redact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"remanence/internal/redact/jsonstream"
)

// The limits of an Object, in bytes.
const (
	MaxObject = 1 << 20  // of the whole object as JSON
	MaxString = 96 << 10 // of one string; of a longer one only beginning and end are kept
	keepHead  = 64 << 10
	keepTail  = 32<<10 - 64 // leaves room for the mark between them
	lateRoom  = 64 << 10    // reserved for ids and other short members of the top level
)

// ErrNoObject means that the stream does not begin with a complete JSON object.
var ErrNoObject = errors.New("no JSON object")

// Object is the first JSON object of a stream, stripped, redacted and limited in size.
type Object struct {
	JSON      []byte // valid JSON of at most MaxObject bytes, without white space, members in their order
	Size      int64  // bytes of the object in the stream
	Truncated bool   // some text was left out or shortened to keep the limits
	Counts    Counts // what was removed
}

// Object reads the first JSON object of in and stops after its closing brace; it does not wait for the end of the
// stream. A byte order mark and white space may precede the object. Text after it is ignored.
//
// Ids and paths under their usual names stay unchanged. Other strings are stripped and redacted over their whole
// length, then shortened. Values nested deeper than 256 become null. Members that exceed the size limit are left out,
// those of the top level last. If the stream does not begin with a complete JSON object, the error is an ErrNoObject.
//
// If in returns context.DeadlineExceeded, the object ends with the part that was read, and Truncated is set. An
// incomplete string keeps its beginning, up to the same limit. A private span that is still open there hides the rest
// of the string.
func (r *Redactor) Object(in io.Reader) (Object, error) {
	w := walker{redactor: r, in: jsonstream.NewReader(in), limit: MaxObject}
	size, err := w.object()
	if isTimeout(err) && len(w.stack) > 0 {
		size, err = w.in.Offset(), nil
		w.closeOpen()
	}
	if err != nil {
		return Object{}, fmt.Errorf("%w: %w", ErrNoObject, err)
	}
	w.hideUnpaired()
	r.count(w.counts)
	return Object{JSON: w.out, Size: size, Truncated: w.cut, Counts: w.counts}, nil
}

// isTimeout reports whether err means that reading took too long, not that the stream is malformed.
func isTimeout(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// closeOpen closes all open containers after a timeout.
func (w *walker) closeOpen() {
	w.cut = true
	for len(w.stack) > 0 {
		f := w.top()
		w.noteUnpaired(f.carry.unpaired(), len(w.texts)-1)
		c := byte('}')
		if f.array {
			c = ']'
		}
		w.stack = w.stack[:len(w.stack)-1]
		w.out = append(w.out, c)
	}
	if w.unpaired.opener { // its closer may be in the part that was not read
		w.noteUnpaired(unpairedTags{closer: true}, len(w.texts)-1)
	}
}

// JSON strips and redacts every string of a JSON value, and keys that contain a secret. Order, duplicate keys and the
// spelling of numbers stay. Nothing is shortened, but values nested deeper than 256 become null. For invalid JSON it
// returns {}.
func (r *Redactor) JSON(raw []byte) json.RawMessage {
	out, c, err := r.tree(raw, false)
	if err != nil {
		return json.RawMessage("{}")
	}
	r.count(c)
	return out
}

// ScrubJSON is Scrub for the strings of a stored JSON value. Invalid JSON is an error.
func (r *Redactor) ScrubJSON(raw []byte) (json.RawMessage, Counts, error) { return r.tree(raw, true) }

func (r *Redactor) tree(raw []byte, stored bool) (json.RawMessage, Counts, error) {
	w := walker{redactor: r, in: jsonstream.NewBytesReader(raw), stored: stored}
	if err := w.whole(); err != nil {
		return nil, Counts{}, err
	}
	w.hideUnpaired()
	return w.out, w.counts, nil
}

// object reads one object and returns its size in the stream, in bytes.
func (w *walker) object() (int64, error) {
	c, err := w.in.FirstToken()
	if err != nil {
		return 0, err
	}
	if c != '{' {
		return 0, jsonstream.ErrSyntax
	}
	start := w.in.Offset() - 1
	if err := w.walk(c); err != nil {
		return 0, err
	}
	return w.in.Offset() - start, nil
}

// whole reads a value that must be the whole input.
func (w *walker) whole() error {
	c, err := w.in.FirstToken()
	if err != nil {
		return err
	}
	if err := w.walk(c); err != nil {
		return err
	}
	if _, err := w.in.NextToken(); !errors.Is(err, io.EOF) {
		return jsonstream.ErrSyntax
	}
	return nil
}
