package curate

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"remanence/internal/mem"
)

// inboxes are how many findings wait for a person, by the key of a project, "" for
// all. To look for them takes a third of a second and megabytes where thousands of memories
// are, so it is done when it is quiet after all of a project was consolidated, and
// when a person looks; others are told what it came to. The zero value knows of none.
type reviewCounts struct {
	store     Tray
	mu        sync.Mutex
	byProject map[string]ReviewCounts // nil until it was read from the tray
	scheduled map[string]bool         // projects to look through once it is quiet
}

// Tray keeps how many findings wait, by the key of a project, beyond the process.
type Tray interface {
	Read() map[string]ReviewCounts // what was written last, as far as it is still there
	Write(by map[string]ReviewCounts)
}

// known is what is known so far. The caller holds the lock.
func (rc *reviewCounts) load() map[string]ReviewCounts {
	if rc.byProject == nil && rc.store != nil {
		rc.byProject = rc.store.Read()
	}
	if rc.byProject == nil {
		rc.byProject = map[string]ReviewCounts{}
	}
	return rc.byProject
}

// noted keeps what is known now. The caller holds the lock.
func (rc *reviewCounts) save() {
	if rc.store != nil {
		rc.store.Write(rc.byProject)
	}
}

// want has a project looked through once it is quiet.
func (rc *reviewCounts) schedule(project string) {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.scheduled == nil {
		rc.scheduled = map[string]bool{}
	}
	rc.scheduled[project] = true
}

// takeWanted returns the projects to look through, each once.
func (rc *reviewCounts) takeScheduled() []string {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	projects := slices.Sorted(maps.Keys(rc.scheduled))
	clear(rc.scheduled)
	return projects
}

// counted notes what all of a review came to.
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

// decided takes findings away, about memories of a project or, with "", of the
// person, which every project has.
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

// of is what waits in a project; nil where nobody has looked yet.
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

// LookThrough counts what waits in the projects that were consolidated since the
// last time. It is for when nobody is kept waiting; nothing depends on it.
func (s *Service) LookThrough(ctx context.Context) {
	for _, project := range s.counts.takeScheduled() {
		_, err := s.Review(ctx, ReviewRequest{Place: mem.Place{Project: project}, Limit: 1})
		s.Event.Without("review", err)
	}
}

// reviewCount returns how much waits in a project's review queue; nil if it was
// not counted yet.
func (s *Service) ReviewCount(project string) *ReviewCounts { return s.counts.get(project) }
