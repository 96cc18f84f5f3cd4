package recall

import (
	"cmp"
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
	"remanence/internal/extract"
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
	// A project's own prompts find by chance what is in the same words as all of it. What a prompt asks for is
	// rarely in more than chanceRank-1 memories: what the memory at chanceRank reaches is chance, for ownShare of
	// the newest ownPrompts prompts that have at least leastTerms terms. Fewer than leastOwn say nothing.
	chanceRank  = 5
	ownShare    = 0.75
	ownPrompts  = 40
	leastOwn    = 12
	leastTerms  = 3
	ownSessions = 40 // sessions that are read for it
	ownTurns    = 5  // the newest prompts of each
	highestOwn  = 0.85
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
	least  float64
	prompt float64   // for memories with a prompt, at least as high
	quote  float64   // for utterances with a prompt, at least as high
	until  time.Time // it holds so long
	used   bool      // since it was made
}

// of returns the least relevance for a question.
func (c calibration) of(q Question) float64 {
	switch {
	case c.until.IsZero():
		return rank.LeastRelevance
	case q.Trigger != promptTrigger:
		return c.least
	case slices.Contains(q.Query.Kinds, mem.Utterance):
		return c.quote
	}
	return c.prompt
}

// Use notes that a project is in use: Run calibrates it if its calibration does not hold.
func (f *Floors) Use(project string) { f.use(project, f.recall.Now()) }

// use is Use at a time, and returns the calibration of the project.
func (f *Floors) use(project string, now time.Time) calibration {
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
	return c
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
	c, began := calibration{}, f.recall.Now()
	own, err := f.recall.ownPrompts(ctx, project)
	if err != nil {
		return fmt.Errorf("calibrate relevance: %w", err)
	}
	for _, of := range []struct {
		query mem.Query
		own   *float64
	}{
		{mem.Query{Project: project, NotKinds: NotRecalled()}, &c.prompt},
		{mem.Query{Project: project, Kinds: []mem.Kind{mem.Utterance}}, &c.quote},
	} {
		var best, chance []float64
		for line := range strings.Lines(unrelatedText) {
			if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			r, err := f.recall.relevances(ctx, of.query, line, "")
			if err != nil {
				return fmt.Errorf("calibrate relevance: %w", err)
			}
			best = append(best, at(r, 0))
		}
		for _, p := range own {
			r, err := f.recall.relevances(ctx, of.query, extract.Topic(p.Text), p.Session)
			if err != nil {
				return fmt.Errorf("calibrate relevance by own prompts: %w", err)
			}
			chance = append(chance, at(r, chanceRank-1))
		}
		c.least, *of.own = max(c.least, leastRelevance(best)), ownRelevance(chance)
	}
	c.prompt, c.quote = max(c.prompt, c.least), max(c.quote, c.least)
	f.mu.Lock()
	defer f.mu.Unlock()
	ended := f.recall.Now()
	c.until = ended.Add(min(max(calibrateRest*ended.Sub(began), calibrateSoon), calibrateLate))
	f.put(project, c)
	return nil
}

// at returns the value at i, or 0 beyond the end.
func at(values []float64, i int) float64 {
	if i < len(values) {
		return values[i]
	}
	return 0
}

// ownPrompts returns the newest prompts of a project that memories can be searched by.
func (e *Service) ownPrompts(ctx context.Context, project string) (out []mem.Turn, err error) {
	sessions, err := e.Store.Sessions(ctx, mem.SessionQuery{Project: project, Limit: ownSessions})
	if err != nil {
		return nil, err
	}
	for _, session := range sessions {
		turns, err := e.Store.Turns(ctx, session.ID, ownTurns)
		if err != nil {
			return nil, err
		}
		for _, t := range turns {
			if t.Number > 0 && !t.Private && len(rank.Terms(extract.Topic(t.Text))) >= leastTerms && len(out) < ownPrompts {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

// relevances returns the relevance of each memory that a prompt finds, the highest first. Those of the session without,
// in which the prompt was given, are left out, and that others are of one session counts for nothing: a project's
// own prompts are about what its sessions are about.
func (e *Service) relevances(ctx context.Context, q mem.Query, prompt, without string) (out []float64, err error) {
	ec := event.Context{
		Event:    mem.Event{Kind: mem.UserPromptSubmit, Session: "calibration", At: e.Now(), Text: prompt},
		Settings: e.Settings(), Project: mem.Project{Key: q.Project},
	}
	question, ask := e.asked(ec, Question{Trigger: promptTrigger, Asked: prompt, Query: q})
	question.Query.Limit = rank.Candidates
	hits, _, err := e.rankedBy(ctx, ByKeyword, question.Query, ask) // no embedding server is asked
	if err != nil {
		return nil, err
	}
	hits, _ = rank.Floor(ask, hits, 0, nil)
	for _, h := range hits {
		if ec.Gate(h.Memory) != "" || without != "" && h.Memory.Session == without {
			continue
		}
		r := h.Parts[rank.PartRelevance]
		if without != "" {
			r -= rank.OfTogether(h.Parts)
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b float64) int { return cmp.Compare(b, a) })
	return out, nil
}

// ownRelevance returns the least relevance, in steps of 0.01, of a project whose own prompts find memories of these
// relevances by chance. It is above what ownShare of them find, and 0 if they are too few.
func ownRelevance(chance []float64) float64 {
	if len(chance) < leastOwn {
		return 0
	}
	slices.Sort(chance)
	return min(math.Floor(chance[int(ownShare*float64(len(chance)))]*100+1)/100, highestOwn)
}

// leastRelevance returns the least relevance, in steps of 0.01, of a project in which unrelated prompts find at best
// memories of these relevances.
func leastRelevance(best []float64) float64 {
	slices.Sort(best)
	least := math.Round((best[len(best)/2]+aboveMedian)*100) / 100
	return min(max(least, lowestFloor), highestFloor)
}
