package curate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
)

// maxImport bounds the memories of one import.
const maxImport = 1000

// Import stores memories and sessions that were exported elsewhere. They get the trust of external text until the
// person raises it, or that of the assistant if the person said so. A memory whose words are already stored, even
// hidden, is skipped: importing twice changes nothing.
func (s *Service) Import(ctx context.Context, req ImportRequest) (ImportResponse, error) {
	if n := len(req.Memories) + len(req.Sessions); n == 0 || n > maxImport {
		return ImportResponse{}, fmt.Errorf("%d memories: %w", n, ErrImportSize)
	}
	if req.Assistant && req.Agent != "" {
		return ImportResponse{}, fmt.Errorf("trust an import: %w", ErrNotPerson)
	}
	now := s.Now()
	tag := importTag + now.UTC().Format("20060102-150405.000")
	if req.Tag != "" {
		if tag = req.Tag; !IsImportTag(tag) {
			return ImportResponse{}, fmt.Errorf("tag %q: %w", chars.Clip(tag, len(importTag)), ErrImportTag)
		}
	}
	out := ImportResponse{Tag: tag, IDs: make([]string, len(req.Memories))}
	places := importPlaces{s: s, byName: map[string]mem.Project{}}
	if err := s.importSessions(ctx, req, &places, &out); err != nil {
		return out, err
	}
	var fresh []mem.Memory
	var at []int // indexes of fresh in req.Memories
	seen := map[string]bool{}
	for i, mm := range req.Memories {
		p, err := places.find(ctx, cmp.Or(mm.Project, req.Project))
		if err != nil {
			return ImportResponse{}, err
		}
		mm = prepare(s.Redactor, fromImport(mm, p.Key, out.Tag, now))
		words := strings.Join([]string{mm.Project, string(mm.Kind), mm.Title, recall.WholeText(mm)}, "\n")
		if mm.Title == "" {
			out.Empty++
			continue
		}
		there, err := s.exists(ctx, mm)
		if err != nil {
			return ImportResponse{}, fmt.Errorf("import: %w", err)
		}
		if there || seen[words] {
			out.Known++
			continue
		}
		switch orders := readsLikeOrder(mm); {
		case orders:
			out.Quarantined++
		case req.Assistant:
			mm.Trust = mem.TrustAssistant
		}
		seen[words] = true
		fresh, at = append(fresh, mm), append(at, i)
	}
	if req.DryRun {
		out.Tag, out.Imported = "", len(fresh)
		return out, nil
	}
	if err := places.store(ctx, fresh); err != nil {
		return ImportResponse{}, err
	}
	ids, err := s.AddMany(ctx, fresh)
	for i, id := range ids {
		out.IDs[at[i]] = id
	}
	out.Imported = len(ids)
	return out, err
}

// readsLikeOrder reports whether a part of an imported memory reads like an instruction to a model.
func readsLikeOrder(mm mem.Memory) bool {
	return inject.SuspiciousMemory(mm) || inject.Suspicious(strings.Join(mm.Facts, "\n")) ||
		mm.Summary != nil && inject.Suspicious(recall.WholeText(mm))
}

// importTag begins the tag of an import; behind it stands the time.
const importTag = "import-"

// IsImportTag reports whether a tag has the form of those that Import makes.
func IsImportTag(tag string) bool {
	at, ok := strings.CutPrefix(tag, importTag)
	_, err := time.Parse("20060102-150405.000", at)
	return ok && err == nil
}

// fromImport copies the fields that an import may set.
func fromImport(mm mem.Memory, project, tag string, now time.Time) mem.Memory {
	kind := mm.Kind
	switch _, ours := kind.Info(); {
	case kind == "":
		kind = mem.Fact
	case !ours, kind == mem.Utterance, kind == mem.Change: // those are of transcripts and of edits
		kind = extract.KindOf(string(kind))
	}
	scope := mem.ScopeProject
	if project == "" {
		scope = mem.ScopeUser
	}
	created := mm.Created
	if created.IsZero() || created.After(now) {
		created = now
	}
	return mem.Memory{
		Scope:      scope,
		Project:    project,
		Session:    mm.Session,
		Kind:       kind,
		Trust:      mem.TrustNone,
		Origin:     mem.FromImport,
		Confidence: event.ConfidenceAgent,
		Title:      mm.Title,
		Body:       mm.Body,
		Facts:      mm.Facts,
		Concepts:   mm.Concepts,
		Tags:       append([]string{tag}, mm.Tags...),
		Files:      mm.Files,
		Modified:   mm.Modified,
		Command:    mm.Command,
		Summary:    mm.Summary,
		Resolved:   kind != mem.Todo,
		Created:    created,
		Updated:    created,
	}
}

// importPlaces finds the projects of an import by what it calls them.
type importPlaces struct {
	s      *Service
	byName map[string]mem.Project
	fresh  []mem.Project // that are not stored yet
}

// find returns the project with a key, a name or a directory; the zero value for no name. A name that no project has
// becomes a project without a directory.
func (p *importPlaces) find(ctx context.Context, named string) (mem.Project, error) {
	if known, ok := p.byName[named]; ok || named == "" {
		return known, nil
	}
	found, err := p.s.Event.Place(ctx, mem.ProjectRef{Project: named})
	if errors.Is(err, mem.ErrNotFound) && filepath.IsAbs(named) {
		found, err = p.s.Event.Place(ctx, mem.ProjectRef{Dir: named})
		p.fresh = append(p.fresh, found)
	} else if errors.Is(err, mem.ErrNotFound) && !strings.HasPrefix(named, mem.KeyMark) { // a key is no name
		found, err = event.ImportedProject(p.s.Redactor.Prompt(named)), nil
		p.fresh = append(p.fresh, found)
	}
	if err != nil {
		return found, err
	}
	p.byName[named] = found
	return found, nil
}

// store stores the projects of memories that are not stored yet.
func (p *importPlaces) store(ctx context.Context, ms []mem.Memory) error {
	for _, one := range p.fresh {
		if !slices.ContainsFunc(ms, func(mm mem.Memory) bool { return mm.Project == one.Key }) {
			continue
		}
		if _, err := p.s.Store.Apply(ctx, mem.Batch{Project: &one}); err != nil {
			return fmt.Errorf("import: %w", err)
		}
	}
	return nil
}

// exists reports whether a memory of the same kind and scope has the same words. It searches for the
// first words, and only if too many memories match, for all words.
func (s *Service) exists(ctx context.Context, mm mem.Memory) (bool, error) {
	text := recall.WholeText(mm)
	begins := firstWords(mm.Title)
	q := mem.Query{
		Terms:   []string{begins},
		Project: mm.Project,
		Scopes:  []mem.Scope{mm.Scope},
		Kinds:   []mem.Kind{mm.Kind},
		Hidden:  true,
		Limit:   rank.Candidates,
	}
	for range 2 {
		hits, err := s.Recall.Matched(ctx, q, nil)
		if err != nil {
			return false, err
		}
		for _, h := range hits {
			if h.Memory.Title == mm.Title && recall.WholeText(h.Memory) == text {
				return true, nil
			}
		}
		if len(hits) < q.Limit && len(rank.Terms(begins)) > 0 {
			return false, nil
		}
		q.Terms = append(q.Terms, rank.Terms(chars.Clip(text, event.MaxField))...)
	}
	return false, nil
}

// firstWords returns the first words of a title as one search phrase.
func firstWords(title string) string {
	const most = 8
	words := strings.Fields(title)
	return strings.Join(words[:min(len(words), most)], " ")
}
