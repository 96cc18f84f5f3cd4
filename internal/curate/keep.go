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
const importanceUser = 0.8

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
func (e *Service) Add(ctx context.Context, ask AddRequest) (AddResponse, error) {
	p, err := e.Event.Place(ctx, ask.Place)
	if err != nil {
		return AddResponse{}, err
	}
	mm, err := e.statement(ctx, p, ask)
	if err != nil {
		return AddResponse{}, err
	}
	var out AddResponse
	if ask.IfNew && mm.Supersedes == "" {
		like, j, err := e.Recall.AlreadyKept(ctx, mm)
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
	if waits, err := e.proposeReplacing(ctx, mm, ask); err != nil || waits != nil {
		return AddResponse{Proposal: waits}, err
	}
	v := e.Event.OpenFiles(p)
	defer v.Close()
	list := event.Indexed([]mem.Memory{mm})
	event.Anchored(list, v.At)
	b := mem.Batch{Memories: list}
	if ask.KeepBoth {
		if b.Dismissed, err = e.Recall.Apart(ctx, mm); err != nil {
			return out, err
		}
	}
	if p.Key != "" {
		b.Project = &p
	}
	e.Event.Follow(&b)
	res, err := e.Store.Apply(ctx, b)
	if err != nil {
		return AddResponse{}, fmt.Errorf("keep: %w", err)
	}
	out.Memory, err = e.Event.One(ctx, res[0].IDs[0])
	return out, err
}

// statement is the memory that an order to keep something makes.
func (e *Service) statement(ctx context.Context, p mem.Project, ask AddRequest) (mem.Memory, error) {
	said := e.Door.Prompt(ask.Text)
	if strings.TrimSpace(said) == "" {
		return mem.Memory{}, event.ErrNoText
	}
	kind := ask.Kind
	if kind == "" {
		kind = mem.Fact
	}
	info, ok := kind.Info()
	if !ok || kind == mem.Utterance { // which only a transcript makes
		return mem.Memory{}, fmt.Errorf("%q: %w", kind, ErrNoKind)
	}
	now := e.Now()
	mm := mem.Memory{
		Scope: ask.Scope, Project: p.Key, Kind: kind, Tags: e.tags(ask.Tags),
		Importance: max(info.Importance, importanceUser), Confidence: event.ConfidenceUser, Trust: mem.TrustUser, Origin: mem.FromUserCommand,
		Resolved: kind != mem.Todo, Branch: p.Branch, Commit: p.Commit, Created: now, Updated: now,
	}
	for _, f := range ask.Files {
		mm.Files = append(mm.Files, e.Rel(p, e.Door.Text(f)))
	}
	e.relate(&mm, ask.Related)
	if ask.Agent != "" {
		if err := e.saidByAgent(ctx, &mm, ask); err != nil {
			return mm, err
		}
	}
	if ask.Importance != nil {
		mm.Importance = *ask.Importance
	}
	mm.Title, mm.Body = extract.Headline(said)
	if title := chars.Clip(chars.Line(e.Door.Text(ask.Title)), 160); title != "" {
		mm.Title, mm.Body = title, strings.TrimSpace(said)
	}
	if ask.Supersedes != "" {
		old, err := e.Event.One(ctx, ask.Supersedes)
		if err != nil {
			return mm, err
		}
		mm.Supersedes = old.ID
	}
	err := settled(&mm)
	if ask.Agent != "" {
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
func settled(mm *mem.Memory) error {
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
func (e *Service) saidByAgent(ctx context.Context, mm *mem.Memory, ask AddRequest) error {
	var err error
	if mm.Trust, err = e.Event.ByAgent(ctx, ask.Agent); err != nil {
		return err
	}
	info, _ := mm.Kind.Info()
	mm.Importance, mm.Confidence, mm.Origin = info.Importance, event.ConfidenceAgent, mem.FromAssistant
	if ask.Origin != "" {
		mm.Origin = ask.Origin
	}
	s, err := e.Event.GoesOn(ctx, ask.Agent)
	if err != nil || s.ID == "" {
		return err
	}
	turns, err := e.Store.Turns(ctx, s.ID, 1)
	if err != nil {
		return fmt.Errorf("turn of the agent: %w", err)
	}
	mm.Session, mm.Source = s.ID, mem.Source{Agent: s.Agent, Session: s.ID}
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
func (e *Service) tags(list []string) []string {
	var out []string
	for _, t := range list {
		t = chars.Clip(chars.Line(e.Door.Text(t)), maxTag)
		if t != "" && !slices.Contains(out, t) && len(out) < maxTags {
			out = append(out, t)
		}
	}
	return out
}

// relate notes what else a statement names: as its topics, and as single statements.
func (e *Service) relate(mm *mem.Memory, list []Relation) {
	for _, r := range list[:min(len(list), maxRelations)] {
		name := chars.Clip(chars.Line(e.Door.Text(r.Name)), maxTag)
		if name == "" {
			continue
		}
		mm.Concepts = append(mm.Concepts, name)
		fact := name
		if how := chars.Clip(chars.Line(e.Door.Text(r.Relationship)), maxTag); how != "" {
			fact = how + " " + name
		}
		if what := chars.Clip(chars.Line(e.Door.Text(r.Type)), maxTag); what != "" {
			fact += " (" + what + ")"
		}
		if fact != name {
			mm.Facts = append(mm.Facts, fact)
		}
	}
}

// Edit changes one memory as the person asks, or an agent. What an agent may not
// change is proposed.
func (e *Service) Edit(ctx context.Context, ask EditRequest) (EditResponse, error) {
	e.Event.Without("vault", e.SyncVault(ctx, event.Person))
	old, err := e.Event.One(ctx, ask.ID)
	if err != nil {
		return EditResponse{}, err
	}
	who, err := e.editor(ctx, ask)
	if err != nil {
		return EditResponse{}, err
	}
	if err := judged(ask, old); err != nil {
		return EditResponse{}, err
	}
	ed, err := e.editOf(ctx, ask, old)
	if err != nil {
		return EditResponse{}, err
	}
	if !who.MayChange(old) && !(ask.Reports() && who.MayReport(old)) {
		waits, err := e.Proposals(who, ask.Reason).Only(ctx, old, ProposalOf(old, ed))
		return EditResponse{Memory: old, Proposal: waits}, err
	}
	b := mem.Batch{Edits: []mem.Edit{ed}}
	e.Event.Follow(&b)
	if _, err := e.Store.Apply(ctx, b); err != nil {
		return EditResponse{}, fmt.Errorf("edit %s: %w", old.ID, err)
	}
	e.Event.Without("vault", e.WriteNotes(ctx, false, old.ID))
	now, err := e.Event.One(ctx, old.ID)
	return EditResponse{Memory: now}, err
}

// editor is the author of an edit. ErrPrivateTurn if a text of it may not be kept.
func (e *Service) editor(ctx context.Context, ask EditRequest) (event.Hand, error) {
	who, err := e.AuthorOf(ctx, ask.Agent)
	if err == nil && who.Private && (ask.Text != nil || ask.Kind != nil || ask.Scope != nil || len(ask.AddTags) > 0 || ask.Reason != "") {
		err = event.ErrPrivateTurn
	}
	return who, err
}

// editOf is what an edit changes about old.
func (e *Service) editOf(ctx context.Context, ask EditRequest, old mem.Memory) (mem.Edit, error) {
	ed := mem.Edit{ID: old.ID, Kind: ask.Kind, Scope: ask.Scope, Importance: ask.Importance, Resolved: ask.Resolved, Feedback: e.reason(mem.Edited, ask.Reason, ask.Agent)}
	if ask.Agent == "" {
		ed.Trust = new(mem.TrustUser) // an agent's never raises it, and does not change what has more
	}
	if ask.Kind != nil {
		old.Kind = *ask.Kind
	}
	if ask.Text != nil {
		said := e.Door.Prompt(*ask.Text)
		if strings.TrimSpace(said) == "" {
			return ed, event.ErrNoText
		}
		if was := old.Text(); was != strings.TrimSpace(said) {
			ed.Feedback = e.edited(ed.Feedback, was, ask.Agent)
		}
		old.Title, old.Body = extract.Headline(said)
		ed.Title, ed.Body = &old.Title, &old.Body
	}
	if len(ask.AddTags)+len(ask.DropTags) > 0 {
		dropped := func(t string) bool { return slices.Contains(ask.DropTags, t) }
		old.Tags = append(slices.DeleteFunc(slices.Clone(old.Tags), dropped), ask.AddTags...) // what goes makes room
		old.Tags = slices.DeleteFunc(e.tags(old.Tags), dropped)
		ed.Tags = append([]string{}, old.Tags...) // none left is not nil
	}
	if ed.Title != nil || ed.Tags != nil {
		words := rank.Index(old)
		ed.Index = &words
	}
	if ask.Agent == "" || ask.Text != nil {
		ed.Anchors = e.Recall.Confirmed(ctx, old)
	}
	return ed, nil
}

// judged reports whether an edit would make a memory what none can be.
func judged(ask EditRequest, old mem.Memory) error {
	if k := ask.Kind; k != nil {
		if _, ok := k.Info(); !ok || (*k == mem.Utterance) != (old.Kind == mem.Utterance) {
			return fmt.Errorf("%q: %w", *k, ErrNoKind)
		}
	}
	if i := ask.Importance; i != nil && !(*i >= 0 && *i <= 1) {
		return fmt.Errorf("%v: %w", *i, ErrNoImportance)
	}
	if ask.Scope == nil {
		return nil
	}
	switch *ask.Scope {
	case mem.ScopeSession, mem.ScopeProject, mem.ScopeUser:
	default:
		return fmt.Errorf("%q: %w", *ask.Scope, ErrNoScope)
	}
	if ask.Wider && rank.Reach(*ask.Scope) < rank.Reach(old.Scope) {
		return fmt.Errorf("from %s to %s: %w", old.Scope, *ask.Scope, ErrNarrower)
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
func (e *Service) Mark(ctx context.Context, ask MarkRequest) (MarkResponse, error) {
	out := MarkResponse{Verb: ask.Verb, DryRun: ask.DryRun}
	ed, err := markEdit(ask.Verb)
	if err != nil {
		return out, err
	}
	if err := e.Event.MayKeep(ctx, ask.Agent, ask.Reason); err != nil {
		return out, err
	}
	who, err := e.AuthorOf(ctx, ask.Agent)
	if err != nil {
		return out, err
	}
	e.Event.Without("vault", e.SyncVault(ctx, event.Person))
	ms, err := e.meant(ctx, ask)
	if err != nil {
		return out, err
	}
	out.Memories = ms
	if ask.DryRun || len(ms) == 0 {
		return out, nil
	}
	if ms, out.Proposed, err = e.proposeMarks(ctx, ask, who, ms); err != nil || len(ms) == 0 {
		out.Memories = []mem.Memory{}
		return out, err
	}
	var b mem.Batch
	for _, mm := range ms {
		ed.ID, ed.Anchors, ed.Feedback = mm.ID, nil, e.reason(ask.Verb, ask.Reason, ask.Agent)
		if ask.Verb == "pin" { // who pins it holds it to be right
			ed.Anchors = e.Recall.Confirmed(ctx, mm)
		}
		if ask.Verb == "restore" {
			b.Dismissed = append(b.Dismissed, e.keptFromNowOn(mm)...)
		}
		b.Edits = append(b.Edits, ed)
	}
	e.Event.Follow(&b)
	if _, err := e.Store.Apply(ctx, b); err != nil {
		return out, fmt.Errorf("%s: %w", ask.Verb, err)
	}
	ids := make([]string, 0, len(ms))
	for _, mm := range ms {
		ids = append(ids, mm.ID)
	}
	e.Event.Without("vault", e.WriteNotes(ctx, ask.Verb == "restore", ids...))
	if out.Memories, err = e.Store.List(ctx, mem.Query{IDs: ids, Hidden: true}); err != nil {
		return out, fmt.Errorf("%s: %w", ask.Verb, err)
	}
	return out, nil
}

// meant finds the memories an order is about.
func (e *Service) meant(ctx context.Context, ask MarkRequest) ([]mem.Memory, error) {
	if len(ask.IDs) > 0 {
		return e.Store.List(ctx, mem.Query{IDs: ask.IDs, Hidden: true})
	}
	if ask.Query == nil {
		return nil, fmt.Errorf("no id and no query: %w", mem.ErrNotFound)
	}
	q := *ask.Query
	q.Limit, q.Within = MaxFound, "*"
	found, err := e.Recall.Search(ctx, recall.SearchRequest{Place: ask.Place, Query: q})
	if err != nil {
		return nil, err
	}
	ms := make([]mem.Memory, 0, len(found.Hits))
	for _, h := range found.Hits {
		ms = append(ms, h.Memory)
	}
	return ms, nil
}
