package event

import (
	"slices"
	"strings"
	"time"

	"remanence/internal/extract"
	"remanence/internal/mem"
)

// How far the time of a commit may be from that of the call that made it.
const (
	commitSlack = 5 * time.Second
	longestCall = time.Hour // of a call whose length the agent did not report
)

// MadeCommits returns the commits that a call made, of those that it reported: the project's repository has them, and
// they were committed while the call ran. A commit that was only printed, or made in another repository, is none of
// them.
func (e *Service) MadeCommits(ev mem.Event, reported []extract.Commit, p mem.Project) (made []mem.Commit) {
	if e.Commits == nil || p.Common == "" {
		return nil
	}
	took := longestCall
	if ev.DurationMS > 0 {
		took = time.Duration(ev.DurationMS) * time.Millisecond
	}
	for _, r := range reported {
		for _, c := range e.Commits(p, r.Hash) {
			if !c.Committed.After(ev.At.Add(commitSlack)) && !c.Committed.Before(ev.At.Add(-took-commitSlack)) {
				made = append(made, c)
			}
		}
	}
	return made
}

// CommitID returns the full hash of a commit; empty if it is none of those made.
func CommitID(made []mem.Commit, hash string) string {
	i := slices.IndexFunc(made, func(m mem.Commit) bool { return strings.HasPrefix(m.ID, hash) })
	if i < 0 {
		return ""
	}
	return made[i].ID
}
