package digest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// capReached keeps a model from being asked before the next day.
type capReached struct {
	spent, limit int
	until        time.Time
}

// Error implements error.
func (c capReached) Error() string {
	return fmt.Sprintf("%d of %d tokens of today are spent", c.spent, c.limit)
}

// textsTried are the lengths, in characters, to which a turn is cut for a model: the
// shorter ones for a model that takes no more.
func textsTried() []int { return []int{MaxModelText, MaxModelText / 2, MaxModelText / 4} }

// askModel has a model digest a text, as much of it as the model takes.
func (e *Service) askModel(ctx context.Context, model event.Summarizer, text string) (d mem.Digest, err error) {
	tried := ""
	for _, most := range textsTried() {
		part := headAndTail(text, most)
		if part == tried {
			continue
		}
		tried = part
		if d, err = e.paid(ctx, model, part); !errors.Is(err, mem.ErrTooMuch) {
			return d, err
		}
	}
	return d, err
}

// paid asks a model once, within what the person allows for a day. What it may cost
// is counted before, durably: a worker that dies meanwhile has spent it.
func (e *Service) paid(ctx context.Context, model event.Summarizer, text string) (mem.Digest, error) {
	ledger, ok := e.Store.(mem.SpendStore)
	if !ok {
		return mem.Digest{}, errNoLedger
	}
	most, day := model.Cost(text), e.day()
	now, err := ledger.Spent(ctx, day)
	if err != nil {
		return mem.Digest{}, fmt.Errorf("what was spent: %w", err)
	}
	if limit := e.Settings().DigestTokens; most > limit-now.Tokens {
		return mem.Digest{}, capReached{now.Tokens, limit, e.tomorrow()}
	}
	if err := e.count(ctx, mem.Spending{Day: day, Tokens: most, Calls: 1}); err != nil {
		return mem.Digest{}, err
	}
	d, err := model.Digest(ctx, text)
	if ctx.Err() != nil {
		return d, err // cut off: what was counted stays
	}
	settled := mem.Spending{Day: day, Tokens: d.Tokens - most}
	var later mem.Later
	if errors.As(err, &later); later.Unasked {
		settled.Calls = -1 // it was not begun
	} else if err != nil {
		settled.Failures = 1
		if paid, ok := errors.AsType[mem.Unusable](err); ok {
			settled.Tokens = min(paid.Tokens, 2*most) - most
		}
	}
	return d, errors.Join(err, e.count(ctx, settled))
}

func (e *Service) count(ctx context.Context, s mem.Spending) error {
	if _, err := e.Store.Apply(ctx, mem.Batch{Spent: &s}); err != nil {
		return fmt.Errorf("count what a model costs: %w", err)
	}
	return nil
}

// day names today, where the person is.
func (e *Service) day() string { return e.Event.Today().Format(time.DateOnly) }

// tomorrow is when the next day begins.
func (e *Service) tomorrow() time.Time { return e.Event.Today().AddDate(0, 0, 1) }
