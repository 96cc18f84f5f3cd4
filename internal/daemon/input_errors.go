package daemon

import (
	"context"
	"errors"
	"net/http"

	"remanence/internal/api"
	"remanence/internal/capture"
	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/filesync"
)

// inputError is an error of a request, with its fix.
type inputError struct {
	is  error
	fix string
}

// inputErrors lists the errors that a person or an agent causes.
func inputErrors() []inputError {
	return []inputError{
		{event.ErrNoText, "give a text, outside of <private>…</private>"},
		{event.ErrPauseLength, "remanence pause --for 30m; over HTTP, a number of nanoseconds"},
		{curate.ErrNoKind, "remanence add --help"},
		{curate.ErrNoScope, "use project or user"},
		{curate.ErrNoVerb, "use pin, unpin, forget or restore"},
		{event.ErrShortText, "name at least three letters or digits; to erase a memory or a session, give its id"},
		{event.ErrIDsAndText, "give ids or a text, not both"},
		{
			errTeamKeeps, "repeat it when the server can be reached (remanence doctor); to erase it here alone: " +
				"remanence config unset share.dsn, and repeat it; the team keeps the text",
		},
		{event.ErrNoStrategy, "use auto, keyword, vector or hybrid"},
		{curate.ErrNarrower, "make a new memory with the narrower scope, and forget this one"},
		{curate.ErrNoImportance, "give a number from 0 to 1"},
		{filesync.ErrNoOp, "use get, update, decision, progress or session"},
		{filesync.ErrTooLong, "use fewer words, or several calls"},
		{filesync.ErrNoAction, "use add or complete"},
		{filesync.ErrNoStatus, "use Final, Open, Pending or Revisit"},
		{filesync.ErrNoProject, "name one project"},
		{filesync.ErrNotShareable, "remanence share --help says what can be shared; nothing was written"},
		{filesync.ErrNoRepository, "run it in a directory of the repository"},
		{continuity.ErrLongHandoff, "shorten it; nothing was stored"},
		{event.ErrPrivateTurn, "ask for it again with a prompt that is not private"},
		{curate.ErrNoVerdict, "use useful, wrong, stale or prevented"},
		{curate.ErrNoNote, "give it as the note"},
		{curate.ErrNoRule, "remanence lint --help, remanence review --help"},
		{curate.ErrNotPerson, "ask the person to run it in a shell of their own"},
		{curate.ErrNoFinding, "remanence review shows what can be done about each finding"},
		{curate.ErrSame, "name two memories"},
		{capture.ErrNoTranscripts, "remanence backfill --dry-run shows what there is"},
		{capture.ErrNotListed, "make sure that you may read it and that no program has it locked"},
		{capture.ErrNoSelection, "leave them out; a project may be named"},
		{capture.ErrStillReading, "it was stopped; give the same command again in a minute"},
		{curate.ErrImportSize, "bring them in imports of 1 to 1000 each"},
		{curate.ErrImportSession, "send id and began of each session"},
		{curate.ErrImportTag, "send the tag that the response to the first part holds"},
	}
}

// asInvalid marks input errors as such, with their fix, so that they are transmitted.
func asInvalid[Req, Rep any](answer func(context.Context, Req) (Rep, error)) func(context.Context, Req) (Rep, error) {
	return func(ctx context.Context, req Req) (Rep, error) {
		rep, err := answer(ctx, req)
		return rep, invalid(err)
	}
}

func invalid(err error) error {
	for _, m := range inputErrors() {
		if errors.Is(err, m.is) {
			return &api.Error{Status: http.StatusBadRequest, Name: api.NameInvalid, Detail: err.Error(), Fix: m.fix}
		}
	}
	return err
}
