package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/inject"
	"remanence/internal/mem"
)

// Bounds of what is kept of a model's answer, in characters and items.
const (
	maxNarrative = 600
	maxFact      = 200
	maxFacts     = 6
	maxConcept   = 40
	maxPart      = 300 // of a summary
)

// ConfidenceModel is that of what a model made of a turn.
const ConfidenceModel = 0.6

// byModel tags what a model made.
const byModel = "model"

// refined are the memories that a model's answer makes, and the end of those that
// they replace: these are superseded, not erased, so that another model can be
// asked one day. What the person wrote, changed or pinned is left alone.
func (e *Engine) refined(ctx context.Context, m *moment, r turnRecord, d mem.Digest, model string, job mem.Job) (mem.Batch, error) {
	w := writer{m, r, e.Door.Text, "digest by " + model, time.Time{}}
	w.at = w.when()
	var b mem.Batch
	for i, o := range d.Observations {
		if mm, ok := w.observation(o); ok && len(b.Memories) < w.most() {
			mm.Key = fmt.Sprintf("model:%s:%d", job.ID, i)
			b.Memories = append(b.Memories, mm)
		}
	}
	learned := len(b.Memories) > 0
	sum, summed := w.summary(d.Summary)
	if summed {
		sum.Key = "model:" + job.ID
		b.Memories = append(b.Memories, sum)
	}
	over := mem.Superseded
	for _, old := range r.made {
		if old.Status != mem.Active || old.Trust == mem.TrustUser || old.Pinned {
			continue
		}
		if old.Kind == mem.Summary && summed || old.Kind != mem.Summary && learned {
			b.Edits = append(b.Edits, mem.Edit{ID: old.ID, Status: &over})
		}
	}
	b.Memories = indexed(b.Memories)
	e.follow(&b)
	return b, ctx.Err()
}

// writer turns a model's words into memories of a turn.
type writer struct {
	m     *moment
	r     turnRecord
	clean func(string) string
	by    string
	at    time.Time
}

// when is the time of what is made: that of what it replaces, so that a turn that
// is digested again stays where it was.
func (w writer) when() time.Time {
	at := w.m.turn.At
	for _, mm := range slices.Concat(w.r.done, w.r.made) {
		if mm.Created.After(at) {
			at = mm.Created
		}
	}
	return at
}

// most is how many observations are kept.
func (w writer) most() int {
	if w.m.person() {
		return maxStatements
	}
	return maxFindings
}

// line is a text of the model's, cleaned, in one line.
func (w writer) line(s string, most int) string { return mem.Clip(mem.Line(w.clean(s)), most) }

func (w writer) lines(list []string, most, each int) []string {
	var out []string
	for _, s := range list {
		out = appendNew(out, w.line(s, each), most)
	}
	return out
}

// memory is what all that is made has in common. It is trusted no more than the
// worst of what the model was given.
func (w writer) memory(k mem.Kind) mem.Memory {
	mm := w.m.newMemory(k, mem.ScopeProject)
	mm.Trust = worth(min(mem.TrustAssistant, w.m.turn.Trust), slices.Concat(w.r.done, w.r.made))
	mm.Origin, mm.Confidence, mm.Event = mem.FromAssistant, ConfidenceModel, w.by
	mm.Source.Event = ""
	mm.Created, mm.Updated = w.at, w.at
	for _, of := range slices.Concat(w.r.done, w.r.made) {
		mm.Branch, mm.Commit = of.Branch, of.Commit
	}
	return mm
}

func (w writer) observation(o mem.Observation) (mem.Memory, bool) {
	files := w.files(slices.Concat(o.Modified, o.Read))
	modified := w.files(o.Modified)
	mm := w.memory(kindOf(o.Type))
	mm.Tags = []string{madeOfWords, byModel}
	if !w.m.person() {
		mm.Scope, mm.Tags = mem.ScopeSession, []string{"subagent-discovery", byModel, autoCaptured}
	}
	mm.Title = w.line(o.Title, 160)
	mm.Body = mem.Clip(strings.TrimSpace(w.clean(strings.TrimSpace(o.Subtitle+"\n"+o.Narrative))), maxNarrative)
	mm.Facts, mm.Concepts = w.lines(o.Facts, maxFacts, maxFact), w.lines(o.Concepts, maxTopics, maxConcept)
	mm.Files, mm.Modified, mm.Resolved = files, modified, mm.Kind != mem.Todo
	mm.Anchors = w.anchors(files)
	return w.judged(mm), mm.Title != ""
}

