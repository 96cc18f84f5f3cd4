package eval

import (
	"context"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// tell measures what prompts are told: the suite's own questions, which should
// be, and others, which should not.
func (r *run) tell(ctx context.Context) error {
	var err error
	if r.result.Told, err = r.tellQuestions(ctx); err != nil {
		return err
	}
	r.result.False, err = r.tellOthers(ctx)
	return err
}

// tellQuestions gives the questions as prompts.
func (r *run) tellQuestions(ctx context.Context) (*Telling, error) {
	told, right, n := 0, 0, 0
	for i, q := range r.questions {
		if len(q.Relevant) == 0 {
			continue
		}
		items, err := r.told(ctx, views.NextRequest{
			ProjectRef: mem.ProjectRef{Project: q.Project}, Prompt: q.Text,
			Before: q.AsOf,
		})
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		n++
		if len(items) > 0 {
			told++
		}
		if AnyAt(items, q.Relevant, len(items)) > 0 {
			right++
		}
		r.options.progress("told", i+1, len(r.questions))
	}
	if n == 0 {
		return nil, nil
	}
	return &Telling{Queries: n, Any: float64(told) / float64(n), Relevant: float64(right) / float64(n)}, nil
}

// tellOthers gives prompts that have nothing to do with the suite, in its
// projects by turns.
func (r *run) tellOthers(ctx context.Context) (*False, error) {
	if len(r.places) == 0 {
		return nil, nil
	}
	out := &False{ByClass: map[string]Told{}}
	for i, p := range r.options.Prompts {
		items, err := r.told(ctx, views.NextRequest{
			ProjectRef: mem.ProjectRef{Project: r.places[i%len(r.places)]},
			Prompt:     p.Text,
		})
		if err != nil {
			return nil, fmt.Errorf("prompt %q: %w", chars.Clip(p.Text, 40), err)
		}
		class := out.ByClass[p.Class]
		class.add(len(items) > 0)
		out.ByClass[p.Class] = class
		out.add(len(items) > 0)
		r.options.progress("prompted", i+1, len(r.options.Prompts))
	}
	return out, nil
}

// told are the units that a prompt would be told, as they stand.
func (r *run) told(ctx context.Context, ask views.NextRequest) ([]string, error) {
	ask.Without = r.options.Without
	receipt, err := r.on.Next(ctx, ask)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, it := range receipt.Items {
		out = append(out, r.unit(it.ID))
	}
	return out, nil
}
