package daemon

import (
	"context"
	"time"
)

// maxDaily is the size up to which a database is copied every day without being
// asked: a copy of more would keep the disk busy for seconds.
const maxDailyBackup = 256 << 20

// wait is what the worker has done when it is quiet: what the retention rules
// ask for, and then the backup of the day.
func (h *Daemon) maintain(ctx context.Context) time.Duration {
	next := h.applyRetention(ctx)
	if next > 0 {
		h.backupDaily(ctx)
	}
	return next
}

// keepDaily makes the backup of the day, where it is small beside what is free.
func (h *Daemon) backupDaily(ctx context.Context) {
	size := h.Paths.DatabaseBytes()
	if free, ok := FreeBytes(h.Paths.Data); size > maxDailyBackup || ok && free < 4*size+spareBytes {
		return
	}
	made, err := h.Store.KeepDaily(ctx)
	if err != nil {
		h.log.Warn("no backup of the day", "error", err)
	}
	if made {
		h.log.Info("backup of the day made")
	}
}
