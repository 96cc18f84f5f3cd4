package engine

import (
	"context"

	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// postCompact stores the client's summary in the event and answers nothing. The agent no longer sees the
// conversation before it.
func (e *Engine) postCompact(_ context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	return mem.Reply{}, e.Capture.TranscriptLater(ec, capture.KeyIndex), nil
}
