package lang

import (
	"slices"
	"strings"

	"remanence/internal/chars"
)

// Returns reports whether a sentence has words by which a speaker comes back to something: "after all", "instead".
func Returns(sentence string) bool {
	_, found := cutPhrases(oneLine(sentence), readCues().returns)
	return found
}

// Revises reports whether two statements are about the same subject and give another answer in exactly one place:
// where it is, by what means, how much, or whether. The main clause of each is read. A statement whose subject is a
// pronoun is about what an earlier one is about if the text around it, about, has that subject.
func Revises(now, then, about string) bool {
	n, t := readFrame(now), readFrame(then)
	if n.adds || len(t.subject) == 0 || len(n.slots) == 0 {
		return false
	}
	if len(n.subject) == 0 {
		if n.denied != t.denied || !within(t.subject, tokens(about)) {
			return false
		}
	} else if !within(n.subject, t.subject) || !within(t.subject, n.subject) {
		return false
	}
	changed := 0
	if n.denied != t.denied {
		changed++
	}
	for name, value := range n.slots {
		switch was, ok := t.slots[name]; {
		case !ok || len(was) != len(value):
			return false
		default:
			for i := range value {
				if !within(value[i], was[i]) || !within(was[i], value[i]) {
					changed++
					if !exclusive(value[i], was[i]) || name != place && name != means && name != number {
						return false
					}
				}
			}
		}
	}
	return changed == 1 && len(n.slots) == len(t.slots)
}

// WithSubject returns a statement, behind the subject of an earlier one if it does not name its own: "attachments: put
// them on S3".
func WithSubject(now, then string) string {
	if len(readFrame(now).subject) > 0 {
		return now
	}
	var words []string
	for _, t := range readFrame(then).subject {
		words = append(words, t.raw)
	}
	return strings.Join(words, " ") + ": " + now
}

// slot is the sort of answer that a part of a statement gives. Other markers than those of these slots are slots, too.
type slot string

const (
	subject slot = "subject" // what a statement is about
	place   slot = "place"
	means   slot = "means"
	number  slot = "number"
)

// frame is a statement taken apart: what it is about, and its answers.
type frame struct {
	subject []token
	slots   map[slot][][]token
	denied  bool
	adds    bool // says that something holds besides
}

// readFrame takes the main clause of a statement apart.
func readFrame(s string) frame {
	c := readCues()
	text, _ := cutPhrases(oneLine(s), c.returns)
	text, _ = cutPhrases(text, c.frames)
	f := frame{slots: map[slot][][]token{}}
	at, begun := subject, false
	list := tokens(text)
	for i, t := range list {
		if t.breaks && begun || begun && c.sets["reason"][t.text] {
			break
		}
		if t.breaks {
			f.denied = false // "No, …"
		}
		to, isSlot := c.slots[t.text]
		if isSlot && t.text == "a" && !t.is(marker) {
			isSlot = false
		}
		switch {
		case c.sets["adding"][t.text]:
			f.adds = true
		case t.is(negation):
			f.denied = !f.denied
		case isSlot && !t.quoted:
			at, begun = to, true
			if at != subject {
				f.slots[at] = append(f.slots[at], nil)
			}
		case c.sets["laying"][t.text] && !t.quoted:
			at, begun = subject, true
		case t.is(marker | condition):
			at, begun = slot(t.text), true
			f.slots[at] = append(f.slots[at], []token{t})
		case !t.meaningful() || t.is(conjunction):
		default:
			begun = true
			switch {
			case t.number && (i+1 < len(list) && list[i+1].unit || i > 0 && c.places(list[i-1])):
				f.slots[number] = append(f.slots[number], []token{t})
			case t.unit && len(f.slots[number]) > 0:
				f.put(number, t)
			default:
				f.put(at, t)
			}
		}
	}
	for name, values := range f.slots {
		values = slices.DeleteFunc(values, func(v []token) bool { return len(v) == 0 })
		if f.slots[name] = values; len(values) == 0 {
			delete(f.slots, name)
		}
	}
	return f
}

// places reports whether a number behind a word is an answer: "is 30", "to 60". Behind another it is a part of a name:
// "step 2".
func (c cues) places(t token) bool {
	return t.is(copula) || c.sets["laying"][t.text] || c.slots[t.text] == place
}

// put adds a word to the newest value of a slot, or to the subject.
func (f *frame) put(at slot, t token) {
	if at == subject {
		f.subject = append(f.subject, t)
		return
	}
	v := f.slots[at]
	v[len(v)-1] = append(v[len(v)-1], t)
}

// within reports whether all words of one list are in another.
func within(few, many []token) bool {
	return !slices.ContainsFunc(few, func(t token) bool { return !slices.ContainsFunc(many, t.equal) })
}

// exclusive reports whether two answers have no word in common, or differ in a number only.
func exclusive(a, b []token) bool {
	word := func(list []token) (out []token) {
		return slices.DeleteFunc(slices.Clone(list), func(t token) bool { return t.number })
	}
	x, y := word(a), word(b)
	if len(x) < len(a) && len(y) < len(b) && within(x, y) && within(y, x) {
		return true
	}
	return !slices.ContainsFunc(a, func(t token) bool { return slices.ContainsFunc(b, t.equal) })
}

// oneLine returns a text in lower case with a space at both ends.
func oneLine(s string) string {
	return " " + strings.ToLower(chars.Line(strings.ReplaceAll(s, "’", "'"))) + " "
}

// cutPhrases removes phrases from a text as oneLine returns it, and reports whether it had one.
func cutPhrases(text string, phrases []string) (rest string, found bool) {
	for _, p := range phrases {
		for i := strings.Index(text, p); i >= 0; i = strings.Index(text, p) {
			if !strings.ContainsRune(" ,.;:!?", rune(text[i+len(p)])) {
				break
			}
			text, found = text[:i]+" "+text[i+len(p):], true
		}
	}
	return text, found
}
