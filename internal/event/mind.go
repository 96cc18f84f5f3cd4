package event

import (
	"encoding/json"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

// MindKey begins their keys: a tag may be anybody's.
const MindKey = "mind:"

// OfStateFile reports whether a memory is a piece of a state file.
func OfStateFile(mm mem.Memory) bool { return strings.HasPrefix(mm.Key, MindKey) }

// JobMind is the kind of job that indexes changed state files.
const JobMind = "mind" // make what they say findable

// JobNote is the kind of job that writes notes into state files.
const JobNote = "notes" // leave in them what an event has to

// Noted is an event's project and what the event leaves in its state files.
type Noted struct {
	Root  string        `json:"root"`
	Notes mem.MindNotes `json:"notes"`
}

// StateFileNotes queues the job that writes an event's notes into the state files,
// if the project has trusted ones. The files are written later: no answer waits for
// them.
func (m Context) StateFileNotes(n mem.MindNotes) Changes {
	if !m.Mind.Trusted {
		return Changes{}
	}
	n.At, n.Session = m.At, m.Session
	if n.TurnEnded || n.EndReason != "" {
		n.Since = m.SessionInfo.Created
	}
	b, err := json.Marshal(Noted{m.Root, n})
	if err != nil {
		return Changes{}
	}
	return Changes{Jobs: []mem.Job{{Kind: JobNote, Session: m.Session, Key: m.ID, Data: string(b)}}}
}

// Leave adds the job of StateFileNotes to the batch.
func (m *Context) Leave(n mem.MindNotes) { m.Take(m.StateFileNotes(n)) }

// StampOf returns a time as state files write it, in UTC.
func StampOf(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// LinesOf are the items of a derived state, as lines of a checkpoint.
func LinesOf(items []inject.Item) string {
	var b strings.Builder
	for _, it := range items {
		b.WriteString("- " + chars.Line(it.Text) + "\n")
	}
	return b.String()
}
