package curate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// The rules of Lint.
const (
	LintUnused    = "unused"    // old and never used
	LintDuplicate = "duplicate" // equal to another memory
	LintDeadFile  = "dead_file" // names files that do not exist
	LintOutdated  = "outdated"  // its files changed since it was created or confirmed

	LintContradiction = driftContradiction // two memories that contradict each other
	LintDeadWeight    = "dead_weight"      // injected often and never used
)

// LintRules lists the rules in the order of their findings.
func LintRules() []string {
	return []string{LintContradiction, LintDuplicate, LintDeadFile, LintOutdated, LintDeadWeight, LintUnused}
}

// Bounds of Lint.
const (
	unusedAfter         = 90 * 24 * time.Hour
	duplicateSimilarity = 0.8 // share of common words above which memories are duplicates

	MaxOfOneRule = 200 // findings
)

// Lint finds memories that need attention. It changes nothing and uses no model.
func (s *Service) Lint(ctx context.Context, req LintRequest) (FindingsResponse, error) {
	for _, r := range req.Rules {
		if !slices.Contains(LintRules(), r) {
			return FindingsResponse{}, fmt.Errorf("%q: %w", r, ErrNoRule)
		}
	}
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return FindingsResponse{}, err
	}
	out := FindingsResponse{Project: p, Findings: []Finding{}}
	ms, err := s.LastingMemories(ctx, p)
	if err != nil {
		return out, err
	}
	out.Examined = len(ms)
	stand, err := s.fileStates(ctx, ms)
	if err != nil {
		return out, err
	}
	for _, rule := range LintRules() {
		if len(req.Rules) > 0 && !slices.Contains(req.Rules, rule) {
			continue
		}
		var found []Finding
		switch rule {
		case LintDuplicate:
			found = duplicates(ms, rank.Pairs(ms, duplicateSimilarity))
		case LintUnused:
			found = unused(ms, s.Now())
		case LintDeadFile:
			found = deadFiles(ms, stand)
		case LintOutdated:
			found = outdated(ms, stand)
		case LintContradiction:
			if found, err = s.contradicted(ctx, p); err == nil {
				found, err = undismissed(ctx, s.Store, rule, found)
			}
		case LintDeadWeight:
			found, err = s.DeadWeight(ctx, p)
		}
		if err != nil {
			return out, err
		}
		out.Findings = append(out.Findings, found[:min(len(found), MaxOfOneRule)]...)
	}
	return out, nil
}

// LastingMemories returns the memories of lasting kinds of a project and of its person. An empty key means all
// projects.
func (s *Service) LastingMemories(ctx context.Context, p mem.Project) ([]mem.Memory, error) {
	return s.Event.All(ctx, mem.Query{Project: p.Key, Kinds: append(event.Knowledge(), mem.Todo), Within: "*"})
}

// duplicates returns the pairs that are duplicates, most similar first.
func duplicates(ms []mem.Memory, pairs []rank.Pair) []Finding {
	var out []Finding
	for _, pair := range pairs {
		if pair.Alike < duplicateSimilarity {
			break
		}
		a, b := ms[pair.A], ms[pair.B] // pairs are newest first: a is the newer one
		if !mayBeDuplicates(a, b) || a.Scope != b.Scope || a.Project != b.Project ||
			a.Resolved && b.Resolved && a.Kind == mem.Todo {
			continue
		}
		keep, other := a, b
		if b.Pinned || b.Trust > a.Trust || b.Uses > a.Uses && a.Trust == b.Trust {
			keep, other = b, a
		}
		if other.Pinned {
			continue
		}
		out = append(out, Finding{
			Rule: LintDuplicate, IDs: []string{keep.ID, other.ID}, Fix: "remanence forget " + other.ID,
			Text: fmt.Sprintf("%s says the same as %s (%.0f %%): %s", other.ID, keep.ID, 100*pair.Alike, keep.Title),
		})
	}
	return out
}

// mayBeDuplicates reports whether two similar memories differ in single words at most. A person
// decides about the finding.
func mayBeDuplicates(a, b mem.Memory) bool {
	j := extract.CompareMemories(a, b)
	return j.Agrees() || j.Reason == lang.ByWord || j.Reason == lang.ByList
}

func unused(ms []mem.Memory, now time.Time) []Finding {
	var out []Finding
	for _, m := range ms {
		if m.Pinned || m.Uses > 0 || m.Kind == mem.Todo && !m.Resolved || now.Sub(m.Updated) <= unusedAfter {
			continue
		}
		out = append(out, Finding{
			Rule: LintUnused, IDs: []string{m.ID}, Fix: "remanence forget " + m.ID,
			Text: fmt.Sprintf("not used for %d days: %s", days(now.Sub(m.Updated)), m.Title),
		})
	}
	return out
}

// fileState is the state of a memory's files.
type fileState struct {
	gone  []string // missing files
	fresh mem.Freshness
}

// fileStates examines the files of memories whose project is known, by memory ID.
func (s *Service) fileStates(ctx context.Context, ms []mem.Memory) (map[string]fileState, error) {
	out := map[string]fileState{}
	if s.OpenFiles == nil {
		return out, nil
	}
	projects := map[string]mem.Project{}
	for _, m := range ms {
		if len(m.Files) == 0 || m.Project == "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("look at files: %w", err)
		}
		p, known := projects[m.Project]
		if !known {
			if ps, err := s.Store.Projects(ctx, m.Project); err == nil && len(ps) > 0 {
				p = ps[0]
			}
			projects[m.Project] = p
		}
		if p.Root == "" {
			continue
		}
		out[m.ID] = fileStateOf(s.OpenFiles(p), m, s.Now())
	}
	return out, nil
}

// fileStateOf examines the files of one memory and closes files. It reports nothing for a project whose directory is
// missing.
func fileStateOf(files event.Files, m mem.Memory, now time.Time) fileState {
	defer files.Close()
	var st fileState
	if len(m.Anchors) > 0 {
		st.fresh = files.Freshness(m.Anchors, m.Created)
	}
	for _, a := range files.Anchors(m.Files, now) {
		born := slices.ContainsFunc(m.Anchors, func(b mem.Anchor) bool { return b.File == a.File && b.Hash == "" })
		if a.Hash == "" && !born { // the memory may be about the file's absence
			st.gone = append(st.gone, a.File)
		}
	}
	return st
}

func deadFiles(ms []mem.Memory, stand map[string]fileState) []Finding {
	var out []Finding
	for _, m := range ms {
		if gone := stand[m.ID].gone; len(gone) > 0 {
			out = append(out, Finding{
				Rule: LintDeadFile, IDs: []string{m.ID}, Files: gone, Fix: "remanence edit " + m.ID,
				Text: fmt.Sprintf("%s: the file no longer exists: %s", strings.Join(gone, ", "), m.Title),
			})
		}
	}
	return out
}

func outdated(ms []mem.Memory, stand map[string]fileState) []Finding {
	var out []Finding
	for _, m := range ms {
		if s := stand[m.ID]; s.fresh == mem.FileChanged && len(s.gone) == 0 {
			out = append(out, Finding{
				Rule: LintOutdated, IDs: []string{m.ID}, Files: m.Files, Fix: "remanence mark " + m.ID + " stale",
				Text: fmt.Sprintf("%s changed since: %s", strings.Join(m.Files, ", "), m.Title),
			})
		}
	}
	return out
}
