package continuity

import (
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

// Snapshot returns a memory of the newest prompts and answers before a compaction.
func Snapshot(ec event.Context, said []mem.Quote) []mem.Memory {
	text, left := "", snapshotChars
	for i := len(said) - 1; i >= 0 && left > 0; i-- {
		line := said[i].Who + ": " + said[i].Text
		if rs := []rune(line); len(rs) > left {
			line = "…" + string(rs[len(rs)-left+1:]) // the newest part of it
		}
		left -= len([]rune(line)) + 1
		text = line + "\n" + text
	}
	if text == "" {
		return nil
	}
	mm := ec.NewMemory(mem.Snapshot, mem.ScopeSession)
	mm.Title, mm.Body, mm.Event = "words before compaction", text, "pre-compact"
	mm.Tags, mm.Origin, mm.Key = []string{
		"compaction-snapshot",
		extract.AutoCaptured,
	}, mem.FromAssistant, "snapshot:"+ec.ID
	mm.Trust = mem.TrustNone // words of many turns, whatever those have read
	return []mem.Memory{mm}
}
