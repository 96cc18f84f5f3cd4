package briefing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

const (
	noteRequest = "The last turn left no note. If it decided, found or changed something that a later session needs, " +
		"first call `remember` once: the statement in full, why, files, other words for it."
	noteMark        = "note:" // prefix of the marks of note requests, before the number of the turn
	maxNoteRequests = 3       // of a session in which none was followed
)

// noteRequest returns a request for a note on the last turn, once a turn: if the turn
// changed files and stated something worth keeping, and the agent kept no note since it
// began. Where no request was followed, requests end: the agent may lack the tool.
func (e *Service) noteRequest(ctx context.Context, ec event.Context) (line, mark string, err error) {
	if !ec.Settings.NoteRequests || !ec.Settings.MayInject(ec.SessionInfo) {
		return "", "", nil
	}
	turns, err := e.Store.Turns(ctx, ec.Session, 2)
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
	of := mem.Query{Project: ec.Project.Key, Session: ec.Session, Within: ec.Session, Hidden: true, Limit: event.WholeSession}
	ms, err := e.Store.List(ctx, of)
	if err != nil {
		return "", "", fmt.Errorf("memories of the session: %w", err)
	}
	requested := 0
	for m := range ec.SessionInfo.Injected {
		if strings.HasPrefix(m, noteMark) {
			requested++
		}
	}
	changed, stated := false, false
	for _, mm := range ms {
		switch {
		case mm.Origin == mem.FromMCP:
			requested = 0
			if !mm.Created.Before(turn.At) {
				return "", "", nil
			}
		case mm.Source.PromptID != turn.PromptID:
		case mm.Kind == mem.Change || mm.Kind == mem.ErrorFix:
			changed = true
		case slices.Contains(mm.Tags, extract.DigestTag):
			stated = true
		}
	}
	if !changed || !stated || requested >= maxNoteRequests {
		return "", "", nil
	}
	return noteRequest, mark, nil
}
