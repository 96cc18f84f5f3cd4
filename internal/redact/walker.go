package redact

import (
	"errors"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/jsonstream"
)

const (
	maxDepth  = 256     // deeper values become null
	maxLevels = 1 << 20 // deeper input is an error
	maxKey    = 1 << 10 // bytes; a member with a longer key is left out of a bounded object
	maxNumber = 1 << 10 // bytes; a longer number becomes null in a bounded object
	shortText = 4 << 10 // bytes; largest value that may use lateRoom
)

var errDeep = errors.New("nested too deep")

// walker copies one JSON value from in to out, token by token and without recursion. Its memory use depends neither on
// the size nor on the depth of the input. It cleans every string.
type walker struct {
	redactor *Redactor
	in       jsonstream.Reader
	out      []byte
	limit    int  // largest size of out in bytes; 0 means no limit
	stored   bool // the value is stored data: only private spans are stripped
	counts   Counts
	cut      bool

	unpaired unpairedTags // unpaired tags so far
	texts    []text       // strings written since the first unpaired tag
	// indexes in texts of the first and the last string with unpaired tags; -1 means before texts
	first, unsure int

	arrays int         // number of open arrays
	lines  []arrayLine // strings of the outermost array

	stack   []frame // open containers that are copied
	skipped []bool  // open containers that are left out, all inside the copied ones: whether each is an array
	command string  // the last command that the agent reported
}

// frame is an open container.
type frame struct {
	array bool
	key   string // of the current member; in an array the key of the array
	any   bool   // at least one element is written
	skip  bool   // the current member is left out
	carry stripper
}

// walk copies the value that begins with c.
func (w *walker) walk(c byte) error {
	for {
		opened, err := w.value(c)
		if err != nil {
			return err
		}
		if opened {
			c, err = w.enter()
		} else {
			c, err = w.leave()
		}
		if err != nil {
			return err
		}
		if c == 0 {
			return nil
		}
	}
}

// value reads the value that begins with c. Of a container it reads only the opening bracket.
func (w *walker) value(c byte) (opened bool, err error) {
	switch {
	case c == '{' || c == '[':
		return true, w.open(c)
	case c == '"':
		return false, w.str()
	}
	return false, w.scalar(c)
}

// scalar copies the number or literal that begins with c.
func (w *walker) scalar(c byte) error {
	limit := 0
	if w.limit > 0 {
		limit = maxNumber
	}
	text, err := w.in.ReadScalar(c, limit)
	if err != nil || w.muted() {
		return err
	}
	if text == "" {
		w.cut, text = true, "null"
	}
	if !w.room(len(text)) {
		w.cut = true
		return nil
	}
	w.raw(text)
	return nil
}

func (w *walker) muted() bool { return len(w.skipped) > 0 }

func (w *walker) top() *frame {
	if len(w.stack) == 0 {
		return nil
	}
	return &w.stack[len(w.stack)-1]
}

// key returns the key of the current value, "" at the top level.
func (w *walker) key() string {
	if f := w.top(); f != nil {
		return f.key
	}
	return ""
}

func (w *walker) open(c byte) error {
	array := c == '['
	if w.muted() || !w.room(0) {
		w.cut = true
		return w.skip(array)
	}
	if len(w.stack) == maxDepth {
		w.cut = true
		w.raw("null")
		return w.skip(array)
	}
	key := w.key()
	w.raw(string(c))
	if array {
		w.arrays++
	}
	w.stack = append(w.stack, frame{array: array, key: key, carry: stripper{stored: w.stored}})
	return nil
}

// skip opens a container that is left out.
func (w *walker) skip(array bool) error {
	if len(w.skipped) == maxLevels {
		return errDeep
	}
	w.skipped = append(w.skipped, array)
	return nil
}

// enter follows an opening bracket. It returns the first byte of the first value, or closes an empty container.
func (w *walker) enter() (byte, error) {
	c, err := w.in.NextToken()
	if err != nil {
		return 0, err
	}
	if c == ']' || c == '}' {
		if err := w.close(c); err != nil {
			return 0, err
		}
		return w.leave()
	}
	return w.member(c)
}

