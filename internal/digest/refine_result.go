package digest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

// Bounds of the memories made from a model's answer, in characters and items.
const (
	maxNarrative = 600
	maxFacts     = 6
	maxConcept   = 40
	maxPart      = 300 // of a summary
)

// ConfidenceModel is the confidence of memories that a model wrote.
const ConfidenceModel = 0.6

// modelTag tags memories that a model wrote.
const modelTag = "model"

// refinedBatch returns the memories of a model's answer and supersedes those that
// they replace. Superseded memories stay stored, so that the turn can be digested
// again. Memories that the user wrote, changed or pinned are not replaced.
func (s *Service) refinedBatch(
	ctx context.Context, ec event.Context, r turnRecord, d mem.Digest, model string, job mem.Job,
) (mem.Batch, error) {
	w := writer{ec, r, s.Redactor.Text, "digest by " + model, time.Time{}}
	w.at = w.when()
	var b mem.Batch
	for i, o := range d.Observations {
		if mm, ok := w.observation(o); ok && len(b.Memories) < w.maxObservations() {
			mm.Key = fmt.Sprintf("model:%s:%d", job.ID, i)
			b.Memories = append(b.Memories, mm)
		}
	}
	hasObservations := len(b.Memories) > 0
	summary, hasSummary := w.summary(d.Summary)
	if hasSummary {
		summary.Key = "model:" + job.ID
		b.Memories = append(b.Memories, summary)
	}
	over := mem.Superseded
	for _, old := range r.digested {
		if old.Status != mem.Active || old.Trust == mem.TrustUser || old.Pinned {
			continue
		}
		if old.Kind == mem.Summary && hasSummary || old.Kind != mem.Summary && hasObservations {
			b.Edits = append(b.Edits, mem.Edit{ID: old.ID, Status: &over})
		}
	}
	b.Memories = event.Indexed(b.Memories)
	s.Event.Follow(&b)
	return b, ctx.Err()
}

// writer converts a model's answer into memories of a turn.
type writer struct {
	ec     event.Context
	r      turnRecord
	redact func(string) string
	by     string
	at     time.Time
}

// when returns the creation time of the new memories: the newest time among the
// memories they replace, so that the order of turns does not change.
func (w writer) when() time.Time {
	at := w.ec.Turn.At
	for _, mm := range slices.Concat(w.r.fromTools, w.r.digested) {
		if mm.Created.After(at) {
			at = mm.Created
		}
	}
	return at
}

// maxObservations bounds how many observations are kept.
func (w writer) maxObservations() int {
	if w.ec.Person() {
		return extract.MaxStatements
	}
	return extract.MaxFindings
}

// line redacts a text, joins it into one line and clips it to most characters.
func (w writer) line(s string, most int) string { return chars.Clip(chars.Line(w.redact(s)), most) }

// lines redacts and clips a list, and removes repetitions.
func (w writer) lines(list []string, most, each int) []string {
	var out []string
	for _, s := range list {
		out = extract.AppendNew(out, w.line(s, each), most)
	}
	return out
}

// memory returns a memory with the fields that all memories of the digest share. Its
// trust is at most the lowest trust of the model's input.
func (w writer) memory(k mem.Kind) mem.Memory {
	mm := w.ec.NewMemory(k, mem.ScopeProject)
	mm.Trust = extract.CapTrust(min(mem.TrustAssistant, w.ec.Turn.Trust), slices.Concat(w.r.fromTools, w.r.digested))
	mm.Origin, mm.Confidence, mm.Event = mem.FromAssistant, ConfidenceModel, w.by
	mm.Source.Event = ""
	mm.Created, mm.Updated = w.at, w.at
	for _, of := range slices.Concat(w.r.fromTools, w.r.digested) {
		mm.Branch, mm.Commit = of.Branch, of.Commit
	}
	return mm
}

