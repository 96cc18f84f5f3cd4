package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestARequestOfOverASecondShowsThatItIsAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var terminal strings.Builder
		end := waiting(&terminal, "purge_preview")
		time.Sleep(900 * time.Millisecond)
		synctest.Wait()
		if terminal.Len() > 0 {
			t.Errorf("shown within a second: %q", terminal.String())
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
