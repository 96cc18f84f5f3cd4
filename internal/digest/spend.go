package digest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// limitReached is returned when a call would exceed the daily token limit.
type limitReached struct {
	spent, limit int
	until        time.Time
}

// Error implements error.
func (c limitReached) Error() string {
	return fmt.Sprintf("%d of %d tokens of today are spent", c.spent, c.limit)
}

// textLimits returns the lengths, in characters, to which a turn is cut for a model:
// the shorter ones are for models with a small context.
func textLimits() []int { return []int{MaxModelText, MaxModelText / 2, MaxModelText / 4} }

// askModel calls a model with a text, shortened until the model accepts it.
func (s *Service) askModel(ctx context.Context, model event.Summarizer, text string) (d mem.Digest, err error) {
	tried := ""
	for _, most := range textLimits() {
		part := headAndTail(text, most)
		if part == tried {
			continue
		}
		tried = part
		if d, err = s.callWithinLimit(ctx, model, part); !errors.Is(err, mem.ErrTextTooLong) {
			return d, err
		}
	}
	return d, err
}

// callWithinLimit calls a model once for a digest, within the daily token limit.
func (s *Service) callWithinLimit(ctx context.Context, model event.Summarizer, text string) (d mem.Digest, err error) {
	err = s.spend(ctx, model.Cost(text), func() (int, error) {
		d, err = model.Digest(ctx, text)
		return d.Tokens, err
	})
	return d, err
}

// Prose lets the model summarize a recap, within the daily token limit, and returns the model's name. Each part of a
// line that the redactor takes out is taken out before. ErrNoModel if there is no model.
func (s *Service) Prose(ctx context.Context, recap string) (text, name string, err error) {
	model := s.Event.CurrentModel()
	writer, ok := model.(event.ProseWriter)
	if !ok {
		return "", "", ErrNoModel
	}
	recap = headAndTail(s.Redactor.Text(recap), MaxModelText)
	err = s.spend(ctx, writer.ProseCost(recap), func() (tokens int, err error) {
		text, tokens, err = writer.Prose(ctx, recap)
		return tokens, err
	})
	return s.Redactor.Text(text), model.Model(), err
}

// spend makes one call of a model that costs at most so many tokens, within the daily limit. It records the highest
// possible cost before the call, so that a crash cannot lose it. call returns the tokens that it took.
func (s *Service) spend(ctx context.Context, most int, call func() (int, error)) error {
	day := s.day()
	now, err := s.Store.Spent(ctx, day)
	if err != nil {
		return fmt.Errorf("what was spent: %w", err)
	}
	if limit := s.Settings().DigestTokens; most > limit-now.Tokens {
		return limitReached{now.Tokens, limit, s.tomorrow()}
	}
	if err := s.recordSpending(ctx, mem.Spending{Day: day, Tokens: most, Calls: 1}); err != nil {
		return err
	}
	tokens, err := call()
	if ctx.Err() != nil {
		return err // cut off: what was counted stays
	}
	settled := mem.Spending{Day: day, Tokens: tokens - most}
	var later mem.RetryLater
	if errors.As(err, &later); later.NotSent {
		settled.Calls = -1 // it was not begun
	} else if err != nil {
		settled.Failures = 1
		if paid, ok := errors.AsType[mem.UnusableAnswer](err); ok {
			settled.Tokens = min(paid.Tokens, 2*most) - most
		}
	}
	return errors.Join(err, s.recordSpending(ctx, settled))
}

func (s *Service) recordSpending(ctx context.Context, spending mem.Spending) error {
	if _, err := s.Store.Apply(ctx, mem.Batch{Spent: &spending}); err != nil {
		return fmt.Errorf("count what a model costs: %w", err)
	}
	return nil
}

// day names today, where the person is.
func (s *Service) day() string { return s.Event.Today().Format(time.DateOnly) }

// tomorrow is when the next day begins.
func (s *Service) tomorrow() time.Time { return s.Event.Today().AddDate(0, 0, 1) }
