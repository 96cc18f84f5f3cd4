//go:build linux || darwin

package api

import (
	"net"
	"os"
)

// OwnPeer reports whether the process at the other end of a unix socket belongs to
// this user. Where the system does not report it, the private directory and the
// token keep other users out.
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
