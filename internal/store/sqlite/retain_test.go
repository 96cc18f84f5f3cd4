package sqlite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// Dropped text is overwritten: no file contains it after the next checkpoint.
func TestNoByteOfADroppedPayloadIsLeft(t *testing.T) {
	s := storeWithSecret(t)
	var group []mem.Batch
	for i := range 3 * maxDropped {
		e := mem.Event{
			ID: fmt.Sprint("e_old", i), Agent: "claude-code", Kind: mem.PostToolUse,
			At: storetest.Clock().Add(-time.Hour), Session: "old", Text: "the old word is pumpernickel " +
				strings.Repeat("x", i*100),
		}
		group = append(group, mem.Batch{Event: &e})
	}
	apply(t, s, group...)
	if bytesLeft(t, s, "pumpernickel") == 0 {
		t.Fatal("nothing to drop")
	}
	for from, steps := int64(0), 0; ; steps++ {
		next, _, err := s.DropPayloads(t.Context(), storetest.Clock(), from, 2*maxDropped)
		if err != nil || steps > 100 {
			t.Fatalf("step %d: %v", steps, err)
		}
		if from = next; from == 0 {
			break
		}
	}
	if _, err := s.conn.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	if n := bytesLeft(t, s, "pumpernickel"); n > 0 {
		t.Errorf("it is still there %d times", n)
	}
	sound(t, s)
}
