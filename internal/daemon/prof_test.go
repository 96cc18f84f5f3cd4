package daemon

import (
	"os"
	"testing"
	"time"

	"remanence/internal/capture"
)

func TestProfileBackfill(t *testing.T) {
	p := newPastSessions(t)
	p.folder = os.Getenv("PROF")
	t.Log(p.asks(capture.BackfillRequest{Limit: 12}))
	if err := p.works(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	t.Log(p.stats())
}
