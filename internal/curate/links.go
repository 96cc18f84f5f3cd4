package curate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
)

// The keys of its jobs: of each one waits at most.
const (
	tidyKey = "tidy" // names that are one become one, guesses go
)

// Bounds of a weaving.
const (
	linkBatch = 50 // memories of one job

	tidyAfter          = 24 * time.Hour
	maxLikeLinks       = 5    // of a memory to such as are like it, and likewise to such as name the same
	minSharedNames     = 2    // names from which two memories have to do with each other
	sameNameSimilarity = 0.88 // likeness of two names from which they are one
	maxTidied          = 2000 // names of one project
	ruleConfidence     = 0.6  // confidence of a contradiction by rule
)

// weave does a job of its kind.
func (s *Service) Weave(ctx context.Context, job mem.Job) (mem.Batch, error) {
	w, ok := s.Store.(mem.LinkStore)
	if !ok {
		return mem.Batch{}, nil
	}
	if job.Key == tidyKey {
		return mem.Batch{}, s.tidy(ctx, w)
	}
	ms, err := s.Store.List(ctx, mem.Query{Unwoven: true, Within: "*", Limit: linkBatch})
	if err != nil {
		return mem.Batch{}, fmt.Errorf("memories to weave in: %w", err)
	}
	b := mem.Batch{Jobs: []mem.Job{{Kind: event.JobWeave, Key: tidyKey, NotBy: s.Now().Add(tidyAfter)}}}
	if len(ms) == linkBatch { // more at once than a job takes
		b.Jobs = append(b.Jobs, mem.Job{Kind: event.JobWeave, Key: event.WeaveNew})
	}
	for _, m := range ms {
		links, err := s.linksOf(ctx, m)
		if err != nil && (job.Attempts < 2 || ctx.Err() != nil) { // at the second attempt it has its names alone: it must hold up no other
			return mem.Batch{}, err
		}
		b.Woven = append(b.Woven, mem.MemoryLinks{Memory: m.ID, Updated: m.Updated, Names: extract.NamesHeld(m), Links: links})
	}
	return b, nil
}

