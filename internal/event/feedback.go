package event

import (
	"context"
	"fmt"
)

// TurnAt names the turn that an agent's session is in, "" if nobody knows.
func (e *Service) TurnAt(ctx context.Context, session string) (string, error) {
	if session == "" || session == UnknownAgent {
		return "", nil
	}
	turns, err := e.Store.Turns(ctx, session, 1)
	if err != nil {
		return "", fmt.Errorf("turn of the agent: %w", err)
	}
	if len(turns) == 0 {
		return session, nil
	}
	return TurnName(session, turns[0].PromptID), nil
}

// TurnName names a turn in Edit.UsedIn.
func TurnName(session, promptID string) string { return session + "/" + promptID }
