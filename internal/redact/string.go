package redact

import (
	"fmt"
	"unicode/utf8"

	"remanence/internal/redact/jsonstream"
	"remanence/internal/redact/secrets"
)

const (
	streamAt = 128 << 10 // bytes of a string above which it is not held in memory
	step     = 64 << 10  // bytes in which such a string is read
	margin   = 8 << 10   // bytes beyond a cut that are also searched for secrets
)

// str reads a string value after its opening quote, and writes it stripped, redacted and shortened.
func (w *walker) str() error {
	if w.muted() {
		return w.in.SkipString()
	}
	if !w.room(1) {
		w.cut = true
		return w.in.SkipString()
	}
	hold := 0
	if w.limit > 0 {
		hold = streamAt
	}
	w.in.Text = w.in.Text[:0]
	done, err := w.in.ReadString(hold)
	if isTimeout(err) {
		read := w.in.Text[:len(w.in.Text)-jsonstream.PartialRune(w.in.Text)]
		w.truncatedString(w.visiblePart(w.key(), jsonstream.WellFormed(read)))
	}
	if err != nil {
		return err
	}
	if !done {
		return w.longString()
	}
	w.shortString(jsonstream.WellFormed(w.in.Text))
	return nil
}

func (w *walker) shortString(s string) {
	key, several := w.key(), len(w.stack) > 0 && w.top().array
	passes := w.redactor.passes(key, len(w.stack) == 1, s)
	if passes && !several {
		w.writeString(s)
		return
	}
	seen := w.visiblePart(key, s)
	if passes && seen == s { // a string of an array may be part of a longer text
		w.writeLine(s, true)
		return
	}
	w.writeLine(w.bound(w.clean(key, seen)), false)
}

// visiblePart returns the visible part of string s under key, given the strings before it. All strings of an array,
// including nested ones, are one text for private spans and envelopes, because files come as arrays of lines and
// answers as arrays of blocks.
func (w *walker) visiblePart(key, s string) string {
	carry := w.carry()
	if carry == nil {
		return s
	}
	s = carry.item(key, s, &w.counts)
	w.noteUnpaired(unpairedTags{closer: carry.stray}, len(w.texts))
	carry.stray = false
	return s
}

// clean strips and redacts the string s under key.
func (w *walker) clean(key, s string) string {
	s, left := stripUnpaired(s, &w.counts, w.stored)
	w.noteUnpaired(left, len(w.texts))
	return w.redactor.clean(w.redactOutput(key, w.redactor.valueOf(key, s, &w.counts)), w.stored, &w.counts)
}

// valueOf redacts s if its key alone shows that it is a secret. A value with a marker was redacted before.
func (r *Redactor) valueOf(key, s string, c *Counts) string {
	if marker, _ := secrets.NextMarker(s, 0); marker < len(s) {
		return s
	}
	found, ok := secrets.FindUnderKey(key, s)
	if !ok {
		return s
	}
	all := secrets.Merge(append(r.finder().Find(s), found))
	s, _ = r.render(s, 0, all, c)
	return s
}

// redactOutput redacts the string s under key if it is the output of a command that prints a secret. In an event,
// command and output are two members.
func (w *walker) redactOutput(key, s string) string {
	switch key {
	case "command":
		w.command = s
	case "stdout", "output", "tool_response", "tool_output":
		if found, ok := w.redactor.finder().FindPrinted(w.command, s); ok {
			s, _ = w.redactor.render(s, 0, []secrets.Span{found}, &w.counts)
		}
	}
	return s
}

// longString handles a string whose beginning is in w.in.Text and whose rest is still unread. It searches the whole
// string for tags and keeps the visible text of its two ends.
func (w *walker) longString() error {
	var k endsBuffer
	st := &stripper{stored: w.stored}
	if carry := w.carry(); carry != nil {
		st, carry.partialTag = carry, ""
	}
	for {
		done, err := w.in.ReadString(len(w.in.Text) + step)
		if isTimeout(err) {
			part := jsonstream.WellFormed(w.in.Text[:len(w.in.Text)-jsonstream.PartialRune(w.in.Text)])
			st.feed(part, true, &w.counts, func(from, to int) { k.add(part[from:to]) })
			w.noteUnpaired(st.unpaired(), len(w.texts))
			text := string(k.head)
			if k.dropped == 0 {
				text += string(k.tail)
			}
			w.truncatedString(text)
		}
		if err != nil {
			return err
		}
		whole := len(w.in.Text)
		if !done {
			whole -= jsonstream.PartialRune(w.in.Text)
		}
		part := jsonstream.WellFormed(w.in.Text[:whole])
		n := st.feed(part, done, &w.counts, func(from, to int) { k.add(part[from:to]) })
		split := string(w.in.Text[whole:])
		w.in.Text = append(append(w.in.Text[:0], part[n:]...), split...)
		if done {
			break
		}
	}
	left := st.unpaired()
	if w.carry() != nil {
		left.opener, st.stray = false, false // decided at the end of the array
	}
	w.noteUnpaired(left, len(w.texts))
	w.writeLine(w.joinEnds(&k), false)
	return nil
}

