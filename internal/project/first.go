package project

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"remanence/internal/fsx"
	"remanence/internal/mem"
)

// Bounds of a walk through a history.
const (
	maxCommits   = 1 << 20
	maxObject    = 1 << 20 // bytes of a commit; a larger one is not read
	maxChain     = 64      // differences on top of one another
	maxShallow   = 1 << 20 // bytes of the list of commits where a history was cut off
	maxAlternate = 8       // other places of objects
)

// errNoObject says that a repository does not hold an object, as far as can be read.
var errNoObject = errors.New("object not found")

// First is the id of the commit that a project's history began with, following
// first parents: the same for every clone, another for another repository. Of a
// history that was cut off it is the oldest commit there. It is empty outside of
// git and before the first commit.
func First(p mem.Project) (string, error) {
	if p.Common == "" || p.Commit == "" {
		return "", nil
	}
	o, err := openObjects(p)
	if err != nil {
		return "", err
	}
	defer o.close()
	cut := strings.Fields(folder{base: p.Common}.text("shallow", maxShallow))
	for id, n := p.Commit, 0; n < maxCommits; n++ {
		parent, err := o.parent(id)
		if err != nil {
			return "", fmt.Errorf("commit %s: %w", id, err)
		}
		if parent == "" || slices.Contains(cut, id) {
			return id, nil
		}
		id = parent
	}
	return "", fmt.Errorf("more than %d commits", maxCommits)
}

// Holds reports whether the repository of a project has an object.
func Holds(p mem.Project, id string) bool {
	if p.Common == "" || commitID(id) == "" {
		return false
	}
	o, err := openObjects(p)
	if err != nil {
		return false
	}
	defer o.close()
	return o.has(id)
}

// objects are the places where a repository keeps its objects.
type objects struct {
	roots []*os.Root
	packs []*pack
	old   bool // packs are listed
}

// pack is a pack of objects with its index.
type pack struct {
	index, data *os.File
	count       uint32
	width       int // of an id, in bytes
}

func openObjects(p mem.Project) (*objects, error) {
	o := &objects{}
	dirs := []string{filepath.Join(p.Common, "objects")}
	for i := 0; i < len(dirs) && i < maxAlternate; i++ {
		root, err := os.OpenRoot(dirs[i])
		if err != nil {
			if i == 0 {
				return nil, fmt.Errorf("open objects: %w", err)
			}
			continue
		}
		o.roots = append(o.roots, root)
		for line := range strings.Lines(folder{base: dirs[i]}.text(filepath.Join("info", "alternates"), maxPointer)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				dirs = append(dirs, from(dirs[i], line))
			}
		}
	}
	return o, nil
}

func (o *objects) close() {
	for _, p := range o.packs {
		_ = p.index.Close()
		_ = p.data.Close()
	}
	for _, r := range o.roots {
		_ = r.Close()
	}
}

// open opens a plain file of this user or of the system. Clones of a machine
// share objects under several names.
func (o *objects) open(root *os.Root, name string) (*os.File, error) {
	return openPlain(root, name, fsx.Options{Owner: fsx.OwnedByUserOrRoot})
}

func loose(id string) string { return filepath.Join(id[:2], id[2:]) }

func (o *objects) has(id string) bool {
	for _, root := range o.roots {
		if f, err := o.open(root, loose(id)); err == nil {
			_ = f.Close()
			return true
		}
	}
	_, _, ok := o.packed(id)
	return ok
}

// parent is the first parent of a commit, empty if it has none.
func (o *objects) parent(id string) (string, error) {
	text, err := o.commit(id, 0)
	if err != nil {
		return "", err
	}
	head, _, _ := bytes.Cut(text, []byte("\n\n"))
	for line := range strings.Lines(string(head)) {
		if rest, ok := strings.CutPrefix(line, "parent "); ok {
			if rest = commitID(rest); rest == "" {
				return "", errors.New("it is damaged")
			}
			return rest, nil
		}
	}
	return "", nil
}

