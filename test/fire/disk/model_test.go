//go:build fire && linux

package disk

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
)

// A platter is a disk below a directory as a record of calls left it: what a
// power cut cannot take any more, and what it can. The assumptions:
//
//   - A write is safe once an fsync of its file that began after it has returned.
//     Until then each 512-byte sector of it may be lost, or hold garbage, and the
//     file's size may be as it was.
//   - The directory is a journal of names: creations, renames, removals. They are
//     safe after an fsync of the directory; a file's own name is after an fsync of
//     the file. Until then a cut leaves the journal up to some point, or worse,
//     each name as of a moment of its own.
//   - Directories themselves are there at once.
type platter struct {
	root  string
	names map[string]*file // as the processes see it
	kept  map[string]*file // what no power cut takes
	moved []rename         // since then, in order
}

// file is one file, whatever its names.
type file struct {
	safe    []byte
	pending []change
}

// change is a write, or with no data a new size.
type change struct {
	data  []byte
	at    int64
	leave int // position at which the call was over
}

// rename is one step of the journal: a name gets a file, or none.
type rename struct {
	name string
	file *file
}

func newPlatter(root string) *platter {
	return &platter{root: root, names: map[string]*file{}, kept: map[string]*file{}}
}

// holds reports whether the model follows a path. The index of the log, which is
// memory, and lock files are not worth following.
func (p *platter) holds(path string) bool {
	return strings.HasPrefix(path, p.root+"/") && !strings.HasSuffix(path, "-shm") && !strings.HasSuffix(path, ".lock")
}

func (p *platter) isDir(path string) bool {
	return path == p.root || strings.HasPrefix(path, p.root+"/")
}

// begin plays what a call may do from its beginning on.
func (p *platter) begin(c call) error {
	switch c.name {
	case "write", "pwrite64":
		if f := p.names[c.fd]; f != nil && p.holds(c.fd) && c.ret > 0 {
			at := f.size()
			if c.name == "pwrite64" {
				at = c.nums[len(c.nums)-1]
			}
			f.pending = append(f.pending, change{data: c.data[:c.ret], at: at, leave: c.leave})
		}
	case "ftruncate":
		if f := p.names[c.fd]; f != nil && p.holds(c.fd) {
			f.pending = append(f.pending, change{at: c.nums[len(c.nums)-1], leave: c.leave})
		}
	case "open", "openat", "creat":
		p.open(c)
	case "rename", "renameat", "renameat2":
		if from, to := c.paths[0], c.paths[1]; p.holds(from) || p.holds(to) {
			f := p.names[from]
			p.name(from, nil)
			p.name(to, f)
		}
	case "unlink", "unlinkat":
		if !strings.Contains(c.flags, "AT_REMOVEDIR") && p.names[c.paths[0]] != nil {
			p.name(c.paths[0], nil)
		}
	case "fsync", "fdatasync":
	case "mmap":
		if p.holds(c.fd) && strings.Contains(c.flags, "MAP_SHARED") && strings.Contains(c.flags, "PROT_WRITE") {
			return fmt.Errorf("%s is mapped for writing", c.fd)
		}
	default:
		for _, path := range append(c.paths, c.fd) {
			if p.holds(path) {
				return fmt.Errorf("%s of %s: the model does not know it", c.name, path)
			}
		}
	}
	return nil
}

func (p *platter) open(c call) {
	path := c.paths[0]
	if !p.holds(path) {
		return
	}
	f := p.names[path]
	if f == nil && strings.Contains(c.flags, "O_CREAT") {
		f = &file{}
		p.name(path, f)
	}
	if f != nil && strings.Contains(c.flags, "O_TRUNC") {
		f.pending = append(f.pending, change{leave: c.leave})
	}
}

func (p *platter) name(name string, f *file) {
	if f == nil {
		delete(p.names, name)
	} else {
		p.names[name] = f
	}
	p.moved = append(p.moved, rename{name, f})
}

// end plays what is certain once a call is over.
func (p *platter) end(c call) {
	if c.name != "fsync" && c.name != "fdatasync" {
		return
	}
	if f := p.names[c.fd]; f != nil {
		i := 0
		for ; i < len(f.pending) && f.pending[i].leave < c.enter; i++ {
			f.safe = f.pending[i].on(f.safe)
		}
		f.pending = slices.Clone(f.pending[i:])
		p.settle(func(r rename) bool { return r.file == f })
		return
	}
	if p.isDir(c.fd) {
		p.settle(func(r rename) bool { return filepath.Dir(r.name) == c.fd })
	}
}

