package recall

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

//go:embed unrelated.txt
var unrelatedText string

const (
	// aboveMedian is how far the least relevance is above the median of what unrelated prompts find.
	// In stores of 60 to 22,000 memories at most 2 % of other unrelated prompts find something as far
	// above it. The highest of a store's own say less: it may be about some of the prompts.
	aboveMedian = 0.24
	// lowestFloor and highestFloor bound what calibration may find.
	lowestFloor, highestFloor = 0.40, 0.65
	// A calibration holds for calibrateRest times as long as it took, between calibrateSoon and calibrateLate.
	calibrateRest = 1000
	calibrateSoon = 2 * time.Minute
	calibrateLate = 6 * time.Hour
	// calibrateAfter is how long a calibration waits after the use that it is due to: meanwhile a session starts, and
	// in a new daemon the index is built.
	calibrateAfter = 2 * time.Second
)

// Floors holds the least relevance of each project in use. New makes it. It is safe for concurrent use.
type Floors struct {
	recall *Service
	due    chan struct{} // holds one if a project is used whose calibration does not hold
	mu     sync.Mutex
	of     map[string]calibration // by project
}

// calibration is the least relevance of a project. The zero value is that of a project that
// waits for its first calibration.
type calibration struct {
	least float64
	until time.Time // it holds so long
	used  bool      // since it was made
}

// Use notes that a project is in use: Run calibrates it if its calibration does not hold.
func (f *Floors) Use(project string) { f.use(project, f.recall.Now()) }

// use is Use at a time, and returns the least relevance for the project.
func (f *Floors) use(project string, now time.Time) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.of[project]
	if c.used = true; project != "" {
		f.put(project, c)
		if !c.until.After(now) {
			select {
			case f.due <- struct{}{}:
			default:
			}
		}
	}
	if c.until.IsZero() {
		return rank.LeastRelevance
	}
	return c.least
}

// put sets the calibration of a project. The caller holds the lock.
func (f *Floors) put(project string, c calibration) {
	if f.of == nil {
		f.of = map[string]calibration{}
	}
	f.of[project] = c
}

// expired returns the projects that were used since their calibration, if that no longer holds.
func (f *Floors) expired(now time.Time) (projects []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for p, c := range f.of {
		if c.used && !c.until.After(now) {
			projects = append(projects, p)
		}
	}
	slices.Sort(projects)
	return projects
}

// Run calibrates projects shortly after they are used, until ctx ends. It hands errors to log.
func (f *Floors) Run(ctx context.Context, log func(error)) {
	for {
		select {
		case <-f.due:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(calibrateAfter):
		case <-ctx.Done():
			return
		}
		if err := f.Calibrate(ctx); err != nil && ctx.Err() == nil {
			log(err)
		}
	}
}

// Calibrate sets the least relevance of each project that is in use and whose calibration does not hold, by prompts
// that have nothing to do with it. It takes a few milliseconds for each of these prompts. A project that cannot be
// calibrated keeps what it has.
func (f *Floors) Calibrate(ctx context.Context) error {
	var errs []error
	for _, project := range f.expired(f.recall.Now()) {
		if ctx.Err() == nil {
			errs = append(errs, f.CalibrateProject(ctx, project))
		}
	}
	return errors.Join(errs...)
}

// CalibrateProject is Calibrate for one project, whether its calibration holds or not.
func (f *Floors) CalibrateProject(ctx context.Context, project string) error {
	least, began := 0.0, f.recall.Now()
	for _, q := range []mem.Query{{NotKinds: NotRecalled()}, {Kinds: []mem.Kind{mem.Utterance}}} {
		q.Project = project
		var best []float64
		for line := range strings.Lines(unrelatedText) {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			r, err := f.recall.bestRelevance(ctx, q, line)
			if err != nil {
				return fmt.Errorf("calibrate relevance: %w", err)
			}
			best = append(best, r)
		}
		least = max(least, leastRelevance(best))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	ended := f.recall.Now()
	hold := min(max(calibrateRest*ended.Sub(began), calibrateSoon), calibrateLate)
	f.put(project, calibration{least: least, until: ended.Add(hold)})
	return nil
}

// bestRelevance returns the highest relevance of what a prompt finds.
func (e *Service) bestRelevance(ctx context.Context, q mem.Query, prompt string) (best float64, err error) {
	ec := event.Context{
		Event:    mem.Event{Kind: mem.UserPromptSubmit, Session: "calibration", At: e.Now(), Text: prompt},
		Settings: e.Settings(), Project: mem.Project{Key: q.Project},
	}
	question, ask := e.asked(ec, Question{Trigger: "prompt", Asked: prompt, Query: q})
	question.Query.Limit = rank.Candidates
	hits, _, err := e.rankedBy(ctx, ByKeyword, question.Query, ask) // no embedding server is asked
	if err != nil {
		return 0, err
	}
	hits, _ = rank.Floor(ask, hits, 0, nil)
	for _, h := range hits {
		if ec.Gate(h.Memory) == "" {
			best = max(best, h.Parts[rank.PartRelevance])
		}
	}
	return best, nil
}

// leastRelevance returns the least relevance, in steps of 0.01, of a project in which unrelated prompts find at best
// memories of these relevances.
func leastRelevance(best []float64) float64 {
	slices.Sort(best)
	least := math.Round((best[len(best)/2]+aboveMedian)*100) / 100
	return min(max(least, lowestFloor), highestFloor)
}
