package curate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
)

// Errors of decisions about findings.
var (
	ErrNotPerson = errors.New("only a person may decide this")
	ErrNoFinding = errors.New("this action is not possible for this finding")
	ErrSame      = errors.New("a memory cannot be merged into itself")
)

// The rules of Review, besides those shared with Lint.
const (
	ReviewStale         = "stale" // unused for a month and rarely used before
	ReviewContradiction = driftContradiction
	ReviewLowTrust      = "low_trust" // came from external text, or reads like an instruction
	ReviewPromotion     = "promotion" // may be useful in every project
	ReviewSecret        = "secret"    // contains a secret by the current rules
)

// reviewRule is one rule of Review: how it finds, and what accepting a finding does.
type reviewRule struct {
	rule, accept string
	find         func(*reviewData) []Finding
	apply        func(*draft) // changes the first memory, of a pair the second; nil for other actions
	pair         bool
}

// ReviewRules lists the rules in the order of their findings.
func ReviewRules() []string {
	var out []string
	for _, r := range reviewRules() {
		out = append(out, r.rule)
	}
	return out
}

func reviewRules() []reviewRule {
	supersede := func(l *draft) { l.Status = mem.Superseded }
	archive := func(l *draft) { l.Status = mem.Archived }
	return []reviewRule{
		{ReviewProposal, "it is done; a text that it changes becomes your own", (*reviewData).proposals, nil, false},
		{ReviewSecret, "removes the secret from all stored text", (*reviewData).secrets, nil, false},
		{ReviewContradiction, "the older memory is superseded", (*reviewData).contradictions, supersede, true},
		{
			ReviewLowTrust,
			"you confirm it: it may be injected unasked",
			(*reviewData).lowTrust,
			func(l *draft) { l.Trust = mem.TrustUser },
			false,
		},
		{ReviewPromotion, "it is injected in every project, as your own memory", (*reviewData).promotions, func(l *draft) {
			l.PromotedFrom, l.Scope, l.Trust = l.Scope, mem.ScopeUser, mem.TrustUser
		}, false},
		{LintDuplicate, "the second memory is merged into the first", (*reviewData).duplicates, nil, true},
		{
			LintDeadWeight,
			"it is archived: searchable, but not injected unasked",
			func(d *reviewData) []Finding { return d.deadWeight },
			archive,
			false,
		},
		{ReviewStale, "it is archived: searchable, but not injected unasked", (*reviewData).stale, archive, false},
	}
}

// reviewData is what the rules of a review examine.
type reviewData struct {
	svc        *Service
	project    mem.Project
	projects   map[string]mem.Project // by key
	known      map[string]*mem.Memory // the examined memories, by ID
	proposed   []mem.Memory           // memories with open proposals, newest first
	dismissed  map[mem.Dismissal]bool // findings to leave out
	ms         []mem.Memory           // newest first, without inSession
	inSession  []mem.Memory           // memories of session scope, newest first
	linked     []Finding              // linked contradictions
	deadWeight []Finding              // findings of DeadWeight
	paired     []mem.Memory           // memories compared with each other; nil until compared
	similar    []rank.Pair            // pairs of paired
	opposed    []Finding              // all contradictions; nil until computed
}

// Bounds of a review. Dismissed and forgotten memories free room for older ones.
const (
	findingsShown = 50   // per rule
	maxReviewed   = 5000 // newest memories examined
	maxPaired     = 2000 // newest memories compared pairwise
)

// Review lists what in a place needs a person's decision. It changes nothing but the stored counts of
// the review queue.
func (s *Service) Review(ctx context.Context, req ReviewRequest) (ReviewResponse, error) {
	out := ReviewResponse{Counts: map[string]int{}, Items: []ReviewItem{}}
	for _, r := range req.Rules {
		if !slices.Contains(ReviewRules(), r) {
			return out, fmt.Errorf("%q: %w", r, ErrNoRule)
		}
	}
	d, err := s.loadReview(ctx, req.ProjectRef, req.MemoryFilter)
	if err != nil {
		return out, err
	}
	out.Project, out.Examined = d.project, len(d.known)
	limit := cmp.Or(max(0, req.Limit), findingsShown)
	for _, r := range reviewRules() {
		if len(req.Rules) > 0 && !slices.Contains(req.Rules, r.rule) {
			continue
		}
		for _, f := range d.findings(r) {
			out.Counts[r.rule]++
			if n := out.Counts[r.rule] - max(0, req.Offset); n <= 0 || n > limit {
				continue
			}
			out.Items = append(out.Items, r.item(f, d.known))
		}
	}
	if len(req.Rules) == 0 && req.MemoryFilter.isZero() {
		s.counts.set(d.project.Key, out.Counts, s.Now())
	}
	return out, nil
}

