package curate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Edit changes one memory. A change that an agent may not make is proposed instead.
func (s *Service) Edit(ctx context.Context, req EditRequest) (EditResponse, error) {
	s.Event.LogDegraded("vault", s.SyncVault(ctx, event.Person))
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
		waits, err := s.Proposals(who, req.Reason).AddAndSave(ctx, old, ProposalOf(old, ed))
		return EditResponse{Memory: old, Proposal: waits}, err
	}
	b := mem.Batch{Edits: []mem.Edit{ed}}
	s.Event.Follow(&b)
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return EditResponse{}, fmt.Errorf("edit %s: %w", old.ID, err)
	}
	s.Event.LogDegraded("vault", s.WriteNotes(ctx, false, old.ID))
	now, err := s.Event.One(ctx, old.ID)
	return EditResponse{Memory: now}, err
}

// editAuthor returns the author of an edit. It returns ErrPrivateTurn if the edit would store text of
// a private turn.
func (s *Service) editAuthor(ctx context.Context, req EditRequest) (event.Author, error) {
	who, err := s.AuthorOf(ctx, req.Agent)
	if err == nil && who.Private &&
		(req.Text != nil || req.Kind != nil || req.Scope != nil || len(req.AddTags) > 0 || req.Reason != "") {
		err = event.ErrPrivateTurn
	}
	return who, err
}

// editOf returns the edit that a request makes to old.
func (s *Service) editOf(ctx context.Context, req EditRequest, old mem.Memory) (mem.Edit, error) {
	ed := mem.Edit{
		ID:         old.ID,
		Kind:       req.Kind,
		Scope:      req.Scope,
		Importance: req.Importance,
		Resolved:   req.Resolved,
		Feedback:   s.reasonFeedback(Edited, req.Reason, req.Agent),
	}
	if req.Agent == "" {
		ed.Trust = new(mem.TrustUser) // an agent's edit leaves the trust unchanged
	}
	if req.Kind != nil {
		old.Kind = *req.Kind
	}
	if req.Text != nil {
		text := s.Redactor.Prompt(*req.Text)
		if strings.TrimSpace(text) == "" {
			return ed, event.ErrNoText
		}
		if was := old.Text(); was != strings.TrimSpace(text) {
			ed.Feedback = withPreviousText(ed.Feedback, was, req.Agent, s.Now())
		}
		old.Title, old.Body = editedText(old, text)
		ed.Title, ed.Body = &old.Title, &old.Body
	}
	if len(req.AddTags)+len(req.DropTags) > 0 {
		dropped := func(t string) bool { return slices.Contains(req.DropTags, t) }
		old.Tags = append(slices.DeleteFunc(slices.Clone(old.Tags), dropped), req.AddTags...) // drops first, to free room
		old.Tags = slices.DeleteFunc(cleanTags(s.Redactor, old.Tags), dropped)
		ed.Tags = append([]string{}, old.Tags...) // empty, not nil: no tags remain
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

// editedText returns the title and the body of a memory with a new text. The description of a file in the vault stays,
// unless it is all that is new, or the beginning of the text.
func editedText(old mem.Memory, text string) (title, body string) {
	text = strings.TrimSpace(text)
	if old.Note.File == "" || old.Text() == old.Body || old.Body == "" {
		return extract.Headline(text)
	}
	first, rest, _ := strings.Cut(text, "\n")
	switch rest = strings.TrimSpace(rest); {
	case rest == old.Body:
		return chars.Clip(chars.Line(first), 160), rest
	case first == old.Title && rest != "":
		return old.Title, rest
	}
	return old.Title, text
}

// validateEdit checks kind, importance and scope of an edit.
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
