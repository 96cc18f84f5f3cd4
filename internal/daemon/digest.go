package daemon

import (
	"context"
	"errors"

	"remanence/internal/api"
	"remanence/internal/digest"
	"remanence/internal/event"
)

// DigestStatus is the route of the state of digests by a model; it also digests turns again on request.
var DigestStatus = api.Route[digest.Request, event.Digesting]{
	Name: "digest", Summary: "Write memories of a turn with a model",
}

func (h *Daemon) digest(ctx context.Context, ask digest.Request) (event.Digesting, error) {
	d, err := h.Engine.Digest.Status(ctx, ask)
	if errors.Is(err, digest.ErrNoModel) { // what is the matter with it stands beside
		err = nil
	}
	return h.withModel(d), err
}
