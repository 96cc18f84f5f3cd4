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
	"remanence/internal/recall"
	"remanence/internal/redact"
)

// minUserImportance is the lowest importance of a statement that a person adds.
const minUserImportance = 0.8

// Errors of requests. The command line maps them to exit statuses.
var (
	ErrNoKind  = errors.New("no such kind")
	ErrNoScope = errors.New("no such scope")
	ErrNoVerb  = errors.New("no such action: use forget, restore, pin or unpin")

	ErrNarrower     = errors.New("the scope would become narrower")
	ErrNoImportance = errors.New("importance must be between 0 and 1")
	ErrImportSize   = fmt.Errorf("an import takes 1 to %d memories", maxImport)
	ErrImportTag    = errors.New("no import has such a tag")

	ErrImportSession = errors.New("a session needs an id in one line and a time at which it began")
)

// Add stores a statement of a person or an agent. With IfNew it stores nothing if an equal memory
// exists. A statement of an agent that would replace a more trusted memory is proposed instead.
func (s *Service) Add(ctx context.Context, req AddRequest) (AddResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return AddResponse{}, err
	}
	mm, err := s.newStatement(ctx, p, req)
	if err != nil {
		return AddResponse{}, err
	}
	if req.Kind == "" && req.Agent == "" && !req.IfNew {
		if mm.Kind, err = kindOfSame(ctx, s.Recall, mm); err != nil {
			return AddResponse{}, err
		}
		mm.Resolved = mm.Kind != mem.Todo
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

// kindOfSame returns the kind of the memory with the same text, so that a statement without a kind repeats it; else the
// kind that mm has.
func kindOfSame(ctx context.Context, search *recall.Service, mm mem.Memory) (mem.Kind, error) {
	text := chars.Clip(recall.WholeText(mm), event.MaxField)
	hits, err := search.Matched(ctx, mem.Query{
		Text: text, Project: mm.Project, Scopes: []mem.Scope{mm.Scope}, Limit: maxSimilarEach,
	}, nil)
	if err != nil {
		return "", fmt.Errorf("the same text: %w", err)
	}
	for _, h := range hits {
		if h.Memory.SameText(mm) {
			return h.Memory.Kind, nil
		}
	}
	return mm.Kind, nil
}

// newStatement builds the memory of an AddRequest: redacted, validated and attributed to its author.
// It returns ErrNoText if no text is left.
func (s *Service) newStatement(ctx context.Context, p mem.Project, req AddRequest) (mem.Memory, error) {
	text := s.Redactor.Prompt(req.Text)
	if strings.TrimSpace(text) == "" {
		return mem.Memory{}, event.ErrNoText
	}
	kind := req.Kind
	if kind == "" {
		kind = mem.Fact
	}
	info, ok := kind.Info()
	if !ok || kind == mem.Utterance { // only a transcript creates utterances
		return mem.Memory{}, fmt.Errorf("%q: %w", kind, ErrNoKind)
	}
	now := s.Now()
	mm := mem.Memory{
		Scope:      req.Scope,
		Project:    p.Key,
		Kind:       kind,
		Tags:       cleanTags(s.Redactor, req.Tags),
		Concepts:   cleanTags(s.Redactor, req.Aliases),
		Importance: max(info.Importance, minUserImportance),
		Confidence: event.ConfidenceUser,
		Trust:      mem.TrustUser,
		Origin:     mem.FromUserCommand,
		Resolved:   kind != mem.Todo,
		Branch:     p.Branch,
		Commit:     p.Commit,
		Created:    now,
		Updated:    now,
	}
	for _, f := range req.Files {
		mm.Files = append(mm.Files, s.Rel(p, s.Redactor.Text(f)))
	}
	addRelations(s.Redactor, &mm, req.Related)
	if req.Agent != "" {
		if err := s.attributeToAgent(ctx, &mm, req); err != nil {
			return mm, err
		}
	}
	if req.Importance != nil {
		mm.Importance = *req.Importance
	}
	mm.Title, mm.Body = extract.Headline(text)
	if title := chars.Clip(chars.Line(s.Redactor.Text(req.Title)), 160); title != "" {
		mm.Title, mm.Body = title, strings.TrimSpace(text)
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

// agentKey returns the key of an agent's statement. It contains the trust, so that an agent's copy of
// a person's statement does not replace it and lower its trust.
func agentKey(mm mem.Memory) string {
	h := sha256.New()
	for _, part := range []string{mm.Trust.String(), string(mm.Kind), string(mm.Scope), mm.Title, mm.Body} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // a hash never fails
	}
	return "agent:" + hex.EncodeToString(h.Sum(nil)[:16])
}

// validateStatement checks importance and scope, and sets the default scope.
func validateStatement(mm *mem.Memory) error {
	if !(mm.Importance >= 0 && mm.Importance <= 1) { // also false for NaN
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

// attributeToAgent sets an agent as the author of a statement. Its trust depends on what its turn has
// read. A known session is recorded as the source.
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
	sess, err := s.Event.Successor(ctx, req.Agent)
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

// Bounds of the fields beside a statement's text.
const (
	maxTags      = 20
	maxTag       = 60 // characters
	maxRelations = 20
)

// cleanTags returns tags redacted, each in one line, without duplicates and at most maxTags.
func cleanTags(r *redact.Redactor, list []string) []string {
	var out []string
	for _, t := range list {
		t = chars.Clip(chars.Line(r.Text(t)), maxTag)
		if t != "" && !slices.Contains(out, t) && len(out) < maxTags {
			out = append(out, t)
		}
	}
	return out
}

// addRelations adds the related names as concepts, and each described relation as a fact.
func addRelations(redactor *redact.Redactor, mm *mem.Memory, list []Relation) {
	for _, r := range list[:min(len(list), maxRelations)] {
		name := chars.Clip(chars.Line(redactor.Text(r.Name)), maxTag)
		if name == "" {
			continue
		}
		mm.Concepts = append(mm.Concepts, name)
		fact := name
		if how := chars.Clip(chars.Line(redactor.Text(r.Relationship)), maxTag); how != "" {
			fact = how + " " + name
		}
		if what := chars.Clip(chars.Line(redactor.Text(r.Type)), maxTag); what != "" {
			fact += " (" + what + ")"
		}
		if fact != name {
			mm.Facts = append(mm.Facts, fact)
		}
	}
}
