package event

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"time"

	"remanence/internal/extract"
	"remanence/internal/mem"
)

// JobTail is the kind of job that brings the tail of a project's handoff up to date.
const JobTail = "tail"

// JobLink is the kind of job that says how memories stand to each other and
// which names they hold.
const JobLink = "weave"

// LinkNewKey is the key of the job that links what was just stored.
const LinkNewKey = "new" // what was written since it was last looked at

const linkDelay = 2 * time.Second

// Follow adds to a batch the jobs that its memories give rise to.
func (e *Service) Follow(b *mem.Batch) {
	e.toEmbed(b)
	e.addLinkJob(b)
}

// addLinkJob adds to a batch the job that weaves its memories in.
func (e *Service) addLinkJob(b *mem.Batch) {
	if slices.ContainsFunc(b.Memories, func(m mem.Memory) bool { return m.Kind.HasEntities() }) ||
		slices.ContainsFunc(b.Edits, func(ed mem.Edit) bool { return ed.Title != nil || ed.Body != nil || ed.Files != nil }) {
		b.Jobs = append(b.Jobs, mem.Job{Kind: JobLink, Key: LinkNewKey, NotBefore: e.Now().Add(linkDelay)})
	}
}

// JobConsolidate is the kind of job that brings memories in order: those of the
// session that is its key, once it ended or fell silent, or all of a project. Its
// data says which. It is no job of the session's own, which need not wait for it.
const JobConsolidate = "consolidate"

// ConsolidateLag is how long after a session's end its memories are consolidated.
const ConsolidateLag = 10 * time.Second // after a session's end, for what is still on its way

// SilentFor is how long a session without events counts as running.
const SilentFor = 30 * time.Minute // after which a session counts as over

// ConsolidateLater has a session that is over consolidated.
func ConsolidateLater(session string, at time.Time) mem.Job {
	return mem.Job{Kind: JobConsolidate, Key: session, Data: string(mem.SessionRun), NotBefore: at}
}

// All are the memories of a query, as many as are ever looked at together.
func (e *Service) All(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	return e.UpTo(ctx, maxLinted, q)
}

// UpTo are the first most memories of a query, in pages. What is kept meanwhile
// moves the others on: those that come again are there already.
func (e *Service) UpTo(ctx context.Context, most int, q mem.Query) ([]mem.Memory, error) {
	var out []mem.Memory
	known := map[string]bool{}
	for q.Limit = lintPage; len(out) < most; q.Offset += lintPage {
		page, err := e.Store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("memories: %w", err)
		}
		for _, m := range page {
			if !known[m.ID] {
				known[m.ID], out = true, append(out, m)
			}
		}
		if len(page) < lintPage {
			break
		}
	}
	return out, nil
}

// JobSnapshot is the kind of job that stores the last words before a compaction.
const JobSnapshot = "snapshot" // keep the newest words before a compaction

// JobDigest is the kind of job that digests a turn from its transcript.
const JobDigest = "digest" // digest a turn whose words came only with the transcript

// TranscriptLag is how long after Stop a transcript may be read: the client
// writes its last lines up to a quarter of a second late.
const TranscriptLag = time.Second

// OwnTranscript reports whether the event names the record of its own session.
// Any other file may be anybody's, and is not read.
func OwnTranscript(ev mem.Event) bool {
	return path.Base(extract.Slashed(ev.Transcript)) == ev.Session+".jsonl"
}

// JobData carries the event that asked for the job, without its bulk.
func JobData(ev mem.Event) string {
	ev.Input, ev.Response, ev.Text = nil, nil, ""
	b, err := json.Marshal(ev)
	if err != nil {
		return ""
	}
	return string(b)
}

// Digesting is how it stands with the digest by a model.
type Digesting struct {
	Provider string       `json:"provider"`
	Model    string       `json:"model"`
	URL      string       `json:"url,omitempty"` // without what may be secret; empty for a command
	Limit    int          `json:"daily_tokens"`
	Today    mem.Spending `json:"today"`
	Waiting  int          `json:"waiting"` // turns
	GivenUp  int          `json:"given_up"`
	Next     string       `json:"next,omitempty"`  // why the first that waits was put off; empty if it was not
	Error    string       `json:"error,omitempty"` // what keeps the model from being asked, or its newest failure

	// Of a DigestAsk with Redo.
	Turns   int  `json:"turns,omitempty"`   // that are, or would be, digested again
	Tokens  int  `json:"tokens,omitempty"`  // that this may cost at most
	Refused bool `json:"refused,omitempty"` // what is left of today is not enough for the first
}