// loadReview reads what a review of a place examines.
func (s *Service) loadReview(ctx context.Context, at mem.ProjectRef, among MemoryFilter) (*reviewData, error) {
	p, err := s.Event.Place(ctx, at)
	if err != nil {
		return nil, err
	}
	d := &reviewData{svc: s, project: p, projects: map[string]mem.Project{}}
	ps, err := s.Store.Projects(ctx, p.Key)
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return nil, fmt.Errorf("projects: %w", err)
	}
	for _, p := range ps {
		d.projects[p.Key] = p
	}
	// Read before the memories, to keep the peak of memory use low.
	if d.linked, err = s.contradicted(ctx, p); err != nil {
		return nil, err
	}
	if d.deadWeight, err = s.DeadWeight(ctx, p); err != nil {
		return nil, err
	}
	every, err := s.Event.UpTo(ctx, maxReviewed, mem.Query{
		Project:  p.Key,
		NotKinds: []mem.Kind{mem.Utterance},
		Within:   "*",
		Kinds:    among.Kinds,
		Tags:     among.Tags,
		File:     s.Recall.Relative(p, among.File),
		After:    among.After,
		Before:   among.Before,
	})
	if err != nil {
		return nil, err
	}
	inSession := func(m mem.Memory) bool { return m.Scope == mem.ScopeSession }
	for _, m := range every {
		if inSession(m) {
			d.inSession = append(d.inSession, m)
		}
	}
	d.ms = slices.DeleteFunc(every, inSession)
	d.known = make(map[string]*mem.Memory, len(d.ms)+len(d.inSession)) // pointers: copies would take megabytes
	for m := range d.all() {
		d.known[m.ID] = m
	}
	unknown := func(f Finding) bool { // an utterance, or older than the newest maxReviewed
		return slices.ContainsFunc(f.IDs, func(id string) bool { return d.known[id] == nil })
	}
	d.linked, d.deadWeight = slices.DeleteFunc(d.linked, unknown), slices.DeleteFunc(d.deadWeight, unknown)
	if d.proposed, err = s.memoriesWithProposals(ctx, p, among); err != nil {
		return nil, err
	}
	d.dismissed, err = dismissals(ctx, s.Store)
	return d, err
}

