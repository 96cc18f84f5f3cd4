package spool

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"reflect"
	"testing"
	"time"
	"unicode/utf8"

	"remanence/internal/mem"
)

// Steps of a script that FuzzSpoolDecode writes a log by. The byte after a step is its argument.
const (
	stepRecord = iota // a whole record whose text is the next bytes, as many as the argument says
	stepDone          // likewise, marked as done
	stepNewer         // likewise, of a newer version
	stepTorn          // the beginning of a record, cut after the argument's share
	stepFlip          // a record with a bit flipped at the argument's share
	stepLength        // a record whose length is another
	stepJunk          // the next bytes, as many as the argument says
	stepLong          // so many bytes that the next record begins around the end of a chunk
	steps
)

// FuzzSpoolDecode writes a log of whole, newer, torn, flipped and foreign parts and decodes it. Whatever the parts are,
// decoding does not panic, and every whole record is decoded once, in order, and equal to what was encoded.
func FuzzSpoolDecode(f *testing.F) {
	text := func(step byte, s string) []byte { return append([]byte{step, byte(len(s))}, s...) }
	all := text(stepRecord, "first")
	for step := range byte(steps) {
		f.Add(append(text(step, "between"), all...))
		all = append(all, text(step, "é\x00\xff")...)
	}
	f.Add(all)
	f.Add(text(stepJunk, magic))
	f.Add(append(text(stepJunk, magic[:3]), text(stepRecord, "after a part of the magic")...))
	f.Add(append(text(stepTorn, "a"), text(stepTorn, "b")...))
	for _, at := range []byte{0, 2, 3, 28, 30, 200} {
		f.Add(append([]byte{stepFlip, at, stepLength, at, stepLong, at}, text(stepRecord, "last")...))
	}
	f.Add(append(text(stepJunk, "x"), text(stepRecord, "after one byte")...))
	for n := range byte(8) { // the magic across the end of a chunk
		f.Add(append([]byte{stepLong, n}, text(stepRecord, "far")...))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		w := logScript{script: script}
		for len(w.script) > 1 && len(w.log) < 4*scanChunk {
			w.step(t)
		}
		w.check(t)
	})
}

// logScript is the log that a script writes, and what must be decoded of it.
type logScript struct {
	script, log []byte
	want        []decoded
	foreign     bool // the log has a magic that is not of a record: what follows it may be one by chance
}

// decoded is one whole record.
type decoded struct {
	event   mem.Event
	at      int64
	session uint64
	done    bool
	newer   bool
}

func (w *logScript) byte() byte {
	b := w.script[0]
	w.script = w.script[1:]
	return b
}

// text takes up to n bytes of the script.
func (w *logScript) text(n int) []byte {
	n = min(n, len(w.script))
	text := w.script[:n]
	w.script = w.script[n:]
	return text
}

func (w *logScript) step(t *testing.T) {
	step, n := w.byte()%steps, int(w.byte())
	switch step {
	case stepJunk:
		junk := w.text(n)
		w.log = append(w.log, junk...)
		w.foreign = w.foreign || bytes.Contains(w.log, []byte(magic)) && len(junk) > headLen
		return
	case stepLong:
		w.log = append(w.log, bytes.Repeat([]byte{'x'}, scanChunk-len(magic)+n%8)...)
		return
	}
	e := mem.Event{ID: "e", Kind: mem.Stop, Session: string(rune('a' + n%7)), Text: string(w.text(n))}
	if !utf8.ValidString(e.Text) { // JSON cannot keep it
		e.Text = "not UTF-8"
	}
	body, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(int64(n), int64(n))
	rec := frame(body, at, e.Session)
	whole := decoded{event: e, at: at.UnixNano(), session: sessionHash(e.Session)}
	switch step {
	case stepDone:
		rec[stateAt] = done
		whole.done = true
	case stepNewer:
		rec = NewerFrame(body, at, e.Session)
		whole.newer = true
	case stepTorn:
		w.log = append(w.log, rec[:len(rec)*n/256]...)
		return
	case stepFlip:
		if i := len(rec) * n / 256; i != stateAt {
			rec[i] ^= 1 << (n % 8)
			w.log = append(w.log, rec...)
			return
		}
	case stepLength:
		binary.LittleEndian.PutUint32(rec[6:], uint32(len(body))^1<<(n%32))
		w.log = append(w.log, rec...)
		return
	}
	w.log = append(w.log, rec...)
	w.want = append(w.want, whole)
}

// check decodes the log.
func (w *logScript) check(t *testing.T) {
	var got []decoded
	r := bytes.NewReader(w.log)
	_, err := walk(r, func(off int64, h head, newer bool) {
		d := decoded{at: h.at, session: h.session, done: h.state == done, newer: newer}
		again, body, err := readFrame(r, off, nil)
		if again != h || (err != nil) != newer {
			t.Fatalf("the record at %d is read as %+v, %v, and before as %+v", off, again, err, h)
		}
		if err := json.Unmarshal(body, &d.event); err != nil && !w.foreign {
			t.Fatalf("the record at %d: %v", off, err)
		}
		got = append(got, d)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range got {
		if len(w.want) > 0 && reflect.DeepEqual(d, w.want[0]) {
			w.want = w.want[1:]
		} else if !w.foreign {
			t.Fatalf("decoded %+v, want %+v", d, w.want)
		}
	}
	if len(w.want) > 0 {
		t.Fatalf("not decoded: %+v, of %q", w.want, w.log)
	}
}
