package daemon

import (
	"context"
	"errors"
	"net/http"

	"remanence/internal/api"
	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/filesync"
)

// mistake is what an order can get wrong, and how to put it right.
type inputError struct {
	is  error
	fix string
}

// mistakes are those of the person, or of the agent that asks.
func inputErrors() []inputError {
	return []inputError{
		{event.ErrNoText, "give a text, outside of <private>…</private>"},
		{curate.ErrNoKind, "remanence add --help"},
		{curate.ErrNoScope, "use project or user"},
		{curate.ErrNoVerb, "use pin, unpin, forget or restore"},
		{event.ErrNoStrategy, "use auto, keyword, vector or hybrid"},
		{curate.ErrNarrower, "make a new memory with the narrower scope, and forget this one"},
		{curate.ErrNoImportance, "give a number from 0 to 1"},
		{filesync.ErrNoOp, "use get, update, decision, progress or session"},
		{filesync.ErrTooLong, "say it in fewer words, or in several calls"},
		{filesync.ErrNoAction, "use add or complete"},
		{filesync.ErrNoStatus, "use Final, Open, Pending or Revisit"},
		{filesync.ErrNoProject, "name one project"},
		{continuity.ErrLongHandoff, "say it in fewer words; nothing of it was kept"},
		{event.ErrPrivateTurn, "ask for it again with a prompt that is not private"},
		{curate.ErrNoVerdict, "use useful, wrong, stale or prevented"},
		{curate.ErrNoNote, "give it as the note"},
		{curate.ErrNoRule, "remanence lint --help, remanence review --help"},
		{curate.ErrNotPerson, "ask the person to run it in a shell of their own"},
		{curate.ErrNoFinding, "remanence review shows what can be done about each finding"},
		{curate.ErrSame, "name two memories"},
		{curate.ErrImportSize, "bring them in imports of 1 to 1000 each"},
	}
}

// blamed marks mistakes as such, with what puts them right, so that they say it
// over the wire, too.
func asInvalid[Req, Rep any](answer func(context.Context, Req) (Rep, error)) func(context.Context, Req) (Rep, error) {
	return func(ctx context.Context, req Req) (Rep, error) {
		rep, err := answer(ctx, req)
		for _, m := range inputErrors() {
			if errors.Is(err, m.is) {
				return rep, &api.Error{Status: http.StatusBadRequest, Name: api.NameInvalid, Detail: err.Error(), Fix: m.fix}
			}
		}
		return rep, err
	}
}
