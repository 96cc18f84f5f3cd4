package project

import (
	"crypto/sha1" // git's name for a content, not a seal
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"remanence/internal/fsx"
	"remanence/internal/mem"
)

// Bounds of one look at a project's files.
const (
	maxLookFiles = 64      // looked at
	maxLookBytes = 4 << 20 // read
	maxHashed    = 1 << 20 // bytes of a file; what a larger one holds is not known
)

// settled is how much younger than a memory a file may be and still be taken
// for what the memory is about: the same call keeps and writes, and some file
// systems count in twos of seconds.
const settled = 2 * time.Second

// Look is one look at files of a project, named as Rel names them: each is
// visited once, however often it is asked for. Nothing outside of the project's
// root is looked at, wherever links lead, nothing that is no plain file is
// opened, and past its bounds a look knows nothing. It is for one goroutine.
type Look struct {
	root  *os.Root // nil if it cannot be opened: then nothing is known
	seen  map[string]*fileState
	bytes int64 // left to read
}

// fileState is what was seen of one file.
type fileState struct {
	known   bool // whether it is there
	there   bool // as a plain file
	size    int64
	written time.Time
	hash    string // empty if not known
	read    bool   // hash was tried
}

// NewLook begins a look. The caller closes it.
func NewLook(p mem.Project) *Look {
	l := &Look{seen: map[string]*fileState{}, bytes: maxLookBytes}
	if p.Root != "" {
		l.root, _ = os.OpenRoot(p.Root) // without a root, nothing is known of its files
	}
	return l
}

// Close ends the look.
func (l *Look) Close() {
	if l.root != nil {
		_ = l.root.Close()
	}
}

// Anchors returns the contents, as hashes, of the first mem.MaxAnchors files. Files that cannot be read are left out,
// and those written after at, since their content at that time is unknown.
func (l *Look) Anchors(files []string, at time.Time) []mem.Anchor {
	var out []mem.Anchor
	for _, f := range files[:min(len(files), mem.MaxAnchors)] {
		s := l.sight(f)
		switch {
		case !s.known, s.there && s.written.After(at.Add(settled)):
		case !s.there:
			out = append(out, mem.Anchor{File: f})
		default:
			if h := l.hash(f, s); h != "" {
				out = append(out, mem.Anchor{File: f, Hash: h})
			}
		}
	}
	return out
}

// Freshness compares files with their anchors. The content decides; a file that was not written since is not read.
func (l *Look) Freshness(anchors []mem.Anchor, since time.Time) mem.Freshness {
	had, gone, changed := 0, 0, false
	for _, a := range anchors {
		if a.Hash != "" {
			had++
		}
		s := l.sight(a.File)
		switch {
		case !s.known:
		case !s.there && a.Hash != "":
			gone++
		case s.there && a.Hash == "":
			changed = true
		case s.there && l.differs(a, s, since):
			changed = true
		}
	}
	switch {
	case gone > 0 && gone == had && !changed:
		return mem.FileGone
	case gone > 0 || changed:
		return mem.FileChanged
	}
	return mem.Fresh
}

func (l *Look) differs(a mem.Anchor, s *fileState, since time.Time) bool {
	if s.size > maxHashed {
		return true // it was smaller
	}
	if s.written.Before(since.Add(-settled)) {
		return false
	}
	h := l.hash(a.File, s)
	return h != "" && h != a.Hash
}

// sight visits a file, or remembers the visit.
func (l *Look) sight(file string) *fileState {
	if s := l.seen[file]; s != nil {
		return s
	}
	s := &fileState{}
	name := filepath.FromSlash(file)
	if l.root == nil || len(l.seen) >= maxLookFiles || len(file) > maxPath || !filepath.IsLocal(name) {
		return s
	}
	l.seen[file] = s
	info, err := l.root.Stat(name)
	switch {
	case err == nil && info.Mode().IsRegular():
		s.known, s.there, s.size, s.written = true, true, info.Size(), info.ModTime()
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		s.known = true // a directory in its place is not the file
	}
	return s
}

// hash is the name that git gives to the content of a file, empty if it is not
// to be had.
func (l *Look) hash(file string, s *fileState) string {
	if s.read || s.size > min(maxHashed, l.bytes) {
		return s.hash
	}
	s.read = true
	f, err := openPlain(l.root, filepath.FromSlash(file), fsx.Options{})
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, s.size+1))
	l.bytes -= int64(len(text))
	if err != nil || int64(len(text)) > s.size {
		return "" // it is being written
	}
	s.hash = blob(text)
	return s.hash
}

// blob is git's name for a content.
func blob(text []byte) string {
	h := sha1.New()
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(text))
	_, _ = h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}
