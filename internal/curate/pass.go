package curate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// maxSteps is how many changes one pass of a round makes: events that come
// meanwhile wait for them.
const maxSteps = 200

// merging adds to the confidence of the memory that goes on.
const mergeConfidence = 0.05

// life is a memory on its way through a round.
type draft struct {
	mem.Memory
	stored   mem.Memory
	selected bool // the round is about it; others it may only be merged with
	open     bool // its session goes on
}

// round is what a round of consolidation would change. It reads nothing, and
// what comes of it does not depend on the order of the memories.
type pass struct {
	now       time.Time
	drafts    []*draft               // the ones that go on before those that are merged into them
	embedded  bool                   // memories have vectors here
	dismissed map[mem.Dismissal]bool // times left out
	full      bool
	steps     []mem.Step
	truncated bool // the bound was met: another pass has to follow
}

// newRound begins one over memories. moved tells which it is about, open which
// of them belong to a session that goes on.
func newPass(now time.Time, ms []mem.Memory, selected, open func(mem.Memory) bool) *pass {
	ps := &pass{now: now}
	for _, m := range ms {
		if isExternal(m) {
			continue
		}
		ps.drafts = append(ps.drafts, &draft{Memory: m, stored: m, selected: selected(m), open: open(m)})
	}
	slices.SortStableFunc(ps.drafts, func(a, b *draft) int { return compareForMerge(a.Memory, b.Memory) })
	return ps
}

// ours reports whether a memory is kept in step with something outside of the
// store, which alone changes it.
func isExternal(m mem.Memory) bool {
	return m.Note.File != "" || event.OfStateFile(m) || event.IsField(m) || m.Kind == mem.Utterance
}

// guarded reports whether nothing but a person's order may put a memory away.
func protected(m mem.Memory) bool {
	return m.Pinned || m.Evergreen || m.Scope == mem.ScopeUser || m.Trust == mem.TrustUser
}

