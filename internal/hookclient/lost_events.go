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

// MakeSpareDir creates the spare directory. Another user may have created something with that name, so it is
// used only if it is proven to be ours.
func MakeSpareDir(p config.Paths) (string, error) {
	dir := p.SpareDir()
	up := filepath.Dir(dir)
	if err := os.Mkdir(up, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, api.CheckDir(up)
}

// spareDirs returns the spare directories that may be read: only our own.
func spareDirs(p config.Paths) []string {
	if api.CheckDir(filepath.Dir(p.SpareDir())) != nil {
		return nil
	}
	return []string{p.SpareDir()}
}

// LostEvents returns how many events could not be stored since the last reset, by reason.
func LostEvents(p config.Paths) map[string]int64 { return spool.Counters(p.Spool(), spareDirs(p)...) }

// ResetLost resets the counters of lost events.
func ResetLost(p config.Paths) error { return spool.Forgive(p.Spool(), spareDirs(p)...) }
