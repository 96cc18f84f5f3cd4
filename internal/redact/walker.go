package redact

import "errors"

const (
	maxDepth  = 256     // deeper values become null
	maxLevels = 1 << 20 // deeper input is given up
	maxKey    = 1 << 10 // bytes; a member with a longer key is left out of a bounded object
	maxNumber = 1 << 10 // bytes; a longer number becomes null in a bounded object
	shortText = 4 << 10 // bytes; what the late room may be used for
)

var (
	errSyntax = errors.New("invalid JSON")
	errDeep   = errors.New("nested too deep")
)

// walker copies one JSON value from in to out, token by token and without recursion, so that neither size nor depth
// of the input costs memory. Strings go through the door.
type walker struct {
	door   *Door
	in     source
	out    []byte
	limit  int  // of out; 0 means none
	own    bool // the value is one of ours: of envelopes only private spans are taken out
	counts Counts
	cut    bool

	loose         loose  // tags without a partner in their text, so far
	texts         []text // what was written since the first of them
	first, unsure int    // indexes in texts of the first and the last of them; -1 before texts

	arrays int         // arrays among the open containers
	lines  []arrayLine // strings of the outermost of them

	stack []frame // containers that are open and copied
	mute  levels  // containers that are open and left out; all inside the copied ones
	text  []byte  // the string being read

	command string // the last one that an agent reports to have run, as a terminal shows it

	high    rune // the last escaped half of a surrogate pair
	highEnd int  // where in text it ended; 0 for none
}

// frame is an open container.
type frame struct {
	array bool
	key   string // of the member being read; in an array the key the array stands under
	any   bool   // something has been written into it
	skip  bool   // the member being read is left out
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

// value reads the value that begins with c; of a container only that.
func (w *walker) value(c byte) (opened bool, err error) {
	switch {
	case c == '{' || c == '[':
		return true, w.open(c)
	case c == '"':
		return false, w.str()
	case c == '-' || isDigit(c):
		return false, w.number(c)
	}
	return false, w.literal(c)
}

func (w *walker) muted() bool { return w.mute.n > 0 }

func (w *walker) top() *frame {
	if len(w.stack) == 0 {
		return nil
	}
	return &w.stack[len(w.stack)-1]
}

// key is the name under which the value being read stands, "" at the root.
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
		return w.mute.push(array)
	}
	if len(w.stack) == maxDepth {
		w.cut = true
		w.raw("null")
		return w.mute.push(array)
	}
	key := w.key()
	w.raw(string(c))
	if array {
		w.arrays++
	}
	w.stack = append(w.stack, frame{array: array, key: key, carry: stripper{own: w.own}})
	return nil
}

// enter comes after an opening bracket: it returns the first byte of the first value, or closes an empty container.
func (w *walker) enter() (byte, error) {
	c, err := w.in.nextToken()
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

// leave comes after a value: it closes what ends here and returns the first byte of the next value, 0 if none comes.
func (w *walker) leave() (byte, error) {
	for len(w.stack) > 0 || w.muted() {
		c, err := w.in.nextToken()
		if err != nil {
			return 0, err
		}
		if c == ',' {
			if c, err = w.in.nextToken(); err != nil {
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
		return w.mute.top()
	}
	return w.top().array
}

func (w *walker) close(c byte) error {
	want := byte('}')
	if w.inArray() {
		want = ']'
	}
	if c != want {
		return errSyntax
	}
	if w.muted() {
		w.mute.pop()
		return nil
	}
	left, array := w.top().carry.loose(), w.top().array
	w.stack = w.stack[:len(w.stack)-1]
	w.out = append(w.out, c)
	w.note(left, len(w.texts)-1)
	if array {
		if w.arrays--; w.arrays == 0 {
			w.joinLines()
		}
	}
	return nil
}

// member reads what comes before a value in its container, the key that begins with c, and returns the first byte of
// the value.
func (w *walker) member(c byte) (byte, error) {
	if !w.inArray() {
		if c != '"' {
			return 0, errSyntax
		}
		if err := w.readKey(); err != nil {
			return 0, err
		}
		colon, err := w.in.nextToken()
		if err != nil {
			return 0, err
		}
		if colon != ':' {
			return 0, errSyntax
		}
		if c, err = w.in.nextToken(); err != nil {
			return 0, err
		}
	}
	if c == 0 { // no value begins so, and to leave it means the end
		return 0, errSyntax
	}
	return c, nil
}

func (w *walker) readKey() error {
	if w.muted() {
		return w.skipString()
	}
	w.text = w.text[:0]
	done, err := w.readString(w.keyLimit())
	if err != nil {
		return err
	}
	f := w.top()
	f.key, f.skip = wellFormed(w.text), !done
	if f.skip {
		w.cut = true
		return w.skipString()
	}
	return nil
}

func (w *walker) keyLimit() int {
	if w.limit == 0 {
		return 0
	}
	return maxKey
}

// begin writes what comes before a value: a comma, a key.
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
		w.out = appendQuoted(w.out, w.cleanKey(f.key))
		w.out = append(w.out, ':')
	}
}

// cleanKey takes a key through the door; nearly all are short names that can hold nothing.
func (w *walker) cleanKey(key string) string {
	if len(key) < 16 && isAll(key, isWordByte) {
		return key
	}
	return w.door.clean(key, w.own, &w.counts)
}

// raw writes a value that needs no cleaning.
func (w *walker) raw(s string) {
	w.begin()
	w.out = append(w.out, s...)
}

// room reports whether a value of about n bytes may still be written. Near the limit there is none for what is
// nested; the members of the object itself have the late room, for short values.
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
