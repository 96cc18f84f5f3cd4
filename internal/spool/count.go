package spool

import (
	"os"
	"path/filepath"
	"strings"
)

// Count counts one event that was not kept, for a reason such as
// "refused-Notification" or "watchdog". A count that can not be written is lost
// too: where nothing can be written there is nothing left to tell.
func (s *Spool) Count(reason string) {
	name := filepath.Base(filepath.Clean(reason))
	if name != reason || strings.HasPrefix(name, ".") || makeDir(s.counts()) != nil {
		return
	}
	// Each count is the size of a file: one appended byte needs no lock.
	f, err := openAppend(filepath.Join(s.counts(), name))
	if err != nil {
		return
	}
	_, _ = f.Write([]byte{'.'})
	_ = f.Close()
}

func (s *Spool) counts() string { return filepath.Join(s.dir, "count") }

// Counters returns what was counted in the spool of dir, by reason. It is empty
// if nothing ever was.
func Counters(dir string) map[string]int64 {
	counts := map[string]int64{}
	files, _ := os.ReadDir(filepath.Join(dir, "count"))
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			counts[f.Name()] = info.Size()
		}
	}
	return counts
}

// Forgive removes the counts of the spool of dir: somebody has seen them.
func Forgive(dir string) error { return os.RemoveAll(filepath.Join(dir, "count")) }
