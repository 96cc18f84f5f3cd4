package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// importanceUser is what a statement that the person keeps by hand is worth at least.
const importanceUser = 0.8

// Bad orders of a person. Callers give them their exit status.
var (
	ErrNoText  = errors.New("nothing left to keep")
	ErrNoKind  = errors.New("no such kind")
	ErrNoScope = errors.New("no such scope")
	ErrNoVerb  = errors.New("no such order")
)

// Add keeps a statement of the person.
func (e *Engine) Add(ctx context.Context, ask mem.AddAsk) (mem.Memory, error) {
	said := e.Door.Prompt(ask.Text)
	if strings.TrimSpace(said) == "" {
		return mem.Memory{}, ErrNoText
	}
	p, err := e.place(ctx, ask.Place)
	if err != nil {
		return mem.Memory{}, err
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
		Scope: ask.Scope, Project: p.Key, Kind: kind, Tags: ask.Tags,
		Importance: max(info.Importance, importanceUser), Confidence: ConfidenceUser, Trust: mem.TrustUser, Origin: mem.FromUserCommand,
		Resolved: kind != mem.Todo, Branch: p.Branch, Commit: p.Commit, Created: now, Updated: now,
	}
	for _, f := range ask.Files {
		mm.Files = append(mm.Files, e.Rel(p, e.Door.Text(f)))
	}
	if ask.Agent != "" {
		if mm.Trust, err = e.byAgent(ctx, ask.Agent); err != nil {
			return mem.Memory{}, err
		}
		mm.Importance, mm.Confidence, mm.Origin = info.Importance, ConfidenceAgent, mem.FromAssistant
	}
	switch mm.Scope {
	case "":
		mm.Scope = mem.ScopeProject
	case mem.ScopeUser:
		mm.Project = ""
	case mem.ScopeProject:
	default:
		return mem.Memory{}, fmt.Errorf("%q: %w", ask.Scope, ErrNoScope)
	}
	mm.Title, mm.Body = headline(said)
	mm.Index = rank.Index(mm)
	v := e.look(p)
	defer v.close()
	list := []mem.Memory{mm}
	anchored(list, v.at)
	b := mem.Batch{Memories: list}
	if p.Key != "" {
		b.Project = &p
	}
	e.toEmbed(&b)
	res, err := e.Store.Apply(ctx, b)
	if err != nil {
		return mem.Memory{}, fmt.Errorf("keep: %w", err)
	}
	return e.one(ctx, res[0].IDs[0])
}

// headline is the first line as title, and all of the text as body where the
// title does not say it all.
func headline(s string) (title, body string) {
	s = strings.TrimSpace(s)
	title = mem.Clip(mem.Line(mem.FirstLine(s)), 160)
	if title != s {
		body = s
	}
	return title, body
}

func (e *Engine) one(ctx context.Context, id string) (mem.Memory, error) {
	ms, err := e.Store.List(ctx, mem.Query{IDs: []string{id}, Hidden: true})
	if err != nil {
		return mem.Memory{}, fmt.Errorf("%s: %w", id, err)
	}
	return ms[0], nil
}