// settle makes the steps of the journal that are chosen safe, and with each of
// them what the same name was before.
func (p *platter) settle(chosen func(rename) bool) {
	last := map[string]int{}
	for i, r := range p.moved {
		if chosen(r) {
			last[r.name] = i
		}
	}
	var left []rename
	for i, r := range p.moved {
		at, ok := last[r.name]
		if !ok || i > at {
			left = append(left, r)
		}
		if ok && i == at {
			step(p.kept, r)
		}
	}
	p.moved = left
}

func step(names map[string]*file, r rename) {
	if r.file == nil {
		delete(names, r.name)
		return
	}
	names[r.name] = r.file
}

func (c change) on(b []byte) []byte {
	if c.data == nil {
		return resize(b, c.at)
	}
	if end := c.at + int64(len(c.data)); end > int64(len(b)) {
		b = resize(b, end)
	}
	copy(b[c.at:], c.data)
	return b
}

func resize(b []byte, n int64) []byte {
	if n <= int64(len(b)) {
		return b[:n:n]
	}
	return append(b, make([]byte, n-int64(len(b)))...)
}

// now is the file as the processes see it.
func (f *file) now() []byte {
	b := slices.Clone(f.safe)
	for _, c := range f.pending {
		b = c.on(b)
	}
	return b
}

func (f *file) size() int64 {
	n := int64(len(f.safe))
	for _, c := range f.pending {
		if c.data == nil {
			n = c.at
		} else {
			n = max(n, c.at+int64(len(c.data)))
		}
	}
	return n
}

const sector = 512

// cut is what a power cut leaves: contents by path below the root.
func (p *platter) cut(rng *rand.Rand) map[string][]byte {
	names := maps.Clone(p.kept)
	upTo := rng.IntN(len(p.moved) + 1)
	each := map[string]int{}
	for i, r := range p.moved {
		if rng.IntN(2) == 0 {
			each[r.name] = i + 1
		}
	}
	worse := rng.IntN(2) == 0
	for i, r := range p.moved {
		if !worse && i < upTo || worse && i < each[r.name] {
			step(names, r)
		}
	}
	image := map[string][]byte{}
	losing := []int{0, 1, 2, 3, 4}[rng.IntN(5)] // quarters of what is not safe
	for _, name := range slices.Sorted(maps.Keys(names)) {
		image[strings.TrimPrefix(name, p.root)] = names[name].cut(rng, losing)
	}
	return image
}

// cut loses some of the changes of a file, whole or by sectors.
func (f *file) cut(rng *rand.Rand, losing int) []byte {
	b := slices.Clone(f.safe)
	for _, c := range f.pending {
		switch {
		case c.data == nil:
			if rng.IntN(4) >= losing {
				b = c.on(b)
			}
		case rng.IntN(2) == 0: // all of it or nothing
			if rng.IntN(4) >= losing {
				b = c.on(b)
			}
		default:
			b = c.torn(rng, b, losing)
		}
	}
	if grown := len(b) - len(f.safe); grown > 0 && rng.IntN(4) == 0 {
		b = b[:len(f.safe)+rng.IntN(grown+1)/sector*sector]
	}
	return b
}

// torn writes some of the sectors that a write touches.
func (c change) torn(rng *rand.Rand, b []byte, losing int) []byte {
	for from := 0; from < len(c.data); {
		to := min(len(c.data), from+sector-int((c.at+int64(from))%sector))
		part := change{data: c.data[from:to], at: c.at + int64(from)}
		switch {
		case rng.IntN(4) >= losing:
			b = part.on(b)
		case rng.IntN(16) == 0:
			part.data = bytes.Repeat([]byte{byte(rng.IntN(256))}, to-from)
			b = part.on(b)
		}
		from = to
	}
	return b
}

// whole is everything as the processes saw it: what a killed process leaves.
func (p *platter) whole() map[string][]byte {
	image := map[string][]byte{}
	for name, f := range p.names {
		image[strings.TrimPrefix(name, p.root)] = f.now()
	}
	return image
}