// commit is the text of a commit, which lies below so many differences.
func (o *objects) commit(id string, depth int) ([]byte, error) {
	for _, root := range o.roots {
		f, err := o.open(root, loose(id))
		if err != nil {
			continue
		}
		b, err := inflate(f)
		_ = f.Close()
		if err != nil {
			return nil, err
		}
		kind, text, ok := bytes.Cut(b, []byte{0})
		if !ok || !bytes.HasPrefix(kind, []byte("commit ")) {
			return nil, errors.New("it is no commit")
		}
		return text, nil
	}
	p, at, ok := o.packed(id)
	if !ok {
		return nil, errNoObject
	}
	return o.object(p, at, depth)
}

func inflate(r io.Reader) ([]byte, error) {
	z, err := zlib.NewReader(r)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return fsx.ReadAll(z, maxObject)
}

// packed finds an object in the packs.
func (o *objects) packed(id string) (*pack, int64, bool) {
	o.List()
	want, err := hex.DecodeString(id)
	if err != nil || len(want) == 0 {
		return nil, 0, false
	}
	for _, p := range o.packs {
		p.width = len(want)
		if at, ok := p.find(want); ok {
			return p, at, true
		}
	}
	return nil, 0, false
}

// List opens the packs, once.
func (o *objects) List() {
	if o.old {
		return
	}
	o.old = true
	for _, root := range o.roots {
		dir, err := root.Open("pack")
		if err != nil {
			continue
		}
		names, _ := dir.Readdirnames(4096)
		_ = dir.Close()
		for _, name := range names {
			base, ok := strings.CutSuffix(name, ".idx")
			if !ok {
				continue
			}
			if p, err := o.openPack(root, filepath.Join("pack", base)); err == nil {
				o.packs = append(o.packs, p)
			}
		}
	}
}

// openPack opens a pack whose index is of the second version, the one in use
// since 2007.
func (o *objects) openPack(root *os.Root, base string) (*pack, error) {
	index, err := o.open(root, base+".idx")
	if err != nil {
		return nil, err
	}
	data, err := o.open(root, base+".pack")
	if err != nil {
		_ = index.Close()
		return nil, err
	}
	p := &pack{index: index, data: data}
	head := make([]byte, 8)
	_, err = index.ReadAt(head, 0)
	if err == nil {
		p.count, err = p.u32(8 + 255*4)
	}
	if err != nil || string(head) != "\xfftOc\x00\x00\x00\x02" {
		_ = index.Close()
		_ = data.Close()
		return nil, os.ErrInvalid
	}
	return p, nil
}

func (p *pack) u32(at int64) (uint32, error) {
	var b [4]byte
	_, err := p.index.ReadAt(b[:], at)
	return binary.BigEndian.Uint32(b[:]), err
}

// The parts of an index: 256 counts, the ids, their sums, their places.
const indexHead = 8 + 256*4

// find is the place of an object in the pack.
func (p *pack) find(id []byte) (int64, bool) {
	n := p.firstFrom(id)
	have := make([]byte, len(id))
	if _, err := p.index.ReadAt(have, indexHead+int64(n)*int64(p.width)); err != nil || n >= p.count ||
		!bytes.Equal(have, id) {
		return 0, false
	}
	return p.place(n)
}

