package cli

import (
	"context"
	"errors"
	"net/http"

	"remanence/internal/api"
	"remanence/internal/engine"
)

// mistake is what an order can get wrong, and how to put it right.
type mistake struct {
	is  error
	fix string
}

// mistakes are those of the person, or of the agent that asks.
func mistakes() []mistake {
	return []mistake{
		{engine.ErrNoText, "give a text, outside of <private>…</private>"},
		{engine.ErrNoKind, "remanence add --help"},
		{engine.ErrNoScope, "use project or user"},
		{engine.ErrNoVerb, "use pin, unpin, forget or restore"},
		{engine.ErrNoStrategy, "use auto, keyword, vector or hybrid"},
		{engine.ErrNarrower, "make a new memory with the narrower scope, and forget this one"},
		{engine.ErrNoImportance, "give a number from 0 to 1"},
		{engine.ErrNoOp, "use get, update, decision, progress or session"},
		{engine.ErrTooLong, "say it in fewer words, or in several calls"},
		{engine.ErrNoAction, "use add or complete"},
		{engine.ErrNoStatus, "use Final, Open, Pending or Revisit"},
		{engine.ErrNoProject, "name one project"},
		{engine.ErrLongHandoff, "say it in fewer words; nothing of it was kept"},
		{engine.ErrPrivateTurn, "ask for it again with a prompt that is not private"},
		{engine.ErrNoVerdict, "use useful, wrong, stale or prevented"},
		{engine.ErrNoNote, "give it as the note"},
		{engine.ErrNoRule, "remanence lint --help, remanence review --help"},
		{engine.ErrNotPerson, "ask the person to run it in a shell of their own"},
		{engine.ErrNoFinding, "remanence review shows what can be done about each finding"},
		{engine.ErrSame, "name two memories"},
		{engine.ErrImportSize, "bring them in imports of 1 to 1000 each"},
	}
}

// blamed marks mistakes as such, with what puts them right, so that they say it
// over the wire, too.
func blamed[Req, Rep any](answer func(context.Context, Req) (Rep, error)) func(context.Context, Req) (Rep, error) {
	return func(ctx context.Context, req Req) (Rep, error) {
		rep, err := answer(ctx, req)
		for _, m := range mistakes() {
			if errors.Is(err, m.is) {
				return rep, &api.Error{Status: http.StatusBadRequest, Name: api.NameInvalid, Detail: err.Error(), Fix: m.fix}
			}
		}
		return rep, err
	}
}