// linksOf are the links that go out from a memory: to what was there before it.
func (s *Service) linksOf(ctx context.Context, m mem.Memory) ([]mem.Link, error) {
	var out []mem.Link
	add := func(to string, k mem.LinkKind, sure float64) {
		if to != "" && to != m.ID {
			out = append(out, mem.Link{From: m.ID, To: to, Kind: k, Confidence: sure, Made: m.Updated})
		}
	}
	add(m.Supersedes, mem.LinkSupersedes, 1)
	add(m.MergedInto, mem.LinkPartOf, 1)
	if err := s.linkTurn(ctx, m, add); err != nil {
		return nil, err
	}
	if !slices.Contains(event.Knowledge(), m.Kind) {
		return out, nil
	}
	text := chars.Clip(recall.WholeText(m), event.MaxField)
	hits, _, err := s.Recall.Matched(ctx, mem.Query{
		Text: text, Terms: rank.Terms(text), Project: m.Project, Kinds: event.Knowledge(), Within: m.Session, Limit: rank.Candidates,
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("what is like %s: %w", m.ID, err)
	}
	own, likeness := extract.NamesHeld(m), rank.AlikeTo(m)
	similar, related := 0, 0
	for _, h := range hits {
		o := h.Memory
		if o.ID == m.ID || o.ID == m.Supersedes || o.Supersedes == m.ID || o.Created.After(m.Created) || o.Created.Equal(m.Created) && o.ID > m.ID {
			continue
		}
		like := likeness(o)
		both := sharedNames(own, extract.NamesHeld(o))
		switch {
		case extract.Opposed(m, o) || like >= duplicateSimilarity && extract.RolesSwapped(m, o):
			add(o.ID, mem.LinkContradicts, ruleConfidence)
		case like >= recall.Alike && similar < maxLikeLinks:
			similar++
			add(o.ID, mem.LinkSimilarTo, like)
		case both >= minSharedNames && related < maxLikeLinks:
			related++
			add(o.ID, mem.LinkRelatedTo, min(0.9, 0.2+0.15*float64(both)))
		}
	}
	return out, nil
}

// ofOneTurn links what was learned in one turn: a fix to what failed, a reason to
// what it is given for, and each to the turn's summary.
func (s *Service) linkTurn(ctx context.Context, m mem.Memory, add func(string, mem.LinkKind, float64)) error {
	if m.Source.PromptID == "" || m.Kind == mem.Summary {
		return nil
	}
	turn, err := s.Store.List(ctx, mem.Query{Project: m.Project, Session: m.Session, PromptID: m.Source.PromptID, Within: m.Session, Limit: linkBatch})
	if err != nil {
		return fmt.Errorf("turn of %s: %w", m.ID, err)
	}
	for _, o := range turn {
		switch {
		case o.Kind == mem.Summary:
			add(o.ID, mem.LinkPartOf, 0.9)
		case m.Kind == mem.Rationale && o.Kind == mem.Decision:
			add(o.ID, mem.LinkSupports, 0.7)
		case m.Kind == mem.ErrorFix && o.Kind == mem.Gotcha:
			add(o.ID, mem.LinkCausedBy, 0.5)
		}
	}
	if m.Kind != mem.ErrorFix || m.Command == "" {
		return nil
	}
	failures, err := s.Store.List(ctx, mem.Query{Session: m.Session, Within: m.Session, Command: m.Command, Kinds: []mem.Kind{mem.Command}, Limit: 1})
	if err != nil {
		return fmt.Errorf("what %s fixed: %w", m.ID, err)
	}
	for _, f := range failures {
		add(f.ID, mem.LinkCausedBy, 0.9)
	}
	return nil
}

// sharedNames is how many names two memories both hold, guesses apart.
func sharedNames(a, b []mem.Named) int {
	n := 0
	for _, x := range a {
		if x.Confidence >= mem.LeastConfidence && slices.ContainsFunc(b, func(y mem.Named) bool { return x.Kind == y.Kind && x.Name == y.Name }) {
			n++
		}
	}
	return n
}

// tidy makes one of names that are spelt in two ways, and lets go of guesses.
func (s *Service) tidy(ctx context.Context, w mem.LinkStore) error {
	ps, err := s.Store.Projects(ctx, "")
	if err != nil {
		return fmt.Errorf("projects: %w", err)
	}
	for _, p := range ps {
		all, err := w.Entities(ctx, mem.EntityQuery{Project: p.Key, Limit: maxTidied})
		if err != nil {
			return err
		}
		for from, into := range duplicateNames(all) {
			if err := w.Join(ctx, from, into); err != nil {
				return err
			}
		}
	}
	_, err = w.Prune(ctx, s.Now().Add(-mem.LinkedMemory))
	return err
}

// oneName says which of some names are another spelling of one before it, by id.
// The most mentioned come first and stay. Files and packages are what they are spelt.
func duplicateNames(all []mem.Entity) map[string]string {
	out := map[string]string{}
	groups := map[string][]mem.Entity{} // by kind, project, first character and figures
	for _, x := range all {
		if x.Kind == mem.EntityFile || x.Kind == mem.EntityPackage {
			continue
		}
		f := foldedName(x.Name)
		if f == "" {
			continue
		}
		key := fmt.Sprint(x.Kind, " ", x.Project, " ", f[:1], " ", strings.Join(extract.NumbersOf(x.Name).Numbers, " "), digitsIn(f))
		i := slices.IndexFunc(groups[key], func(y mem.Entity) bool { return diceSimilarity(f, foldedName(y.Name)) > sameNameSimilarity })
		if i >= 0 {
			out[x.ID] = groups[key][i].ID
			continue
		}
		groups[key] = append(groups[key], x)
	}
	return out
}

// foldedName is a name without case and without what stands between its parts.
func foldedName(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. @():", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

func digitsIn(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// likeness is how much of two words is the same, 0…1: twice the share of the
// pairs of neighbouring characters that both have (Dice).
func diceSimilarity(a, b string) float64 {
	if a == b {
		return 1
	}
	x, y := bigrams(a), bigrams(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	both := 0
	for p, n := range x {
		both += min(n, y[p])
	}
	return 2 * float64(both) / float64(len(a)+len(b)-2)
}

func bigrams(s string) map[string]int {
	out := map[string]int{}
	for i := range len(s) - 1 {
		out[s[i:i+2]]++
	}
	return out
}
