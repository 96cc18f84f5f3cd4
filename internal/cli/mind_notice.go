package cli

import (
	"strings"

	"remanence/internal/mem"
)

// mindNotices are what a person should know of a project's state files: each at
// most once a day.
func (h *house) mindNotices(p mem.Project) []notice {
	if p.Root == "" {
		return nil
	}
	m, err := h.minds.Look(p)
	switch {
	case err != nil || !m.Present:
		return nil
	case !m.Trusted:
		return []notice{{"trust: " + p.Root, 0, "remanence: " + mem.MindDir + "/ of this project is not trusted, so it is not read. Fix: remanence trust"}}
	}
	var out []notice
	if len(m.Warnings) > 0 {
		out = append(out, notice{"mind: " + p.Root + ": " + m.Warnings[0], 0, "remanence: " + m.Warnings[0] + ". Fix: remanence mind show"})
	}
	if h.minds.Forgotten(p) {
		out = append(out, notice{"mind stale: " + p.Root, 0, "remanence: the last session changed files and left " + mem.MindDir + "/STATE.md as it was. Fix: bring it up to date"})
	}
	if list := h.minds.Offer(p); len(list) > 0 && !h.config.now().mindLimits().AutoCompress {
		out = append(out, notice{"mind large: " + p.Root, 0, "remanence: " + strings.Join(list, ", ") + " has grown large. Fix: remanence mind compress --dry-run"})
	}
	return out
}
