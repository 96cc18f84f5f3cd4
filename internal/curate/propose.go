package curate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// ReviewProposal is the rule of Review for changes proposed by an author with less trust than the
// memory.
const ReviewProposal = "proposal"

// AuthorOf returns the author of a request: the person if agent is "", else the agent with the trust
// of its turn. An agent of an unknown session has no trust.
func (s *Service) AuthorOf(ctx context.Context, agent string) (event.Author, error) {
	if agent == "" {
		return event.Author{Trust: mem.TrustUser, Origin: mem.FromUserCommand}, nil
	}
	who := event.Author{Origin: mem.FromAssistant, Session: agent}
	var err error
	if who.Trust, err = s.Event.ByAgent(ctx, agent); errors.Is(err, event.ErrPrivateTurn) {
		who.Private, err = true, nil
	}
	return who, err
}

// ProposalSet collects changes that an author may not make.
type ProposalSet struct {
	svc       *Service
	author    event.Author
	reason    string
	dismissed map[mem.Dismissal]bool // nil until loaded
	added     []mem.Proposal
	Edits     []mem.Edit // edits that store the proposals
}

// Proposals returns an empty collection of proposals by an author, all for one reason.
func (s *Service) Proposals(who event.Author, reason string) *ProposalSet {
	return &ProposalSet{svc: s, author: who, reason: cleanNote(s.Redactor, reason)}
}

// Add proposes a change of m. A change already proposed is not repeated, and one that the person
// rejected stays rejected. It returns ErrPrivateTurn for an author in a private turn.
func (ps *ProposalSet) Add(ctx context.Context, m mem.Memory, p mem.Proposal) (mem.Proposal, error) {
	if ps.author.Private {
		return p, event.ErrPrivateTurn
	}
	if ps.dismissed == nil {
		var err error
		if ps.dismissed, err = dismissals(ctx, ps.svc.Store); err != nil {
			return p, err
		}
	}
	p.Was, p.Reason = chars.Clip(m.Text(), maxPreviousText), ps.reason
	p.By, p.Session, p.Trust, p.At = ps.author.Origin, ps.author.Session, ps.author.Trust, ps.svc.Now()
	p = p.WithID()
	if i := slices.IndexFunc(m.Proposals, func(o mem.Proposal) bool { return o.ID == p.ID }); i >= 0 {
		p = m.Proposals[i]
	} else if p.Rejected = ps.dismissed[mem.Dismissal{Rule: ReviewProposal, Memory: m.ID, Other: p.ID}]; !p.Rejected {
		kept := p
		ps.Edits = append(ps.Edits, mem.Edit{ID: m.ID, Proposed: &kept})
		ps.svc.counts.schedule(m.Project)
	}
	p.Memory = m.ID
	ps.added = append(ps.added, p)
	return p, nil
}

// save stores the collected proposals.
func (ps *ProposalSet) save(ctx context.Context) error {
	if len(ps.Edits) == 0 {
		return nil
	}
	if _, err := ps.svc.Store.Apply(ctx, mem.Batch{Edits: ps.Edits}); err != nil {
		return fmt.Errorf("keep a proposal: %w", err)
	}
	return nil
}

// AddAndSave proposes one change and stores it. It returns nil if p changes nothing.
func (ps *ProposalSet) AddAndSave(ctx context.Context, m mem.Memory, p mem.Proposal) (*mem.Proposal, error) {
	if !HasEffect(p) {
		return nil, nil
	}
	if _, err := ps.Add(ctx, m, p); err != nil {
		return nil, err
	}
	return &ps.added[0], ps.save(ctx)
}

// HasEffect reports whether a proposal would change anything.
func HasEffect(p mem.Proposal) bool {
	return p.Action != ProposeEdit || !reflect.DeepEqual(p, mem.Proposal{Action: p.Action})
}

// ProposalOf returns a proposal with the fields of an edit that differ from m.
func ProposalOf(m mem.Memory, ed mem.Edit) mem.Proposal {
	p := mem.Proposal{Action: ProposeEdit}
	text := ed.Title != nil && *ed.Title != m.Title || ed.Body != nil && *ed.Body != m.Body
	if text { // both fields: a new title alone would leave the old text
		p.Title, p.Body = ed.Title, ed.Body
	}
	setChanged(&p.Invariant, m.Invariant, valueOr(ed.Invariant, m.Invariant))
	setChanged(&p.Kind, m.Kind, valueOr(ed.Kind, m.Kind))
	setChanged(&p.Scope, m.Scope, valueOr(ed.Scope, m.Scope))
	setChanged(&p.Importance, m.Importance, valueOr(ed.Importance, m.Importance))
	setChanged(&p.Resolved, m.Resolved, valueOr(ed.Resolved, m.Resolved))
	for _, l := range []struct {
		into     *[]string
		was, now []string
	}{{&p.Tags, m.Tags, ed.Tags}, {&p.Files, m.Files, ed.Files}, {&p.Facts, m.Facts, ed.Facts}} {
		if l.now != nil && !slices.Equal(l.was, l.now) {
			*l.into = l.now
		}
	}
	return p
}

