package daemon

import (
	"context"
	"errors"
	"slices"
	"time"

	"remanence/internal/store/sqlite"
)

const (
	retentionInterval = 24 * time.Hour // between two rounds
	retentionRetry    = time.Hour      // after one that failed
)

// tidy does one step of what the retention rules ask for, and says when the
// next is due. Only the worker's look around calls it.
func (h *Daemon) applyRetention(ctx context.Context) time.Duration {
	step, err := h.Engine.Curate.ApplyRetention(ctx, h.retained.Next, h.hasCopies())
	step.Payloads, step.Memories = step.Payloads+h.retained.Payloads, step.Memories+h.retained.Memories
	h.retained = step
	if err == nil && step.More {
		return 0
	}
	said, terr := h.dropTranscripts(ctx)
	err = errors.Join(err, terr)
	h.retained.Next, h.retained.Payloads, h.retained.Memories = 0, 0, 0
	if step.Payloads+step.Jobs+step.Memories+said > 0 {
		h.log.Info("retention", "payloads dropped", step.Payloads, "jobs given up", step.Jobs, "forgotten memories erased",
			step.Memories, "lines of transcripts dropped", said)
	}
	if err != nil {
		h.log.Error("retention", "error", err)
		return retentionRetry
	}
	return retentionInterval
}

// dropTalks lets go of what was said as long ago as the payloads of events that
// are dropped, and says how much that was.
func (h *Daemon) dropTranscripts(ctx context.Context) (int, error) {
	before, ok := h.Engine.Event.KeptSince()
	if !ok {
		return 0, nil
	}
	return h.archive.DropBefore(ctx, before)
}

// hasCopies reports whether there is a copy of the database beside it that is
// not made anew every day, and is younger than forgotten memories get. Erasing
// by rule is not to cost a backup that nobody was asked about.
func (h *Daemon) hasCopies() bool {
	list, err := sqlite.Copies(h.Paths.Database())
	days := h.Config.Now().Settings().HideDays
	return err != nil || slices.ContainsFunc(list, func(c sqlite.Copy) bool {
		return !c.Daily() && h.Sys.Now().Sub(c.Made) < time.Duration(days)*24*time.Hour
	})
}

// rest is for when a bustle is over: what waits for judgement is counted, and
// what the store keeps in memory is given back.
func (h *Daemon) freeMemory(ctx context.Context) {
	h.Engine.Curate.CountReviews(ctx)
	h.indexed.FreeMemory()
	if err := h.Store.ReleaseMemory(ctx); err != nil {
		h.log.Warn("give memory back", "error", err)
	}
}
