package eval

import (
	"context"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// inject measures injections with prompts: with the suite's own questions, which should have one, and with other
// prompts, which should not.
func (r *run) inject(ctx context.Context) error {
	var err error
	if r.result.Injections, err = r.injectWithQuestions(ctx); err != nil {
		return err
	}
	r.result.False, err = r.injectWithOthers(ctx)
	return err
}

// injectWithQuestions measures injections with the suite's questions as prompts.
func (r *run) injectWithQuestions(ctx context.Context) (*Injections, error) {
	injected, right, n := 0, 0, 0
	for i, q := range r.questions {
		if len(q.Relevant) == 0 {
			continue
		}
		items, err := r.injected(ctx, views.NextRequest{
			ProjectRef: mem.ProjectRef{Project: q.Project}, Prompt: q.Text,
			Before: q.AsOf,
		})
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		n++
		if len(items) > 0 {
			injected++
		}
		if AnyAt(items, q.Relevant, len(items)) > 0 {
			right++
		}
		r.options.progress("injected", i+1, len(r.questions))
	}
	if n == 0 {
		return nil, nil
	}
	return &Injections{Queries: n, Any: float64(injected) / float64(n), Relevant: float64(right) / float64(n)}, nil
}

// injectWithOthers measures injections with prompts that are unrelated to the suite, in each of its projects in turn.
func (r *run) injectWithOthers(ctx context.Context) (*False, error) {
	if len(r.places) == 0 {
		return nil, nil
	}
	out := &False{ByClass: map[string]PromptCount{}}
	for i, p := range r.options.Prompts {
		items, err := r.injected(ctx, views.NextRequest{
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

// injected returns the units that would be injected with a prompt, in their order.
func (r *run) injected(ctx context.Context, ask views.NextRequest) ([]string, error) {
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
