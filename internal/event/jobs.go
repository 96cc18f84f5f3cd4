package event

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"remanence/internal/extract"
	"remanence/internal/mem"
)

// JobAppendix is the kind of job that updates the appendix of a project's handoff.
const JobAppendix = "tail"

// JobLink is the kind of job that finds the links and entities of memories.
const JobLink = "weave"

// LinkNewKey is the key of the job that links new memories.
const LinkNewKey = "new"

const linkDelay = 2 * time.Second

// Follow adds the jobs that a batch's memories need.
func (e *Service) Follow(b *mem.Batch) {
	e.toEmbed(b)
	e.addLinkJob(b)
}

// addLinkJob adds the job that links the batch's memories.
func (e *Service) addLinkJob(b *mem.Batch) {
	if slices.ContainsFunc(b.Memories, func(m mem.Memory) bool { return m.Kind.HasEntities() }) ||
		slices.ContainsFunc(b.Edits, func(ed mem.Edit) bool { return ed.Title != nil || ed.Body != nil || ed.Files != nil }) {
		b.Jobs = append(b.Jobs, mem.Job{Kind: JobLink, Key: LinkNewKey, NotBefore: e.Now().Add(linkDelay)})
	}
}

// JobConsolidate is the kind of job that consolidates memories: those of one session after it ended or fell
// silent, or all of a project. Its data says which. It belongs to no session, so that a session's other jobs do
// not wait for it.
const JobConsolidate = "consolidate"

// ConsolidateLag is how long after the report of a session's end its memories are consolidated. A backfill does it
// before.
const ConsolidateLag = 10 * time.Second

// SilentFor is how long a session without events counts as running.
const SilentFor = 30 * time.Minute

// ConsolidateLater adds the consolidation of a session that is over.
func ConsolidateLater(session string, at time.Time) mem.Job {
	return mem.Job{Kind: JobConsolidate, Key: session, Data: string(mem.SessionRun), NotBefore: at}
}

// All returns the memories of a query, up to the number that is ever examined together.
func (e *Service) All(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	return e.UpTo(ctx, maxLinted, q)
}

// UpTo returns the first most memories of a query, read in pages. Memories that are stored meanwhile shift the
// pages; duplicates are left out.
func (e *Service) UpTo(ctx context.Context, most int, q mem.Query) ([]mem.Memory, error) {
	var out []mem.Memory
	known := map[string]bool{}
	for q.Limit = lintPage; ; q.Offset += lintPage {
		page, err := e.Store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("memories: %w", err)
		}
		last := len(page) < lintPage
		page = slices.DeleteFunc(page, func(m mem.Memory) bool { return known[m.ID] })
		if out == nil { // as a rule it is all: thousands of memories are not copied
			out = page
		} else {
			out = append(out, page...)
		}
		if last || len(out) >= most {
			return out, nil
		}
		for _, m := range page {
			known[m.ID] = true
		}
	}
}

// JobSnapshot is the kind of job that stores the last utterances before a compaction.
const JobSnapshot = "snapshot"

// JobDigest is the kind of job that digests a turn from its transcript.
const JobDigest = "digest"

// TranscriptLag is how long after Stop a transcript may be read: the client
// writes its last lines up to a quarter of a second late.
const TranscriptLag = time.Second

// OwnTranscript reports whether the event names its own session's transcript. Other files are not read.
func OwnTranscript(ev mem.Event) bool {
	file := extract.Slashed(ev.Transcript)
	name := path.Base(file)
	switch {
	case ev.Session == "":
		return false
	case strings.HasPrefix(name, "rollout-"): // Codex
		return strings.HasSuffix(name, "-"+ev.Session+".jsonl")
	case strings.HasPrefix(name, "session-"): // Gemini: the first part of the id
		first, _, _ := strings.Cut(ev.Session, "-")
		return strings.HasSuffix(name, "-"+first+".jsonl")
	case name == "events.jsonl": // Copilot
		return path.Base(path.Dir(file)) == ev.Session
	case path.Base(path.Dir(file)) == "opencode.db": // in which a session is a row
		return name == ev.Session
	}
	return name == ev.Session+".jsonl" // Claude Code, Qwen
}

// JobData is the event that caused the job, without its large fields.
func JobData(ev mem.Event) string {
	ev.Input, ev.Response, ev.Text = nil, nil, ""
	b, err := json.Marshal(ev)
	if err != nil {
		return ""
	}
	return string(b)
}

// Digesting is the status of digests by a model.
type Digesting struct {
	Provider string       `json:"provider"`
	Model    string       `json:"model"`
	URL      string       `json:"url,omitempty"` // without secret parts; empty for a command
	Limit    int          `json:"daily_tokens"`
	Today    mem.Spending `json:"today"`
	Waiting  int          `json:"waiting"` // turns
	GivenUp  int          `json:"given_up"`
	Next     string       `json:"next,omitempty"`  // why the first waiting turn was delayed; empty if it was not
	Error    string       `json:"error,omitempty"` // why the model cannot be used, or its newest failure

	// Set in the response to a DigestRequest with Redo.
	Turns   int  `json:"turns,omitempty"`   // turns to digest again
	Tokens  int  `json:"tokens,omitempty"`  // largest cost of that
	Refused bool `json:"refused,omitempty"` // today's remaining tokens do not suffice for the first turn
}
