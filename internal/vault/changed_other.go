//go:build !linux && !darwin

package vault

import (
	"io/fs"
	"time"
)

// changedAt is when a file was last written, as it shows.
func changedAt(info fs.FileInfo) time.Time { return info.ModTime() }
