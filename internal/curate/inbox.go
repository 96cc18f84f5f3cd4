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
type Inboxes struct {
	Tray   Tray
	mu     sync.Mutex
	by     map[string]ReviewCounts // nil until it was read from the tray
	wanted map[string]bool         // projects to look through once it is quiet
}

// Tray keeps how many findings wait, by the key of a project, beyond the process.
type Tray interface {
	Read() map[string]ReviewCounts // what was written last, as far as it is still there
	Write(by map[string]ReviewCounts)
}

// known is what is known so far. The caller holds the lock.
func (in *Inboxes) known() map[string]ReviewCounts {
	if in.by == nil && in.Tray != nil {
		in.by = in.Tray.Read()
	}
	if in.by == nil {
		in.by = map[string]ReviewCounts{}
	}
	return in.by
}

// noted keeps what is known now. The caller holds the lock.
func (in *Inboxes) noted() {
	if in.Tray != nil {
		in.Tray.Write(in.by)
	}
}

// want has a project looked through once it is quiet.
func (in *Inboxes) want(project string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.wanted == nil {
		in.wanted = map[string]bool{}
	}
	in.wanted[project] = true
}

// takeWanted returns the projects to look through, each once.
func (in *Inboxes) takeWanted() []string {
	in.mu.Lock()
	defer in.mu.Unlock()
	projects := slices.Sorted(maps.Keys(in.wanted))
	clear(in.wanted)
	return projects
}

// counted notes what all of a review came to.
func (in *Inboxes) counted(project string, found map[string]int, at time.Time) {
	in.mu.Lock()
	defer in.mu.Unlock()
	w := ReviewCounts{At: at, Counts: maps.Clone(found)}
	for _, n := range found {
		w.Total += n
	}
	in.known()[project] = w
	in.noted()
}

// decided takes findings away, about memories of a project or, with "", of the
// person, which every project has.
func (in *Inboxes) decided(project, rule string, n int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for key, w := range in.known() {
		if (key == project || key == "" || project == "") && w.Counts[rule] > 0 {
			n := min(n, w.Counts[rule])
			w.Total -= n
			w.Counts[rule] -= n
			in.by[key] = w
		}
	}
	in.noted()
}

// of is what waits in a project; nil where nobody has looked yet.
func (in *Inboxes) of(project string) *ReviewCounts {
	in.mu.Lock()
	defer in.mu.Unlock()
	w, ok := in.known()[project]
	if !ok {
		return nil
	}
	w.Counts = maps.Clone(w.Counts)
	return &w
}

// LookThrough counts what waits in the projects that were consolidated since the
// last time. It is for when nobody is kept waiting; nothing depends on it.
func (e *Service) LookThrough(ctx context.Context) {
	for _, project := range e.inbox.takeWanted() {
		_, err := e.Review(ctx, ReviewRequest{Place: mem.Place{Project: project}, Limit: 1})
		e.Event.Without("review", err)
	}
}

// reviewCount returns how much waits in a project's review queue; nil if it was
// not counted yet.
func (e *Service) ReviewCount(project string) *ReviewCounts { return e.inbox.of(project) }
