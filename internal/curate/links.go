package curate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/entity"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
)

// Keys of link jobs. At most one job with a key waits.
const (
	tidyKey = "tidy" // merges duplicate names and prunes weak links
)

// Bounds of linking.
const (
	linkBatch = 50 // memories per job

	tidyAfter          = 24 * time.Hour
	linkRetention      = 30 * 24 * time.Hour // of weak links and entities that were not seen since
	maxLikeLinks       = 5                   // similar memories linked to one memory; likewise related ones
	minSharedNames     = 2                   // names that two related memories share at least
	sameNameSimilarity = 0.88                // similarity above which two names are the same entity
	maxTidied          = 2000                // names examined per project
	ruleConfidence     = 0.6                 // confidence of a contradiction found without a model
)

// LinkJob runs one link job: it links new memories, or tidies names and links.
func (s *Service) LinkJob(ctx context.Context, job mem.Job) (mem.Batch, error) {
	if job.Key == tidyKey {
		return mem.Batch{}, s.tidy(ctx)
	}
	ms, err := s.Store.List(ctx, mem.Query{LinksOutdated: true, Within: "*", Limit: linkBatch})
	if err != nil {
		return mem.Batch{}, fmt.Errorf("memories to link: %w", err)
	}
	b := mem.Batch{Jobs: []mem.Job{{Kind: event.JobLink, Key: tidyKey, NotBefore: s.Now().Add(tidyAfter)}}}
	if len(ms) == linkBatch { // there may be more
		b.Jobs = append(b.Jobs, mem.Job{Kind: event.JobLink, Key: event.LinkNewKey})
	}
	known := newComparedMemories()
	for i, m := range ms {
		s.giveWay(ctx, i)
		links, err := s.linksOf(ctx, m, known)
		if err != nil &&
			(job.Attempts < 2 || ctx.Err() != nil) { // the retry stores names only, to not block the others
			return mem.Batch{}, err
		}
		b.Links = append(
			b.Links,
			mem.MemoryLinks{Memory: m.ID, Updated: m.Updated, Entities: known.entitiesOf(m), Links: links},
		)
	}
	return b, nil
}

// comparedMemories holds the memories that one job compares, and what is compared of them: each is read once.
type comparedMemories struct {
	read     recall.Known
	words    map[string]rank.Words
	entities map[string][]mem.NamedEntity
}

// mostCompared bounds the memories whose words and names are kept.
const mostCompared = 2000

func newComparedMemories() *comparedMemories {
	return &comparedMemories{recall.Known{}, map[string]rank.Words{}, map[string][]mem.NamedEntity{}}
}

// wordsOf returns the words of a memory.
func (c *comparedMemories) wordsOf(m mem.Memory) rank.Words { return kept(c.words, m, rank.WordsOf) }

// entitiesOf returns what a memory mentions.
func (c *comparedMemories) entitiesOf(m mem.Memory) []mem.NamedEntity {
	return kept(c.entities, m, entity.Of)
}

// kept returns what read returns of a memory, once read.
func kept[T any](by map[string]T, m mem.Memory, read func(mem.Memory) T) T {
	v, ok := by[m.ID]
	if !ok {
		if len(by) > mostCompared {
			clear(by)
		}
		v = read(m)
		by[m.ID] = v
	}
	return v
}

// linksOf returns the links from a memory to older memories.
func (s *Service) linksOf(ctx context.Context, m mem.Memory, known *comparedMemories) ([]mem.Link, error) {
	var out []mem.Link
	add := func(to string, k mem.LinkKind, confidence float64) {
		if to != "" && to != m.ID {
			out = append(out, mem.Link{From: m.ID, To: to, Kind: k, Confidence: confidence, Made: m.Updated})
		}
	}
	add(m.Supersedes, mem.LinkSupersedes, 1)
	add(m.MergedInto, mem.LinkPartOf, 1)
	if err := s.linkTurn(ctx, m, add); err != nil {
		return nil, err
	}
	if !slices.Contains(event.Knowledge(), m.Kind) {
		return out, nil
	}
	text := chars.Clip(recall.WholeText(m), event.MaxField)
	hits, err := s.Recall.Matched(ctx, mem.Query{
		Text:    text,
		Project: m.Project,
		Kinds:   event.Knowledge(),
		Within:  m.Session,
		Limit:   rank.Candidates,
	}, known.read)
	if err != nil {
		return nil, fmt.Errorf("memories similar to %s: %w", m.ID, err)
	}
	words := rank.WordsOf(m)
	similar, related := 0, 0
	for _, h := range hits {
		o := h.Memory
		if o.ID == m.ID || o.ID == m.Supersedes || o.Supersedes == m.ID || o.Created.After(m.Created) ||
			o.Created.Equal(m.Created) && o.ID > m.ID {
			continue
		}
		like := words.Alike(known.wordsOf(o))
		switch {
		case extract.MayConflict(m, o) || like >= duplicateSimilarity && extract.RolesSwapped(m, o):
			add(o.ID, mem.LinkContradicts, ruleConfidence)
		case like >= recall.Alike && similar < maxLikeLinks:
			similar++
			add(o.ID, mem.LinkSimilarTo, like)
		case related < maxLikeLinks:
			if both := sharedNames(known.entitiesOf(m), known.entitiesOf(o)); both >= minSharedNames {
				related++
				add(o.ID, mem.LinkRelatedTo, min(0.9, 0.2+0.15*float64(both)))
			}
		}
	}
	return out, nil
}

