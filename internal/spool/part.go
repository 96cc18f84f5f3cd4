package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

// part is one file that no hook writes to any more.
type part struct {
	name    string
	single  bool // one record, written past the lock
	newer   bool // holds records that only a newer version can read: it stays
	entries []entry
	left    int // entries that are not done
	torn    int // gaps that held no whole record
}

// entry is one whole record of a part.
type entry struct {
	head
	off  int64
	turn int64 // place in the order of its session
}

// tmpAge is the age from which an unfinished single record is taken for one whose writer was killed. A hook runs for a
// part of a second; one that was only suspended finds its file gone and writes it again.
const tmpAge = 10 * time.Second

// takeLog makes the log a part, so that hooks begin a new one. If they keep
// the lock busy, what they wrote stays for the next time and taken is false.
func (s *Spool) takeLog(ctx context.Context) (taken bool, err error) {
	unlock, err := s.lockAlone(ctx, renameWait)
	if errors.Is(err, errBusy) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer unlock()
	info, err := os.Lstat(s.pending(logName))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	next, err := s.nextPart()
	if err != nil {
		return false, err
	}
	// The random end keeps what another process knows of an older part from
	// being taken for knowledge of this one.
	name := fmt.Sprintf("part-%016d-%08x%s", next, rand.Uint32(), partEnd)
	if err := os.Rename(s.pending(logName), s.pending(name)); err != nil {
		return false, err
	}
	return true, nil
}

const partEnd = ".log"

func isPart(name string) bool {
	return strings.HasPrefix(name, "part-") && strings.HasSuffix(name, partEnd)
}

// nextPart is a number above those of all parts.
func (s *Spool) nextPart() (int, error) {
	files, err := os.ReadDir(s.pending(""))
	if err != nil {
		return 0, err
	}
	next := 1
	for _, f := range files {
		var n int
		if _, err := fmt.Sscanf(f.Name(), "part-%d-", &n); err == nil {
			next = max(next, n+1)
		}
	}
	return next, nil
}

// load brings s.parts up to date with the disk and reports whether they changed.
func (s *Spool) load() (changed bool, err error) {
	files, err := os.ReadDir(s.pending(""))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	there := map[string]bool{}
	for _, f := range files {
		name := f.Name()
		single := strings.HasSuffix(name, singleEnd)
		if !f.Type().IsRegular() || !single && !isPart(name) {
			s.removeStale(f)
			continue
		}
		there[name] = true
		if s.parts[name] != nil {
			continue
		}
		p, err := s.index(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return true, err
		}
		p.single = single
		s.parts[name] = p
		changed = true
	}
	for name := range s.parts {
		if !there[name] {
			delete(s.parts, name)
			changed = true
		}
	}
	return changed, nil
}

// index lists the records of one file.
func (s *Spool) index(name string) (*part, error) {
	f, err := os.Open(s.pending(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &part{name: name}
	p.torn, err = walk(f, func(off int64, h head, newer bool) {
		if newer {
			p.newer = true
			return
		}
		p.entries = append(p.entries, entry{head: h, off: off})
		if h.state != done {
			p.left++
		}
	})
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", name, err)
	}
	return p, nil
}

// removeStale removes a single record that its writer never finished.
func (s *Spool) removeStale(f fs.DirEntry) {
	if !strings.HasSuffix(f.Name(), tmpEnd) {
		return
	}
	info, err := f.Info()
	if err == nil && time.Since(info.ModTime()) > tmpAge {
		_ = os.Remove(s.pending(f.Name()))
	}
}
