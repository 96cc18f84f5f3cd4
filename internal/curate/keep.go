package curate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
)

// importanceUser is what a statement that the person keeps by hand is worth at least.
const minUserImportance = 0.8

// Bad orders of a person. Callers give them their exit status.
var (
	ErrNoKind  = errors.New("no such kind")
	ErrNoScope = errors.New("no such scope")
	ErrNoVerb  = errors.New("no such order")

	ErrNarrower     = errors.New("the scope would become narrower")
	ErrNoImportance = errors.New("importance is not from 0 to 1")
	ErrImportSize   = fmt.Errorf("an import takes 1 to %d memories", maxImport)
)

// Add keeps a statement of the person, or of an agent.
func (s *Service) Add(ctx context.Context, req AddRequest) (AddResponse, error) {
	p, err := s.Event.Place(ctx, req.Place)
	if err != nil {
		return AddResponse{}, err
	}
	mm, err := s.newStatement(ctx, p, req)
	if err != nil {
		return AddResponse{}, err
	}
	var out AddResponse
	if req.IfNew && mm.Supersedes == "" {
		like, j, err := s.Recall.AlreadyKept(ctx, mm)
		if err != nil {
			return out, err
		}
		if out.Similar = like; like != nil {
			out.Relation, out.Difference = string(j.Relation), string(j.Reason)
		}
		if like != nil && j.Agrees() {
			return out, nil
		}
	}
	if waits, err := s.proposeReplacing(ctx, mm, req); err != nil || waits != nil {
		return AddResponse{Proposal: waits}, err
	}
	v := s.Event.OpenFiles(p)
	defer v.Close()
	list := event.Indexed([]mem.Memory{mm})
	event.Anchored(list, v.At)
	b := mem.Batch{Memories: list}
	if req.KeepBoth {
		if b.Dismissed, err = s.Recall.Apart(ctx, mm); err != nil {
			return out, err
		}
	}
	if p.Key != "" {
		b.Project = &p
	}
	s.Event.Follow(&b)
	res, err := s.Store.Apply(ctx, b)
	if err != nil {
		return AddResponse{}, fmt.Errorf("keep: %w", err)
	}
	out.Memory, err = s.Event.One(ctx, res[0].IDs[0])
	return out, err
}

// statement is the memory that an order to keep something makes.
func (s *Service) newStatement(ctx context.Context, p mem.Project, req AddRequest) (mem.Memory, error) {
	said := s.Door.Prompt(req.Text)
	if strings.TrimSpace(said) == "" {
		return mem.Memory{}, event.ErrNoText
	}
	kind := req.Kind
	if kind == "" {
		kind = mem.Fact
	}
	info, ok := kind.Info()
	if !ok || kind == mem.Utterance { // which only a transcript makes
		return mem.Memory{}, fmt.Errorf("%q: %w", kind, ErrNoKind)
	}
	now := s.Now()
	mm := mem.Memory{
		Scope: req.Scope, Project: p.Key, Kind: kind, Tags: s.cleanTags(req.Tags),
		Importance: max(info.Importance, minUserImportance), Confidence: event.ConfidenceUser, Trust: mem.TrustUser, Origin: mem.FromUserCommand,
		Resolved: kind != mem.Todo, Branch: p.Branch, Commit: p.Commit, Created: now, Updated: now,
	}
	for _, f := range req.Files {
		mm.Files = append(mm.Files, s.Rel(p, s.Door.Text(f)))
	}
	s.addRelations(&mm, req.Related)
	if req.Agent != "" {
		if err := s.attributeToAgent(ctx, &mm, req); err != nil {
			return mm, err
		}
	}
	if req.Importance != nil {
		mm.Importance = *req.Importance
	}
	mm.Title, mm.Body = extract.Headline(said)
	if title := chars.Clip(chars.Line(s.Door.Text(req.Title)), 160); title != "" {
		mm.Title, mm.Body = title, strings.TrimSpace(said)
	}
	if req.Supersedes != "" {
		old, err := s.Event.One(ctx, req.Supersedes)
		if err != nil {
			return mm, err
		}
		mm.Supersedes = old.ID
	}
	err := validateStatement(&mm)
	if req.Agent != "" {
		mm.Key = agentKey(mm)
	}
	return mm, err
}

