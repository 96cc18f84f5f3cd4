package redact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The bounds of an Object, in bytes of text.
const (
	MaxObject = 1 << 20  // all of it, as JSON
	MaxString = 96 << 10 // one string; of a longer one its beginning and its end are kept
	keepHead  = 64 << 10
	keepTail  = 32<<10 - 64 // room for the mark between them
	lateRoom  = 64 << 10    // kept free for the ids that may come after all the rest
)

// ErrNoObject means that the stream does not begin with a complete JSON object.
var ErrNoObject = errors.New("no JSON object")

// Object is the first JSON object of a stream, stripped, redacted and bounded.
type Object struct {
	JSON   []byte // valid JSON of at most MaxObject bytes, without white space; member order as it came
	Size   int64  // bytes of the object in the stream
	Cut    bool   // something was left out or cut short to keep the bounds
	Counts Counts // what was taken out
}

// Object reads the first JSON object of r and stops behind its closing brace: it never waits for the end of the
// stream. A byte order mark and white space may come first; what comes after is ignored.
//
// Ids and paths under their usual names go through unchanged. Other strings are stripped and redacted over their
// whole length, then cut. Values nested deeper than 256 become null, members that find no room any more are left
// out, those of the object itself last. An object that is not complete or not JSON gives an ErrNoObject.
//
// Where the reader says context.DeadlineExceeded, the object ends with what was read of it, and counts as cut: of a string that is not
// complete the beginning is kept, up to the same bound. What stands behind it is not known: a private span that is
// still open there hides all that follows its opener.
func (d *Door) Object(r io.Reader) (Object, error) {
	w := walker{door: d, in: source{r: r}, limit: MaxObject}
	size, err := w.object()
	if timeIsUp(err) && len(w.stack) > 0 {
		size, err = w.in.offset(), nil
		w.endEarly()
	}
	if err != nil {
		return Object{}, fmt.Errorf("%w: %w", ErrNoObject, err)
	}
	w.settle()
	d.count(w.counts)
	return Object{JSON: w.out, Size: size, Cut: w.cut, Counts: w.counts}, nil
}

// timeIsUp reports whether an error means that no more may be read, not that the stream is wrong.
func timeIsUp(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// endEarly closes what is open where the time to read is up.
func (w *walker) endEarly() {
	w.cut = true
	for len(w.stack) > 0 {
		f := w.top()
		w.note(f.carry.loose(), len(w.texts)-1)
		c := byte('}')
		if f.array {
			c = ']'
		}
		w.stack = w.stack[:len(w.stack)-1]
		w.out = append(w.out, c)
	}
	if w.loose.opener { // its closer may be in what was not read
		w.note(loose{closer: true}, len(w.texts)-1)
	}
}

// JSON strips and redacts every string of a JSON value, and keys that hold a secret. Order, duplicates and the
// spelling of numbers stay. Nothing is cut; values nested deeper than 256 become null. What is not valid gives {}.
func (d *Door) JSON(raw []byte) json.RawMessage {
	out, c, err := d.tree(raw, false)
	if err != nil {
		return json.RawMessage("{}")
	}
	d.count(c)
	return out
}

// ScrubJSON is Scrub for the strings of a JSON value that we keep. What is not valid is an error.
func (d *Door) ScrubJSON(raw []byte) (json.RawMessage, Counts, error) { return d.tree(raw, true) }

func (d *Door) tree(raw []byte, own bool) (json.RawMessage, Counts, error) {
	w := walker{door: d, in: source{buf: raw}, own: own}
	if err := w.whole(); err != nil {
		return nil, Counts{}, err
	}
	w.settle()
	return w.out, w.counts, nil
}

// object reads one object and returns how many bytes of the stream it took.
func (w *walker) object() (int64, error) {
	if err := w.in.skipMark(); err != nil {
		return 0, err
	}
	c, err := w.in.nextToken()
	if err != nil {
		return 0, err
	}
	if c != '{' {
		return 0, errSyntax
	}
	start := w.in.offset() - 1
	if err := w.walk(c); err != nil {
		return 0, err
	}
	return w.in.offset() - start, nil
}

// whole reads a value that is all of the input.
func (w *walker) whole() error {
	if err := w.in.skipMark(); err != nil {
		return err
	}
	c, err := w.in.nextToken()
	if err != nil {
		return err
	}
	if err := w.walk(c); err != nil {
		return err
	}
	if _, err := w.in.nextToken(); !errors.Is(err, io.EOF) {
		return errSyntax
	}
	return nil
}