func (w writer) summary(s *mem.SummaryText) (mem.Memory, bool) {
	if s == nil || !w.m.person() {
		return mem.Memory{}, false
	}
	mm := w.memory(mem.Summary)
	t := mem.SummaryText{
		Request: w.line(s.Request, maxPart), Investigated: w.line(s.Investigated, maxPart), Learned: w.line(s.Learned, maxPart),
		Completed: w.line(s.Completed, maxPart), NextSteps: w.line(s.NextSteps, maxPart), Notes: w.line(s.Notes, maxPart),
	}
	t.Request = cmp.Or(t.Request, mem.Clip(request(w.m.turn.Text), 200))
	mm.Summary, mm.Title, mm.Body = &t, mem.Clip(cmp.Or(t.Request, t.Completed), 120), mem.Clip(t.Completed, maxStatement)
	mm.Tags = []string{summaryTag, byModel}
	for _, old := range w.r.made {
		if old.Kind == mem.Summary {
			mm.Files, mm.Modified, mm.Anchors = old.Files, old.Modified, old.Anchors
		}
	}
	return w.judged(mm), t.Completed != "" || t.Learned != "" || t.Investigated != ""
}

// judged takes the trust from a memory that reads like an order, wherever in it.
func (w writer) judged(mm mem.Memory) mem.Memory {
	parts := slices.Concat([]string{mm.Title, mm.Body}, mm.Facts, mm.Concepts)
	if s := mm.Summary; s != nil {
		parts = append(parts, s.Request, s.Investigated, s.Learned, s.Completed, s.NextSteps, s.Notes)
	}
	if slices.ContainsFunc(parts, inject.Suspicious) || inject.Suspicious(strings.Join(parts, " ")) {
		mm.Trust = mem.TrustNone
	}
	return mm
}

// files are those of the names that the turn is known to have touched: a model
// may name any.
func (w writer) files(names []string) []string {
	var known, out []string
	for _, mm := range slices.Concat(w.r.done, w.r.made) {
		known = append(known, mm.Files...)
	}
	for _, name := range names {
		name = strings.TrimPrefix(strings.TrimSpace(name), "./")
		for _, f := range plain(known) {
			if f == name || strings.HasSuffix(name, "/"+f) {
				out = appendNew(out, f, maxFacts)
			}
		}
	}
	return out
}

// anchors are what the files held when the rules looked at them.
func (w writer) anchors(files []string) []mem.Anchor {
	var out []mem.Anchor
	for _, mm := range slices.Concat(w.r.made, w.r.done) {
		for _, a := range mm.Anchors {
			held := slices.ContainsFunc(out, func(have mem.Anchor) bool { return have.File == a.File })
			if slices.Contains(files, a.File) && !held {
				out = append(out, a)
			}
		}
	}
	return out
}

// kindOf is the kind of a memory by what a model calls it, in any of the usual
// vocabularies. What is called otherwise is a discovery.
func kindOf(called string) mem.Kind {
	switch strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(called))) {
	case "decision":
		return mem.Decision
	case "error_fix", "bugfix", "bug_fix", "fix", "problem_solution":
		return mem.ErrorFix
	case "gotcha", "trap", "pitfall", "warning":
		return mem.Gotcha
	case "howto", "how_to":
		return mem.Howto
	case "rationale", "why_it_exists", "reason":
		return mem.Rationale
	case "trade_off", "tradeoff":
		return mem.TradeOff
	case "convention", "pattern":
		return mem.Convention
	case "todo", "open", "next_step":
		return mem.Todo
	case "fact":
		return mem.Fact
	}
	return mem.Discovery
}
