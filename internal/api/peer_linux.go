package api

import (
	"net"
	"os"
	"syscall"
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
		cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		own = err == nil && int(cred.Uid) == os.Getuid()
	})
	return err == nil && own
}
