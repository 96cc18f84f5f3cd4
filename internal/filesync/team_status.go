package filesync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// TeamShares lists what of a project is shared on a team's server.
type TeamShares struct {
	mem.TeamState

	Origin  string       `json:"origin"`  // of the project, by which the server knows it
	Matches bool         `json:"matches"` // share.projects names it; otherwise nothing is listed
	Items   []SharedItem `json:"items"`
	LeftOut []NotShared  `json:"left_out"` // memories of the shared kinds that are not sent
}

// TeamStatus adds to out what of a project is shared, or waits to be. folder is nil if the server cannot be asked: then
// what others changed there is not listed.
func (s *Service) TeamStatus(ctx context.Context, p mem.Project, folder TeamFolder, kinds []mem.Kind, out *TeamShares,
) error {
	sh := sharing{s: s, p: p, place: mem.TeamPlace}
	all, err := sh.loadAllTeam(ctx, kinds)
	if err != nil {
		return err
	}
	var changed vaultfile.Changes
	if folder != nil {
		with := slices.DeleteFunc(slices.Clone(all), func(mm mem.Memory) bool { return !mm.SharedIn(sh.place) })
		if changed, err = sharedChanges(ctx, folder, with); err != nil {
			return err
		}
	}
	unread := map[string]bool{}
	for _, n := range changed.Notes {
		unread[n.File] = true
		if _, ok := sh.linked[n.File]; !ok {
			it := sh.item(s.sharedMemory(p, mem.Memory{}, s.cleanNote(n), ""))
			it.State = SharedUnread
			out.Items = append(out.Items, it)
		}
	}
	for _, file := range changed.Gone {
		unread[file] = true
	}
	for _, mm := range all {
		state, why := sh.teamState(mm, kinds)
		if why != "" {
			out.LeftOut = append(out.LeftOut, NotShared{mm.ID, mm.Title, why})
		}
		if state == "" || mm.Scope == mem.ScopeUser && mm.Project != "" && mm.Project != p.Key {
			continue
		}
		it := sh.item(mm)
		it.File = sh.fileFor(mm)
		if it.State = state; state == SharedSame && unread[it.File] {
			it.State = SharedUnread
		}
		out.Items = append(out.Items, it)
	}
	slices.SortFunc(out.Items, func(a, b SharedItem) int {
		return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.ID, b.ID))
	})
	return nil
}

// EraseTeam deletes the texts that memories have on a team's server, and returns those whose text there is another's.
// Their files are deleted at the place of folder.
func (s *Service) EraseTeam(ctx context.Context, folder TeamFolder, ms []mem.Memory) (theirs []mem.Memory, err error) {
	for _, mm := range ms {
		if mm.OfTeam() {
			theirs = append(theirs, mm)
			continue
		}
		err := folder.Remove(ctx, mm.Note.File[len(mem.TeamPlace):], mm.Note.Hash)
		if errors.Is(err, vaultfile.ErrBehind) {
			theirs = append(theirs, mm)
			continue
		}
		if err != nil {
			return theirs, fmt.Errorf("delete %s: %w", mm.Note.File, err)
		}
	}
	return theirs, nil
}
