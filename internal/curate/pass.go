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

// maxSteps bounds the changes of one pass, because concurrent events wait for its write.
const maxSteps = 200

// mergeConfidence is added to the confidence of a memory when another is merged into it.
const mergeConfidence = 0.05

// draft is a memory with the changes of a pass, beside its stored state.
type draft struct {
	mem.Memory
	stored   mem.Memory
	selected bool // the pass may change it; others are only merge partners
	open     bool // its session may receive further events
}

// pass computes the changes of one consolidation pass. It does no I/O. Its result does not depend on
// the order of the memories.
type pass struct {
	now       time.Time
	drafts    []*draft               // in the order of compareForMerge: merge targets first
	embedded  bool                   // the store has vectors of memories
	dismissed map[mem.Dismissal]bool // changes that the person dismissed
	full      bool
	steps     []mem.Step
	truncated bool // maxSteps was reached: another pass must follow
}

// newPass returns a pass over memories. selected reports which it may change, open which belong to a
// session that may receive further events.
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

// isExternal reports whether a memory mirrors a file or a transcript. Only its source changes it.
func isExternal(m mem.Memory) bool {
	return m.Note.File != "" || event.OfStateFile(m) || event.IsField(m) || m.Kind == mem.Utterance
}

// protected reports whether only a person's request may hide a memory.
func protected(m mem.Memory) bool {
	return m.Pinned || m.Evergreen || m.Scope == mem.ScopeUser || m.Trust == mem.TrustUser
}

