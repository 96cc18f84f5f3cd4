package engine

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// injectedBefore returns the text of the receipt of an event that is delivered again because its reply never arrived.
// It is empty for other events that are delivered twice.
func (e *Engine) injectedBefore(ctx context.Context, ec event.Context) string {
	if !ec.Redelivered || ec.InjectionOff {
		return ""
	}
	r, ok := e.Recall.ReceiptOf(ctx, ec)
	if !ok {
		return "" // nothing was injected
	}
	return r.Text
}

// undelivered marks the injection of an event that comes from the spool although it was stored before: its hook had no
// answer in time, so the text did not reach the client.
func (e *Engine) undelivered(ctx context.Context, ec event.Context) error {
	r, ok := e.Recall.ReceiptOf(ctx, ec)
	if !ok || r.Text == "" || ec.Recovered {
		return nil
	}
	_, err := e.Store.Apply(ctx, mem.Batch{Undelivered: []string{r.ID}})
	return err
}