// before orders memories that say the same: the first of them goes on. Nothing
// of it depends on when they were written, unless all else is equal.
func compareForMerge(a, b mem.Memory) int {
	return cmp.Or(
		-compareBool(protected(a), protected(b)), -compareBool(a.Pinned, b.Pinned), cmp.Compare(b.Trust, a.Trust),
		cmp.Compare(b.Uses, a.Uses), cmp.Compare(b.Importance, a.Importance), cmp.Compare(b.Confidence, a.Confidence),
		cmp.Compare(len(b.Title)+len(b.Body), len(a.Title)+len(a.Body)), cmp.Compare(a.Title, b.Title), cmp.Compare(a.Body, b.Body),
		cmp.Compare(a.Kind, b.Kind), a.Created.Compare(b.Created), cmp.Compare(a.Key, b.Key), cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// run goes through all that a round does: what a session says twice is merged,
// what is worth it reaches the project and is merged there, and in a full round
// what faded is put away.
func (ps *pass) compute() {
	ps.merge(func(l *draft) string { return when(l.Scope == mem.ScopeSession && !l.open, l.Session) })
	ps.promote()
	ps.merge(func(l *draft) string { return when(l.Scope == mem.ScopeProject, l.Project) })
	if ps.full {
		ps.archiveFaded()
	}
}

func when(ok bool, s string) string {
	if ok {
		return s
	}
	return ""
}

// left reports whether another change still belongs to this pass.
func (ps *pass) hasRoom() bool {
	ps.truncated = ps.truncated || len(ps.steps) >= maxSteps
	return !ps.truncated
}

// change notes what becomes of a memory.
func (ps *pass) record(rule string, l *draft, other, reason string, apply func(*mem.Memory)) {
	s := mem.Step{Rule: rule, Memory: l.ID, Other: other, Reason: reason, Was: LifeOf(l.Memory)}
	apply(&l.Memory)
	s.Became = LifeOf(l.Memory)
	ps.steps = append(ps.steps, s)
}

// isRefused reports whether the person does not want a rule to be applied.
func (ps *pass) isDismissed(rule, memory string) bool {
	return ps.dismissed[mem.Dismissal{Rule: rule, Memory: memory}]
}

// keptApart reports whether a person or an agent decided that two memories both
// stay: merging them was undone or refused, or a review left both as they are.
func keptApart(dismissed map[mem.Dismissal]bool, a, b string) bool {
	for _, rule := range []string{mem.RuleMerge, LintDuplicate, ReviewContradiction} {
		if dismissed[mem.Dismissal{Rule: rule, Memory: a, Other: b}] || dismissed[mem.Dismissal{Rule: rule, Memory: b, Other: a}] {
			return true
		}
	}
	return false
}

// merge joins memories of one reach that say the same. reach is "" for those
// that are left alone.
func (ps *pass) merge(group func(*draft) string) {
	var list []*draft
	var ms []mem.Memory
	for _, l := range ps.drafts {
		if l.Status == mem.Active && mergeable(l.Kind) && group(l) != "" {
			list, ms = append(list, l), append(ms, l.Memory)
		}
	}
	into := map[int]rank.Pair{} // the best that goes on, by the one that does not
	pairs := rank.Pairs(ms, duplicateSimilarity)
	slices.SortStableFunc(pairs, func(a, b rank.Pair) int {
		return cmp.Or(cmp.Compare(a.B, b.B), cmp.Compare(b.Alike, a.Alike), cmp.Compare(a.A, b.A))
	})
	for _, p := range pairs {
		a, b := list[p.A], list[p.B]
		_, gone := into[p.A]
		_, taken := into[p.B]
		if gone || taken || group(a) != group(b) || protected(b.Memory) || !a.selected && !b.selected || keptApart(ps.dismissed, a.ID, b.ID) || !sameClaim(a.Memory, b.Memory) {
			continue
		}
		if !ps.hasRoom() {
			return
		}
		into[p.B] = p
		ps.join(a, b, fmt.Sprintf("says the same as %s: %.0f %% of the words", a.ID, 100*p.Alike))
	}
}

// join has b go into a.
func (ps *pass) join(a, b *draft, reason string) {
	gone := b.Memory
	ps.record(mem.RuleMerge, b, a.ID, reason, func(m *mem.Memory) {
		m.MergedInto, m.Status = a.ID, mem.Consolidated
		if rank.Reach(a.stored.Scope) > rank.Reach(b.stored.Scope) {
			m.Status = mem.Promoted
		}
	})
	ps.record(mem.RuleContinue, a, b.ID, "stands for "+b.ID+", too", func(m *mem.Memory) { *m = merged(*m, gone) })
}

// both is a memory that stands for another one, too. What is worth less adds
// nothing to what it is about.
func merged(m, gone mem.Memory) mem.Memory {
	m.Importance, m.Confidence = max(m.Importance, gone.Importance), min(1, m.Confidence+mergeConfidence)
	m.Uses += gone.Uses
	if m.LastUsed.Before(gone.LastUsed) {
		m.LastUsed = gone.LastUsed
	}
	if gone.Created.After(m.Created) && gone.Created.After(m.LastUsed) { // that it was said again shows that it still holds
		m.LastUsed = gone.Created
	}
	if gone.Trust >= m.Trust {
		for _, f := range gone.Files {
			m.Files = extract.AppendNew(m.Files, f, len(m.Files)+1)
		}
		for _, t := range gone.Tags {
			m.Tags = extract.AppendNew(m.Tags, t, maxTags)
		}
	}
	return m
}

// joinable reports whether two memories of the kind may be one.
func mergeable(k mem.Kind) bool { return k == mem.Todo || slices.Contains(event.Knowledge(), k) }

// sameClaim reports whether two memories that share most of their words say the
// same: one adds words to the other, and none that turns it into something else.
func sameClaim(a, b mem.Memory) bool {
	return a.Kind == b.Kind && a.Resolved == b.Resolved && (a.Command == b.Command || a.Command == "" || b.Command == "") &&
		mayShareFiles(a.Files, b.Files) && extract.SamePoint(extract.ClaimOf(a), extract.ClaimOf(b)) && extract.Compared(a, b).Agrees()
}

// sameFiles reports whether two memories may be about the same files.
func mayShareFiles(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(f string) bool { return slices.Contains(b, f) })
}

// promote lets what a session learned reach its project.
func (ps *pass) promote() {
	for _, l := range ps.drafts {
		if !l.selected || l.Status != mem.Active || l.Scope != mem.ScopeSession || l.Trust == mem.TrustNone || !promotable(l.Memory) || ps.isDismissed(mem.RulePromote, l.ID) {
			continue
		}
		reason := ps.promotionReason(l.Memory)
		if reason == "" {
			continue
		}
		if !ps.hasRoom() {
			return
		}
		ps.record(mem.RulePromote, l, "", reason, func(m *mem.Memory) { m.Scope, m.PromotedFrom = mem.ScopeProject, mem.ScopeSession })
	}
}

// promotable reports whether a memory says more than what happened once.
func promotable(m mem.Memory) bool {
	switch m.Kind {
	case mem.Scratch, mem.Snapshot, mem.Request, mem.Change, mem.Summary, mem.Utterance:
		return false
	case mem.Command:
		return m.Repeats > 0
	}
	return true
}

// merits says why a session's memory is worth keeping for its project, "" if it is not.
func (ps *pass) promotionReason(m mem.Memory) string {
	merit := rank.Merit(m, ps.embedded)
	switch {
	case m.Origin == mem.FromUserCommand:
		return "kept by the person's own hand"
	case m.Importance > rank.Weighty:
		return fmt.Sprintf("importance %.2f is above %.2f", m.Importance, rank.Weighty)
	case merit >= rank.MeritProject:
		return fmt.Sprintf("merit %.2f of %.2f: importance %.2f, confidence %.2f, %s", merit, rank.MeritProject, m.Importance, m.Confidence, usedTimes(m.Uses))
	}
	return ""
}

// fade puts away what faded.
func (ps *pass) archiveFaded() {
	for _, l := range ps.drafts {
		if !l.selected || l.open && l.Scope == mem.ScopeSession || protected(l.Memory) || l.Kind == mem.Decision {
			continue
		}
		if !rank.Faded(l.Memory, ps.now) || ps.isDismissed(mem.RuleArchive, l.ID) {
			continue
		}
		if !ps.hasRoom() {
			return
		}
		ps.record(mem.RuleArchive, l, "", fmt.Sprintf("strength %.3f: %d days old, %s", rank.Strength(l.Memory, ps.now), days(ps.now.Sub(l.Created)), usedTimes(l.Uses)),
			func(m *mem.Memory) { m.Status = mem.Archived })
	}
}

func days(d time.Duration) int { return int(d.Hours() / 24) }

func usedTimes(n int) string {
	switch n {
	case 0:
		return "never used"
	case 1:
		return "used once"
	}
	return fmt.Sprintf("used %d times", n)
}

// edits are what the round writes.
func (ps *pass) edits() []mem.Edit {
	var out []mem.Edit
	for _, l := range ps.drafts {
		if ed, ok := editBetween(l.stored, l.Memory); ok {
			out = append(out, ed)
		}
	}
	return out
}

// editFrom is what makes one memory of another of the same id, as far as a life
// goes; ok is false where that is nothing. Somebody may forget it meanwhile.
func editBetween(was, m mem.Memory) (ed mem.Edit, ok bool) {
	ed.ID, ed.From = m.ID, was.Status
	ok = setChanged(&ed.Status, was.Status, m.Status)
	ok = setChanged(&ed.Scope, was.Scope, m.Scope) || ok
	ok = setChanged(&ed.Trust, was.Trust, m.Trust) || ok
	ok = setChanged(&ed.Importance, was.Importance, m.Importance) || ok
	ok = setChanged(&ed.Confidence, was.Confidence, m.Confidence) || ok
	ok = setChanged(&ed.MergedInto, was.MergedInto, m.MergedInto) || ok
	ok = setChanged(&ed.Promoted, was.PromotedFrom, m.PromotedFrom) || ok
	if was.Scope == mem.ScopeUser && m.Scope != was.Scope || was.Project != m.Project && m.Scope != mem.ScopeUser {
		ed.Project, ok = &m.Project, true
	}
	if was.Uses != m.Uses || !was.LastUsed.Equal(m.LastUsed) {
		ed.Counted, ok = &mem.Counted{Uses: m.Uses, Prevented: m.Prevented, LastUsed: m.LastUsed}, true
	}
	if !slices.Equal(was.Files, m.Files) {
		ed.Files = append([]string{}, m.Files...)
	}
	if !slices.Equal(was.Tags, m.Tags) {
		ed.Tags = append([]string{}, m.Tags...)
	}
	if ed.Files != nil || ed.Tags != nil {
		words := rank.Index(m)
		ed.Index, ok = &words, true
	}
	return ed, ok
}

func setChanged[T comparable](field **T, was, is T) bool {
	if was == is {
		return false
	}
	*field = &is
	return true
}

// LifeOf is what consolidation may change about m.
func LifeOf(m mem.Memory) mem.Life {
	return mem.Life{
		Status: m.Status, Scope: m.Scope, Trust: m.Trust, Importance: m.Importance, Confidence: m.Confidence, Uses: m.Uses, LastUsed: m.LastUsed,
		Files: len(m.Files), Tags: len(m.Tags), MergedInto: m.MergedInto, Promoted: m.PromotedFrom,
	}
}
