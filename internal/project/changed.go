package project

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"remanence/internal/mem"
)

// Bounds of a look at what is checked out.
const (
	maxIndex   = 64 << 20 // bytes of git's index
	maxTracked = 50_000   // files
	maxChanged = 500
)

// Changed lists files of a project that were written since a time: those that git
// knows, as far as they differ in size or time from what it noted of them, and
// those that it neither knows nor is to ignore. They are relative to the root, with
// slashes. Nothing is known of a repository whose index is of a form that is not
// read here, or too large.
func Changed(p mem.Project, since time.Time) []string {
	if p.Common == "" || p.Root == "" {
		return nil
	}
	r, ok := repoAt(p.Root, nil)
	if !ok {
		return nil
	}
	f, err := r.git.file("index")
	if err != nil {
		return nil
	}
	defer f.Close()
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return nil
	}
	defer root.Close()
	var out []string
	known := map[string]bool{}
	err = readIndex(bufio.NewReader(io.LimitReader(f, maxIndex)), hashWidth(p), func(e indexed) bool {
		known[e.name] = true
		info, err := root.Lstat(filepath.FromSlash(e.name))
		switch {
		case err != nil || !info.Mode().IsRegular() || info.ModTime().Before(since):
		case uint32(info.Size()) == e.size && info.ModTime().Unix() == int64(e.written):
		default:
			out = append(out, e.name)
		}
		return len(out) < maxChanged
	})
	if err != nil || len(out) >= maxChanged { // what git knows is not all known
		return out
	}
	return append(out, made(root, known, shortText(r.git.file("info/exclude")), since, maxChanged-len(out))...)
}

// hashWidth is how many bytes an object id of the repository has.
func hashWidth(p mem.Project) int {
	if len(p.Commit) == 64 {
		return 32
	}
	return 20
}

// indexed is what git noted of a file.
type indexed struct {
	name    string
	written uint32 // seconds
	size    uint32 // its last 32 bits
}

var errIndex = errors.New("index of another form")

// readIndex gives the entries of an index of version 2 or 3, until give is false.
func readIndex(r *bufio.Reader, width int, give func(indexed) bool) error {
	head := make([]byte, 12)
	if _, err := io.ReadFull(r, head); err != nil {
		return err
	}
	version, count := binary.BigEndian.Uint32(head[4:]), binary.BigEndian.Uint32(head[8:])
	if string(head[:4]) != "DIRC" || version != 2 && version != 3 || count > maxTracked {
		return errIndex
	}
	fixed := make([]byte, 40+width+2)
	for range count {
		if _, err := io.ReadFull(r, fixed); err != nil {
			return err
		}
		n := len(fixed)
		flags := binary.BigEndian.Uint16(fixed[40+width:])
		if flags&0x4000 != 0 { // more flags follow
			if _, err := r.Discard(2); err != nil {
				return err
			}
			n += 2
		}
		name, err := r.ReadString(0)
		if err != nil || len(name) > maxPath {
			return errIndex
		}
		n += len(name)
		if pad := (8 - n%8) % 8; pad > 0 { // entries end on a multiple of eight
			if _, err := r.Discard(pad); err != nil {
				return err
			}
		}
		name = name[:len(name)-1]
		e := indexed{name, binary.BigEndian.Uint32(fixed[8:]), binary.BigEndian.Uint32(fixed[36:])}
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		if !give(e) {
			return nil
		}
	}
	return nil
}
