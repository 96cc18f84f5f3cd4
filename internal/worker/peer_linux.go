package worker

import (
	"net"
	"os"
	"syscall"
)

// ownPeer reports whether the other end of a unix socket is a process of this user.
func ownPeer(c net.Conn) bool {
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