// all yields the examined memories, those of session scope last. They are thousands, and a copy of them megabytes.
func (d *reviewData) all() iter.Seq[*mem.Memory] {
	return func(yield func(*mem.Memory) bool) {
		for _, list := range [][]mem.Memory{d.ms, d.inSession} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// findings returns what a rule finds, without dismissed findings.
func (d *reviewData) findings(r reviewRule) []Finding {
	return slices.DeleteFunc(slices.Clone(r.find(d)), func(f Finding) bool {
		return isDismissed(d.dismissed, r.rule, f)
	})
}

// isDismissed reports whether the person dismissed a finding of a rule. A pair has no order.
func isDismissed(dismissed map[mem.Dismissal]bool, rule string, f Finding) bool {
	a, b := f.IDs[0], second(f.IDs)
	return dismissed[mem.Dismissal{Rule: rule, Memory: a, Other: b}] ||
		dismissed[mem.Dismissal{Rule: rule, Memory: b, Other: a}]
}

func second(ids []string) string {
	if len(ids) < 2 {
		return ""
	}
	return ids[1]
}

// item converts a finding to the item that is shown.
func (r reviewRule) item(f Finding, known map[string]*mem.Memory) ReviewItem {
	it := ReviewItem{
		Rule:     r.rule,
		Text:     f.Text,
		Accept:   r.accept,
		Actions:  []string{AcceptFinding, RejectFinding},
		Memories: []mem.Memory{},
	}
	if r.pair {
		it.Actions = append(it.Actions, MergeFinding)
	}
	for _, id := range f.IDs[:min(len(f.IDs), 1+boolToInt(r.pair))] {
		var m mem.Memory
		if k := known[id]; k != nil {
			m = *k
		}
		it.Memories = append(it.Memories, m)
	}
	if r.rule == ReviewProposal {
		if p, err := findProposal(it.Memories[0], second(f.IDs)); err == nil {
			p.Memory, it.Proposal = f.IDs[0], &p
		}
	}
	return it
}

// dismissals returns what the person dismissed.
func dismissals(ctx context.Context, store mem.Store) (map[mem.Dismissal]bool, error) {
	out := map[mem.Dismissal]bool{}
	ds, err := store.Dismissals(ctx)
	for _, d := range ds {
		out[mem.Dismissal{Rule: d.Rule, Memory: d.Memory, Other: d.Other}] = true
	}
	return out, err
}

// pairs returns the newest lasting memories, and which of them share half of their words. It compares them once.
func (d *reviewData) pairs() ([]mem.Memory, []rank.Pair) {
	if d.paired == nil {
		for _, m := range d.ms {
			if mergeable(m.Kind) && len(d.paired) < maxPaired {
				d.paired = append(d.paired, m)
			}
		}
		d.similar = d.svc.verdicts.pairs(d.paired)
	}
	return d.paired, d.similar
}

func (d *reviewData) stale() []Finding {
	var out []Finding
	for _, m := range d.ms {
		if !mergeable(m.Kind) || m.Pinned || m.Evergreen || m.Kind == mem.Todo && !m.Resolved || isExternal(m) ||
			!rank.Stale(m, d.svc.Now()) {
			continue
		}
		out = append(out, Finding{
			IDs:  []string{m.ID},
			Text: fmt.Sprintf("%s, %d days old", usedTimes(m.Uses), days(d.svc.Now().Sub(m.Created))),
		})
	}
	return out
}

// duplicates returns duplicates that consolidation does not merge, without contradictions.
func (d *reviewData) duplicates() []Finding {
	against := map[[2]string]bool{}
	for _, c := range d.contradictions() {
		against[[2]string{c.IDs[0], c.IDs[1]}], against[[2]string{c.IDs[1], c.IDs[0]}] = true, true
	}
	return slices.DeleteFunc(duplicates(d.pairs()), func(f Finding) bool {
		return against[[2]string{f.IDs[0], f.IDs[1]}] || keptApart(d.dismissed, f.IDs[0], f.IDs[1])
	})
}

// contradictions returns linked contradictions and those of new memories without links.
func (d *reviewData) contradictions() []Finding {
	if d.opposed != nil {
		return d.opposed
	}
	d.opposed = append([]Finding{}, d.linked...)
	linked := map[[2]string]bool{}
	for _, f := range d.linked {
		linked[[2]string{f.IDs[0], f.IDs[1]}] = true
	}
	for _, f := range contradictionsIn(d.pairs()) {
		if !linked[[2]string{f.IDs[0], f.IDs[1]}] {
			d.opposed = append(d.opposed, f)
		}
	}
	return d.opposed
}

func (d *reviewData) lowTrust() []Finding {
	var out []Finding
	for m := range d.all() {
		switch {
		case m.Trust >= mem.TrustUser:
		case d.svc.verdicts.of(m, d.svc.Redactor).suspicious:
			out = append(out, Finding{IDs: []string{m.ID}, Text: "reads like an instruction; never injected unasked"})
		case m.Trust == mem.TrustNone && m.Scope != mem.ScopeSession && mergeable(m.Kind):
			out = append(out, Finding{IDs: []string{m.ID}, Text: untrustedSource(m.Origin) + "; never injected unasked"})
		}
	}
	return out
}

// untrustedSource describes where an untrusted memory comes from.
func untrustedSource(o mem.Origin) string {
	switch o {
	case mem.FromImport:
		return "imported"
	case mem.FromWeb:
		return "learned in a turn that read a web page"
	case mem.FromMCP:
		return "learned in a turn that read output of another program"
	case mem.FromTool:
		return "learned in a turn that read tool output"
	}
	return "learned in a turn that read external text"
}

// promotionSessions is in how many sessions a memory must be used before promotion is suggested.
const promotionSessions = 3

// promotions finds project memories that may be useful in every project.
func (d *reviewData) promotions() []Finding {
	_, embedded := d.svc.Event.CurrentEmbedder()
	var out []Finding
	for _, m := range d.ms {
		merit := rank.Merit(m, embedded)
		if m.Scope != mem.ScopeProject || m.Trust == mem.TrustNone || merit < rank.MeritUser || !isGeneralKind(m.Kind) ||
			isExternal(m) {
			continue
		}
		n := sessionsOf(m.UsedIn)
		if n < promotionSessions || d.aboutProject(m) {
			continue
		}
		out = append(
			out,
			Finding{IDs: []string{m.ID}, Text: fmt.Sprintf("merit %.2f of %.2f, used in %d sessions", merit, rank.MeritUser, n)},
		)
	}
	return out
}

// isGeneralKind reports whether memories of a kind may apply to any project.
func isGeneralKind(k mem.Kind) bool {
	switch k {
	case mem.Convention, mem.Preference, mem.Howto, mem.Fact:
		return true
	}
	return false
}

// sessionsOf counts the sessions in a list of turns.
func sessionsOf(usedIn []mem.Use) int {
	seen := map[string]bool{}
	for _, use := range usedIn {
		seen[use.Session()] = true
	}
	return len(seen)
}

// aboutProject reports whether a memory mentions its project, a file or a command.
func (d *reviewData) aboutProject(m mem.Memory) bool {
	if len(m.Files) > 0 || m.Command != "" {
		return true
	}
	p, text := d.projects[m.Project], strings.ToLower(recall.WholeText(m))
	return p.Key == "" || strings.Contains(text, strings.ToLower(p.Name)) ||
		p.Root != "" && strings.Contains(text, strings.ToLower(p.Root))
}

// secrets finds memories with text that the current rules would redact.
func (d *reviewData) secrets() []Finding {
	var out []Finding
	for m := range d.all() {
		if d.svc.verdicts.of(m, d.svc.Redactor).secret {
			out = append(out, Finding{IDs: []string{m.ID}, Text: "contains a secret or a private part by the current rules"})
		}
	}
	return out
}
