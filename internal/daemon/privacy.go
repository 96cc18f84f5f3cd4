package daemon

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

// scan takes the spool in first: what waits there is part of what is kept.
func (h *Daemon) scan(ctx context.Context, ask event.ScanRequest) (mem.ScanResponse, error) {
	left, err := h.DrainSpool(ctx)
	if err != nil {
		return mem.ScanResponse{}, err
	}
	copies, _ := sqlite.Copies(h.Paths.Database()) // only a malformed pattern fails
	got, err := h.Engine.Erase.Scan(ctx, ask)
	if err == nil && ask.Fix && len(copies) > 0 {
		h.backupDaily(ctx) // they went with what was taken out
	}
	if ask.Fix {
		got.Unreached = append(got.Unreached, unreachedByServer(h)...)
	}
	got.Unreached = append(got.Unreached, h.spooledUnreached(left)...)
	return got, err
}

// previewPurge takes the spool in first, as purge does.
func (h *Daemon) previewPurge(ctx context.Context, ask event.PurgeRequest) (event.PurgeResponse, error) {
	left, err := h.DrainSpool(ctx)
	if err != nil {
		return event.PurgeResponse{}, err
	}
	var would event.PurgeResponse
	switch {
	case ask.Text == "":
		would, err = h.Engine.Erase.PreviewPurge(ctx, ask.ByID())
	case len(ask.IDs) > 0:
		err = event.ErrIDsAndText
	default:
		would, err = h.Engine.Erase.PreviewWords(ctx, ask.Text)
	}
	if err != nil {
		return event.PurgeResponse{}, err
	}
	would.Unreached = append(would.Unreached, unreachedByServer(h)...)
	would.Unreached = append(would.Unreached, h.spooledUnreached(left)...)
	return would, nil
}