// agentKey is the key of an agent's statement: one repeats only what has its trust.
// The same text as the person's would else take that one's place and lower its trust.
func agentKey(mm mem.Memory) string {
	h := sha256.New()
	for _, part := range []string{mm.Trust.String(), string(mm.Kind), string(mm.Scope), mm.Title, mm.Body} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // a hash never fails
	}
	return "agent:" + hex.EncodeToString(h.Sum(nil)[:16])
}

// settled gives a statement its scope and judges what a person or an agent chose.
func validateStatement(mm *mem.Memory) error {
	if !(mm.Importance >= 0 && mm.Importance <= 1) { // not a number is neither
		return fmt.Errorf("%v: %w", mm.Importance, ErrNoImportance)
	}
	switch mm.Scope {
	case "":
		mm.Scope = mem.ScopeProject
	case mem.ScopeUser:
		mm.Project = ""
	case mem.ScopeProject:
	case mem.ScopeSession:
		if mm.Session == "" {
			return fmt.Errorf("%q, and which session is not known: %w", mm.Scope, ErrNoScope)
		}
	default:
		return fmt.Errorf("%q: %w", mm.Scope, ErrNoScope)
	}
	return nil
}

// saidByAgent makes a statement an agent's own: what it is worth depends on what
// came into its turn, and a session that is known is noted as its source.
func (s *Service) attributeToAgent(ctx context.Context, mm *mem.Memory, req AddRequest) error {
	var err error
	if mm.Trust, err = s.Event.ByAgent(ctx, req.Agent); err != nil {
		return err
	}
	info, _ := mm.Kind.Info()
	mm.Importance, mm.Confidence, mm.Origin = info.Importance, event.ConfidenceAgent, mem.FromAssistant
	if req.Origin != "" {
		mm.Origin = req.Origin
	}
	sess, err := s.Event.GoesOn(ctx, req.Agent)
	if err != nil || sess.ID == "" {
		return err
	}
	turns, err := s.Store.Turns(ctx, sess.ID, 1)
	if err != nil {
		return fmt.Errorf("turn of the agent: %w", err)
	}
	mm.Session, mm.Source = sess.ID, mem.Source{Agent: sess.Agent, Session: sess.ID}
	if len(turns) > 0 {
		mm.Source.PromptID = turns[0].PromptID
	}
	return nil
}

// Bounds of what is given beside a statement's text.
const (
	maxTags      = 20
	maxTag       = 60 // characters
	maxRelations = 20
)

// tags are labels as they are kept: through the door, one line each, once.
func (s *Service) cleanTags(list []string) []string {
	var out []string
	for _, t := range list {
		t = chars.Clip(chars.Line(s.Door.Text(t)), maxTag)
		if t != "" && !slices.Contains(out, t) && len(out) < maxTags {
			out = append(out, t)
		}
	}
	return out
}

// relate notes what else a statement names: as its topics, and as single statements.
func (s *Service) addRelations(mm *mem.Memory, list []Relation) {
	for _, r := range list[:min(len(list), maxRelations)] {
		name := chars.Clip(chars.Line(s.Door.Text(r.Name)), maxTag)
		if name == "" {
			continue
		}
		mm.Concepts = append(mm.Concepts, name)
		fact := name
		if how := chars.Clip(chars.Line(s.Door.Text(r.Relationship)), maxTag); how != "" {
			fact = how + " " + name
		}
		if what := chars.Clip(chars.Line(s.Door.Text(r.Type)), maxTag); what != "" {
			fact += " (" + what + ")"
		}
		if fact != name {
			mm.Facts = append(mm.Facts, fact)
		}
	}
}

