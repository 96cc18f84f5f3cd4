//go:build fire && linux

package fault

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"remanence/test/tier"
)

// The n-th call against a worker that takes everything and never answers is
// like the first, or quicker: nothing grows, nothing is lost, and no more than
// one call in five seconds waits for long.
func TestHooksStayFastWhenTheSocketNeverAnswers(t *testing.T) {
	t.Parallel()
	r := tier.Rand(t)
	s := newScene(t)
	impostor(func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })(s)
	calls := tier.Runs(50, 500)
	waited, overdue, begun := 0, 0, time.Now()
	for i := range calls {
		h := happenings()[r.IntN(len(happenings())-1)]
		a := s.hook(s.Payload(h.payload, map[string]any{"session_id": nth(i)}))
		if a.Status != 0 || len(a.Stderr) > 0 || len(a.Stdout) > 0 {
			t.Errorf("call %d, %s: status %d, stdout %q, stderr %q", i, h.payload, a.Status, a.Stdout, a.Stderr)
		}
		if a.Took > (fault{}).hardStop() {
			t.Errorf("call %d, %s: took %v", i, h.payload, a.Took)
		}
		if a.Took > 200*time.Millisecond {
			waited++
		}
		if a.Took >= timeUp {
			overdue++
		}
	}
	took := time.Since(begun)
	t.Logf("%d calls in %v, %d of them longer than 200 ms", calls, took, waited)
	s.recover()
	rows := s.kept()
	missing := 0
	for i := range calls {
		if rows[nth(i)] > 1 {
			t.Errorf("call %d is kept %d times", i, rows[nth(i)])
		}
		if rows[nth(i)] == 0 {
			missing++
		}
	}
	// Only a call whose whole time was up, as on a busy machine, may lose its event.
	if lost := s.lost(); missing > lost || lost > overdue {
		t.Errorf("%d events are missing, %d are counted as lost, and %d calls had their time up", missing, lost, overdue)
	}
}

func nth(i int) string { return fmt.Sprintf("fb000000-0000-4000-8000-%012d", i) }

// A wait in vain holds later calls off: the stamp, not the worker, is asked. It
// holds for five seconds, and then one call tries again.
func TestAFailedWaitSuspendsLaterWaits(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	asked := make(chan struct{}, 1000)
	impostor(func(c net.Conn) {
		asked <- struct{}{}
		_, _ = io.Copy(io.Discard, c)
	})(s)
	start := func() { s.hook(s.Payload("UserPromptSubmit", nil)) }
	// A machine that gives a hook no time ends it before it has stamped its wait.
	stamped := func() bool {
		_, err := os.Stat(filepath.Join(s.run(), "hold"))
		return err == nil
	}
	if !s.Eventually(func() bool { start(); return stamped() }) {
		t.Fatal("no wait in vain is stamped")
	}
	before := len(asked)
	if before == 0 {
		t.Fatal("the worker was not asked")
	}
	for range 5 {
		s.age("hold", 0) // however long a call takes
		start()
	}
	if n := len(asked) - before; n != 0 {
		t.Errorf("calls that were to be held off asked %d times", n)
	}
	s.age("hold", 6*time.Second)
	s.Eventually(func() bool { start(); return len(asked) > before })
	if n := len(asked) - before; n != 1 {
		t.Errorf("after the hold the worker was asked %d times, want once", n)
	}
}
