package index

import (
	"encoding/binary"
	"math/bits"
)

// maxFrequency bounds how often a term counts in one field.
const maxFrequency = 255

// list holds the documents of one term in rising order. A posting is the distance to the document before, shifted
// left by one; if the low bit is set, a byte follows with the fields that hold the term, and a byte for each of those
// with how often. Without it the term is in the body, once: most postings take one or two bytes.
type list struct {
	data  []byte
	skips *[]skip // nil in most lists, which are short
	last  int32   // document of the last posting
	n     int32   // postings
}

// skip is the state before every skipEvery-th posting.
type skip struct {
	doc int32 // the document before it
	at  int32 // offset in data
}

const skipEvery = 128

// add appends a posting; doc is greater than every one before.
func (l *list) add(doc int32, times [fields]uint8) {
	if l.n > 0 && l.n%skipEvery == 0 {
		if l.skips == nil {
			l.skips = &[]skip{}
		}
		*l.skips = append(*l.skips, skip{l.last, int32(len(l.data))})
	}
	var mask byte
	for f, n := range times {
		if n > 0 {
			mask |= 1 << f
		}
	}
	delta := uint64(doc-l.last) << 1
	if mask == 1<<body && times[body] == 1 {
		l.data = binary.AppendUvarint(l.data, delta)
	} else {
		l.data = append(binary.AppendUvarint(l.data, delta|1), mask)
		for _, n := range times {
			if n > 0 {
				l.data = append(l.data, n)
			}
		}
	}
	l.last, l.n = doc, l.n+1
}

// cursor reads a list from its beginning.
type cursor struct {
	data  []byte
	at    int
	doc   int32
	mask  byte
	times int // offset of the frequencies of the fields in mask; unused if mask is 0
}

// next moves to the next posting and reports whether there is one.
func (c *cursor) next() bool {
	if c.at >= len(c.data) {
		return false
	}
	v := uint64(c.data[c.at])
	c.at++
	if v >= 0x80 {
		v &= 0x7f
		for shift := 7; ; shift += 7 {
			b := c.data[c.at]
			c.at++
			v |= uint64(b&0x7f) << shift
			if b < 0x80 {
				break
			}
		}
	}
	c.doc += int32(v >> 1)
	c.mask = 0
	if v&1 != 0 {
		c.mask = c.data[c.at]
		c.times = c.at + 1
		c.at = c.times
		c.at += bits.OnesCount8(c.mask)
	}
	return true
}

// count returns how many allowed documents hold the term, and how many of them in their files.
func (l *list) count(allowed []bool) (holds, named int) {
	data, doc := l.data, int32(0)
	for at := 0; at < len(data); { // as cursor.next, which is too large to be inlined
		v := uint64(data[at])
		at++
		if v >= 0x80 {
			rest, n := binary.Uvarint(data[at:])
			v = v&0x7f | rest<<7
			at += n
		}
		doc += int32(v >> 1)
		mask := byte(0)
		if v&1 != 0 {
			mask = data[at]
			at += 1 + bits.OnesCount8(mask)
		}
		if allowed[doc] {
			holds++
			named += int(mask >> files & 1)
		}
	}
	return holds, named
}

// frequencies are how often each field holds the term at the cursor.
func (c *cursor) frequencies() (out [fields]uint8) {
	if c.mask == 0 {
		out[body] = 1
		return out
	}
	at := c.times
	for f := range out {
		if c.mask&(1<<f) != 0 {
			out[f] = c.data[at]
			at++
		}
	}
	return out
}

// has reports whether the field holds the term at the cursor.
func (c *cursor) has(f field) bool {
	if c.mask == 0 {
		return f == body
	}
	return c.mask&(1<<f) != 0
}

// seek moves to the first posting of doc or a later one. Calls are in rising order of doc.
func (c *cursor) seek(l *list, doc int32) bool {
	if c.at > 0 && c.doc >= doc {
		return true
	}
	if l.skips != nil {
		c.skip(*l.skips, doc)
	}
	for c.next() {
		if c.doc >= doc {
			return true
		}
	}
	return false
}

// skip moves to the last of the places that is before doc, if that is further than the cursor.
func (c *cursor) skip(places []skip, doc int32) {
	low, high := 0, len(places)
	for low < high {
		mid := (low + high) / 2
		if places[mid].doc < doc {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low > 0 && int(places[low-1].at) > c.at {
		c.doc, c.at = places[low-1].doc, int(places[low-1].at)
	}
}

// moved returns the list with the new numbers of its documents, in rising order, without those whose number is
// negative.
func (l *list) moved(to []int32) list {
	var out list
	c := cursor{data: l.data}
	for c.next() {
		if d := to[c.doc]; d >= 0 {
			out.add(d, c.frequencies())
		}
	}
	return out
}
