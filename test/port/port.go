// Package port finds TCP ports for tests of servers that take a number.
package port

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Free returns a port that was free just now, and that the system gives to
// no process that asks for any: Linux hands out 32768 to 60999, others 49152 and up.
func Free(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 20_000 + rand.IntN(10_000)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		_ = l.Close()
		return port
	}
	t.Fatal("none of 100 ports is free")
	return 0
}
