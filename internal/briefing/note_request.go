package briefing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

const (
	noteRequest = "[Remanence] The last turn left no note. If it decided, found or changed something that a later " +
		"session needs, " +
		"first call `remember` once: the statement in full, why, files, aliases."
	noteMark        = "note:" // prefix of the marks of note requests, before the number of the turn
	maxNoteRequests = 3       // since the last note
	recentTurns     = 30      // in which requests are looked for
)

// NoteRequest returns a request for a note on the last turn, once a turn: if the turn
// changed files and stated something worth keeping, and the agent kept no note since it
// began. The mark records that it was injected. Where no request was followed, requests
// end: the agent may lack the tool.
func (e *Service) NoteRequest(ctx context.Context, ec event.Context) (line, mark string, err error) {
	if !ec.Settings.NoteRequests || ec.SessionInfo.ID == "" || !ec.Settings.MayInject(ec.SessionInfo) {
		return "", "", nil
	}
	turns, err := e.Store.Turns(ctx, ec.Session, recentTurns)
	if err != nil {
		return "", "", fmt.Errorf("turns: %w", err)
	}
	last := slices.IndexFunc(turns, func(t mem.Turn) bool { return t.PromptID != ec.PromptID })
	if last < 0 {
		return "", "", nil
	}
	turn := turns[last]
	mark = noteMark + strconv.Itoa(turn.Number)
	if turn.Number == 0 || turn.Private || turn.Trust == mem.TrustNone || ec.SessionInfo.Injected[mark] {
		return "", "", nil
	}
	of := mem.Query{
		Project: ec.Project.Key, Session: ec.Session, Within: ec.Session, Hidden: true, Limit: event.WholeSession,
	}
	inTurn := of
	inTurn.PromptID = turn.PromptID
	ms, err := e.Store.List(ctx, inTurn)
	if err != nil {
		return "", "", fmt.Errorf("memories of the turn: %w", err)
	}
	if !worthNoting(ms) {
		return "", "", nil
	}
	of.After = turn.At
	if noted, err := e.lastNote(ctx, of); err != nil || !noted.IsZero() {
		return "", "", err
	}
	if unfollowed(ec.SessionInfo.Injected, turns, time.Time{}) >= maxNoteRequests {
		of.After = time.Time{}
		noted, err := e.lastNote(ctx, of)
		if err != nil || unfollowed(ec.SessionInfo.Injected, turns, noted) >= maxNoteRequests {
			return "", "", err
		}
	}
	return noteRequest, mark, nil
}

// worthNoting reports whether a turn with these memories changed something and stated
// something.
func worthNoting(ms []mem.Memory) bool {
	changed, stated := false, false
	for _, mm := range ms {
		changed = changed || mm.Kind == mem.Change || mm.Kind == mem.ErrorFix
		stated = stated || slices.Contains(mm.Tags, extract.DigestTag)
	}
	return changed && stated
}

// lastNote returns when the newest note of the agent's among the memories of a query was
// made; the zero time if there is none.
func (e *Service) lastNote(ctx context.Context, of mem.Query) (time.Time, error) {
	ms, err := e.Store.List(ctx, of)
	if err != nil {
		return time.Time{}, fmt.Errorf("notes: %w", err)
	}
	if i := slices.IndexFunc(ms, func(mm mem.Memory) bool { return mm.Origin == mem.FromMCP }); i >= 0 {
		return ms[i].Created, nil
	}
	return time.Time{}, nil
}

// unfollowed counts the marks of requests about turns that began after the last note.
func unfollowed(marks map[string]bool, turns []mem.Turn, noted time.Time) (n int) {
	if noted.IsZero() {
		for m := range marks {
			if strings.HasPrefix(m, noteMark) {
				n++
			}
		}
		return n
	}
	for _, t := range turns {
		if t.Number > 0 && t.At.After(noted) && marks[noteMark+strconv.Itoa(t.Number)] {
			n++
		}
	}
	return n
}
