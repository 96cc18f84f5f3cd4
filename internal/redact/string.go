package redact

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	streamAt = 128 << 10 // bytes of a string, from where on it is no longer held in one piece
	margin   = 8 << 10   // bytes beyond a cut that are searched for secrets with what is kept
)

// str reads a string's value behind its quote, and writes it stripped, redacted and bounded.
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
	if timeIsUp(err) {
		w.tornString(w.carried(w.key(), wellFormed(w.text[:len(w.text)-partialRune(w.text)])))
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
	passes := w.door.passes(key, len(w.stack) == 1, s)
	if passes && !several {
		w.writeString(s)
		return
	}
	seen := w.carried(key, s)
	if passes && seen == s { // one of several may as well be a piece of a text that was cut up
		w.writeLine(s, true)
		return
	}
	w.writeLine(w.bound(w.clean(key, seen)), false)
}

// carried returns what is visible of the string s under key after the strings before it. Those of an array, and of
// what is in it, are one text to private spans and envelopes: files come as arrays of lines, and answers as arrays of
// blocks.
func (w *walker) carried(key, s string) string {
	carry := w.carry()
	if carry == nil {
		return s
	}
	s = carry.item(key, s, &w.counts)
	w.note(loose{closer: carry.stray}, len(w.texts))
	carry.stray = false
	return s
}

// clean takes the string s under key through the door.
func (w *walker) clean(key, s string) string {
	s, left := stripLoose(s, &w.counts, w.own)
	w.note(left, len(w.texts))
	return w.door.clean(w.printed(key, w.door.valueOf(key, s, &w.counts)), w.own, &w.counts)
}

// valueOf redacts what s, standing under key, is by its key alone. A value that holds a marker has been here before.
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

// longString goes on with a string of which w.text holds the beginning: what is visible of all of it is searched for
// tags, its two ends are kept.
func (w *walker) longString() error {
	var k keeper
	st := &stripper{own: w.own}
	if carry := w.carry(); carry != nil {
		st, carry.torn = carry, ""
	}
	for {
		done, err := w.readString(len(w.text) + readSize)
		if timeIsUp(err) {
			part := wellFormed(w.text[:len(w.text)-partialRune(w.text)])
			st.feed(part, true, &w.counts, func(from, to int) { k.add(part[from:to]) })
			w.note(st.loose(), len(w.texts))
			text := string(k.head)
			if k.dropped == 0 {
				text += string(k.tail)
			}
			w.tornString(text)
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
	left := st.loose()
	if w.carry() != nil {
		left.opener, st.stray = false, false // the array's end will tell
	}
	w.note(left, len(w.texts))
	w.writeLine(w.kept(&k), false)
	return nil
}

// tornString writes the beginning of a string that was not read to its end. A secret may go on behind that: what
// stands in the margin before it is searched and left out.
func (w *walker) tornString(s string) {
	w.cut = true
	s, left := stripLoose(s, &w.counts, w.own)
	w.note(left, len(w.texts))
	to := min(keepHead, len(s)-margin)
	if to <= 0 {
		return
	}
	if found, ok := keyedValue(w.key(), s); ok {
		w.writeText(w.bound(w.door.valueOf(w.key(), s[:found.to], &w.counts)))
		return
	}
	head, to := w.door.redact(s, to, &w.counts)
	for to > 0 && to < len(head) && !utf8.RuneStart(head[to]) {
		to--
	}
	w.writeText(w.door.clean(head[:to]+"\n[cut: the rest was not read]\n", w.own, &w.counts))
}

// kept returns the text of a long string that k has kept the ends of.
func (w *walker) kept(k *keeper) string {
	head, tail := string(k.head), string(k.tail)
	if k.dropped > 0 {
		if found, ok := keyedValue(w.key(), head); ok && found.to == len(head) { // by its key, and so is its other end
			if s := w.door.valueOf(w.key(), head, &w.counts); s != head {
				w.cut = true
				return s
			}
		}
		dropped := k.dropped + len(head) - keepHead + len(tail) - keepTail
		return w.cutText(head, keepHead, tail, len(tail)-keepTail, dropped)
	}
	s := w.door.clean(w.door.valueOf(w.key(), head+tail, &w.counts), w.own, &w.counts)
	return w.bound(s)
}

// bound cuts s if it is too long for a bounded object.
func (w *walker) bound(s string) string {
	if w.limit == 0 || len(s) <= MaxString {
		return s
	}
	return w.cutText(s, keepHead, s, len(s)-keepTail, len(s)-keepHead-keepTail)
}

// cutText returns head[:to], a mark, and tail[from:]. Both texts are searched for secrets in full, so that neither
// cut can leave half of one.
func (w *walker) cutText(head string, to int, tail string, from, dropped int) string {
	w.cut = true
	stripped := stripAll(head, &w.counts)
	to = max(0, to-(len(head)-len(stripped)))
	head, to = w.door.redact(stripped, to, &w.counts)
	tail = stripAll(tail, &w.counts)
	tail, from = w.door.redact(tail, min(from, len(tail)), &w.counts)
	for to > 0 && to < len(head) && !utf8.RuneStart(head[to]) {
		to--
	}
	for from < len(tail) && !utf8.RuneStart(tail[from]) {
		from++
	}
	mark := fmt.Sprintf("\n[cut: %d bytes]\n", dropped)
	return w.door.clean(head[:to]+mark+tail[from:], w.own, &w.counts)
}

// keeper keeps the two ends of a text that is too long to be held, each with its margin.
type keeper struct {
	head, tail []byte
	dropped    int // bytes between them
}

func (k *keeper) add(run string) {
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
