package continuity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
)

// AfterCompaction is the key that marks the newest compaction summary as compared.
const AfterCompaction = "compaction"

// shareCompaction is the section's share of a prompt's budget, in percent, before recall.
const shareCompaction = 50

// exactItem is one exact detail that was in the context before a compaction.
type exactItem struct {
	text   string
	keptIn func(in string) bool // reports whether a folded text contains it
}

// Loss lists the details that a compaction removed from the context and that no
// injection restored.
type Loss struct {
	mem.Compaction
	Section inject.Section
}

// CompactionLoss compares the context before the newest compaction with the client's summary
// and with the text injected after it. It does so once, at the first prompt after
// the summary arrives: the client reports it only after the new session start. It
// returns the zero value if there is nothing to compare.
func (s *Service) CompactionLoss(ctx context.Context, ec event.Context) (Loss, error) {
	if ec.SessionInfo.Compactions == 0 || ec.SessionInfo.Injected[AfterCompaction] || ec.Settings.Budgets.UserPrompt == 0 {
		return Loss{}, nil
	}
	evs, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, Kinds: []mem.EventKind{mem.PostCompact}, Limit: 1,
	})
	if err != nil {
		return Loss{}, fmt.Errorf("summary: %w", err)
	}
	if len(evs) == 0 || evs[0].At.Before(ec.SessionInfo.Compacted) || evs[0].Text == "" {
		return Loss{}, nil // not reported yet, or private
	}
	before, err := s.beforeCompaction(ctx, ec)
	if err != nil || before.ID == "" {
		return Loss{}, err
	}
	restored, err := s.restoredText(ctx, ec)
	if err != nil {
		return Loss{}, err
	}
	had, err := s.exactItems(ctx, ec, before)
	if err != nil {
		return Loss{}, err
	}
	l := Loss{Compaction: mem.Compaction{Checkpoint: before.ID, Exact: len(had)}}
	l.Section = inject.Section{
		Name:    recall.PlaceCompaction,
		Caption: "LEFT OUT BY THE SUMMARY",
		Share:   shareCompaction,
		Apart:   true,
	}
	summary := chars.Fold(summaryOf(evs[0].Text))
	for _, p := range had {
		switch {
		case p.keptIn(summary):
			l.Kept++
		case p.keptIn(restored):
			l.Restored++
		default:
			item := mem.InjectedItem{ID: before.ID, Title: chars.Clip(p.text, 120)}
			l.Section.Items = append(l.Section.Items, inject.Item{Text: p.text, Injected: item})
		}
	}
	return l, nil
}

// summaryOf returns a summary without the analysis that the client puts before it.
func summaryOf(text string) string {
	if _, after, found := strings.Cut(text, "</analysis>"); found {
		return after
	}
	return text
}

// beforeCompaction returns the checkpoint stored before the newest compaction.
func (s *Service) beforeCompaction(ctx context.Context, ec event.Context) (mem.Checkpoint, error) {
	cps, err := s.Store.Checkpoints(ctx, mem.CheckpointQuery{Session: ec.Session, Limit: 10})
	if err != nil {
		return mem.Checkpoint{}, fmt.Errorf("checkpoint: %w", err)
	}
	for _, cp := range cps {
		if (cp.Trigger == "auto" || cp.Trigger == "manual") && !cp.At.After(ec.SessionInfo.Compacted) {
			return cp, nil
		}
	}
	return mem.Checkpoint{}, nil
}

// restoredText returns the folded text that was injected after the compaction.
func (s *Service) restoredText(ctx context.Context, ec event.Context) (string, error) {
	rs, err := s.Store.Receipts(ctx, mem.ReceiptQuery{Session: ec.Session, Limit: 50})
	if err != nil {
		return "", fmt.Errorf("receipts: %w", err)
	}
	for _, r := range rs {
		if r.Trigger == "compact" && !r.At.Before(ec.SessionInfo.Compacted) {
			return chars.Fold(r.Text), nil
		}
	}
	return "", nil
}