func valueOr[T any](v *T, or T) T {
	if v == nil {
		return or
	}
	return *v
}

// listOr returns list, or the other one if it is nil.
func listOr(list, or []string) []string {
	if list == nil {
		return or
	}
	return list
}

// replacementProposal returns the proposal to change m into the statement that was to replace it.
func replacementProposal(m, by mem.Memory, req AddRequest) mem.Proposal {
	ed := mem.Edit{Title: &by.Title, Body: &by.Body}
	if req.Kind != "" {
		ed.Kind = &by.Kind
	}
	if req.Scope != "" {
		ed.Scope = &by.Scope
	}
	if len(by.Tags) > 0 {
		ed.Tags = by.Tags
	}
	if len(by.Files) > 0 {
		ed.Files = by.Files
	}
	return ProposalOf(m, ed)
}

// acceptEdit returns the edit that applies an accepted proposal.
func (s *Service) acceptEdit(ctx context.Context, m mem.Memory, p mem.Proposal) mem.Edit {
	ed, err := markEdit(p.Action)
	if err != nil { // the action is an edit, not a mark
		ed = mem.Edit{
			Title: p.Title, Body: p.Body, Invariant: p.Invariant, Kind: p.Kind, Scope: p.Scope, Importance: p.Importance,
			Resolved: p.Resolved, Tags: p.Tags, Files: p.Files, Facts: p.Facts, Trust: new(mem.TrustUser),
		}
		now := ProposedMemory(m, p)
		words := rank.Index(now)
		ed.Index, ed.Anchors = &words, s.Recall.Confirmed(ctx, now)
	}
	ed.ID, ed.Settled = m.ID, []string{p.ID}
	verdict := cmp.Or(map[string]string{ProposeEdit: Edited}[p.Action], p.Action)
	ed.Feedback = newFeedback(verdict, p.Reason, "", s.Now())
	if p.Text() != "" && p.Text() != m.Text() {
		ed.Feedback = withPreviousText(ed.Feedback, m.Text(), "", s.Now())
	}
	return ed
}

// ProposedMemory returns m with a proposal applied.
func ProposedMemory(m mem.Memory, p mem.Proposal) mem.Memory {
	m.Title, m.Body, m.Invariant = valueOr(p.Title, m.Title), valueOr(p.Body, m.Body), valueOr(p.Invariant, m.Invariant)
	m.Kind, m.Scope = valueOr(p.Kind, m.Kind), valueOr(p.Scope, m.Scope)
	m.Importance, m.Resolved = valueOr(p.Importance, m.Importance), valueOr(p.Resolved, m.Resolved)
	m.Tags, m.Files, m.Facts = listOr(p.Tags, m.Tags), listOr(p.Files, m.Files), listOr(p.Facts, m.Facts)
	if p.Action == ProposeForget {
		m.Status = mem.Forgotten
	}
	return m
}

// memoriesWithProposals returns the memories of a place with open proposals, newest first.
func (s *Service) memoriesWithProposals(ctx context.Context, p mem.Project, among MemoryFilter) ([]mem.Memory, error) {
	q := mem.Query{
		Proposed: true,
		Hidden:   true,
		Within:   "*",
		Project:  p.Key,
		Limit:    maxReviewed,
		Kinds:    among.Kinds,
		Tags:     among.Tags,
		File:     s.Recall.Relative(p, among.File),
		After:    among.After,
		Before:   among.Before,
	}
	ms, err := s.Store.List(ctx, q)
	if err == nil && len(q.Kinds) == 0 {
		var utterances []mem.Memory
		q.Kinds = []mem.Kind{mem.Utterance}
		utterances, err = s.Store.List(ctx, q)
		ms = append(ms, utterances...)
	}
	if err != nil {
		return nil, fmt.Errorf("proposals: %w", err)
	}
	return ms, nil
}

// proposals returns the open proposals, newest first. Proposals about hidden memories are left out,
// unless they restore the memory.
func (d *reviewData) proposals() []Finding {
	var out []Finding
	for _, m := range d.proposed {
		d.known[m.ID] = &m
		for _, p := range slices.Backward(m.Proposals) {
			if stillApplies(m, p) {
				out = append(out, Finding{IDs: []string{m.ID, p.ID}, Text: proposalText(m, p)})
			}
		}
	}
	return out
}

