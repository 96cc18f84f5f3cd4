package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
	"remanence/internal/team"
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
	team, err := h.team.Erase(ctx, would.Memories, true)
	if err != nil {
		return event.PurgeResponse{}, err
	}
	would.Unreached = append(would.Unreached, unreachedByTeam(team)...)
	would.Unreached = append(would.Unreached, unreachedByServer(h)...)
	would.Unreached = append(would.Unreached, h.spooledUnreached(left)...)
	return would, nil
}

// purge first drains the spool, so that erased text does not return from it.
func (h *Daemon) purge(ctx context.Context, ask event.PurgeRequest) (event.PurgeResponse, error) {
	left, err := h.DrainSpool(ctx)
	if err != nil {
		return event.PurgeResponse{}, err
	}
	copies, _ := sqlite.Copies(h.Paths.Database()) // only a malformed pattern fails
	var done event.PurgeResponse
	switch {
	case ask.Text == "":
		done, err = purgeByID(ctx, h, ask.ByID())
	case len(ask.IDs) > 0:
		return done, event.ErrIDsAndText
	case ask.Agent != "":
		return done, fmt.Errorf("erase words: %w", curate.ErrNotPerson)
	default:
		done, err = h.Engine.Erase.EraseWords(ctx, ask.Text,
			func(ctx context.Context, ids event.IDs) (event.PurgeResponse, error) { return purgeByID(ctx, h, ids) })
		done.Unreached = append(done.Unreached, h.Engine.Filesync.FilesHolding([]string{chars.Fold(ask.Text)})...)
	}
	done.Unreached = append(done.Unreached, unreachedByServer(h)...)
	if err == nil && len(copies) > 0 {
		h.backupDaily(ctx) // they went with what was erased
	}
	done.Unreached = append(done.Unreached, h.spooledUnreached(left)...)
	return done, err
}

// errTeamKeeps is the error of an erasure without the team's server.
var errTeamKeeps = errors.New("nothing was erased, since the text on the team's server would come back")

// purgeByID erases records, their texts on the team's server first: what stays there comes back.
func purgeByID(ctx context.Context, h *Daemon, ask event.IDs) (event.PurgeResponse, error) {
	if err := h.Engine.Curate.MayErase(ctx, ask); err != nil {
		return event.PurgeResponse{}, err
	}
	release, err := h.team.Hold(ctx)
	if err != nil {
		return event.PurgeResponse{}, err
	}
	defer release()
	ms, err := h.Store.PurgeMemories(ctx, ask.IDs...)
	if err != nil {
		return event.PurgeResponse{}, err
	}
	team, err := h.team.Erase(ctx, ms, false)
	if err != nil {
		return event.PurgeResponse{}, fmt.Errorf("%w: %w", errTeamKeeps, err)
	}
	done, err := h.Engine.Purge(ctx, ask)
	done.Unreached = append(done.Unreached, unreachedByTeam(team)...)
	return done, err
}

// unreachedByTeam names what an erasure leaves with a team, and what to do about it.
func unreachedByTeam(u team.Unerased) (out []string) {
	if u.Deleted > 0 {
		out = append(out, fault.Count(u.Deleted, "text", "texts")+" deleted on the team's server too: colleagues' copies "+
			"are hidden, and they have to purge them; backups, replicas and the write-ahead log of the server keep the text, "+
			"and its table does until an administrator runs VACUUM FULL remanence_team.memory")
	}
	if len(u.Theirs) > 0 {
		out = append(out, fault.Count(len(u.Theirs), "text", "texts")+" of colleagues on the team's server, which come back "+
			"from there: ask them to forget, or forget them here instead: "+names(u.Theirs))
	}
	if len(u.NoTeam) > 0 {
		out = append(out, fault.Count(len(u.NoTeam), "text", "texts")+" on the server of a team that you have left: set "+
			"share.dsn again before the purge: "+names(u.NoTeam))
	}
	return out
}

// names lists some memories, with the authors that are known.
func names(ms []mem.Memory) string {
	var out []string
	for i, mm := range ms {
		if i == 10 {
			return strings.Join(out, ", ") + " …"
		}
		name := mm.ID
		if by := mm.TeamAuthor(); by != "" && mm.OfTeam() {
			name += " (" + by + ")"
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// sharing returns filesync.Service.Share, which lists what is shared on the server of a team too.
func sharing(h *Daemon) func(context.Context, filesync.ShareRequest) (filesync.ShareResponse, error) {
	return func(ctx context.Context, req filesync.ShareRequest) (filesync.ShareResponse, error) {
		out, err := h.Engine.Filesync.Share(ctx, req)
		if req.Op != filesync.ShareStatus && req.Op != "" || err != nil {
			return out, err
		}
		p, err := h.Engine.Event.Place(ctx, req.ProjectRef)
		if err != nil {
			return out, err
		}
		out.Team, err = h.team.Shares(ctx, p)
		return out, err
	}
}
