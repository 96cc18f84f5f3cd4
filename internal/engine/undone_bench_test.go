package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
)

// BenchmarkUndoneDecision measures an edit of a file that earlier turns changed as much, by the lines of each edit.
func BenchmarkUndoneDecision(b *testing.B) {
	text := func(lines, value int) string {
		var out strings.Builder
		for i := range lines {
			fmt.Fprintf(&out, "\tsetting[%d] = wait(sender, gateway, timer, %d)\n", i, value)
		}
		return out.String()
	}
	for _, lines := range []int{1, 100, 1500} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			s := newStage(b)
			s.play(start("startup"))
			for n := range 20 {
				id := fmt.Sprintf("p%d", n)
				s.play(prompt(id, "the sender loses mails"), edited(id, "t"+id, senderFile, text(lines, n), text(lines, n+1)),
					stop(id, "It waits longer now."))
				s.clock = s.clock.Add(time.Hour)
			}
			s.play(mem.Event{Kind: mem.SessionEnd, Source: "other"})
			s.inSession = "two"
			s.play(start("startup"), prompt("q", "make the sender faster"))
			s.Recall.Slack = 0
			n := 0
			for b.Loop() {
				n++
				s.play(edited("q", fmt.Sprintf("u%d", n), senderFile, text(lines, 20), text(lines, 3)))
			}
		})
	}
}