// stillApplies reports whether accepting a proposal would still change its memory.
func stillApplies(m mem.Memory, p mem.Proposal) bool {
	return slices.Contains(event.Findable(), m.Status) != (p.Action == ProposeRestore)
}

// proposalText describes a proposal: what, by whom and why.
func proposalText(m mem.Memory, p mem.Proposal) string {
	what := "to " + p.Action + " it"
	if p.Action == ProposeEdit {
		what = "to change its " + strings.Join(proposedParts(m, p), ", ")
	} else if p.Disputes {
		what += ", for it is wrong"
	}
	who := "an agent"
	switch {
	case p.Session == event.UnknownAgent || p.Session == "":
		who = "an agent of an unknown session"
	case p.Trust == mem.TrustNone:
		who = "an agent that read external text"
	}
	text := fmt.Sprintf("%s asks %s", who, what)
	if t := p.Text(); t != "" {
		text += ": " + chars.Clip(chars.Line(t), 300)
	}
	if p.Reason != "" {
		text += " (because: " + chars.Line(p.Reason) + ")"
	}
	return text
}

// proposedParts names the fields that a proposal changes, with the values before and after. The text itself is shown
// apart.
func proposedParts(was mem.Memory, p mem.Proposal) (out []string) {
	now := ProposedMemory(was, p)
	list := func(l []string) string { return cmp.Or(strings.Join(l, ", "), "none") }
	for _, part := range []struct {
		name          string
		given         bool
		before, after string
	}{
		{"text", p.Title != nil || p.Body != nil || p.Invariant != nil, "", ""},
		{"kind", p.Kind != nil, string(was.Kind), string(now.Kind)},
		{"scope", p.Scope != nil, string(was.Scope), string(now.Scope)},
		{
			"importance", p.Importance != nil,
			fmt.Sprintf("%.2f", was.Importance), fmt.Sprintf("%.2f", now.Importance),
		},
		{"state of work", p.Resolved != nil, workState(was.Resolved), workState(now.Resolved)},
		{"tags", p.Tags != nil, list(was.Tags), list(now.Tags)},
		{"files", p.Files != nil, list(was.Files), list(now.Files)},
		{"facts", p.Facts != nil && p.Title == nil, "", ""},
	} {
		switch {
		case part.given && part.after != "":
			out = append(out, part.name+" from "+part.before+" to "+part.after)
		case part.given:
			out = append(out, part.name)
		}
	}
	return out
}

// workState names whether work is done.
func workState(resolved bool) string {
	if resolved {
		return "done"
	}
	return "open"
}

// findProposal returns a memory's proposal by ID. An empty ID selects the only proposal.
func findProposal(m mem.Memory, id string) (mem.Proposal, error) {
	if id == "" && len(m.Proposals) == 1 {
		return m.Proposals[0], nil
	}
	for _, p := range m.Proposals {
		if p.ID == id {
			return p, nil
		}
	}
	if id == "" && len(m.Proposals) > 1 {
		return mem.Proposal{}, fmt.Errorf("%d proposals wait with %s; name one: %w", len(m.Proposals), m.ID, mem.ErrAmbiguous)
	}
	return mem.Proposal{}, fmt.Errorf("proposal %s of %s: %w", id, m.ID, ErrNoFinding)
}

// resolveProposal accepts or rejects one proposal. The IDs are the memory and the proposal; the second
// may be left out if the memory has one proposal.
func (s *Service) resolveProposal(ctx context.Context, req ResolveRequest) (ResolveResponse, error) {
	out := ResolveResponse{Rule: req.Rule, Action: req.Action, Memories: []mem.Memory{}}
	if n := len(req.IDs); n < 1 || n > 2 {
		return out, fmt.Errorf("%s is about a memory and a proposal: %w", req.Rule, ErrNoFinding)
	}
	ms, err := s.Event.Given(ctx, req.IDs[:1])
	if err != nil {
		return out, err
	}
	m := ms[0]
	p, err := findProposal(m, strings.Join(req.IDs[1:], ""))
	if err != nil {
		return out, err
	}
	switch req.Action {
	case RejectFinding:
		err = s.rejectProposals(ctx, m, p)
	case AcceptFinding:
		err = s.acceptProposal(ctx, m, p)
	default:
		err = fmt.Errorf("%q of %s: %w", req.Action, req.Rule, ErrNoFinding)
	}
	if err != nil {
		return out, err
	}
	s.counts.subtract(m.Project, ReviewProposal, 1)
	out.Proposal = &p
	out.Memories, err = s.Event.Given(ctx, []string{m.ID})
	return out, err
}

