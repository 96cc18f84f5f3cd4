package redact

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	streamAt = 128 << 10 // bytes of a string above which it is not held in memory
	margin   = 8 << 10   // bytes beyond a cut that are also searched for secrets
)

// str reads a string value after its opening quote, and writes it stripped, redacted and
// shortened.
func (w *walker) str() error {
	if w.muted() {
		return w.skipString()
	}
	if !w.room(1) {
		w.cut = true
		return w.skipString()
	}
	hold := 0
	if w.limit > 0 {
		hold = streamAt
	}
	w.text = w.text[:0]
	done, err := w.readString(hold)
	if isTimeout(err) {
		w.truncatedString(w.carried(w.key(), wellFormed(w.text[:len(w.text)-partialRune(w.text)])))
	}
	if err != nil {
		return err
	}
	if !done {
		return w.longString()
	}
	w.shortString(wellFormed(w.text))
	return nil
}

func (w *walker) shortString(s string) {
	key, several := w.key(), len(w.stack) > 0 && w.top().array
	passes := w.redactor.passes(key, len(w.stack) == 1, s)
	if passes && !several {
		w.writeString(s)
		return
	}
	seen := w.carried(key, s)
	if passes && seen == s { // a string of an array may be part of a longer text
		w.writeLine(s, true)
		return
	}
	w.writeLine(w.bound(w.clean(key, seen)), false)
}

// carried returns the visible part of string s under key, given the strings before it. All
// strings of an array, including nested ones, are one text for private spans and envelopes,
// because files come as arrays of lines and answers as arrays of blocks.
func (w *walker) carried(key, s string) string {
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
	return w.redactor.clean(w.printed(key, w.redactor.valueOf(key, s, &w.counts)), w.stored, &w.counts)
}

// valueOf redacts s if its key alone shows that it is a secret. A value with a marker was
// redacted before.
func (d *Door) valueOf(key, s string, c *Counts) string {
	if marker, _ := nextMarker(s, 0); marker < len(s) {
		return s
	}
	found, ok := keyedValue(key, s)
	if !ok {
		return s
	}
	all := merge(append(d.secrets(s), found))
	s, _ = d.render(s, 0, all, c)
	return s
}

func keyedValue(key, s string) (span, bool) {
	switch asciiLower(key[:min(len(key), 16)]) {
	case "authorization":
		from, to, ok := schemeValue(s, 0)
		return span{from: from, to: to, kind: "authorization"}, ok
	case "cookie", "set-cookie":
		from, to, ok := cookieValue(s, 0, len(key) > len("cookie"))
		return span{from: from, to: to, kind: "cookie"}, ok
	}
	a := assignment{class: classify(key), name: key, value: s, quoted: true}
	if a.class == noSecret || len(s) > maxValue && strings.ContainsAny(s, " \t\n") {
		return span{}, false
	}
	kind := "token"
	if a.class == password {
		kind = "password"
	}
	return span{to: len(s), kind: kind}, a.judge()
}

// longString handles a string whose beginning is in w.text and whose rest is still unread. It
// searches the whole string for tags and keeps the visible text of its two ends.
func (w *walker) longString() error {
	var k endsBuffer
	st := &stripper{stored: w.stored}
	if carry := w.carry(); carry != nil {
		st, carry.partialTag = carry, ""
	}
	for {
		done, err := w.readString(len(w.text) + readSize)
		if isTimeout(err) {
			part := wellFormed(w.text[:len(w.text)-partialRune(w.text)])
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
		whole := len(w.text)
		if !done {
			whole -= partialRune(w.text)
		}
		part := wellFormed(w.text[:whole])
		n := st.feed(part, done, &w.counts, func(from, to int) { k.add(part[from:to]) })
		split := string(w.text[whole:])
		w.text = append(append(w.text[:0], part[n:]...), split...)
		if done {
			break
		}
	}
	left := st.unpaired()
	if w.carry() != nil {
		left.opener, st.stray = false, false // decided at the end of the array
	}
	w.noteUnpaired(left, len(w.texts))
	w.writeLine(w.kept(&k), false)
	return nil
}

// truncatedString writes the beginning of a string whose end was not read. A secret may
// continue after the part that is kept, so the margin is searched too and then left out.
func (w *walker) truncatedString(s string) {
	w.cut = true
	s, left := stripUnpaired(s, &w.counts, w.stored)
	w.noteUnpaired(left, len(w.texts))
	to := min(keepHead, len(s)-margin)
	if to <= 0 {
		return
	}
	if found, ok := keyedValue(w.key(), s); ok {
		w.writeText(w.bound(w.redactor.valueOf(w.key(), s[:found.to], &w.counts)))
		return
	}
	head, to := w.redactor.redact(s, to, &w.counts)
	for to > 0 && to < len(head) && !utf8.RuneStart(head[to]) {
		to--
	}
	w.writeText(w.redactor.clean(head[:to]+"\n[cut: the rest was not read]\n", w.stored, &w.counts))
}

// kept returns the shortened text of a long string.
func (w *walker) kept(k *endsBuffer) string {
	head, tail := string(k.head), string(k.tail)
	if k.dropped > 0 {
		if found, ok := keyedValue(w.key(), head); ok && found.to == len(head) { // the key shows it, also for the other end
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

// cutText returns head[:to], a mark, and tail[from:]. Both texts are redacted as a whole
// first, so that neither cut leaves part of a secret.
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

// endsBuffer keeps the beginning and the end of a text that is too long for memory, each with
// its margin.
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
	if extra := len(k.tail) - size; extra > readSize {
		k.dropped += extra
		k.tail = append(k.tail[:0], k.tail[extra:]...)
	}
}
