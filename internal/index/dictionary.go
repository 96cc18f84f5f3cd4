package index

import (
	"hash/maphash"
	"slices"
	"strings"
)

// dictionary numbers texts in the order in which they were added, from 0. All texts are one string, and a hash table
// with open addressing finds their numbers: a map of strings takes four times as much memory.
type dictionary struct {
	seed  maphash.Seed
	text  *strings.Builder // all texts, one after the other
	ends  []uint32         // where each ends
	slots []int32          // a number and 1 each, or 0; their count is a power of two
}

const leastSlots = 16

func newDictionary() dictionary {
	return dictionary{seed: maphash.MakeSeed(), text: &strings.Builder{}, slots: make([]int32, leastSlots)}
}

func (d *dictionary) len() int { return len(d.ends) }

// key is the text with a number.
func (d *dictionary) key(n int32) string {
	begin := uint32(0)
	if n > 0 {
		begin = d.ends[n-1]
	}
	return d.text.String()[begin:d.ends[n]]
}

// find returns the number of a text, none if it was not added.
func (d *dictionary) find(key string) int32 { return d.slots[d.slot(key)] - 1 }

// add returns the number of a text, which is added if it is new.
func (d *dictionary) add(key string) int32 {
	at := d.slot(key)
	if n := d.slots[at]; n > 0 {
		return n - 1
	}
	d.text.WriteString(key)
	d.ends = append(d.ends, uint32(d.text.Len()))
	d.slots[at] = int32(len(d.ends))
	if 4*len(d.ends) > 3*len(d.slots) {
		d.hash(2 * len(d.slots))
	}
	return int32(len(d.ends) - 1)
}

// slot is the place of a text in the table, or the free one where it belongs.
func (d *dictionary) slot(key string) int {
	mask := len(d.slots) - 1
	at := int(maphash.String(d.seed, key)) & mask
	for d.slots[at] > 0 && d.key(d.slots[at]-1) != key {
		at = (at + 1) & mask
	}
	return at
}

// hash makes a table of the given size.
func (d *dictionary) hash(size int) {
	d.slots = make([]int32, size)
	for n := range int32(len(d.ends)) {
		d.slots[d.slot(d.key(n))] = n + 1
	}
}

// trimmed returns the dictionary without room for growth.
func (d *dictionary) trimmed() dictionary {
	out := dictionary{seed: d.seed, text: &strings.Builder{}, ends: slices.Clone(d.ends), slots: d.slots}
	out.text.Grow(d.text.Len())
	out.text.WriteString(d.text.String())
	return out
}
