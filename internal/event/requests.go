package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

// IDs names records by id or unique prefix.
type IDs struct {
	mem.ProjectRef
	IDs   []string `json:"ids"`
	Agent string   `json:"agent,omitempty" query:"-"` // as in AddAsk: what an agent reads whole is used in its turn
}

// UnknownAgent is the session of an agent that does not say which it is in.
const UnknownAgent = "?"

// PurgeResponse says what was erased, or would be, and what no command of ours can reach.
type PurgeResponse struct {
	Purged    mem.Purged   `json:"purged"`
	Memories  []mem.Memory `json:"memories,omitempty"` // that would be; what was erased is named no more
	Unreached []string     `json:"unreached"`
}

// ScanRequest has what is stored searched for private spans and secrets by today's
// rules and, with Fix, what is found taken out for good.
type ScanRequest struct {
	Fix bool `json:"fix,omitempty"`
}

// PauseRequest pauses or resumes capture and injection.
type PauseRequest struct {
	mem.ProjectRef
	Scope      string        `json:"scope"` // session, project, all
	Session    string        `json:"session,omitempty"`
	For        time.Duration `json:"for,omitempty"` // 0 means until resumed
	InjectOnly bool          `json:"inject_only,omitempty"`
	Resume     bool          `json:"resume,omitempty"`
}

// PauseResponse are the pauses in force.
type PauseResponse struct {
	Pauses []mem.Pause `json:"pauses"`
}

// ErrNoText is the error of a request without text.
var ErrNoText = errors.New("nothing left to keep")

// ErrNoStrategy is the error of a search strategy that does not exist.
var ErrNoStrategy = errors.New("no such strategy")

// One returns the memory with an id, whole or abbreviated.
func (e *Service) One(ctx context.Context, id string) (mem.Memory, error) {
	ms, err := e.Store.List(ctx, mem.Query{IDs: []string{id}, Hidden: true})
	if err != nil {
		return mem.Memory{}, err
	}
	return ms[0], nil
}

// Given are the memories that a caller names, hidden ones too. ErrNotFound where
// none is named: a store that is asked for no id lists whatever it has.
func (e *Service) Given(ctx context.Context, ids []string) ([]mem.Memory, error) {
	if len(ids) == 0 {
		return nil, fmt.Errorf("no id: %w", mem.ErrNotFound)
	}
	return e.Store.List(ctx, mem.Query{IDs: ids, Hidden: true, Within: "*"})
}

// ErrPrivateTurn refuses what an agent wants kept of a turn whose prompt is private.
var ErrPrivateTurn = errors.New("the prompt of this turn is private: nothing of the turn is kept")

// Findable are the states of memories that are found by those who look for them.
func Findable() []mem.Status { return []mem.Status{mem.Active, mem.Archived} }

const maxLinted = 20_000 // memories

const lintPage = 5000

// OwnCommand begins the commands of our plugin. Their turns show what we keep,
// and nothing of that may come back as memory.
const OwnCommand = "/remanence:"

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

// MaxTakenBack is how many memories are looked at that may not be told any more.
const MaxTakenBack = 500

// ContainsAny reports whether a folded text contains one of the lines.
func ContainsAny(folded string, lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(folded, line) })
}