// compareForMerge orders duplicates: the first one is kept. Creation time only breaks ties.
func compareForMerge(a, b mem.Memory) int {
	return cmp.Or(
		-compareBool(protected(a), protected(b)),
		-compareBool(a.Pinned, b.Pinned),
		cmp.Compare(b.Trust, a.Trust),
		cmp.Compare(b.Uses, a.Uses),
		cmp.Compare(b.Importance, a.Importance),
		cmp.Compare(b.Confidence, a.Confidence),
		cmp.Compare(
			len(b.Title)+len(b.Body),
			len(a.Title)+len(a.Body),
		),
		cmp.Compare(a.Title, b.Title),
		cmp.Compare(a.Body, b.Body),
		cmp.Compare(
			a.Kind,
			b.Kind,
		),
		a.Created.Compare(b.Created),
		cmp.Compare(a.Key, b.Key),
		cmp.Compare(len(a.ID), len(b.ID)),
		cmp.Compare(a.ID, b.ID),
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

// compute merges the duplicates of each session, promotes memories to the project and merges them
// there. A full run also archives decayed memories.
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

// hasRoom reports whether the pass may make another change.
func (ps *pass) hasRoom() bool {
	ps.truncated = ps.truncated || len(ps.steps) >= maxSteps
	return !ps.truncated
}

// record applies a change to a draft and records it as a step.
func (ps *pass) record(rule string, l *draft, other, reason string, apply func(*mem.Memory)) {
	s := mem.Step{Rule: rule, Memory: l.ID, Other: other, Reason: reason, Was: MutableOf(l.Memory)}
	apply(&l.Memory)
	s.Became = MutableOf(l.Memory)
	ps.steps = append(ps.steps, s)
}

// isDismissed reports whether the person dismissed a rule for a memory.
func (ps *pass) isDismissed(rule, memory string) bool {
	return ps.dismissed[mem.Dismissal{Rule: rule, Memory: memory}]
}

// keptApart reports whether two memories must not be merged: a merge was undone or rejected, or a
// review kept both.
func keptApart(dismissed map[mem.Dismissal]bool, a, b string) bool {
	for _, rule := range []string{mem.RuleMerge, LintDuplicate, ReviewContradiction} {
		if dismissed[mem.Dismissal{Rule: rule, Memory: a, Other: b}] ||
			dismissed[mem.Dismissal{Rule: rule, Memory: b, Other: a}] {
			return true
		}
	}
	return false
}

// merge merges duplicates within each group. Memories of group "" are left alone.
func (ps *pass) merge(group func(*draft) string) {
	var list []*draft
	var ms []mem.Memory
	for _, l := range ps.drafts {
		if l.Status == mem.Active && mergeable(l.Kind) && group(l) != "" {
			list, ms = append(list, l), append(ms, l.Memory)
		}
	}
	into := map[int]rank.Pair{} // pair with the merge target, by the index of the memory merged into it
	pairs := rank.Pairs(ms, duplicateSimilarity)
	slices.SortStableFunc(pairs, func(a, b rank.Pair) int {
		return cmp.Or(cmp.Compare(a.B, b.B), cmp.Compare(b.Alike, a.Alike), cmp.Compare(a.A, b.A))
	})
	for _, p := range pairs {
		a, b := list[p.A], list[p.B]
		_, targetMerged := into[p.A]
		_, alreadyMerged := into[p.B]
		if targetMerged || alreadyMerged || group(a) != group(b) || protected(b.Memory) || !a.selected && !b.selected ||
			keptApart(ps.dismissed, a.ID, b.ID) ||
			!sameClaim(a.Memory, b.Memory) {
			continue
		}
		if !ps.hasRoom() {
			return
		}
		into[p.B] = p
		ps.join(a, b, fmt.Sprintf("says the same as %s: %.0f %% of the words", a.ID, 100*p.Alike))
	}
}

// join merges b into a.
func (ps *pass) join(a, b *draft, reason string) {
	gone := b.Memory
	ps.record(mem.RuleMerge, b, a.ID, reason, func(m *mem.Memory) {
		m.MergedInto, m.Status = a.ID, mem.Consolidated
		if rank.Reach(a.stored.Scope) > rank.Reach(b.stored.Scope) {
			m.Status = mem.Promoted
		}
	})
	ps.record(mem.RuleContinue, a, b.ID, b.ID+" was merged into it", func(m *mem.Memory) { *m = merged(*m, gone) })
}

// merged returns m with the counts of a duplicate that is merged into it. Files and tags are taken
// over only from a memory of at least the same trust.
func merged(m, gone mem.Memory) mem.Memory {
	m, gone = m.WithoutBackfillTag(gone), gone.WithoutBackfillTag(m)
	m.Importance, m.Confidence = max(m.Importance, gone.Importance), min(1, m.Confidence+mergeConfidence)
	m.Uses += gone.Uses
	if m.LastUsed.Before(gone.LastUsed) {
		m.LastUsed = gone.LastUsed
	}
	if gone.Created.After(m.Created) &&
		gone.Created.After(m.LastUsed) { // the repetition confirms the memory
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

func notMergeable(m mem.Memory) bool { return !mergeable(m.Kind) || isExternal(m) }

// mergeable reports whether memories of a kind may be merged.
func mergeable(k mem.Kind) bool { return k == mem.Todo || slices.Contains(event.Knowledge(), k) }

// sameClaim reports whether two similar memories make the same claim: one may add words, but none that
// change the meaning.
func sameClaim(a, b mem.Memory) bool {
	return a.Kind == b.Kind && a.Resolved == b.Resolved &&
		(a.Command == b.Command || a.Command == "" || b.Command == "") &&
		mayShareFiles(a.Files, b.Files) &&
		extract.SamePoint(extract.ClaimOf(a), extract.ClaimOf(b)) &&
		extract.CompareMemories(a, b).Agrees()
}

// mayShareFiles reports whether two memories may be about the same files. No files match any.
func mayShareFiles(a, b []string) bool {
	return len(a) == 0 || len(b) == 0 || slices.ContainsFunc(a, func(f string) bool { return slices.Contains(b, f) })
}

// promote widens the scope of session memories to the project.
func (ps *pass) promote() {
	for _, l := range ps.drafts {
		if !l.selected || l.Status != mem.Active || l.Scope != mem.ScopeSession || l.Trust == mem.TrustNone ||
			!promotable(l.Memory) ||
			ps.isDismissed(mem.RulePromote, l.ID) {
			continue
		}
		reason := ps.promotionReason(l.Memory)
		if reason == "" {
			continue
		}
		if !ps.hasRoom() {
			return
		}
		ps.record(
			mem.RulePromote,
			l,
			"",
			reason,
			func(m *mem.Memory) { m.Scope, m.PromotedFrom = mem.ScopeProject, mem.ScopeSession },
		)
	}
}

// promotable reports whether memories of this kind outlast the session.
func promotable(m mem.Memory) bool {
	switch m.Kind {
	case mem.Scratch, mem.Snapshot, mem.Request, mem.Change, mem.Summary, mem.Utterance:
		return false
	case mem.Command:
		return m.Repeats > 0
	}
	return true
}

// promotionReason returns why a session memory is promoted, or "" if it is not.
func (ps *pass) promotionReason(m mem.Memory) string {
	merit := rank.Merit(m, ps.embedded)
	switch {
	case m.Origin == mem.FromUserCommand:
		return "added by the person"
	case m.Importance > rank.Weighty:
		return fmt.Sprintf("importance %.2f is above %.2f", m.Importance, rank.Weighty)
	case merit >= rank.MeritProject:
		return fmt.Sprintf(
			"merit %.2f of %.2f: importance %.2f, confidence %.2f, %s",
			merit,
			rank.MeritProject,
			m.Importance,
			m.Confidence,
			usedTimes(m.Uses),
		)
	}
	return ""
}

// archiveFaded archives memories whose strength decayed.
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
		ps.record(
			mem.RuleArchive,
			l,
			"",
			fmt.Sprintf(
				"strength %.3f: %d days old, %s",
				rank.Strength(l.Memory, ps.now),
				days(ps.now.Sub(l.Created)),
				usedTimes(l.Uses),
			),
			func(m *mem.Memory) { m.Status = mem.Archived },
		)
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

// edits returns the edits of the pass.
func (ps *pass) edits() []mem.Edit {
	var out []mem.Edit
	for _, l := range ps.drafts {
		if ed, ok := editBetween(l.stored, l.Memory); ok {
			out = append(out, ed)
		}
	}
	return out
}

// editBetween returns the edit that turns was into m, limited to the fields consolidation changes. ok
// is false without a difference. The edit applies only while the status is still that of was.
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

// MutableOf returns the fields of m that consolidation may change.
func MutableOf(m mem.Memory) mem.Lifecycle {
	return mem.Lifecycle{
		Status:     m.Status,
		Scope:      m.Scope,
		Trust:      m.Trust,
		Importance: m.Importance,
		Confidence: m.Confidence,
		Uses:       m.Uses,
		LastUsed:   m.LastUsed,
		Files:      len(m.Files),
		Tags:       len(m.Tags),
		MergedInto: m.MergedInto,
		Promoted:   m.PromotedFrom,
	}
}