// observation returns the memory of an observation. ok is false if it has no title.
func (w writer) observation(o mem.Observation) (mem.Memory, bool) {
	files := w.files(slices.Concat(o.Modified, o.Read))
	modified := w.files(o.Modified)
	mm := w.memory(extract.KindOf(o.Type))
	mm.Tags = []string{extract.DigestTag, modelTag}
	if !w.ec.Person() {
		mm.Scope, mm.Tags = mem.ScopeSession, []string{"subagent-discovery", modelTag, extract.AutoCaptured}
	}
	mm.Title = w.line(o.Title, 160)
	mm.Body = chars.Clip(strings.TrimSpace(w.redact(strings.TrimSpace(o.Subtitle+"\n"+o.Narrative))), maxNarrative)
	mm.Facts = w.lines(o.Facts, maxFacts, extract.MaxFact)
	mm.Concepts = w.lines(o.Concepts, extract.MaxTopics, maxConcept)
	mm.Files, mm.Modified, mm.Resolved = files, modified, mm.Kind != mem.Todo
	mm.Anchors = w.anchors(files)
	return w.checkTrust(mm), mm.Title != ""
}

// summary returns the memory of a summary. ok is false for an empty one and for
// subagents.
func (w writer) summary(s *mem.SummaryText) (mem.Memory, bool) {
	if s == nil || !w.ec.Person() {
		return mem.Memory{}, false
	}
	mm := w.memory(mem.Summary)
	t := mem.SummaryText{
		Request: w.line(s.Request, maxPart), Investigated: w.line(s.Investigated, maxPart),
		Learned: w.line(s.Learned, maxPart), Completed: w.line(s.Completed, maxPart),
		NextSteps: w.line(s.NextSteps, maxPart), Notes: w.line(s.Notes, maxPart),
	}
	t.Request = cmp.Or(t.Request, extract.ShortRequest(w.ec.Turn.Text, 200))
	mm.Summary, mm.Title = &t, chars.Clip(cmp.Or(t.Request, t.Completed), 120)
	mm.Body = chars.Clip(t.Completed, extract.MaxStatement)
	mm.Tags = []string{extract.SummaryTag, modelTag}
	for _, old := range w.r.digested {
		if old.Kind == mem.Summary {
			mm.Files, mm.Modified, mm.Anchors, mm.Commits = old.Files, old.Modified, old.Anchors, old.Commits
		}
	}
	return w.checkTrust(mm), t.Completed != "" || t.Learned != "" || t.Investigated != ""
}

// checkTrust sets the trust of a memory to none if any part of it reads like an
// instruction to the agent.
func (w writer) checkTrust(mm mem.Memory) mem.Memory {
	parts := slices.Concat([]string{mm.Title, mm.Body}, mm.Facts, mm.Concepts)
	if s := mm.Summary; s != nil {
		parts = append(parts, s.Request, s.Investigated, s.Learned, s.Completed, s.NextSteps, s.Notes)
	}
	if slices.ContainsFunc(parts, inject.Suspicious) || inject.Suspicious(strings.Join(parts, " ")) {
		mm.Trust = mem.TrustNone
	}
	return mm
}

// files keeps the names that the turn is known to have touched: a model may invent
// others.
func (w writer) files(names []string) []string {
	var known, out []string
	for _, mm := range slices.Concat(w.r.fromTools, w.r.digested) {
		known = append(known, mm.Files...)
	}
	for _, name := range names {
		name = strings.TrimPrefix(strings.TrimSpace(name), "./")
		for _, f := range extract.TrustedNames(known) {
			if f == name || strings.HasSuffix(name, "/"+f) {
				out = extract.AppendNew(out, f, maxFacts)
			}
		}
	}
	return out
}

// anchors returns the stored anchors of the files.
func (w writer) anchors(files []string) []mem.Anchor {
	var out []mem.Anchor
	for _, mm := range slices.Concat(w.r.digested, w.r.fromTools) {
		for _, a := range mm.Anchors {
			known := slices.ContainsFunc(out, func(b mem.Anchor) bool { return b.File == a.File })
			if slices.Contains(files, a.File) && !known {
				out = append(out, a)
			}
		}
	}
	return out
}
