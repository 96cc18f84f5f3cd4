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

// ReviewProposal is the rule of Review about changes whose author had less trust
// than the memory.
const ReviewProposal = "proposal"

// authorOf returns the author of a request: the person where agent is "", else the
// agent with the trust of its turn, which is none where its session is not known.
func (e *Service) AuthorOf(ctx context.Context, agent string) (event.Hand, error) {
	if agent == "" {
		return event.Hand{Trust: mem.TrustUser, Origin: mem.FromUserCommand}, nil
	}
	who := event.Hand{Origin: mem.FromAssistant, Session: agent}
	var err error
	if who.Trust, err = e.Event.ByAgent(ctx, agent); errors.Is(err, event.ErrPrivateTurn) {
		who.Private, err = true, nil
	}
	return who, err
}

// proposals collects what an author may not do itself.
type proposals struct {
	e       *Service
	who     event.Hand
	reason  string
	refused map[mem.Dismissal]bool // nil until it is needed
	made    []mem.Proposal
	Edits   []mem.Edit // that keep them
}

func (e *Service) Proposals(who event.Hand, reason string) *proposals {
	return &proposals{e: e, who: who, reason: e.note(reason)}
}

// add proposes a change of m. The same change waits once; one that the person
// rejected before does not wait again. ErrPrivateTurn if nothing may be kept.
func (ps *proposals) Add(ctx context.Context, m mem.Memory, p mem.Proposal) error {
	if ps.who.Private {
		return event.ErrPrivateTurn
	}
	if ps.refused == nil {
		var err error
		if ps.refused, err = ps.e.dismissals(ctx); err != nil {
			return err
		}
	}
	p.Was, p.Reason = chars.Clip(m.Text(), maxWas), ps.reason
	p.By, p.Session, p.Trust, p.At = ps.who.Origin, ps.who.Session, ps.who.Trust, ps.e.Now()
	p = p.Named()
	if i := slices.IndexFunc(m.Proposals, func(o mem.Proposal) bool { return o.ID == p.ID }); i >= 0 {
		p = m.Proposals[i]
	} else if p.Rejected = ps.refused[mem.Dismissal{Rule: ReviewProposal, Memory: m.ID, Other: p.ID}]; !p.Rejected {
		kept := p
		ps.Edits = append(ps.Edits, mem.Edit{ID: m.ID, Proposed: &kept})
		ps.e.inbox.want(m.Project)
	}
	p.Memory = m.ID
	ps.made = append(ps.made, p)
	return nil
}

// keep writes what was collected.
func (ps *proposals) keep(ctx context.Context) error {
	if len(ps.Edits) == 0 {
		return nil
	}
	if _, err := ps.e.Store.Apply(ctx, mem.Batch{Edits: ps.Edits}); err != nil {
		return fmt.Errorf("keep a proposal: %w", err)
	}
	return nil
}

// only proposes one change and keeps that. It returns nil where p changes nothing.
func (ps *proposals) Only(ctx context.Context, m mem.Memory, p mem.Proposal) (*mem.Proposal, error) {
	if !HasEffect(p) {
		return nil, nil
	}
	if err := ps.Add(ctx, m, p); err != nil {
		return nil, err
	}
	return &ps.made[0], ps.keep(ctx)
}

// hasEffect reports whether a proposal would change anything.
func HasEffect(p mem.Proposal) bool {
	return p.Action != mem.ProposeEdit || !reflect.DeepEqual(p, mem.Proposal{Action: p.Action})
}

