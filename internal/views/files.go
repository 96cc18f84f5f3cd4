package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"remanence/internal/mem"
)

// Bounds of file listings.
const (
	filesListed     = 300
	maxFilesListed  = 2000
	maxFileMemories = 200 // memories of one file
)

// Files lists the files that memories are about.
func (s *Service) Files(ctx context.Context, req FilesRequest) (FileTree, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return FileTree{}, err
	}
	out := FileTree{Project: p, Files: []mem.FileRow{}}
	limit, offset := min(cmp.Or(max(req.Limit, 0), filesListed), maxFilesListed), max(req.Offset, 0)
	list, total, err := s.Store.FileCounts(ctx, p.Key, req.Under, offset+limit)
	if err != nil {
		return out, fmt.Errorf("files: %w", err)
	}
	out.Files, out.Total = append(out.Files, list[min(offset, len(list)):]...), total
	return out, nil
}

// File returns what is known about one file.
func (s *Service) File(ctx context.Context, req FileRequest) (FilePage, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return FilePage{}, err
	}
	out := FilePage{Project: p, Path: s.Rel(p, req.Path), Memories: []mem.Memory{}, Sessions: []mem.Session{}}
	ms, err := s.Store.List(ctx, mem.Query{Project: p.Key, Within: "*", File: out.Path, Limit: maxFileMemories})
	if err != nil {
		return out, fmt.Errorf("memories of %s: %w", out.Path, err)
	}
	out.Memories = append(out.Memories, ms...)
	seen, hits := map[string]bool{"": true}, []mem.Hit{}
	for _, m := range ms {
		hits = append(hits, mem.Hit{Memory: m})
		if seen[m.Session] {
			continue
		}
		seen[m.Session] = true
		sess, err := s.Store.Session(ctx, m.Session)
		if errors.Is(err, mem.ErrNotFound) {
			continue
		}
		if err != nil {
			return out, fmt.Errorf("session %s: %w", m.Session, err)
		}
		out.Sessions = append(out.Sessions, sess)
	}
	slices.SortStableFunc(out.Sessions, func(a, b mem.Session) int { return b.LastEvent.Compare(a.LastEvent) })
	out.Stale = s.Recall.Standing(p, hits)
	return out, nil
}

// FilesRequest asks which files memories are about.
type FilesRequest struct {
	mem.ProjectRef
	Under string `json:"under,omitempty"` // only files below this folder
	Limit int    `json:"limit,omitempty"` // 0 means 300; at most 2000
	// Offset is the number of files to leave out, those with the most memories first.
	Offset int `json:"offset,omitempty"`
}

// FileTree lists the files that memories are about, most memories first.
type FileTree struct {
	Project mem.Project   `json:"project"`
	Files   []mem.FileRow `json:"files"`
	Total   int           `json:"total"` // number of files, including those beyond the limit
}

// FileRequest asks for one file.
type FileRequest struct {
	mem.ProjectRef
	Path string `json:"path"`
}

// FilePage is what is known about one file.
type FilePage struct {
	Project  mem.Project              `json:"project"`
	Path     string                   `json:"path"`
	Memories []mem.Memory             `json:"memories"` // newest first, at most 200
	More     bool                     `json:"more,omitempty"`
	Sessions []mem.Session            `json:"sessions"` // sessions of Memories, last active first
	Stale    map[string]mem.Freshness `json:"stale"`    // freshness of memories anchored to the file, by ID
}