// Edit changes one memory by the person's hand.
func (e *Engine) Edit(ctx context.Context, ask mem.EditAsk) (mem.Memory, error) {
	old, err := e.one(ctx, ask.ID)
	if err != nil {
		return mem.Memory{}, err
	}
	trust := mem.TrustUser
	if ask.Agent != "" {
		if trust, err = e.byAgent(ctx, ask.Agent); err != nil {
			return mem.Memory{}, err
		}
		trust = min(trust, old.Trust)
	}
	ed := mem.Edit{ID: old.ID, Kind: ask.Kind, Scope: ask.Scope, Trust: &trust}
	if ask.Kind != nil {
		if _, ok := ask.Kind.Info(); !ok || (*ask.Kind == mem.Utterance) != (old.Kind == mem.Utterance) {
			return mem.Memory{}, fmt.Errorf("%q: %w", *ask.Kind, ErrNoKind)
		}
		old.Kind = *ask.Kind
	}
	if ask.Text != nil {
		said := e.Door.Prompt(*ask.Text)
		if strings.TrimSpace(said) == "" {
			return mem.Memory{}, ErrNoText
		}
		old.Title, old.Body = headline(said)
		words := rank.Index(old)
		ed.Title, ed.Body, ed.Index = &old.Title, &old.Body, &words
	}
	if ask.Agent == "" || ask.Text != nil {
		ed.Anchors = e.confirmed(ctx, old)
	}
	b := mem.Batch{Edits: []mem.Edit{ed}}
	e.toEmbed(&b)
	if _, err := e.Store.Apply(ctx, b); err != nil {
		return mem.Memory{}, fmt.Errorf("edit %s: %w", old.ID, err)
	}
	return e.one(ctx, old.ID)
}

// Mark forgets, restores, pins or unpins memories.
func (e *Engine) Mark(ctx context.Context, ask mem.MarkAsk) (mem.Marked, error) {
	out := mem.Marked{Verb: ask.Verb, DryRun: ask.DryRun}
	var ed mem.Edit
	active, forgotten, yes, no := mem.Active, mem.Forgotten, true, false
	switch ask.Verb {
	case "forget":
		ed.Status = &forgotten
	case "restore":
		ed.Status = &active
	case "pin":
		ed.Pinned = &yes
	case "unpin":
		ed.Pinned = &no
	default:
		return out, fmt.Errorf("%q: %w", ask.Verb, ErrNoVerb)
	}
	ms, err := e.meant(ctx, ask)
	if err != nil {
		return out, err
	}
	out.Memories = ms
	if ask.DryRun || len(ms) == 0 {
		return out, nil
	}
	var b mem.Batch
	for _, mm := range ms {
		ed.ID, ed.Anchors = mm.ID, nil
		if ask.Verb == "pin" { // who pins it holds it to be right
			ed.Anchors = e.confirmed(ctx, mm)
		}
		b.Edits = append(b.Edits, ed)
	}
	e.toEmbed(&b)
	if _, err := e.Store.Apply(ctx, b); err != nil {
		return out, fmt.Errorf("%s: %w", ask.Verb, err)
	}
	ids := make([]string, 0, len(ms))
	for _, mm := range ms {
		ids = append(ids, mm.ID)
	}
	if out.Memories, err = e.Store.List(ctx, mem.Query{IDs: ids, Hidden: true}); err != nil {
		return out, fmt.Errorf("%s: %w", ask.Verb, err)
	}
	return out, nil
}

// meant finds the memories an order is about.
func (e *Engine) meant(ctx context.Context, ask mem.MarkAsk) ([]mem.Memory, error) {
	if len(ask.IDs) > 0 {
		ms, err := e.Store.List(ctx, mem.Query{IDs: ask.IDs, Hidden: true})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(ask.IDs, " "), err)
		}
		return ms, nil
	}
	if ask.Query == nil {
		return nil, fmt.Errorf("no id and no query: %w", mem.ErrNotFound)
	}
	q := *ask.Query
	q.Limit, q.Within = 1000, "*"
	found, err := e.Search(ctx, mem.SearchAsk{Place: ask.Place, Query: q})
	if err != nil {
		return nil, err
	}
	ms := make([]mem.Memory, 0, len(found.Hits))
	for _, h := range found.Hits {
		ms = append(ms, h.Memory)
	}
	return ms, nil
}

// Purge erases memories and sessions and says what it cannot reach.
func (e *Engine) Purge(ctx context.Context, ask mem.IDs) (mem.Erased, error) {
	p, err := e.erase(ctx, ask.IDs)
	if err != nil {
		return mem.Erased{}, fmt.Errorf("purge: %w", err)
	}
	return mem.Erased{Purged: p, Unreached: e.unreached()}, nil
}