func (s *Service) acceptProposal(ctx context.Context, m mem.Memory, p mem.Proposal) error {
	if !stillApplies(m, p) {
		return fmt.Errorf("%s is %s: %w", m.ID, m.Status, ErrNoFinding)
	}
	b := mem.Batch{Edits: []mem.Edit{s.acceptEdit(ctx, m, p)}}
	if p.Action == ProposeRestore {
		b.Dismissed = restoreDismissals(m)
	}
	s.Event.Follow(&b)
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	s.Event.LogDegraded("vault", s.WriteNotes(ctx, p.Action == ProposeRestore, m.ID))
	return nil
}

// rejectProposals removes proposals and dismisses them, so that they are not proposed again. It
// restores a vault file that a rejected proposal had changed.
func (s *Service) rejectProposals(ctx context.Context, m mem.Memory, list ...mem.Proposal) error {
	var b mem.Batch
	ed := mem.Edit{ID: m.ID}
	for _, p := range list {
		if p.Disputes && p.Believed > max(m.Confidence, valueOr(ed.Confidence, 0)) {
			ed.Confidence = &p.Believed
		}
		ed.Settled = append(ed.Settled, p.ID)
		b.Dismissed = append(b.Dismissed, mem.Dismissal{Rule: ReviewProposal, Memory: m.ID, Other: p.ID})
	}
	b.Edits = []mem.Edit{ed}
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return fmt.Errorf("reject: %w", err)
	}
	if slices.ContainsFunc(list, func(p mem.Proposal) bool { return p.By == mem.FromVault }) {
		s.Event.LogDegraded("vault", s.RewriteNote(ctx, m))
	}
	return nil
}

// resolveProposals rejects all proposals of a place. Accepting needs a decision for each.
func (s *Service) resolveProposals(ctx context.Context, req ResolveRequest) (ResolveResponse, error) {
	out := ResolveResponse{Rule: req.Rule, Action: req.Action, DryRun: req.DryRun, Memories: []mem.Memory{}}
	if len(req.IDs) > 0 || req.Action != RejectFinding {
		return out, fmt.Errorf("%q of every %s: %w", req.Action, req.Rule, ErrNoFinding)
	}
	d, err := s.loadReview(ctx, req.ProjectRef, req.MemoryFilter)
	if err != nil {
		return out, err
	}
	for _, m := range d.proposed {
		if !req.DryRun {
			if err := s.rejectProposals(ctx, m, m.Proposals...); err != nil {
				return out, err
			}
		}
		if out.Decided += len(m.Proposals); len(out.Memories) < resolvedShown {
			out.Memories = append(out.Memories, m)
		}
	}
	if !req.DryRun {
		s.counts.subtract(d.project.Key, ReviewProposal, out.Decided)
	}
	return out, nil
}

// proposeReplacing proposes a change to a memory that a statement would replace, if its author has
// less trust. It returns nil if the author may replace it.
func (s *Service) proposeReplacing(ctx context.Context, mm mem.Memory, req AddRequest) (*mem.Proposal, error) {
	if mm.Supersedes == "" || req.Agent == "" {
		return nil, nil
	}
	who, err := s.AuthorOf(ctx, req.Agent)
	if err != nil {
		return nil, err
	}
	old, err := s.Event.One(ctx, mm.Supersedes)
	if err != nil || who.MayChange(old) || !slices.Contains(event.Findable(), old.Status) {
		return nil, err
	}
	return s.Proposals(who, "").AddAndSave(ctx, old, replacementProposal(old, mm, req))
}

// proposeMarks proposes the mark for memories that the author may not change, and returns the others.
func (s *Service) proposeMarks(
	ctx context.Context,
	req MarkRequest,
	who event.Author,
	ms []mem.Memory,
) ([]mem.Memory, []mem.Proposal, error) {
	ps := s.Proposals(who, req.Reason)
	var own []mem.Memory
	for _, mm := range ms {
		if who.MayChange(mm) {
			own = append(own, mm)
			continue
		}
		if _, err := ps.Add(ctx, mm, mem.Proposal{Action: req.Verb}); err != nil {
			return nil, nil, err
		}
	}
	return own, ps.added, ps.save(ctx)
}

// MayErase returns ErrNotPerson if an agent asks to erase a session or a memory that it may not
// change. Erasing cannot be undone.
func (s *Service) MayErase(ctx context.Context, req event.IDs) error {
	if req.Agent == "" {
		return nil
	}
	who, err := s.AuthorOf(ctx, req.Agent)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(req.IDs, func(id string) bool { return !strings.HasPrefix(id, "m_") }) {
		return fmt.Errorf("erase a session: %w", ErrNotPerson)
	}
	ms, err := s.Store.PurgeMemories(ctx, req.IDs...)
	if err != nil {
		return err
	}
	for _, mm := range ms {
		if !who.MayChange(mm) {
			return fmt.Errorf("erase %s: %w", mm.ID, ErrNotPerson)
		}
	}
	return nil
}