// Edit changes one memory as the person asks, or an agent. What an agent may not
// change is proposed.
func (s *Service) Edit(ctx context.Context, req EditRequest) (EditResponse, error) {
	s.Event.Without("vault", s.SyncVault(ctx, event.Person))
	old, err := s.Event.One(ctx, req.ID)
	if err != nil {
		return EditResponse{}, err
	}
	who, err := s.editAuthor(ctx, req)
	if err != nil {
		return EditResponse{}, err
	}
	if err := validateEdit(req, old); err != nil {
		return EditResponse{}, err
	}
	ed, err := s.editOf(ctx, req, old)
	if err != nil {
		return EditResponse{}, err
	}
	if !who.MayChange(old) && !(req.onlyResolves() && who.MayReport(old)) {
		waits, err := s.Proposals(who, req.Reason).Only(ctx, old, ProposalOf(old, ed))
		return EditResponse{Memory: old, Proposal: waits}, err
	}
	b := mem.Batch{Edits: []mem.Edit{ed}}
	s.Event.Follow(&b)
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return EditResponse{}, fmt.Errorf("edit %s: %w", old.ID, err)
	}
	s.Event.Without("vault", s.WriteNotes(ctx, false, old.ID))
	now, err := s.Event.One(ctx, old.ID)
	return EditResponse{Memory: now}, err
}

// editor is the author of an edit. ErrPrivateTurn if a text of it may not be kept.
func (s *Service) editAuthor(ctx context.Context, req EditRequest) (event.Hand, error) {
	who, err := s.AuthorOf(ctx, req.Agent)
	if err == nil && who.Private && (req.Text != nil || req.Kind != nil || req.Scope != nil || len(req.AddTags) > 0 || req.Reason != "") {
		err = event.ErrPrivateTurn
	}
	return who, err
}

// editOf is what an edit changes about old.
func (s *Service) editOf(ctx context.Context, req EditRequest, old mem.Memory) (mem.Edit, error) {
	ed := mem.Edit{ID: old.ID, Kind: req.Kind, Scope: req.Scope, Importance: req.Importance, Resolved: req.Resolved, Feedback: s.reasonFeedback(mem.Edited, req.Reason, req.Agent)}
	if req.Agent == "" {
		ed.Trust = new(mem.TrustUser) // an agent's never raises it, and does not change what has more
	}
	if req.Kind != nil {
		old.Kind = *req.Kind
	}
	if req.Text != nil {
		said := s.Door.Prompt(*req.Text)
		if strings.TrimSpace(said) == "" {
			return ed, event.ErrNoText
		}
		if was := old.Text(); was != strings.TrimSpace(said) {
			ed.Feedback = s.withPreviousText(ed.Feedback, was, req.Agent)
		}
		old.Title, old.Body = extract.Headline(said)
		ed.Title, ed.Body = &old.Title, &old.Body
	}
	if len(req.AddTags)+len(req.DropTags) > 0 {
		dropped := func(t string) bool { return slices.Contains(req.DropTags, t) }
		old.Tags = append(slices.DeleteFunc(slices.Clone(old.Tags), dropped), req.AddTags...) // what goes makes room
		old.Tags = slices.DeleteFunc(s.cleanTags(old.Tags), dropped)
		ed.Tags = append([]string{}, old.Tags...) // none left is not nil
	}
	if ed.Title != nil || ed.Tags != nil {
		words := rank.Index(old)
		ed.Index = &words
	}
	if req.Agent == "" || req.Text != nil {
		ed.Anchors = s.Recall.Confirmed(ctx, old)
	}
	return ed, nil
}

