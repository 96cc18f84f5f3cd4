package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"remanence/internal/api"
	"remanence/internal/spool"
)

// spare is the directory in which lost events are counted while nothing can be
// written below the person's own: below the temporary one, for these paths alone.
func (p Paths) spare() string {
	sum := sha256.Sum256([]byte(p.Spool()))
	return filepath.Join(os.TempDir(), "remanence-"+strconv.Itoa(os.Getuid()), "lost-"+hex.EncodeToString(sum[:6]))
}

// makeSpare makes the place for the spare directory. Others could have put
// something of the same name there: it is used only if it is proven to be ours.
func (p Paths) makeSpare() (string, error) {
	dir := p.spare()
	up := filepath.Dir(dir)
	if err := os.Mkdir(up, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, api.CheckDir(up)
}

// spares are the spare directories that may be read: ours alone.
func (p Paths) spares() []string {
	if api.CheckDir(filepath.Dir(p.spare())) != nil {
		return nil
	}
	return []string{p.spare()}
}

// lost is how many events could not be kept, by reason, since that was last
// looked at and forgiven.
func (p Paths) lost() map[string]int64 { return spool.Counters(p.Spool(), p.spares()...) }

// forgive begins the counting of lost events anew.
func (p Paths) forgive() error { return spool.Forgive(p.Spool(), p.spares()...) }
