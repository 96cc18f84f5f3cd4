//go:build surreal || backends

package surreal

import (
	"context"
	"time"
)

// keptNotices is how many of the last notices are kept for those who listen.
const keptNotices = 1000

// everythingChanged is what is received in place of notices that are gone.
const everythingChanged = `{"from":"","all":true,"missed":true}`

// notify adds a notice to what the transaction writes. Transactions take effect in the order of their numbers.
func (tx *transaction) notify(ctx context.Context, text string) error {
	n, err := tx.Next(ctx, "notice")
	if err != nil {
		return err
	}
	if err := tx.exec(ctx, put("notice", n, map[string]any{"number": n, "text": text})); err != nil {
		return err
	}
	return tx.exec(ctx, query("DELETE type::record('notice', ?) RETURN NONE", n-keptNotices))
}

// Notify sends a text of at most stored.MaxNotice bytes to all who listen. Every user of the database can listen: it
// must not be a secret.
func (s *database) Notify(ctx context.Context, text string) error {
	return wrap("notify", s.transact(ctx, func(tx *transaction) error { return tx.notify(ctx, text) }))
}

// Listen passes on what is sent, its own too, until ctx ends or the server is away. It calls ready when it begins.
func (s *database) Listen(ctx context.Context, ready func(), receive func(text string)) error {
	last, err := s.lastNotice(ctx)
	if err != nil {
		return wrap("listen", err)
	}
	ready()
	ticks := time.NewTicker(s.poll)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		if last, err = s.passOn(ctx, last, receive); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return wrap("listen", err)
		}
	}
}

func (s *database) lastNotice(ctx context.Context) (int64, error) {
	n, _, err := first(ctx, s, query("SELECT last_notice FROM store:state"), number("last_notice"))
	return n, err
}

// passOn passes on the notices after one, and returns the number of the last.
func (s *database) passOn(ctx context.Context, last int64, receive func(string)) (int64, error) {
	found, err := s.run(ctx, query("SELECT number, text FROM notice WHERE number > ? ORDER BY number", last))
	if err != nil || len(found) == 0 {
		return last, err
	}
	if found[0].Number("number") != last+1 {
		receive(everythingChanged)
	}
	for _, r := range found {
		receive(r.Text("text"))
	}
	return found[len(found)-1].Number("number"), nil
}
