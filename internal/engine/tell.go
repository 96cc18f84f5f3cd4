package engine

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// toldOnce is what an event was told that is handed in again since the answer never
// came, by its receipt: nobody else knows of it. Others are told nothing twice.
func (e *Engine) toldOnce(ctx context.Context, m *event.Context) string {
	if !m.Redelivered || m.InjectionOff {
		return ""
	}
	r, ok := e.Recall.ReceiptOf(ctx, m)
	if !ok {
		return "" // there was nothing to tell
	}
	return r.Text
}

// unheard takes back what an event was told that comes from the spool although it
// was kept before: its hook had no answer in time, so nobody heard it.
func (e *Engine) unheard(ctx context.Context, m *event.Context) error {
	r, ok := e.Recall.ReceiptOf(ctx, m)
	if !ok || r.Text == "" || m.Recovered {
		return nil
	}
	_, err := e.Store.Apply(ctx, mem.Batch{Undelivered: []string{r.ID}})
	return err
}
