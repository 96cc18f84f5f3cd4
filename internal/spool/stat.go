package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// Stat is what waits in a spool.
type Stat struct {
	Records int
	Bytes   int64     // on disk, with what is done but not yet deleted
	Oldest  time.Time // when the oldest waiting event was received; zero if none waits
}

// Stat counts what waits. It reads every record; hooks may be writing meanwhile.
func (s *Spool) Stat() (Stat, error) {
	files, err := os.ReadDir(s.pending(""))
	if errors.Is(err, fs.ErrNotExist) {
		return Stat{}, nil
	}
	if err != nil {
		return Stat{}, fmt.Errorf("look at spool: %w", err)
	}
	var st Stat
	for _, f := range files {
		name := f.Name()
		if info, err := f.Info(); err == nil {
			st.Bytes += info.Size()
		}
		if !f.Type().IsRegular() || !holdsRecords(name) {
			continue
		}
		p, err := s.index(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Stat{}, fmt.Errorf("look at spool: %w", err)
		}
		st.add(p)
	}
	return st, nil
}

func (st *Stat) add(p *part) {
	st.Records += p.left
	for _, e := range p.entries {
		at := time.Unix(0, e.at).UTC()
		if e.state != done && (st.Oldest.IsZero() || at.Before(st.Oldest)) {
			st.Oldest = at
		}
	}
}

// holdsRecords reports whether a file of this name may hold events that wait. What
// a writer never finished, and what others put there, holds none.
func holdsRecords(name string) bool {
	return name == logName || isPart(name) || strings.HasSuffix(name, singleEnd)
}

// Since is about when the first of the waiting events came; zero if none waits.
// It reads no record, and is too late where some were taken since.
func (s *Spool) Since() time.Time {
	info, err := os.Lstat(s.pending(""))
	if err != nil {
		return time.Time{}
	}
	files, err := os.ReadDir(s.pending(""))
	if err != nil || !slices.ContainsFunc(files, func(f os.DirEntry) bool { return holdsRecords(f.Name()) }) {
		return time.Time{}
	}
	return info.ModTime()
}
