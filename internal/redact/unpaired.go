package redact

// A private span may begin in one field of a value and end in another, because the fields may be parts of one text. The
// strings of an array are therefore searched as one text. In other fields an unpaired tag shows only that its partner
// may be in another field, and the order of fields is arbitrary. If one field has an unclosed opener and another has an
// unopened closer, all texts from the first to the last such field are emptied. An opener without any closer hides only
// the rest of its own text: a file that mentions the tag must not hide everything after it.

// text is the position of a string in walker.out.
type text struct{ from, to int }

// carry returns the stripping state that the strings of the outermost array share, or nil outside of an array.
func (w *walker) carry() *stripper {
	for i := range w.stack {
		if w.stack[i].array {
			return &w.stack[i].carry
		}
	}
	return nil
}

// noteUnpaired records unpaired tags of the text with the given index.
func (w *walker) noteUnpaired(found unpairedTags, index int) {
	if !found.any() {
		return
	}
	if !w.unpaired.any() {
		w.first = index
	}
	w.unpaired, w.unsure = w.unpaired.or(found), index
}

// writeText writes a cleaned string and returns its offset.
func (w *walker) writeText(s string) (from int) {
	from = w.writeString(s)
	if w.unpaired.any() {
		w.texts = append(w.texts, text{from, len(w.out)})
	}
	return from
}

// hideUnpaired empties the texts that may lie between an opener and a closer in different fields.
func (w *walker) hideUnpaired() {
	if !w.unpaired.opener || !w.unpaired.closer || w.unsure == w.first {
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