// exactItems returns the exact details of a checkpoint that still hold. It makes a
// new checkpoint from the store and keeps what both contain: forgotten or purged
// text is not injected.
func (s *Service) exactItems(ctx context.Context, ec event.Context, before mem.Checkpoint) ([]exactItem, error) {
	decided, err := s.decisionItems(ctx, ec, before)
	if err != nil {
		return nil, err
	}
	now, err := s.Checkpoint(ctx, ec, before.Trigger)
	if err != nil {
		return nil, err
	}
	var out []exactItem
	was := before.Evidence
	for _, c := range now.Evidence.Commands {
		if slices.Contains(was.Commands, c) {
			out = append(out, exactItem{OutcomeLine(c), containsExactly(c.Command)})
		}
	}
	for _, n := range now.Evidence.Numbers {
		if slices.Contains(was.Numbers, n) {
			out = append(out, exactItem{"figures: " + n, containsNumbers(n)})
		}
	}
	for _, f := range now.Evidence.Files {
		if slices.Contains(was.Files, f) {
			out = append(out, exactItem{"file: " + f, containsExactly(f)})
		}
	}
	for _, o := range now.State.Open {
		if slices.Contains(before.State.Open, o) {
			out = append(out, exactItem{"open: " + o, ContainsTerms(o)})
		}
	}
	return append(out, decided...), nil
}

// decisionItems returns the session's decisions before the compaction.
func (s *Service) decisionItems(ctx context.Context, ec event.Context, before mem.Checkpoint) ([]exactItem, error) {
	ms, err := s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, Kinds: []mem.Kind{mem.Decision}, MinTrust: mem.TrustAssistant,
		Before: before.At, Limit: 5,
	})
	if err != nil {
		return nil, fmt.Errorf("decisions: %w", err)
	}
	var out []exactItem
	for _, mm := range ms {
		if text, ok := inject.InjectableText(mm); ok {
			out = append(out, exactItem{"decided: " + text, ContainsTerms(mm.Title)})
		}
	}
	return out, nil
}

// OutcomeLine formats a command with its exit status and note.
func OutcomeLine(c mem.Outcome) string {
	text := fmt.Sprintf("command `%s` exit %d", c.Command, c.Exit)
	if c.Note != "" {
		text += ": " + c.Note
	}
	return text
}

// containsExactly returns a test for the exact words.
func containsExactly(words string) func(string) bool {
	words = chars.Fold(words)
	return func(in string) bool { return strings.Contains(in, words) }
}

// containsNumbers returns a test for all numbers of a sentence. Summaries tend to
// drop or round them.
func containsNumbers(sentence string) func(string) bool {
	want := numbers(sentence)
	return func(in string) bool {
		have := numbers(in)
		return !slices.ContainsFunc(want, func(n string) bool { return !slices.Contains(have, n) })
	}
}

// numbers returns the numbers of a text.
func numbers(s string) []string {
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' })
	var out []string
	for _, w := range words {
		if w = strings.Trim(w, ".,"); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// minSharedWords is the share of a sentence's terms that a paraphrase must contain.
const minSharedWords = 0.6

// ContainsTerms returns a test for most terms of a sentence, in any form.
func ContainsTerms(sentence string) func(string) bool {
	// Phrases are left out: their words are terms, too.
	want := slices.DeleteFunc(rank.Terms(sentence), func(t string) bool { return strings.Contains(t, " ") })
	return func(in string) bool {
		have := strings.FieldsFunc(strings.ToLower(in), func(r rune) bool {
			return !unicode.In(r, unicode.L, unicode.M, unicode.N)
		})
		n := 0
		for _, t := range want {
			if slices.ContainsFunc(have, func(w string) bool { return recall.Akin(w, t) }) {
				n++
			}
		}
		return float64(n) >= minSharedWords*float64(len(want))
	}
}
