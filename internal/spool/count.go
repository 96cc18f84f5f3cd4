package spool

import (
	"os"
	"path/filepath"
	"strings"

	"remanence/internal/fsx"
)

// Each count is the size of a file: one appended byte needs no lock.

// A full disk takes no new file and no file that grows by a block. The file
// no-room begins with one byte that is no count, so that it has its
// block before that: some 4,000 more bytes find room in it.
const (
	noRoom = "no-room"
	header = "\n"
)

// Prepare reserves room for counts that have to be written when the disk is full. A process that writes to the spool's
// disk calls it as early as possible.
func (s *Spool) Prepare() {
	if fsx.MakePrivateDir(s.counts()) == nil {
		prepare(filepath.Join(s.counts(), noRoom))
	}
}

func prepare(file string) {
	f, err := openAppend(file)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() == 0 {
		_, _ = f.WriteString(header)
	}
}

// Count counts one event that was not kept, for a reason such as
// "refused-Notification" or "watchdog". Where that cannot be written the count
// goes without its reason to the file that Prepare has made, or to the fallback
// directory. If nothing at all can be written it is lost.
func (s *Spool) Count(reason string) {
	name := filepath.Base(filepath.Clean(reason))
	if name != reason || strings.HasPrefix(name, ".") {
		return
	}
	for _, try := range []func() error{
		func() error { return addToCount(s.counts(), name) },
		s.countInReserve,
		func() error { return s.countInFallback(name) },
	} {
		if try() == nil {
			return
		}
	}
}

// countInReserve uses the file that Prepare has made, and makes none: the first
// byte would be taken for the header.
func (s *Spool) countInReserve() error {
	if _, err := os.Lstat(filepath.Join(s.counts(), noRoom)); err != nil {
		return err
	}
	return addToCount(s.counts(), noRoom)
}

func (s *Spool) countInFallback(name string) error {
	if s.fallback == nil {
		return os.ErrNotExist
	}
	dir, err := s.fallback()
	if err != nil {
		return err
	}
	return addToCount(dir, name)
}

func addToCount(dir, name string) error {
	if err := fsx.MakePrivateDir(dir); err != nil {
		return err
	}
	f, err := openAppend(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write([]byte{'.'})
	return err
}

func (s *Spool) counts() string { return filepath.Join(s.dir, "count") }

// Counters returns what was counted in the spool of dir, by reason, and in the
// fallback directories that there are. It is empty if nothing ever was.
func Counters(dir string, fallbacks ...string) map[string]int64 {
	counts := map[string]int64{}
	for _, d := range append([]string{filepath.Join(dir, "count")}, fallbacks...) {
		files, _ := os.ReadDir(d)
		for _, f := range files {
			if n := counted(f); n > 0 {
				counts[f.Name()] += n
			}
		}
	}
	return counts
}

// counted is what one file of a directory of counts says.
func counted(f os.DirEntry) int64 {
	info, err := f.Info()
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	if f.Name() == noRoom {
		return info.Size() - int64(len(header))
	}
	return info.Size()
}

// Forgive removes the counts that Counters returns, after the person has seen them. The room that Prepare reserved
// stays.
func Forgive(dir string, fallbacks ...string) error {
	for _, d := range fallbacks {
		if err := os.RemoveAll(d); err != nil {
			return err
		}
	}
	counts := filepath.Join(dir, "count")
	files, _ := os.ReadDir(counts)
	for _, f := range files {
		file := filepath.Join(counts, f.Name())
		if f.Name() != noRoom {
			if err := os.RemoveAll(file); err != nil {
				return err
			}
		} else if counted(f) > 0 {
			if err := os.Truncate(file, int64(len(header))); err != nil {
				return err
			}
		}
	}
	return nil
}
