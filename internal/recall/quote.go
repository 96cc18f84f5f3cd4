package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// QuotesBefore finds what was said about the prompt in earlier conversations and
// is not in told, the memories found for it. The receipt gets what was left out.
func (e *Service) QuotesBefore(ctx context.Context, ec event.Context, files []string, told []mem.Hit,
	r *mem.Receipt,
) ([]mem.Hit, error) {
	most := ec.Settings.MaxChunks
	if most <= 0 {
		return nil, nil
	}
	hits, talk, err := e.Recall(ctx, ec, Question{
		Trigger: "prompt", Asked: ec.Text, Files: files, Most: 3 * most, // some of which are in view
		Query: mem.Query{Kinds: []mem.Kind{mem.Utterance}},
	})
	if err != nil {
		return nil, err
	}
	inView, err := e.inView(ctx, ec, hits)
	if err != nil {
		return nil, err
	}
	var out []mem.Hit
	forgotten := map[string][]string{} // lines, by session
	for _, h := range hits {
		s := h.Memory.Session
		if _, looked := forgotten[s]; !looked {
			if forgotten[s], err = e.forgottenOf(ctx, s); err != nil {
				return nil, err
			}
		}
		known, err := e.toldOf(ctx, ec, h.Memory)
		if err != nil {
			return nil, err
		}
		gate := ""
		switch {
		case inView(h.Memory):
			gate = "in_conversation"
		case event.Says(chars.Fold(h.Memory.Title+" "+h.Memory.Body), forgotten[s]):
			gate = "forgotten"
		case saysIt(append(known, told...), h.Memory, talk.Terms):
			gate = "duplicate"
		case len(out) == most:
			gate = "limit"
		}
		if gate == "" {
			out = append(out, h)
			continue
		}
		talk.LeftOut = append(talk.LeftOut, mem.LeftOutItem{
			ID: h.Memory.ID, Title: h.Memory.Title, Score: h.Score,
			Parts: h.Parts, Gate: gate,
		})
	}
	r.Candidates += talk.Candidates
	r.LeftOut = append(r.LeftOut, talk.LeftOut...)
	return out, nil
}

// forgottenOf are the lines, folded, of what was learned in a session and is
// forgotten: it is not told in the words it was learned from either.
func (e *Service) forgottenOf(ctx context.Context, session string) ([]string, error) {
	ms, err := e.Store.List(ctx, mem.Query{
		Session: session, Hidden: true, HiddenBefore: e.Now().Add(time.Second),
		Within: "*", Limit: event.MaxTakenBack,
	})
	if err != nil {
		return nil, fmt.Errorf("what was forgotten of %s: %w", session, err)
	}
	var out []string
	for _, mm := range ms {
		out = append(out, mm.Traces()...)
	}
	return out, nil
}

// inView tells which utterances the agent still sees: those of its session since
// the last compaction, and of the one it was forked from, until then.
func (e *Service) inView(ctx context.Context, ec event.Context, hits []mem.Hit) (func(mem.Memory) bool, error) {
	own := func(h mem.Hit) bool { return h.Memory.Session == ec.Session || forkedFrom(ec, h.Memory) }
	if !slices.ContainsFunc(hits, own) {
		return func(mem.Memory) bool { return false }, nil
	}
	events, err := e.Store.Events(ctx, mem.EventQuery{Session: ec.Session, Kinds: []mem.EventKind{
		mem.SessionStart,
		mem.PostCompact,
	}})
	if err != nil {
		return nil, fmt.Errorf("last compaction: %w", err)
	}
	var compacted time.Time
	for _, ev := range events { // newest first
		if compacted.IsZero() && (ev.Kind == mem.PostCompact || ev.Source == "compact") {
			compacted = ev.At
		}
	}
	return func(mm mem.Memory) bool {
		if forkedFrom(ec, mm) {
			return compacted.IsZero()
		}
		return mm.Session == ec.Session && !mm.Created.Before(compacted)
	}, nil
}

