package ui

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// waitShown is how long a request takes before a terminal shows that it is still at work.
const waitShown = time.Second

// Waiting shows on a terminal, in one line that is renewed each second, how long a request has taken. It begins after a
// second. The returned function ends that and clears the line; it has to be called once. Pipes, JSON and --quiet show
// nothing.
func (p *Printer) Waiting(request string) (end func()) {
	if p == nil || !IsTerminal(p.Err) || p.Flags.JSON || p.Flags.JSONLines || p.Flags.Quiet {
		return func() {}
	}
	return waiting(p.Err, request)
}

// waiting renews the line on a terminal until the returned function is called.
func waiting(terminal io.Writer, request string) (end func()) {
	var mu sync.Mutex // the timer's function runs beside the caller
	var seconds int
	var over bool
	var timer *time.Timer
	tick := func() {
		mu.Lock()
		defer mu.Unlock()
		if over {
			return
		}
		seconds++
		fmt.Fprintf(terminal, "\r\x1b[K%s: %d s …", strings.ReplaceAll(request, "_", " "), seconds)
		timer.Reset(waitShown)
	}
	mu.Lock()
	timer = time.AfterFunc(waitShown, tick)
	mu.Unlock()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		timer.Stop()
		if seconds > 0 {
			fmt.Fprint(terminal, "\r\x1b[K")
		}
	}
}
