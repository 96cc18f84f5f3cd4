package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// projects lists all that are known.
func (h *house) projects(ctx context.Context, _ api.Nothing) (views.Projects, error) {
	return h.engine.Views.Projects(ctx)
}

// now is what a person sees first: the next briefing, how it stands, what
// happened last.
func (h *house) now(ctx context.Context, at mem.Place) (out api.NowResponse, err error) {
	if out.StatusResponse, err = h.status(ctx, at); err != nil {
		return out, err
	}
	if out.NextProject, err = h.engine.NextProject(ctx, at); err != nil {
		return out, err
	}
	if out.Next, err = h.engine.Next(ctx, views.NextRequest{Place: at}); err != nil {
		return out, err
	}
	if out.Day, err = h.engine.Views.Day(ctx, at); err != nil {
		return out, err
	}
	recent, err := h.engine.Views.Feed(ctx, views.FeedRequest{Place: at})
	out.Recent = recent.Entries
	return out, err
}

// sessionStory is the engine's, with whether the agent still has its own record.
func (h *house) sessionStory(ctx context.Context, ask views.MemoryRequest) (views.SessionStory, error) {
	out, err := h.engine.Views.SessionStory(ctx, ask)
	if err == nil && out.Session.Transcript != "" {
		_, gone := os.Stat(out.Session.Transcript)
		out.Partial = errors.Is(gone, fs.ErrNotExist)
	}
	return out, err
}
