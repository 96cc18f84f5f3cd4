package daemon

import (
	"context"
	"errors"
	"io/fs"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/transcript"
	"remanence/internal/views"
)

// projects lists all that are known.
func (h *Daemon) projects(ctx context.Context, _ api.Nothing) (views.ProjectsResponse, error) {
	return h.Engine.Views.Projects(ctx)
}

// now is what a person sees first: the next briefing, how it stands, what
// happened last.
func (h *Daemon) now(ctx context.Context, at mem.ProjectRef) (out api.NowResponse, err error) {
	if out.StatusResponse, err = h.Status(ctx, at); err != nil {
		return out, err
	}
	if out.NextProject, err = h.Engine.NextProject(ctx, at); err != nil {
		return out, err
	}
	if out.Next, err = h.Engine.Next(ctx, views.NextRequest{ProjectRef: at}); err != nil {
		return out, err
	}
	if out.NextItems, err = h.Engine.Views.ItemStates(ctx, out.Next); err != nil {
		return out, err
	}
	if out.Day, err = h.Engine.Views.Day(ctx, at); err != nil {
		return out, err
	}
	if out.Today, err = h.Engine.Views.Today(ctx, at); err != nil {
		return out, err
	}
	h.Engine.Curate.CountLater(out.Today.Project.Key)
	recent, err := h.Engine.Views.Feed(ctx, views.FeedRequest{ProjectRef: at})
	out.Recent = recent.Entries
	return out, err
}

// sessionStory is the engine's, with whether the agent still has its own record.
func (h *Daemon) sessionStory(ctx context.Context, ask views.MemoryRequest) (views.SessionStory, error) {
	out, err := h.Engine.Views.SessionStory(ctx, ask)
	if err == nil && out.Session.Transcript != "" {
		out.Partial = errors.Is(transcript.Present(out.Session.Transcript), fs.ErrNotExist)
	}
	return out, err
}
