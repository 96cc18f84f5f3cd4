//go:build unix

package mind

import (
	"errors"
	"syscall"
)

// lockDir keeps other processes from taking the lock away until release is called. It returns false while another
// process holds it. It is a lock of the system on the directory, and ends with its process. A file system without
// such locks excludes no other process.
func (d *folder) lockDir() (release func(), ok bool) {
	dir, err := d.root.Open(d.dir)
	if err != nil {
		return func() {}, true
	}
	err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return func() { _ = dir.Close() }, !errors.Is(err, syscall.EWOULDBLOCK)
}
