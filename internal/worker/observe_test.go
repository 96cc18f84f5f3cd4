package worker

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestWhoLeavesBeforeTheAnswerIsNoWarning(t *testing.T) {
	for _, tt := range []struct {
		err    error
		warned bool
	}{
		{errors.New("disk full"), true},
		{context.Canceled, false},
		{&net.OpError{Op: "write", Err: os.NewSyscallError("write", syscall.EPIPE)}, false},
		{&net.OpError{Op: "write", Err: os.NewSyscallError("write", syscall.ECONNRESET)}, false},
	} {
		var log bytes.Buffer
		w := &worker{cfg: Config{Log: slog.New(slog.NewTextHandler(&log, nil))}}
		w.observe("event", 0, tt.err)
		if got := strings.Contains(log.String(), "level=WARN"); got != tt.warned {
			t.Errorf("%v: warned %v, want %v", tt.err, got, tt.warned)
		}
	}
}
