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
	Agent string   `json:"agent,omitempty" query:"-"` // as in AddRequest; a memory that it reads counts as used
}

// UnknownAgent is the session of an agent that does not name its session.
const UnknownAgent = "?"

// PurgeRequest names what to erase: records by id, or all that holds words, in every project.
type PurgeRequest struct {
	mem.ProjectRef
	IDs []string `json:"ids,omitempty"`
	// Text is erased wherever it stands as words of their own: memories that hold it as a whole, with the conversation
	// that they came from, and each other line of stored text that holds it.
	Text  string `json:"text,omitempty"`
	Agent string `json:"agent,omitempty" query:"-"` // as in AddRequest
}

// ByID returns the part of the request that names records.
func (r PurgeRequest) ByID() IDs { return IDs{ProjectRef: r.ProjectRef, IDs: r.IDs, Agent: r.Agent} }

// ErrShortText is the error of a text that is too short to be erased wherever it stands.
var ErrShortText = errors.New("too short to be erased wherever it stands")

// ErrIDsAndText is the error of a purge by ids and by words at once.
var ErrIDsAndText = errors.New("erase either ids or words")

// PurgeResponse lists what a purge erased or would erase, and what no command of ours can reach.
type PurgeResponse struct {
	// Purged counts what was named and what goes with it. A preview of words that more than 200 memories hold does not
	// count that; Purged is zero then.
	Purged   mem.Purged   `json:"purged"`
	Memories []mem.Memory `json:"memories,omitempty"` // of a preview; erased memories are not listed
	With     []mem.Memory `json:"with,omitempty"`     // of a preview of words, which go with Memories without holding them
	// Mentions counts the records that hold the words, or held them, by place. Those that Purged counts are among them.
	Mentions  []mem.Count `json:"mentions,omitempty"`
	Unreached []string    `json:"unreached"`
}

// ScanRequest searches stored text for private spans and secrets by the present rules. With Fix, they are erased.
type ScanRequest struct {
	Fix bool `json:"fix,omitempty"`
}

// PauseRequest pauses or resumes capture and injection.
type PauseRequest struct {
	mem.ProjectRef
	Scope      string        `json:"scope"` // session, project, all
	Session    string        `json:"session,omitempty"`
	For        time.Duration `json:"for,omitempty"` // 0 means until resumed, otherwise at least MinPause
	InjectOnly bool          `json:"inject_only,omitempty"`
	Resume     bool          `json:"resume,omitempty"`
}

// PauseResponse lists the pauses in force.
type PauseResponse struct {
	Pauses []mem.Pause `json:"pauses"`
}

// ErrNoText is the error of a request without text.
var ErrNoText = errors.New("nothing left to keep")

// MinPause is the shortest pause. What is shorter was meant as a number of seconds or minutes.
const MinPause = time.Second

// ErrPauseLength is the error of a pause for less than [MinPause].
var ErrPauseLength = errors.New("too short for a pause")

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

// Given returns the memories that a request names, hidden ones included. Without ids it returns ErrNotFound: a
// store that gets no ids lists everything.
func (e *Service) Given(ctx context.Context, ids []string) ([]mem.Memory, error) {
	if len(ids) == 0 {
		return nil, fmt.Errorf("no id: %w", mem.ErrNotFound)
	}
	return e.Store.List(ctx, mem.Query{IDs: ids, Hidden: true, Within: "*"})
}

// ErrPrivateTurn means that an agent wants to store something of a turn with a private prompt.
var ErrPrivateTurn = errors.New("the prompt of this turn is private: nothing of the turn is kept")

// Findable lists the states in which a search finds a memory.
func Findable() []mem.Status { return []mem.Status{mem.Active, mem.Archived} }

const maxLinted = 20_000 // memories

const lintPage = 5000

// OwnCommand is the prefix of our plugin's commands. Their turns show stored memories, and none of that may become
// a memory again.
const OwnCommand = "/remanence:"

// TurnAt returns the name of the turn that an agent's session is in; empty if unknown.
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

// TurnName returns the name of a turn for mem.Use.
func TurnName(session, promptID string) string { return session + "/" + promptID }

// MaxTakenBack is the largest number of examined memories that may no longer be injected.
const MaxTakenBack = 500

// ContainsAny reports whether a folded text contains one of the lines.
func ContainsAny(folded string, lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(folded, line) })
}
