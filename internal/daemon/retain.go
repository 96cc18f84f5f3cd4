package daemon

import (
	"context"
	"errors"
	"slices"
	"time"

	"remanence/internal/api"
	"remanence/internal/store/sqlite"
)

const (
	retentionInterval = 24 * time.Hour // between two rounds
	retentionRetry    = time.Hour      // after one that failed
)

// applyRetention does one step of the retention rules, and returns when the next is due. Only the worker's
// maintenance calls it.
func (h *Daemon) applyRetention(ctx context.Context) time.Duration {
	step, err := h.Engine.Curate.ApplyRetention(ctx, h.retained.Next, h.hasCopies())
	step.Payloads, step.Memories = step.Payloads+h.retained.Payloads, step.Memories+h.retained.Memories
	h.retained = step
	if err == nil && step.More {
		return 0
	}
	dropped, terr := h.dropTranscripts(ctx)
	err = errors.Join(err, terr)
	h.retained.Next, h.retained.Payloads, h.retained.Memories = 0, 0, 0
	if step.Payloads+step.Jobs+step.Memories+dropped > 0 {
		h.log.Info("retention", "payloads dropped", step.Payloads, "jobs given up", step.Jobs, "forgotten memories erased",
			step.Memories, "lines of transcripts dropped", dropped)
	}
	if err != nil {
		h.log.Error("retention", "error", err)
		return retentionRetry
	}
	return retentionInterval
}

// dropTranscripts drops the archived conversation that is as old as dropped payloads, and counts the lines.
func (h *Daemon) dropTranscripts(ctx context.Context) (int, error) {
	before, ok := h.Engine.Event.KeptSince()
	if !ok {
		return 0, nil
	}
	return h.archive.DropBefore(ctx, before)
}

// hasCopies reports whether a copy of the database exists that is not the daily one and is younger than the
// age of erased memories. Erasing by rule must not invalidate a backup without a request.
func (h *Daemon) hasCopies() bool {
	if h.file == nil {
		return false
	}
	list, err := sqlite.Copies(h.Paths.Database())
	days := h.Config.Now().Settings().HideDays
	return err != nil || slices.ContainsFunc(list, func(c sqlite.Copy) bool {
		return !c.Daily() && h.Sys.Now().Sub(c.Made) < time.Duration(days)*24*time.Hour
	})
}

// afterBusy runs after a busy period: it counts the review queue, which pages show, and frees the store's caches.
func (h *Daemon) afterBusy(ctx context.Context) {
	for _, project := range h.Engine.Curate.CountReviews(ctx) {
		h.live.Publish(api.Change{Type: api.Changed, Project: project, What: []string{"review"}})
	}
	h.indexed.FreeMemory()
	if h.file == nil {
		return
	}
	if err := h.file.ReleaseMemory(ctx); err != nil {
		h.log.Warn("give memory back", "error", err)
	}
}
