package daemon

import (
	"runtime"
	"runtime/debug"
	"testing"
)

var garbage []byte // what a test leaves behind

// A heap as small as the worker's is collected every 2 MB, as Go has it. The
// test counts collections, so that it holds on any machine.
func TestTheWorkersHeapIsCollectedSeldom(t *testing.T) {
	defer collectLessOften()()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 << 10 {
		garbage = make([]byte, 1<<10)
	}
	runtime.ReadMemStats(&after)
	if n := after.NumGC - before.NumGC; n > 30 {
		t.Errorf("got %d collections for 100 MB, want 30 at most", n)
	}
}

func TestABackfillCollectsASmallHeapSeldomAndALargeOneAsEver(t *testing.T) {
	defer collectLessOften()()
	runtime.GC()
	percent := func() int {
		defer collectByGarbage()()
		p := debug.SetGCPercent(gcPercent)
		debug.SetGCPercent(p)
		return p
	}
	small := percent()
	large := make([]byte, 4*garbageOfBackfill)
	runtime.GC()
	if got := percent(); small <= gcPercent || small > mostPercent || got != gcPercent {
		t.Errorf("the heap may grow by %d %%, and by %d %% if it is large; want more than %d, up to %d, and %d", small, got,
			gcPercent, mostPercent, gcPercent)
	}
	runtime.KeepAlive(large)
}
