package continuity

import (
	"cmp"
	"context"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// SnapshotLines bounds the transcript lines that a snapshot reads; snapshotChars
// bounds the newest text that it keeps, in characters.
const (
	SnapshotLines = 200
	snapshotChars = 4000
)

// PreCompact saves the work before the client shortens its context: a checkpoint, a
// marker of the compaction, and jobs that store the newest words of the transcript and
// the handoff appendix.
func (s *Service) PreCompact(ctx context.Context, ec event.Context) (event.Changes, error) {
	cp, err := s.Checkpoint(ctx, ec, cmp.Or(ec.Source, "auto"))
	if err != nil {
		return event.Changes{}, err
	}
	marker := ec.NewMemory(mem.Snapshot, mem.ScopeSession)
	marker.Title, marker.Event = "context compaction occurred", "pre-compact"
	marker.Tags, marker.Importance = []string{"compaction-event", extract.AutoCaptured}, 0.4
	marker.Key = "compaction:" + ec.ID
	ch := event.Changes{Checkpoints: []mem.Checkpoint{cp}, Memories: []mem.Memory{marker}}
	if event.OwnTranscript(ec.Event) {
		ch.Jobs = []mem.Job{{
			Kind: event.JobSnapshot, Session: ec.Session, Key: ec.ID, Data: event.JobData(ec.Event),
		}}
	}
	ch.Merge(s.AppendixLater(ec))
	return ch, nil
}

// Snapshot returns a memory of the newest prompts and answers before a compaction.
func Snapshot(ec event.Context, quotes []mem.Quote) []mem.Memory {
	text, left := "", snapshotChars
	for i := len(quotes) - 1; i >= 0 && left > 0; i-- {
		line := quotes[i].Who + ": " + quotes[i].Text
		if rs := []rune(line); len(rs) > left {
			line = "…" + string(rs[len(rs)-left+1:])
		}
		left -= len([]rune(line)) + 1
		text = line + "\n" + text
	}
	if text == "" {
		return nil
	}
	mm := ec.NewMemory(mem.Snapshot, mem.ScopeSession)
	mm.Title, mm.Body, mm.Event = "words before compaction", text, "pre-compact"
	mm.Tags = []string{"compaction-snapshot", extract.AutoCaptured}
	mm.Origin, mm.Key = mem.FromAssistant, "snapshot:"+ec.ID
	mm.Trust = mem.TrustNone // words of many turns, which may have read external text
	return []mem.Memory{mm}
}