// judged reports whether an edit would make a memory what none can be.
func validateEdit(req EditRequest, old mem.Memory) error {
	if k := req.Kind; k != nil {
		if _, ok := k.Info(); !ok || (*k == mem.Utterance) != (old.Kind == mem.Utterance) {
			return fmt.Errorf("%q: %w", *k, ErrNoKind)
		}
	}
	if i := req.Importance; i != nil && !(*i >= 0 && *i <= 1) {
		return fmt.Errorf("%v: %w", *i, ErrNoImportance)
	}
	if req.Scope == nil {
		return nil
	}
	switch *req.Scope {
	case mem.ScopeSession, mem.ScopeProject, mem.ScopeUser:
	default:
		return fmt.Errorf("%q: %w", *req.Scope, ErrNoScope)
	}
	if req.Wider && rank.Reach(*req.Scope) < rank.Reach(old.Scope) {
		return fmt.Errorf("from %s to %s: %w", old.Scope, *req.Scope, ErrNarrower)
	}
	return nil
}

// markEdit is what an order changes about each of its memories.
func markEdit(verb string) (ed mem.Edit, err error) {
	switch verb {
	case mem.ProposeForget:
		ed.Status = new(mem.Forgotten)
	case mem.ProposeRestore:
		ed.Status, ed.MergedInto = new(mem.Active), new(string)
	case mem.ProposePin:
		ed.Pinned = new(true)
	case mem.ProposeUnpin:
		ed.Pinned = new(false)
	default:
		err = fmt.Errorf("%q: %w", verb, ErrNoVerb)
	}
	return ed, err
}

// Mark forgets, restores, pins or unpins memories.
func (s *Service) Mark(ctx context.Context, req MarkRequest) (MarkResponse, error) {
	out := MarkResponse{Verb: req.Verb, DryRun: req.DryRun}
	ed, err := markEdit(req.Verb)
	if err != nil {
		return out, err
	}
	if err := s.Event.MayKeep(ctx, req.Agent, req.Reason); err != nil {
		return out, err
	}
	who, err := s.AuthorOf(ctx, req.Agent)
	if err != nil {
		return out, err
	}
	s.Event.Without("vault", s.SyncVault(ctx, event.Person))
	ms, err := s.markTargets(ctx, req)
	if err != nil {
		return out, err
	}
	out.Memories = ms
	if req.DryRun || len(ms) == 0 {
		return out, nil
	}
	if ms, out.Proposed, err = s.proposeMarks(ctx, req, who, ms); err != nil || len(ms) == 0 {
		out.Memories = []mem.Memory{}
		return out, err
	}
	var b mem.Batch
	for _, mm := range ms {
		ed.ID, ed.Anchors, ed.Feedback = mm.ID, nil, s.reasonFeedback(req.Verb, req.Reason, req.Agent)
		if req.Verb == "pin" { // who pins it holds it to be right
			ed.Anchors = s.Recall.Confirmed(ctx, mm)
		}
		if req.Verb == "restore" {
			b.Dismissed = append(b.Dismissed, s.restoreDismissals(mm)...)
		}
		b.Edits = append(b.Edits, ed)
	}
	s.Event.Follow(&b)
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return out, fmt.Errorf("%s: %w", req.Verb, err)
	}
	ids := make([]string, 0, len(ms))
	for _, mm := range ms {
		ids = append(ids, mm.ID)
	}
	s.Event.Without("vault", s.WriteNotes(ctx, req.Verb == "restore", ids...))
	if out.Memories, err = s.Store.List(ctx, mem.Query{IDs: ids, Hidden: true}); err != nil {
		return out, fmt.Errorf("%s: %w", req.Verb, err)
	}
	return out, nil
}

// meant finds the memories an order is about.
func (s *Service) markTargets(ctx context.Context, req MarkRequest) ([]mem.Memory, error) {
	if len(req.IDs) > 0 {
		return s.Store.List(ctx, mem.Query{IDs: req.IDs, Hidden: true})
	}
	if req.Query == nil {
		return nil, fmt.Errorf("no id and no query: %w", mem.ErrNotFound)
	}
	q := *req.Query
	q.Limit, q.Within = MaxFound, "*"
	found, err := s.Recall.Search(ctx, recall.SearchRequest{Place: req.Place, Query: q})
	if err != nil {
		return nil, err
	}
	ms := make([]mem.Memory, 0, len(found.Hits))
	for _, h := range found.Hits {
		ms = append(ms, h.Memory)
	}
	return ms, nil
}
