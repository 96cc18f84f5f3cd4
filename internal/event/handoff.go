package event

import "errors"

// ErrPrivateTurn refuses what an agent wants kept of a turn whose prompt is private.
var ErrPrivateTurn = errors.New("the prompt of this turn is private: nothing of the turn is kept")
