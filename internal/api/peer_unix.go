//go:build linux || darwin

package api

import (
	"net"
	"os"
)

// OwnPeer reports whether the other end of a unix socket is a process of this
// user: whoever connected, or whoever listened. Where the system does not tell,
// the private directory and the token have to do.
func OwnPeer(c net.Conn) bool {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return false
	}
	own := false
	err = raw.Control(func(fd uintptr) {
		uid, err := peer(int(fd))
		own = err == nil && uid == os.Getuid()
	})
	return err == nil && own
}
