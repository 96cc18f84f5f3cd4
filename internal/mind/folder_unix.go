//go:build unix

package mind

import (
	"errors"
	"syscall"
)

// lockDir keeps other processes from taking the lock away until release is called.
// It reports false while another is at it. The system's own lock, on the directory,
// ends with its process; where a file system has none, nobody is kept away.
func (d *folder) lockDir() (release func(), ok bool) {
	dir, err := d.root.Open(d.dir)
	if err != nil {
		return func() {}, true
	}
	err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return func() { _ = dir.Close() }, !errors.Is(err, syscall.EWOULDBLOCK)
}
