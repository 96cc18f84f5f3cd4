package daemon

import (
	"context"
	"io/fs"
	"path/filepath"

	"remanence/internal/api"
)

// sizes answers api.Sizes: the parts of the store and what lies around it.
func (h *Daemon) sizes(ctx context.Context, _ api.Nothing) (api.SizesResponse, error) {
	parts, err := h.Store.Sizes(ctx)
	if err != nil {
		return api.SizesResponse{}, err
	}
	out := api.SizesResponse{Parts: append(parts, h.Paths.FileParts()...)}
	for _, p := range out.Parts {
		out.Bytes += p.Bytes
	}
	return out, nil
}

// BytesIn is the size of the files in a directory, as far as they can be read.
func BytesIn(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
