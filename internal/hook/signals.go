package hook

import (
	"os"
	"os/signal"
	"syscall"
)

// holdSignals keeps what ends other programs from ending this one before its
// answer: a client that closes its end of the pipe, stops its hooks or is
// interrupted. The hard limit bounds the call all the same. The caught signals
// are set back to their defaults in anything that is started meanwhile.
func holdSignals() (release func()) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGPIPE, syscall.SIGTERM, syscall.SIGHUP, os.Interrupt)
	return func() { signal.Stop(caught) }
}
