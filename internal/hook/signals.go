package hook

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreSignals ignores signals that would end the process before its reply: the client may
// close the pipe, stop its hooks or be interrupted. The hard limit still applies. Signals stay
// ignored until the process ends, because restoring them would start a thread. Child processes
// inherit this; a Go program resets the signals it handles.
func ignoreSignals() {
	signal.Ignore(syscall.SIGPIPE, syscall.SIGTERM, syscall.SIGHUP, os.Interrupt)
}
