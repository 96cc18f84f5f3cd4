package curate

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"remanence/internal/mem"
)

// reviewCounts caches the number of findings in each project's review queue; key "" is all projects.
// Counting takes a third of a second and megabytes with thousands of memories. It runs when the daemon is idle after a
// full consolidation or after Today was read, and when a person opens the queue. The zero value is empty.
type reviewCounts struct {
	store     CountStore
	mu        sync.Mutex
	byProject map[string]ReviewCounts // nil until read from store
	scheduled map[string]bool         // projects to count when idle
}

// CountStore persists the sizes of the review queues, by project key.
type CountStore interface {
	Read() map[string]ReviewCounts // what Write stored last, or nothing
	Write(by map[string]ReviewCounts)
}

// load returns the counts, read from the store once. The caller holds mu.
func (rc *reviewCounts) load() map[string]ReviewCounts {
	if rc.byProject == nil && rc.store != nil {
		rc.byProject = rc.store.Read()
	}
	if rc.byProject == nil {
		rc.byProject = map[string]ReviewCounts{}
	}
	return rc.byProject
}

// save persists the counts. The caller holds mu.
func (rc *reviewCounts) save() {
	if rc.store != nil {
		rc.store.Write(rc.byProject)
	}
}

// schedule requests that a project is counted when the daemon is idle.
func (rc *reviewCounts) schedule(project string) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.scheduled == nil {
		rc.scheduled = map[string]bool{}
	}
	rc.scheduled[project] = true
}

// takeScheduled returns and clears the projects to count.
func (rc *reviewCounts) takeScheduled() []string {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	projects := slices.Sorted(maps.Keys(rc.scheduled))
	clear(rc.scheduled)
	return projects
}

// set stores the result of a full review.
func (rc *reviewCounts) set(project string, found map[string]int, at time.Time) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	w := ReviewCounts{At: at, Counts: maps.Clone(found)}
	for _, n := range found {
		w.Total += n
	}
	rc.load()[project] = w
	rc.save()
}

// subtract removes n decided findings from a project's count. Project "" is the person's memories,
// which count in every project.
func (rc *reviewCounts) subtract(project, rule string, n int) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	for key, w := range rc.load() {
		if (key == project || key == "" || project == "") && w.Counts[rule] > 0 {
			n := min(n, w.Counts[rule])
			w.Total -= n
			w.Counts[rule] -= n
			rc.byProject[key] = w
		}
	}
	rc.save()
}

// get returns the counts of a project, or nil if they are unknown.
func (rc *reviewCounts) get(project string) *ReviewCounts {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	w, ok := rc.load()[project]
	if !ok {
		return nil
	}
	w.Counts = maps.Clone(w.Counts)
	return &w
}

// CountLater requests that the review queue of a project is counted by the next CountReviews; "" is all projects.
func (s *Service) CountLater(project string) { s.counts.schedule(project) }

// CountReviews counts the findings of projects that were consolidated, or for which CountLater was called, and returns
// those whose count changed. Call it when the daemon is idle.
func (s *Service) CountReviews(ctx context.Context) (changed []string) {
	for _, project := range s.counts.takeScheduled() {
		before := s.counts.get(project)
		_, err := s.Review(ctx, ReviewRequest{ProjectRef: mem.ProjectRef{Project: project}, Limit: 1})
		s.Event.LogDegraded("review", err)
		if now := s.counts.get(project); now != nil && (before == nil || !maps.Equal(before.Counts, now.Counts)) {
			changed = append(changed, project)
		}
	}
	return changed
}

// ReviewCount returns the size of a project's review queue, or nil if it was not counted yet.
func (s *Service) ReviewCount(project string) *ReviewCounts { return s.counts.get(project) }
