package redact

// A private span may be opened in one field of a value and closed in another: whoever wrote it saw one text, and the
// fields came of it later. Within an array the strings follow one another and are searched as one text. Elsewhere a
// tag without a partner says only that its partner may stand in another field; which field comes first is chance.
// If one field is left open and another closes what it did not open, every text from the first such to the last is
// emptied. An opener that nothing closes anywhere hides no more than the rest of its own text: an agent that looks
// for the tag in a file must not lose all that it finds.

// text is the place of a string in out.
type text struct{ from, to int }

// carry is the state of stripping that strings inside an array share, nil outside of one.
func (w *walker) carry() *stripper {
	for i := range w.stack {
		if w.stack[i].array {
			return &w.stack[i].carry
		}
	}
	return nil
}

// note keeps in mind that tags without a partner were found in the text of an index.
func (w *walker) note(found loose, index int) {
	if !found.any() {
		return
	}
	if !w.loose.any() {
		w.first = index
	}
	w.loose, w.unsure = w.loose.or(found), index
}

// writeText writes a string that came through the door and returns where it begins.
func (w *walker) writeText(s string) (from int) {
	from = w.writeString(s)
	if w.loose.any() {
		w.texts = append(w.texts, text{from, len(w.out)})
	}
	return from
}

// settle ends a value: it empties the texts that may stand between an opener and a closer of different fields.
func (w *walker) settle() {
	if !w.loose.opener || !w.loose.closer || w.unsure == w.first {
		return
	}
	out := make([]byte, 0, len(w.out))
	last := 0
	for _, t := range w.texts[:w.unsure+1] {
		out = append(append(out, w.out[last:t.from]...), '"', '"')
		last = t.to
	}
	w.out = append(out, w.out[last:]...)
}
