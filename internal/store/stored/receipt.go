package stored

import (
	"context"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// putCheckpoint writes a checkpoint with a new number.
func (e *Entry) putCheckpoint(ctx context.Context, c mem.Checkpoint) (err error) {
	if c.Project, err = e.CanonicalProject(ctx, c.Project); err != nil {
		return err
	}
	session, err := e.SessionOf(ctx, c.Session, c.Project, e.Event.Agent)
	if err != nil {
		return err
	}
	n, err := e.write.Next(ctx, "checkpoint")
	if err != nil {
		return err
	}
	c.ID, c.At = chars.ShortID("c_", n), FirstOf(c.At, e.At)
	return e.write.InsertCheckpoint(ctx, n, session, c)
}

// putReceipt writes a receipt, and its items as injected into its session.
func (e *Entry) putReceipt(ctx context.Context, r mem.Receipt) (err error) {
	if r.Project, err = e.CanonicalProject(ctx, r.Project); err != nil {
		return err
	}
	session, err := e.SessionOf(ctx, r.Session, r.Project, e.Event.Agent)
	if err != nil {
		return err
	}
	r.At = FirstOf(r.At, e.At)
	if err := e.write.InsertReceipt(ctx, session, r); err != nil || session == nil {
		return err
	}
	return e.write.AddInjected(ctx, session, r.InjectedKeys(), tokensOf(r))
}

// tokensOf is how many tokens of its session a receipt takes.
func tokensOf(r mem.Receipt) int {
	if r.ToSubagent {
		return 0
	}
	return r.Tokens
}

// removeReceipt removes a receipt and takes its items from what its session was injected.
func (e *Entry) removeReceipt(ctx context.Context, id string) error {
	session, r, found, err := e.write.FindReceipt(ctx, id)
	if err != nil || !found {
		return err
	}
	if session != nil {
		if err := e.write.RemoveInjected(ctx, session, r.InjectedKeys(), tokensOf(r)); err != nil {
			return err
		}
	}
	return e.write.DeleteReceipt(ctx, id)
}

// Shorten empties what a list of receipts with Brief leaves out.
func Shorten(receipts []mem.Receipt) {
	for i := range receipts {
		r := &receipts[i]
		r.Terms, r.LeftOut, r.Text = nil, nil, ""
		for j := range r.Items {
			r.Items[j].Parts = nil
		}
	}
}
