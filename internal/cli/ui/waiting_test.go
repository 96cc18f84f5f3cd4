package ui

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// lockedText is what a terminal was given, by the request and by the timer beside it.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestARequestOfOverASecondShowsThatItIsAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal lockedText
		end := waiting(&terminal, "purge_preview")
		time.Sleep(900 * time.Millisecond)
		synctest.Wait()
		if got := terminal.String(); got != "" {
			t.Errorf("shown within a second: %q", got)
		}
		time.Sleep(1500 * time.Millisecond)
		end()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		const want = "\r\x1b[Kpurge preview: 1 s …\r\x1b[Kpurge preview: 2 s …\r\x1b[K"
		if got := terminal.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestAShortRequestAndAPipeShowNothing(t *testing.T) {
	var out strings.Builder
	waiting(&out, "search")()
	(&Printer{Out: &out, Err: &out}).Waiting("search")()
	if out.Len() > 0 {
		t.Errorf("shown: %q", out.String())
	}
}
