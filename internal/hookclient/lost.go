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

// MakeSpareDir makes the place for the spare directory. Others could have put
// something of the same name there: it is used only if it is proven to be ours.
func MakeSpareDir(p config.Paths) (string, error) {
	dir := p.SpareDir()
	up := filepath.Dir(dir)
	if err := os.Mkdir(up, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, api.CheckDir(up)
}

// spareDirs are the spare directories that may be read: ours alone.
func spareDirs(p config.Paths) []string {
	if api.CheckDir(filepath.Dir(p.SpareDir())) != nil {
		return nil
	}
	return []string{p.SpareDir()}
}

// LostEvents is how many events could not be kept, by reason, since that was last
// looked at and forgiven.
func LostEvents(p config.Paths) map[string]int64 { return spool.Counters(p.Spool(), spareDirs(p)...) }

// ForgetLost begins the counting of lost events anew.
func ForgetLost(p config.Paths) error { return spool.Forgive(p.Spool(), spareDirs(p)...) }