// forkedFrom reports whether something was said before the session was forked
// from the one it was said in.
func forkedFrom(ec event.Context, mm mem.Memory) bool {
	return ec.SessionInfo.Parent != "" && mm.Session == ec.SessionInfo.Parent && mm.Created.Before(ec.SessionInfo.Created)
}

// toldOf are the memories made of an utterance's turn that the session was told
// since its last compaction.
func (e *Service) toldOf(ctx context.Context, ec event.Context, u mem.Memory) ([]mem.Hit, error) {
	if len(ec.SessionInfo.Injected) == 0 || u.Source.PromptID == "" {
		return nil, nil
	}
	ms, err := e.Store.List(ctx, mem.Query{Session: u.Session, PromptID: u.Source.PromptID, Within: ec.Session, Limit: 50})
	if err != nil {
		return nil, fmt.Errorf("what else was made of the turn: %w", err)
	}
	var out []mem.Hit
	for _, mm := range ms {
		if ec.SessionInfo.Injected[mm.ID] {
			out = append(out, mem.Hit{Memory: mm})
		}
	}
	return out, nil
}

// saysIt reports whether memories that are told already say what an utterance
// does: one holds most of its words, or those made of the same turn meet every
// term of the question that it meets.
func saysIt(told []mem.Hit, u mem.Memory, terms []string) bool {
	words := rank.Terms(u.Title + "\n" + u.Body)
	left := met(words, terms)
	for _, h := range told {
		text := rank.Terms(h.Memory.Title + "\n" + h.Memory.Body + "\n" + strings.Join(h.Memory.Facts, "\n"))
		if 10*len(met(words, text)) >= 9*len(words) {
			return true
		}
		if h.Memory.Session == u.Session && h.Memory.Source.PromptID == u.Source.PromptID {
			meets := met(text, terms)
			left = slices.DeleteFunc(left, func(t string) bool {
				return slices.ContainsFunc(meets, func(o string) bool { return Akin(t, o) })
			})
		}
	}
	return len(left) == 0 && len(told) > 0
}

// met are those of words that are akin to one of the terms.
func met(words, terms []string) []string {
	var out []string
	for _, w := range words {
		if slices.ContainsFunc(terms, func(t string) bool { return Akin(w, t) }) {
			out = append(out, w)
		}
	}
	return out
}

// Parted parts what was said from memories.
func Parted(hits []mem.Hit) (memories, said []mem.Hit) {
	for _, h := range hits {
		if h.Memory.Kind == mem.Utterance {
			said = append(said, h)
		} else {
			memories = append(memories, h)
		}
	}
	return memories, said
}

// Quotes is the section of what was said: of each the part that meets the
// question, as long as the memories of the block leave room for.
func Quotes(b inject.Block, said []mem.Hit, r *mem.Receipt) inject.Section {
	s := inject.Section{Name: "said"}
	left := r.Budget - chars.Tokens(b.Header+"\n")
	for _, part := range b.Sections {
		for _, item := range part.Items {
			left -= chars.Tokens("- " + item.Text + "\n")
		}
	}
	for _, h := range said {
		piece := Passage(cmp.Or(h.Memory.Body, h.Memory.Title), r.Terms, quoteChars)
		if room := left - quoteHead; chars.Tokens(piece) > room {
			piece = Passage(piece, r.Terms, max(leastQuote, len([]rune(piece))*max(0, room)/max(1, chars.Tokens(piece))))
		}
		item, ok := inject.Quote(h, piece)
		if !ok {
			r.LeftOut = append(r.LeftOut, mem.LeftOutItem{
				ID: h.Memory.ID, Title: h.Memory.Title, Score: h.Score, Parts: h.Parts,
				Gate: "trust",
			})
			continue
		}
		s.Items = append(s.Items, item)
		left -= chars.Tokens("> " + item.Text + "\n")
	}
	return s
}

// The length of a quotation, in characters, and what stands before it, in tokens.
const (
	quoteChars = inject.MaxQuote - 50
	leastQuote = 200
	quoteHead  = 15
)