// linkTurn links memories of one turn: a fix to its failure, a rationale to its decision, and each
// memory to the turn's summary.
func (s *Service) linkTurn(ctx context.Context, m mem.Memory, add func(string, mem.LinkKind, float64)) error {
	if m.Source.PromptID == "" || m.Kind == mem.Summary {
		return nil
	}
	turn, err := s.Store.List(ctx, mem.Query{
		Project: m.Project, Session: m.Session, PromptID: m.Source.PromptID, Within: m.Session, Limit: linkBatch,
	})
	if err != nil {
		return fmt.Errorf("turn of %s: %w", m.ID, err)
	}
	for _, o := range turn {
		switch {
		case o.Kind == mem.Summary:
			add(o.ID, mem.LinkPartOf, 0.9)
		case m.Kind == mem.Rationale && o.Kind == mem.Decision:
			add(o.ID, mem.LinkSupports, 0.7)
		case m.Kind == mem.ErrorFix && o.Kind == mem.Gotcha:
			add(o.ID, mem.LinkCausedBy, 0.5)
		}
	}
	if m.Kind != mem.ErrorFix || m.Command == "" {
		return nil
	}
	failures, err := s.Store.List(ctx, mem.Query{
		Session: m.Session, Within: m.Session, Command: m.Command, Kinds: []mem.Kind{mem.Command}, Limit: 1,
	})
	if err != nil {
		return fmt.Errorf("failure that %s fixed: %w", m.ID, err)
	}
	for _, f := range failures {
		add(f.ID, mem.LinkCausedBy, 0.9)
	}
	return nil
}

// sharedNames counts the names that both memories mention with sufficient confidence.
func sharedNames(a, b []mem.NamedEntity) int {
	n := 0
	for _, x := range a {
		if x.Confidence >= mem.MinLinkConfidence &&
			slices.ContainsFunc(b, func(y mem.NamedEntity) bool { return x.Kind == y.Kind && x.Name == y.Name }) {
			n++
		}
	}
	return n
}

// tidy merges names with different spellings and prunes weak links.
func (s *Service) tidy(ctx context.Context) error {
	ps, err := s.Store.Projects(ctx, "")
	if err != nil {
		return fmt.Errorf("projects: %w", err)
	}
	for _, p := range ps {
		all, err := s.Store.Entities(ctx, mem.EntityQuery{Project: p.Key, Limit: maxTidied})
		if err != nil {
			return err
		}
		for from, into := range duplicateNames(all) {
			if err := s.Store.Join(ctx, from, into); err != nil {
				return err
			}
		}
	}
	_, err = s.Store.Prune(ctx, s.Now().Add(-linkRetention))
	return err
}

// duplicateNames maps IDs of entities to the ID of an earlier entity with the same name in another
// spelling. Files and packages are compared exactly and never merged. Pass the most mentioned entities
// first.
func duplicateNames(all []mem.Entity) map[string]string {
	out := map[string]string{}
	groups := map[string][]mem.Entity{} // by kind, project, first character and digits
	for _, x := range all {
		if x.Kind == mem.EntityFile || x.Kind == mem.EntityPackage {
			continue
		}
		f := foldedName(x.Name)
		if f == "" {
			continue
		}
		key := fmt.Sprint(
			x.Kind,
			" ",
			x.Project,
			" ",
			f[:1],
			" ",
			strings.Join(extract.NumbersOf(x.Name).Numbers, " "),
			digitsIn(f),
		)
		i := slices.IndexFunc(
			groups[key],
			func(y mem.Entity) bool { return diceSimilarity(f, foldedName(y.Name)) > sameNameSimilarity },
		)
		if i >= 0 {
			out[x.ID] = groups[key][i].ID
			continue
		}
		groups[key] = append(groups[key], x)
	}
	return out
}

// foldedName returns a name in lower case without separators.
func foldedName(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. @():", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

func digitsIn(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// diceSimilarity returns the Sørensen–Dice coefficient of the character bigrams of two words, 0…1.
func diceSimilarity(a, b string) float64 {
	if a == b {
		return 1
	}
	x, y := bigrams(a), bigrams(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	both := 0
	for p, n := range x {
		both += min(n, y[p])
	}
	return 2 * float64(both) / float64(len(a)+len(b)-2)
}

func bigrams(s string) map[string]int {
	out := map[string]int{}
	for i := range len(s) - 1 {
		out[s[i:i+2]]++
	}
	return out
}
