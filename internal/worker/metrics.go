package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"remanence/internal/api"
)

// requestStats counts requests by route and outcome.
type requestStats struct {
	mu sync.Mutex
	of map[requestKey]*tally
}

type requestKey struct {
	route  string // "" means an unknown route
	failed string // "" if it succeeded, else "refused" or "failed"
}

type tally struct {
	n    int64
	took time.Duration
}

func (a *requestStats) count(route string, took time.Duration, failed string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of == nil {
		a.of = map[requestKey]*tally{}
	}
	t := a.of[requestKey{route, failed}]
	if t == nil {
		t = &tally{}
		a.of[requestKey{route, failed}] = t
	}
	t.n++
	t.took += took
}

func (a *requestStats) metrics() []api.Metric {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []api.Metric
	for k, t := range a.of {
		labels := map[string]string{"route": k.route, "outcome": k.failed}
		if k.failed == "" {
			labels["outcome"] = "ok"
		}
		all = append(all,
			api.Metric{Name: "requests_total", Help: "Requests by route and outcome.", Labels: labels, Value: float64(t.n)},
			api.Metric{
				Name: "request_seconds_total", Help: "Time spent on requests, by route and outcome.", Labels: labels,
				Value: t.took.Seconds(),
			})
	}
	return all
}

// metrics returns the daemon's own metrics and those of Config.Metrics.
func (w *worker) metrics(ctx context.Context) ([]api.Metric, error) {
	h := w.health()
	all := []api.Metric{
		{Name: "build_info", Help: "The version that runs.", Labels: map[string]string{"version": h.Version}, Value: 1},
		{Name: "uptime_seconds", Help: "Since the worker started.", Value: h.Uptime},
		{Name: "queue_jobs", Help: "Jobs that wait.", Value: float64(h.QueueDepth)},
		{Name: "queue_oldest_seconds", Help: "Age of the oldest job that waits.", Value: h.OldestJobSeconds},
	}
	if w.cfg.Live != nil {
		all = append(all, api.Metric{Name: "event_streams", Help: "Who looks on now.", Value: float64(w.cfg.Live.Streams())})
	}
	if w.cfg.Metrics != nil {
		more, err := w.cfg.Metrics(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return append(all, w.answered.metrics()...), nil
}

// outcome returns the label of a request's result.
func outcome(err error) string {
	var refusal *api.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refusal), isCallerError(err):
		return "refused"
	}
	return "failed"
}
