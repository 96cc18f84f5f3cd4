package daemon

import (
	"context"
	"time"
)

// maxDailyBackup is the size up to which a database is copied every day: a larger copy would keep the disk
// busy for seconds.
const maxDailyBackup = 256 << 20

// maintain runs when the daemon is idle: retention, then the daily backup.
func (h *Daemon) maintain(ctx context.Context) time.Duration {
	next := h.applyRetention(ctx)
	if next > 0 {
		h.backupDaily(ctx)
	}
	return next
}

// backupDaily makes the daily backup if enough space is free.
func (h *Daemon) backupDaily(ctx context.Context) {
	if h.file == nil { // a server is backed up by its own programs
		return
	}
	size := h.Paths.DatabaseBytes()
	if free, ok := FreeBytes(h.Paths.Data); size > maxDailyBackup || ok && free < 4*size+spareBytes {
		return
	}
	made, err := h.file.KeepDaily(ctx)
	if err != nil {
		h.log.Warn("no backup of the day", "error", err)
	}
	if made {
		h.log.Info("backup of the day made")
	}
}
