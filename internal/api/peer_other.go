//go:build !linux && !darwin

package api

import "net"

// OwnPeer cannot tell here: the private directory and the token keep others out.
func OwnPeer(net.Conn) bool { return true }
