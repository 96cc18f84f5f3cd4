package hook

import (
	"os"
	"os/signal"
	"syscall"
)

// holdSignals keeps what ends other programs from ending this one before its
// answer: a client that closes its end of the pipe, stops its hooks or is
// interrupted. The hard limit bounds the call all the same. It holds until the
// process ends: ignoring costs nothing, but to take it back would start a thread.
// What is started meanwhile inherits it, and a Go program takes back what it asks for.
func holdSignals() {
	signal.Ignore(syscall.SIGPIPE, syscall.SIGTERM, syscall.SIGHUP, os.Interrupt)
}
