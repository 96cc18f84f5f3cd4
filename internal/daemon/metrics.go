package daemon

import (
	"context"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// Metrics are the figures for those who watch the daemon by machine.
func (h *Daemon) Metrics(ctx context.Context) ([]api.Metric, error) {
	o, err := h.Status(ctx, mem.ProjectRef{})
	if err != nil {
		return nil, err
	}
	s, d := o.Stats, o.Health
	kept := map[string]int{
		"memories": s.Memories, "hidden": s.Hidden, "sessions": s.Sessions, "events": s.Events,
		"turns": s.Turns, "receipts": s.Receipts,
	}
	var all []api.Metric
	for _, what := range []string{"memories", "hidden", "sessions", "events", "turns", "receipts"} {
		all = append(all, api.Metric{
			Name: "kept", Help: "Records that are kept, by sort.",
			Labels: map[string]string{"what": what}, Value: float64(kept[what]),
		})
	}
	for _, at := range []struct {
		quantile string
		ms       float64
	}{{"0.5", d.HookP50MS}, {"0.95", d.HookP95MS}} {
		all = append(all, api.Metric{
			Name: "hook_seconds", Help: "How long the newest hooks took, from their first statement to the answer.",
			Labels: map[string]string{"quantile": at.quantile}, Value: at.ms / 1000,
		})
	}
	return append(all,
		api.Metric{Name: "database_bytes", Help: "Size of the database's files.", Value: float64(s.Bytes)},
		api.Metric{
			Name: "injected_tokens", Help: "Tokens injected, by all stored receipts.",
			Value: float64(s.InjectedTokens),
		},
		api.Metric{
			Name: "index_memories", Help: "Memories in the index in RAM; 0 while searches go to the database.",
			Value: float64(h.indexed.Len()),
		},
		api.Metric{Name: "queue_dead_jobs", Help: "Jobs that were given up.", Value: float64(s.DeadJobs)},
		api.Metric{Name: "hook_events_total", Help: "Events answered.", Value: float64(d.Hooks)},
		api.Metric{Name: "hook_errors_total", Help: "Events that could not be kept.", Value: float64(d.HookErrors)},
		api.Metric{
			Name: "hook_timeouts_total", Help: "Events whose hook stopped waiting and spooled them.",
			Value: float64(d.HookTimeouts),
		},
		api.Metric{Name: "private_spans_total", Help: "Private spans taken out.", Value: float64(d.Private)},
		api.Metric{Name: "secrets_total", Help: "Secrets taken out.", Value: float64(d.Secrets)},
	), nil
}
