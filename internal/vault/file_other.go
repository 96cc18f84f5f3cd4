//go:build !unix

package vault

import (
	"os"
	"path/filepath"
	"time"
)

func lookAt(root *os.Root, _ *os.File, base string) (size int64, written time.Time, isDir bool, err error) {
	info, err := root.Lstat(filepath.Join(memoryDir, base))
	if err != nil {
		return 0, written, false, err
	}
	return info.Size(), info.ModTime(), info.IsDir(), nil
}
