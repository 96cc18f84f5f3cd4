package config

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
)

// FallbackDir is the directory in which lost events are counted while the person's own directories cannot be
// written. It is below the temporary directory and unique to these paths.
func (p Paths) FallbackDir() string {
	sum := sha256.Sum256([]byte(p.Spool()))
	return filepath.Join(os.TempDir(), "remanence-"+strconv.Itoa(os.Getuid()), "lost-"+hex.EncodeToString(sum[:6]))
}