// leave follows a value. It closes the containers that end here and returns the first byte of the next value, 0 if
// there is none.
func (w *walker) leave() (byte, error) {
	for len(w.stack) > 0 || w.muted() {
		c, err := w.in.NextToken()
		if err != nil {
			return 0, err
		}
		if c == ',' {
			if c, err = w.in.NextToken(); err != nil {
				return 0, err
			}
			return w.member(c)
		}
		if err := w.close(c); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

func (w *walker) inArray() bool {
	if w.muted() {
		return w.skipped[len(w.skipped)-1]
	}
	return w.top().array
}

func (w *walker) close(c byte) error {
	want := byte('}')
	if w.inArray() {
		want = ']'
	}
	if c != want {
		return jsonstream.ErrSyntax
	}
	if w.muted() {
		w.skipped = w.skipped[:len(w.skipped)-1]
		return nil
	}
	left, array := w.top().carry.unpaired(), w.top().array
	w.stack = w.stack[:len(w.stack)-1]
	w.out = append(w.out, c)
	w.noteUnpaired(left, len(w.texts)-1)
	if array {
		if w.arrays--; w.arrays == 0 {
			w.joinLines()
		}
	}
	return nil
}

// member reads the key that begins with c, and the separator. It returns the first byte of the value.
func (w *walker) member(c byte) (byte, error) {
	if !w.inArray() {
		if c != '"' {
			return 0, jsonstream.ErrSyntax
		}
		if err := w.readKey(); err != nil {
			return 0, err
		}
		colon, err := w.in.NextToken()
		if err != nil {
			return 0, err
		}
		if colon != ':' {
			return 0, jsonstream.ErrSyntax
		}
		if c, err = w.in.NextToken(); err != nil {
			return 0, err
		}
	}
	if c == 0 { // no value begins with 0, and leave returns it at the end
		return 0, jsonstream.ErrSyntax
	}
	return c, nil
}

func (w *walker) readKey() error {
	if w.muted() {
		return w.in.SkipString()
	}
	w.in.Text = w.in.Text[:0]
	done, err := w.in.ReadString(w.keyLimit())
	if err != nil {
		return err
	}
	f := w.top()
	f.key, f.skip = jsonstream.WellFormed(w.in.Text), !done
	if f.skip {
		w.cut = true
		return w.in.SkipString()
	}
	return nil
}

func (w *walker) keyLimit() int {
	if w.limit == 0 {
		return 0
	}
	return maxKey
}

// begin writes the comma and key before a value.
func (w *walker) begin() {
	f := w.top()
	if f == nil {
		return
	}
	if f.any {
		w.out = append(w.out, ',')
	}
	f.any = true
	if !f.array {
		w.out = jsonstream.AppendQuoted(w.out, w.cleanKey(f.key))
		w.out = append(w.out, ':')
	}
}

// cleanKey redacts a key. Most keys are short names that cannot contain a secret.
func (w *walker) cleanKey(key string) string {
	if len(key) < 16 && ascii.All(key, ascii.IsWordByte) {
		return key
	}
	return w.redactor.clean(key, w.stored, &w.counts)
}

// raw writes a value that needs no redaction.
func (w *walker) raw(s string) {
	w.begin()
	w.out = append(w.out, s...)
}

// room reports whether a value of about n bytes fits. Nested values may not use lateRoom; short members of the top
// level may.
func (w *walker) room(n int) bool {
	if w.limit == 0 {
		return true
	}
	limit := w.limit - lateRoom
	if len(w.stack) == 1 && n > 0 && n <= shortText {
		limit = w.limit - maxDepth
	}
	f := w.top()
	if f != nil && f.skip {
		return false
	}
	if f != nil && !f.array {
		n += 6*len(f.key) + 4
	}
	return len(w.out)+n+1 <= limit
}
