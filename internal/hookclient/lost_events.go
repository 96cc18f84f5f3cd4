package hookclient

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/spool"
)

// MakeFallbackDir creates the fallback directory. Another user may have created something with that name, so it is
// used only if it is proven to be ours.
func MakeFallbackDir(p config.Paths) (string, error) {
	dir := p.FallbackDir()
	up := filepath.Dir(dir)
	if err := os.Mkdir(up, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, api.CheckDir(up)
}

// fallbackDirs returns the fallback directories that may be read: only our own.
func fallbackDirs(p config.Paths) []string {
	if api.CheckDir(filepath.Dir(p.FallbackDir())) != nil {
		return nil
	}
	return []string{p.FallbackDir()}
}

// LostEvents returns how many events could not be stored since the last reset, by reason.
func LostEvents(p config.Paths) map[string]int64 {
	return spool.Counters(p.Spool(), fallbackDirs(p)...)
}

// ResetLost resets the counters of lost events.
func ResetLost(p config.Paths) error { return spool.Forgive(p.Spool(), fallbackDirs(p)...) }
