package cli

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// sizes answers api.Sizes: the parts of the store and what lies around it.
func (h *house) sizes(ctx context.Context, _ api.Nothing) (api.SizesResponse, error) {
	parts, err := h.store.Sizes(ctx)
	if err != nil {
		return api.SizesResponse{}, err
	}
	out := api.SizesResponse{Parts: append(parts, h.paths.fileParts()...)}
	for _, p := range out.Parts {
		out.Bytes += p.Bytes
	}
	return out, nil
}

// fileParts are the sizes of the files around the database. They need no
// daemon. What cannot be read counts as nothing.
func (p Paths) fileParts() []mem.Part {
	parts := []mem.Part{{Name: mem.PartSpool}, {Name: mem.PartBackups}, {Name: mem.PartTranscripts}, {Name: mem.PartLog}, {Name: mem.PartFiles}}
	dirs := []string{p.Data}
	if !sameDir(p.State, p.Data) {
		dirs = append(dirs, p.State)
	}
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil
			}
			for i := range parts {
				if parts[i].Name == p.partOf(file) {
					parts[i].Bytes += info.Size()
					parts[i].Count++
				}
			}
			return nil
		})
	}
	return parts
}

// bytesIn is the size of the files in a directory, as far as they can be read.
func bytesIn(dir string) (bytes int64) {
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

// partOf is the part that a file of ours belongs to; "" for the database, whose
// parts the store tells.
func (p Paths) partOf(file string) string {
	within := func(dir string) bool { return strings.HasPrefix(file, dir+string(filepath.Separator)) }
	switch db := p.Database(); {
	case file == db, file == db+"-wal", file == db+"-shm":
		return ""
	case strings.HasPrefix(file, db), within(filepath.Join(p.Data, "backups")):
		return mem.PartBackups
	case within(p.Transcripts()):
		return mem.PartTranscripts
	case within(p.Spool()):
		return mem.PartSpool
	case within(filepath.Dir(p.Log())):
		return mem.PartLog
	}
	return mem.PartFiles
}