// truncatedString writes the beginning of a string whose end was not read. A secret may continue after the part that is
// kept, so the margin is searched too and then left out.
func (w *walker) truncatedString(s string) {
	w.cut = true
	s, left := stripUnpaired(s, &w.counts, w.stored)
	w.noteUnpaired(left, len(w.texts))
	to := min(keepHead, len(s)-margin)
	if to <= 0 {
		return
	}
	if found, ok := secrets.FindUnderKey(w.key(), s); ok {
		w.writeText(w.bound(w.redactor.valueOf(w.key(), s[:found.To], &w.counts)))
		return
	}
	head, to := w.redactor.redact(s, to, &w.counts)
	for to > 0 && to < len(head) && !utf8.RuneStart(head[to]) {
		to--
	}
	w.writeText(w.redactor.clean(head[:to]+"\n[cut: the rest was not read]\n", w.stored, &w.counts))
}

// joinEnds returns the shortened text of a long string.
func (w *walker) joinEnds(k *endsBuffer) string {
	head, tail := string(k.head), string(k.tail)
	if k.dropped > 0 {
		if found, ok := secrets.FindUnderKey(w.key(), head); ok && found.To == len(head) { // so is the other end
			if s := w.redactor.valueOf(w.key(), head, &w.counts); s != head {
				w.cut = true
				return s
			}
		}
		dropped := k.dropped + len(head) - keepHead + len(tail) - keepTail
		return w.cutText(head, keepHead, tail, len(tail)-keepTail, dropped)
	}
	s := w.redactor.clean(w.redactor.valueOf(w.key(), head+tail, &w.counts), w.stored, &w.counts)
	return w.bound(s)
}

// bound shortens s if it is too long for a bounded object.
func (w *walker) bound(s string) string {
	if w.limit == 0 || len(s) <= MaxString {
		return s
	}
	return w.cutText(s, keepHead, s, len(s)-keepTail, len(s)-keepHead-keepTail)
}

// cutText returns head[:to], a mark, and tail[from:]. Both texts are redacted as a whole first, so that neither cut
// leaves part of a secret.
func (w *walker) cutText(head string, to int, tail string, from, dropped int) string {
	w.cut = true
	stripped := stripAll(head, &w.counts)
	to = max(0, to-(len(head)-len(stripped)))
	head, to = w.redactor.redact(stripped, to, &w.counts)
	tail = stripAll(tail, &w.counts)
	tail, from = w.redactor.redact(tail, min(from, len(tail)), &w.counts)
	for to > 0 && to < len(head) && !utf8.RuneStart(head[to]) {
		to--
	}
	for from < len(tail) && !utf8.RuneStart(tail[from]) {
		from++
	}
	mark := fmt.Sprintf("\n[cut: %d bytes]\n", dropped)
	return w.redactor.clean(head[:to]+mark+tail[from:], w.stored, &w.counts)
}

// writeString writes s as a value and returns where that begins. If the object is nearly full it writes as much of s as
// finds room.
func (w *walker) writeString(s string) (from int) {
	if w.limit > 0 {
		n := jsonstream.QuotedPrefix(s, w.roomLeft(len(s)))
		if n < len(s) {
			w.cut = true
			s = s[:n]
		}
	}
	w.begin()
	from = len(w.out)
	w.out = jsonstream.AppendQuoted(w.out, s)
	return from
}

// roomLeft returns how many bytes a string of n bytes may take; as room does.
func (w *walker) roomLeft(n int) int {
	limit := w.limit - lateRoom
	if len(w.stack) == 1 && n <= shortText {
		limit = w.limit - maxDepth
	}
	if f := w.top(); f != nil && !f.array {
		n = 6*len(f.key) + 4
	} else {
		n = 4
	}
	return max(0, limit-len(w.out)-n)
}

// endsBuffer keeps the beginning and the end of a text that is too long for memory, each with its margin.
type endsBuffer struct {
	head, tail []byte
	dropped    int // bytes between them
}

func (k *endsBuffer) add(run string) {
	if room := keepHead + margin - len(k.head); room > 0 {
		n := min(room, len(run))
		k.head = append(k.head, run[:n]...)
		run = run[n:]
	}
	const size = keepTail + margin
	k.tail = append(k.tail, run...)
	if extra := len(k.tail) - size; extra > step {
		k.dropped += extra
		k.tail = append(k.tail[:0], k.tail[extra:]...)
	}
}
