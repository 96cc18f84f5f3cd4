package daemon

import (
	"strings"

	"remanence/internal/hookclient"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// mindNotices are what a person should know of a project's state files and shared memories: each at
// most once a day.
func (h *Daemon) mindNotices(p mem.Project) []hookclient.Notice {
	if p.Root == "" {
		return nil
	}
	m, err := h.stateFiles.Look(p)
	switch {
	case err != nil || !m.Present:
		return untrustedShared(h.trust, p)
	case !m.Trusted:
		return []hookclient.Notice{{Cause: "trust: " + p.Root, Level: 0, Text: "remanence: " + workstate.Dir +
			"/ of this project is not trusted, so it is not read. Fix: remanence trust"}}
	}
	var out []hookclient.Notice
	if len(m.Warnings) > 0 {
		out = append(out, hookclient.Notice{Cause: "mind: " + p.Root + ": " + m.Warnings[0], Level: 0, Text: "remanence: " +
			m.Warnings[0] + ". Fix: remanence mind show"})
	}
	if h.stateFiles.Forgotten(p) {
		out = append(out, hookclient.Notice{
			Cause: "mind stale: " + p.Root, Level: 0,
			Text: "remanence: the last session changed files and left " + workstate.Dir +
				"/STATE.md as it was. Fix: bring it up to date",
		})
	}
	if list := h.stateFiles.Offer(p); len(list) > 0 && !h.Config.Now().MindLimits().AutoCompress {
		out = append(out, hookclient.Notice{Cause: "mind large: " + p.Root, Level: 0, Text: "remanence: " +
			strings.Join(list, ", ") + " has grown large. Fix: remanence mind compress --dry-run"})
	}
	return out
}

// untrustedShared returns the notice that a repository has shared memories that are not read.
func untrustedShared(trust *TrustList, p mem.Project) []hookclient.Notice {
	folder, trusted := sharedFolders(trust)(p)
	if trusted || !folder.There() {
		return nil
	}
	return []hookclient.Notice{{Cause: "trust: shared: " + p.Root, Level: 0, Text: "remanence: " + mem.SharedDir +
		" of this project is not trusted, so it is not read. Fix: remanence trust"}}
}
