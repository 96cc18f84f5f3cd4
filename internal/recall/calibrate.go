package recall

import (
	"context"
	_ "embed"
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
	// unrelatedAnswered is the share of unrelated prompts for which a memory, or a quote, of a
	// project may be injected.
	unrelatedAnswered = 0.02
	// lowestFloor and highestFloor bound what calibration may find. A store may be about some
	// of the prompts.
	lowestFloor, highestFloor = 0.45, 0.60
	// calibrateEvery is how long a calibration holds.
	calibrateEvery = 6 * time.Hour
)

// floors holds the least relevance of memories and of quotes for each project that was
// calibrated. It is safe for concurrent use. The zero value is empty.
type floors struct {
	mu    sync.Mutex
	of    map[floorOf]float64
	since map[string]time.Time // project → when it was calibrated; zero if a prompt waits for it
}

type floorOf struct {
	project string
	quotes  bool
}

// floor returns the least relevance for a query, and notes that its project is in use.
func (f *floors) floor(q mem.Query) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.since[q.Project]; !known && q.Project != "" {
		if f.since == nil {
			f.since = map[string]time.Time{}
		}
		f.since[q.Project] = time.Time{}
	}
	if least, ok := f.of[floorOf{q.Project, slices.Contains(q.Kinds, mem.Utterance)}]; ok {
		return least
	}
	return rank.LeastRelevance
}

// due returns the projects in use whose calibration is too old.
func (f *floors) due(now time.Time) (projects []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for p, since := range f.since {
		if now.Sub(since) >= calibrateEvery {
			projects = append(projects, p)
		}
	}
	slices.Sort(projects)
	return projects
}

func (f *floors) set(project string, at time.Time, memories, quotes float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of == nil {
		f.of = map[floorOf]float64{}
	}
	if f.since == nil {
		f.since = map[string]time.Time{}
	}
	f.of[floorOf{project, false}], f.of[floorOf{project, true}], f.since[project] = memories, quotes, at
}

// Calibrate sets the least relevance of each project in which a prompt was recalled, by
// prompts that have nothing to do with it. It takes a few milliseconds for each of them, and
// does nothing for a project that was calibrated lately.
func (e *Service) Calibrate(ctx context.Context) error {
	for _, project := range e.floors.due(e.Now()) {
		if err := e.CalibrateProject(ctx, project); err != nil {
			return err
		}
	}
	return nil
}

// CalibrateProject is Calibrate for one project, whenever it was calibrated.
func (e *Service) CalibrateProject(ctx context.Context, project string) error {
	var least [2]float64
	for i, q := range []mem.Query{{NotKinds: NotRecalled()}, {Kinds: []mem.Kind{mem.Utterance}}} {
		q.Project = project
		var best []float64
		for line := range strings.Lines(unrelatedText) {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			r, err := e.bestRelevance(ctx, q, line)
			if err != nil {
				return fmt.Errorf("calibrate relevance: %w", err)
			}
			best = append(best, r)
		}
		least[i] = leastRelevance(best)
	}
	e.floors.set(project, e.Now(), least[0], least[1])
	return nil
}

// bestRelevance returns the highest relevance of what a prompt finds.
func (e *Service) bestRelevance(ctx context.Context, q mem.Query, prompt string) (best float64, err error) {
	ec := event.Context{
		Event:    mem.Event{Kind: mem.UserPromptSubmit, Session: "calibration", At: e.Now(), Text: prompt},
		Settings: e.Settings(),
		Project:  mem.Project{Key: q.Project},
	}
	question, ask := e.asked(ec, Question{Trigger: "prompt", Asked: prompt, Query: q})
	question.Query.Limit = rank.Candidates
	hits, _, err := e.rankedBy(ctx, ByKeyword, question.Query, ask) // no embedding server is asked
	if err != nil {
		return 0, err
	}
	hits, _, _ = rank.Floor(ask, hits, 0)
	for _, h := range hits {
		if ec.Gate(h.Memory) == "" {
			best = max(best, h.Parts[rank.PartRelevance])
		}
	}
	return best, nil
}

// leastRelevance returns the relevance, in steps of 0.01, that at most unrelatedAnswered of
// the prompts exceed, whose best relevances are given.
func leastRelevance(best []float64) float64 {
	slices.Sort(best)
	most := int(unrelatedAnswered * float64(len(best)))
	least := math.Floor(best[len(best)-1-most]*100+1) / 100
	return min(max(least, lowestFloor), highestFloor)
}