// firstFrom is the number of the first object in the pack whose id is not less than one; count if there is none, or
// the index cannot be read.
func (p *pack) firstFrom(id []byte) uint32 {
	low := uint32(0)
	if id[0] > 0 {
		low, _ = p.u32(8 + int64(id[0]-1)*4)
	}
	high, err := p.u32(8 + int64(id[0])*4)
	if err != nil || high > p.count {
		return p.count
	}
	have := make([]byte, len(id))
	for low < high {
		mid := low + (high-low)/2
		if _, err := p.index.ReadAt(have, indexHead+int64(mid)*int64(p.width)); err != nil {
			return p.count
		}
		if bytes.Compare(have, id) < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func (p *pack) place(n uint32) (int64, bool) {
	places := indexHead + int64(p.count)*int64(p.width+4)
	at, err := p.u32(places + int64(n)*4)
	if err != nil {
		return 0, false
	}
	if at&(1<<31) == 0 {
		return int64(at), true
	}
	var b [8]byte
	_, err = p.index.ReadAt(b[:], places+int64(p.count)*4+int64(at&^(1<<31))*8)
	return int64(binary.BigEndian.Uint64(b[:]) &^ (1 << 63)), err == nil
}

// The kinds of objects in a pack.
const (
	kindCommit   = 1
	kindOffDelta = 6
	kindRefDelta = 7
)

// object is the text of a commit at a place of a pack, put together from its
// differences.
func (o *objects) object(p *pack, at int64, depth int) ([]byte, error) {
	if depth > maxChain {
		return nil, errors.New("it is put together of too many parts")
	}
	head := make([]byte, 64)
	n, err := p.data.ReadAt(head, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r := bytes.NewReader(head[:n])
	c, _ := r.ReadByte()
	kind := c >> 4 & 7
	for c&0x80 != 0 { // the size, which is known from the text
		if c, err = r.ReadByte(); err != nil {
			return nil, err
		}
	}
	var base []byte
	switch kind {
	case kindCommit:
	case kindOffDelta:
		back, err := offset(r)
		if err != nil || back <= 0 || back > at {
			return nil, errors.New("it is damaged")
		}
		if base, err = o.object(p, at-back, depth+1); err != nil {
			return nil, err
		}
	case kindRefDelta:
		id := make([]byte, p.width)
		if _, err := io.ReadFull(r, id); err != nil {
			return nil, err
		}
		if base, err = o.commit(hex.EncodeToString(id), depth+1); err != nil {
			return nil, err
		}
	default:
		return nil, errors.New("it is no commit")
	}
	body, err := inflate(io.NewSectionReader(p.data, at+int64(n-r.Len()), maxObject))
	if err != nil || kind == kindCommit {
		return body, err
	}
	return patched(base, body)
}

// offset reads how far back the base of a difference lies.
func offset(r io.ByteReader) (int64, error) {
	c, err := r.ReadByte()
	n := int64(c & 0x7f)
	for err == nil && c&0x80 != 0 && n < 1<<48 {
		c, err = r.ReadByte()
		n = (n+1)<<7 | int64(c&0x7f)
	}
	return n, err
}

// patched applies a difference to its base.
func patched(base, delta []byte) ([]byte, error) {
	damaged := errors.New("it is damaged")
	r := bytes.NewReader(delta)
	was, err1 := binary.ReadUvarint(r)
	size, err2 := binary.ReadUvarint(r)
	if err1 != nil || err2 != nil || was != uint64(len(base)) || size > maxObject {
		return nil, damaged
	}
	out := make([]byte, 0, size)
	for r.Len() > 0 {
		op, _ := r.ReadByte()
		if op&0x80 == 0 {
			part := make([]byte, op)
			if _, err := io.ReadFull(r, part); err != nil || op == 0 {
				return nil, damaged
			}
			out = append(out, part...)
			continue
		}
		var from, n uint32
		for i := range 7 {
			if op&(1<<i) == 0 {
				continue
			}
			b, err := r.ReadByte()
			if err != nil {
				return nil, damaged
			}
			if i < 4 {
				from |= uint32(b) << (8 * i)
			} else {
				n |= uint32(b) << (8 * (i - 4))
			}
		}
		if n == 0 {
			n = 1 << 16
		}
		if uint64(from)+uint64(n) > uint64(len(base)) || len(out)+int(n) > maxObject {
			return nil, damaged
		}
		out = append(out, base[from:from+n]...)
	}
	if uint64(len(out)) != size {
		return nil, damaged
	}
	return out, nil
}