// proposalOf is the part of an edit that would change m, as a proposal.
func ProposalOf(m mem.Memory, ed mem.Edit) mem.Proposal {
	p := mem.Proposal{Action: mem.ProposeEdit}
	text := ed.Title != nil && *ed.Title != m.Title || ed.Body != nil && *ed.Body != m.Body
	if text { // both: with another title alone the old text would stay
		p.Title, p.Body = ed.Title, ed.Body
	}
	differ(&p.Invariant, m.Invariant, given(ed.Invariant, m.Invariant))
	differ(&p.Kind, m.Kind, given(ed.Kind, m.Kind))
	differ(&p.Scope, m.Scope, given(ed.Scope, m.Scope))
	differ(&p.Importance, m.Importance, given(ed.Importance, m.Importance))
	differ(&p.Resolved, m.Resolved, given(ed.Resolved, m.Resolved))
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

func given[T any](v *T, or T) T {
	if v == nil {
		return or
	}
	return *v
}

// replacing is what a statement that replaces m proposes.
func replacing(m, by mem.Memory, ask AddRequest) mem.Proposal {
	ed := mem.Edit{Title: &by.Title, Body: &by.Body}
	if ask.Kind != "" {
		ed.Kind = &by.Kind
	}
	if ask.Scope != "" {
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

// accepted is the edit that does what the person accepted.
func (e *Service) accepted(ctx context.Context, m mem.Memory, p mem.Proposal) mem.Edit {
	ed, err := markEdit(p.Action)
	if err != nil { // it is no order but an edit
		ed = mem.Edit{
			Title: p.Title, Body: p.Body, Invariant: p.Invariant, Kind: p.Kind, Scope: p.Scope, Importance: p.Importance,
			Resolved: p.Resolved, Tags: p.Tags, Files: p.Files, Facts: p.Facts, Trust: new(mem.TrustUser),
		}
		now := ProposedMemory(m, p)
		words := rank.Index(now)
		ed.Index, ed.Anchors = &words, e.Recall.Confirmed(ctx, now)
	}
	ed.ID, ed.Settled = m.ID, []string{p.ID}
	ed.Feedback = e.said(cmp.Or(map[string]string{mem.ProposeEdit: mem.Edited}[p.Action], p.Action), p.Reason, "")
	if p.Text() != "" && p.Text() != m.Text() {
		ed.Feedback = e.edited(ed.Feedback, m.Text(), "")
	}
	return ed
}

// proposedMemory is m as a proposal to edit it would have it.
func ProposedMemory(m mem.Memory, p mem.Proposal) mem.Memory {
	m.Title, m.Body, m.Invariant = given(p.Title, m.Title), given(p.Body, m.Body), given(p.Invariant, m.Invariant)
	m.Kind, m.Scope = given(p.Kind, m.Kind), given(p.Scope, m.Scope)
	m.Importance, m.Resolved = given(p.Importance, m.Importance), given(p.Resolved, m.Resolved)
	for _, l := range []struct{ into, from *[]string }{{&m.Tags, &p.Tags}, {&m.Files, &p.Files}, {&m.Facts, &p.Facts}} {
		if *l.from != nil {
			*l.into = *l.from
		}
	}
	if p.Action == mem.ProposeForget {
		m.Status = mem.Forgotten
	}
	return m
}

// proposedIn are the memories of a place with changes that wait, newest first.
func (e *Service) proposedIn(ctx context.Context, p mem.Project, among Among) ([]mem.Memory, error) {
	q := mem.Query{
		Proposed: true, Hidden: true, Within: "*", Project: p.Key, Limit: maxReviewed,
		Kinds: among.Kinds, Tags: among.Tags, File: e.Recall.Relative(p, among.File), After: among.After, Before: among.Before,
	}
	ms, err := e.Store.List(ctx, q)
	if err == nil && len(q.Kinds) == 0 {
		var said []mem.Memory
		q.Kinds = []mem.Kind{mem.Utterance}
		said, err = e.Store.List(ctx, q)
		ms = append(ms, said...)
	}
	if err != nil {
		return nil, fmt.Errorf("proposals: %w", err)
	}
	return ms, nil
}

// proposals are the changes that wait, newest first. One about a memory that is
// hidden by now waits for nothing, unless it would bring that back.
func (d *desk) proposals() []Finding {
	var out []Finding
	for _, m := range d.proposed {
		d.known[m.ID] = &m
		for _, p := range slices.Backward(m.Proposals) {
			if pending(m, p) {
				out = append(out, Finding{IDs: []string{m.ID, p.ID}, Text: proposalText(p)})
			}
		}
	}
	return out
}

// pending reports whether a decision about a proposal would still change its memory.
func pending(m mem.Memory, p mem.Proposal) bool {
	return slices.Contains(event.Findable(), m.Status) != (p.Action == mem.ProposeRestore)
}

// proposalText says in a sentence what is proposed, by whom and why.
func proposalText(p mem.Proposal) string {
	what := "to " + p.Action + " it"
	if p.Action == mem.ProposeEdit {
		what = "to change its " + strings.Join(proposedParts(p), ", ")
	}
	who := "an agent"
	switch {
	case p.Session == event.UnknownAgent || p.Session == "":
		who = "an agent of an unknown session"
	case p.Trust == mem.TrustNone:
		who = "an agent, after text from outside"
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

// proposedParts name what an edit changes.
func proposedParts(p mem.Proposal) (out []string) {
	for _, part := range []struct {
		name  string
		given bool
	}{
		{"text", p.Title != nil || p.Body != nil || p.Invariant != nil},
		{"kind", p.Kind != nil},
		{"scope", p.Scope != nil},
		{"importance", p.Importance != nil},
		{"state of work", p.Resolved != nil},
		{"tags", p.Tags != nil},
		{"files", p.Files != nil},
		{"facts", p.Facts != nil && p.Title == nil},
	} {
		if part.given {
			out = append(out, part.name)
		}
	}
	return out
}

// proposalOn finds a proposal of a memory; one is meant without an id if only one waits.
func proposalOn(m mem.Memory, id string) (mem.Proposal, error) {
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

// resolveProposal does what the person decided about one proposal. IDs are the
// memory and the proposal; without the second only one may wait.
func (e *Service) resolveProposal(ctx context.Context, ask ResolveRequest) (ResolveResponse, error) {
	out := ResolveResponse{Rule: ask.Rule, Action: ask.Action, Memories: []mem.Memory{}}
	if n := len(ask.IDs); n < 1 || n > 2 {
		return out, fmt.Errorf("%s is about a memory and a proposal: %w", ask.Rule, ErrNoFinding)
	}
	ms, err := e.Event.Given(ctx, ask.IDs[:1])
	if err != nil {
		return out, err
	}
	m := ms[0]
	p, err := proposalOn(m, strings.Join(ask.IDs[1:], ""))
	if err != nil {
		return out, err
	}
	switch ask.Action {
	case RejectFinding:
		err = e.rejectProposals(ctx, m, p)
	case AcceptFinding:
		err = e.acceptProposal(ctx, m, p)
	default:
		err = fmt.Errorf("%q of %s: %w", ask.Action, ask.Rule, ErrNoFinding)
	}
	if err != nil {
		return out, err
	}
	e.inbox.decided(m.Project, ReviewProposal, 1)
	out.Memories, err = e.Event.Given(ctx, []string{m.ID})
	return out, err
}

func (e *Service) acceptProposal(ctx context.Context, m mem.Memory, p mem.Proposal) error {
	if !pending(m, p) {
		return fmt.Errorf("%s is %s: %w", m.ID, m.Status, ErrNoFinding)
	}
	b := mem.Batch{Edits: []mem.Edit{e.accepted(ctx, m, p)}}
	if p.Action == mem.ProposeRestore {
		b.Dismissed = e.keptFromNowOn(m)
	}
	e.Event.Follow(&b)
	if _, err := e.Store.Apply(ctx, b); err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	e.Event.Without("vault", e.WriteNotes(ctx, p.Action == mem.ProposeRestore, m.ID))
	return nil
}

// rejectProposals removes proposals for good: the same ones do not wait again. What
// they left in the memory's file is put back.
func (e *Service) rejectProposals(ctx context.Context, m mem.Memory, list ...mem.Proposal) error {
	var b mem.Batch
	ed := mem.Edit{ID: m.ID}
	for _, p := range list {
		ed.Settled = append(ed.Settled, p.ID)
		b.Dismissed = append(b.Dismissed, mem.Dismissal{Rule: ReviewProposal, Memory: m.ID, Other: p.ID})
	}
	b.Edits = []mem.Edit{ed}
	if _, err := e.Store.Apply(ctx, b); err != nil {
		return fmt.Errorf("reject: %w", err)
	}
	if slices.ContainsFunc(list, func(p mem.Proposal) bool { return p.By == mem.FromVault }) {
		e.Event.Without("vault", e.RewriteNote(ctx, m))
	}
	return nil
}

// resolveProposals rejects all proposals of a place. They are accepted one by one.
func (e *Service) resolveProposals(ctx context.Context, ask ResolveRequest) (ResolveResponse, error) {
	out := ResolveResponse{Rule: ask.Rule, Action: ask.Action, DryRun: ask.DryRun, Memories: []mem.Memory{}}
	if len(ask.IDs) > 0 || ask.Action != RejectFinding {
		return out, fmt.Errorf("%q of every %s: %w", ask.Action, ask.Rule, ErrNoFinding)
	}
	d, err := e.deskOf(ctx, ask.Place, ask.Among)
	if err != nil {
		return out, err
	}
	for _, m := range d.proposed {
		if !ask.DryRun {
			if err := e.rejectProposals(ctx, m, m.Proposals...); err != nil {
				return out, err
			}
		}
		if out.Decided += len(m.Proposals); len(out.Memories) < resolvedShown {
			out.Memories = append(out.Memories, m)
		}
	}
	if !ask.DryRun {
		e.inbox.decided(d.project.Key, ReviewProposal, out.Decided)
	}
	return out, nil
}

// proposeReplacing proposes that a statement takes the place of a memory which has
// more trust than its author; nil where it may just do so.
func (e *Service) proposeReplacing(ctx context.Context, mm mem.Memory, ask AddRequest) (*mem.Proposal, error) {
	if mm.Supersedes == "" || ask.Agent == "" {
		return nil, nil
	}
	who, err := e.AuthorOf(ctx, ask.Agent)
	if err != nil {
		return nil, err
	}
	old, err := e.Event.One(ctx, mm.Supersedes)
	if err != nil || who.MayChange(old) || !slices.Contains(event.Findable(), old.Status) {
		return nil, err
	}
	return e.Proposals(who, "").Only(ctx, old, replacing(old, mm, ask))
}

// proposeMarks proposes the order for the memories that its author may not change,
// and returns the others.
func (e *Service) proposeMarks(ctx context.Context, ask MarkRequest, who event.Hand, ms []mem.Memory) ([]mem.Memory, []mem.Proposal, error) {
	ps := e.Proposals(who, ask.Reason)
	var own []mem.Memory
	for _, mm := range ms {
		if who.MayChange(mm) {
			own = append(own, mm)
			continue
		}
		if err := ps.Add(ctx, mm, mem.Proposal{Action: ask.Verb}); err != nil {
			return nil, nil, err
		}
	}
	return own, ps.made, ps.keep(ctx)
}

// mayErase is ErrNotPerson for an agent that would erase a session, or a memory that
// it may not change: what is erased cannot be brought back.
func (e *Service) MayErase(ctx context.Context, ask event.IDs) error {
	if ask.Agent == "" {
		return nil
	}
	who, err := e.AuthorOf(ctx, ask.Agent)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(ask.IDs, func(id string) bool { return !strings.HasPrefix(id, "m_") }) {
		return fmt.Errorf("erase a session: %w", ErrNotPerson)
	}
	ms, err := e.Event.Condemned(ctx, ask.IDs)
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
