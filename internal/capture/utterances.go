package capture

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// Bounds of utterances.
const (
	maxUtterance = 1500 // characters; longer ones are cut into pieces
	maxPieces    = 20   // of one utterance; the rest is a pasted text
	minWords     = 3
)

// IndexUtterances stores utterances of the session's archive that are not yet indexed, and
// returns how many. It is idempotent: each piece has a key.
func (s *Service) IndexUtterances(ctx context.Context, ec event.Context) (made int, err error) {
	after, err := s.lastIndexed(ctx, ec.Session)
	if err != nil {
		return 0, err
	}
	err = s.Archive.Utterances(ctx, ec.SessionInfo, after, func(list []mem.ArchivedUtterance) error {
		turns, err := s.Store.Turns(ctx, ec.Session, event.WholeSession)
		if err != nil {
			return fmt.Errorf("turns: %w", err)
		}
		byPrompt := map[string]mem.Turn{}
		for _, t := range turns {
			byPrompt[t.PromptID] = t
		}
		var b mem.Batch
		for _, u := range list {
			if t, known := byPrompt[u.PromptID]; known && !t.Private {
				b.Memories = append(b.Memories, utterances(ec, u, t)...)
			}
		}
		made += len(b.Memories)
		return s.storeUtterances(ctx, event.Indexed(ec.Tagged(b.Memories)))
	})
	return made, err
}

// utteranceBatch is how many pieces one batch writes, plus the rest of the last
// utterance. It is small so that events do not wait long for the write lock.
const utteranceBatch = 50

func (s *Service) storeUtterances(ctx context.Context, ms []mem.Memory) error {
	for len(ms) > 0 {
		n := min(len(ms), utteranceBatch)
		for n < len(ms) && extract.UtteranceID(ms[n]) == extract.UtteranceID(ms[n-1]) { // see lastIndexed
			n++
		}
		b := mem.Batch{Memories: ms[:n]}
		s.Event.Follow(&b)
		if _, err := s.Store.Apply(ctx, b); err != nil {
			return fmt.Errorf("store utterances: %w", err)
		}
		ms = ms[n:]
	}
	return nil
}

// lastIndexed returns the ID of the newest indexed utterance; "" if there is none.
// All earlier ones of the archive are indexed too.
func (s *Service) lastIndexed(ctx context.Context, session string) (string, error) {
	ms, err := s.Store.List(ctx, mem.Query{
		Session: session, Kinds: []mem.Kind{mem.Utterance}, Hidden: true, Within: "*", Limit: 1,
	})
	if err != nil || len(ms) == 0 {
		return "", err
	}
	return extract.UtteranceID(ms[0]), nil
}

// utterances returns the memories of one prompt or answer; none if it has fewer than
// minWords words.
func utterances(ec event.Context, u mem.ArchivedUtterance, t mem.Turn) []mem.Memory {
	if wordCount(u.Text) < minWords {
		return nil
	}
	var out []mem.Memory
	for n, text := range extract.Pieces(u.Text, maxUtterance) {
		if n == maxPieces {
			break
		}
		mm := ec.NewMemory(mem.Utterance, mem.ScopeProject)
		mm.Project = cmp.Or(ec.SessionInfo.Project, mm.Project)
		mm.Title, mm.Body = extract.Headline(text)
		mm.Who, mm.Key, mm.Created, mm.Updated = u.Who, u.ID+"/"+strconv.Itoa(n), u.At, u.At
		mm.Source.PromptID, mm.Source.Event = u.PromptID, ""
		mm.Branch, mm.Commit = u.Branch, ""
		mm.Trust, mm.Origin, mm.Confidence = min(mem.TrustAssistant, t.Trust), mem.FromAssistant, event.ConfidenceAgent
		if u.Who == "user" {
			mm.Trust, mm.Origin, mm.Confidence = mem.TrustUser, mem.FromUserPrompt, event.ConfidenceUser
			if len(u.Text) > extract.PastedLength {
				mm.Trust = mem.TrustTool // its author is unknown
			}
		}
		out = append(out, mm)
	}
	return out
}

// wordCount counts words; two characters of a script without spaces are one.
func wordCount(s string) int {
	n, wide := 0, 0
	for _, w := range strings.Fields(s) {
		if strings.ContainsFunc(w, func(r rune) bool {
			return unicode.IsLetter(r) && !chars.Wide(r) || unicode.IsDigit(r)
		}) {
			n++
		}
		for _, r := range w {
			if chars.Wide(r) {
				wide++
			}
		}
	}
	return n + wide/2
}
