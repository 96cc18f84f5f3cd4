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
	// A calibration holds for calibrateEvery, and for calibrateSmall while fewer than smallStore
	// memories are searched: such a project changes fast, and is searched in an instant.
	calibrateEvery = 6 * time.Hour
	calibrateSmall = 10 * time.Minute
	smallStore     = 1000
)

// floors holds the least relevance of each project in use. It is safe for concurrent use. The
// zero value is empty.
type floors struct {
	mu sync.Mutex
	of map[string]calibration // by project
}

// calibration is the least relevance of a project. The zero value is that of a project that
// waits for its first calibration.
type calibration struct {
	least float64
	until time.Time // it holds so long
	used  bool      // a prompt was recalled since
}

// floor returns the least relevance for a project, and notes that it is in use.
func (f *floors) floor(project string) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.of[project]
	if c.used = true; project != "" {
		f.put(project, c)
	}
	if c.until.IsZero() {
		return rank.LeastRelevance
	}
	return c.least
}

// put sets the calibration of a project. The caller holds the lock.
func (f *floors) put(project string, c calibration) {
	if f.of == nil {
		f.of = map[string]calibration{}
	}
	f.of[project] = c
}

// due returns the projects that were used since their calibration, if that no longer holds.
func (f *floors) due(now time.Time) (projects []string) {
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

// Calibrate sets the least relevance of each project in which a prompt was recalled, by
// prompts that have nothing to do with it. It takes a few milliseconds for each of these
// prompts, and does nothing for a project whose calibration holds. A project that cannot be
// calibrated keeps what it has.
func (e *Service) Calibrate(ctx context.Context) error {
	var errs []error
	for _, project := range e.floors.due(e.Now()) {
		if ctx.Err() == nil {
			errs = append(errs, e.CalibrateProject(ctx, project))
		}
	}
	return errors.Join(errs...)
}

// CalibrateProject is Calibrate for one project, whether its calibration holds or not.
func (e *Service) CalibrateProject(ctx context.Context, project string) error {
	least, hold := 0.0, calibrateSmall
	for _, q := range []mem.Query{{NotKinds: NotRecalled()}, {Kinds: []mem.Kind{mem.Utterance}}} {
		q.Project = project
		var best []float64
		for line := range strings.Lines(unrelatedText) {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			r, size, err := e.bestRelevance(ctx, q, line)
			if err != nil {
				return fmt.Errorf("calibrate relevance: %w", err)
			}
			if best = append(best, r); size >= smallStore {
				hold = calibrateEvery
			}
		}
		least = max(least, leastRelevance(best))
	}
	e.floors.mu.Lock()
	defer e.floors.mu.Unlock()
	e.floors.put(project, calibration{least: least, until: e.Now().Add(hold)})
	return nil
}

// bestRelevance returns the highest relevance of what a prompt finds, and among how many
// memories of the project it was searched.
func (e *Service) bestRelevance(ctx context.Context, q mem.Query, prompt string) (best float64, size int, err error) {
	ec := event.Context{
		Event:    mem.Event{Kind: mem.UserPromptSubmit, Session: "calibration", At: e.Now(), Text: prompt},
		Settings: e.Settings(), Project: mem.Project{Key: q.Project},
	}
	question, ask := e.asked(ec, Question{Trigger: "prompt", Asked: prompt, Query: q})
	question.Query.Limit = rank.Candidates
	hits, size, err := e.rankedBy(ctx, ByKeyword, question.Query, ask) // no embedding server is asked
	if err != nil {
		return 0, 0, err
	}
	hits, _ = rank.Floor(ask, hits, 0, nil)
	for _, h := range hits {
		if ec.Gate(h.Memory) == "" {
			best = max(best, h.Parts[rank.PartRelevance])
		}
	}
	return best, size, nil
}

// leastRelevance returns the least relevance, in steps of 0.01, of a project in which unrelated prompts find at best
// memories of these relevances.
func leastRelevance(best []float64) float64 {
	slices.Sort(best)
	least := math.Round((best[len(best)/2]+aboveMedian)*100) / 100
	return min(max(least, lowestFloor), highestFloor)
}
