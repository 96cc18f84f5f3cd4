package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/workstate"
)

// Context is one event and what a use case needs to know about it. It is a value: a use case returns what it decides as
// Changes.
type Context struct {
	mem.Event
	Settings         Settings
	Project          mem.Project
	SessionInfo      mem.Session // zero before the session's first event
	Turn             mem.Turn    // that the event belongs to; zero if it is not stored, its trust then TrustUser
	Mind             workstate.Files
	Files            *OpenedFiles // of the project's files; closed by the caller of the handler
	Started          time.Time
	FromSpool        bool            // from the spool: kept, never answered
	CreatedBefore    time.Time       // recalls only what was made before; zero: all
	DisabledFeatures map[string]bool // features of the ranking that do not count
}

// BelongsToTurn reports whether events of the kind are part of a turn.
func BelongsToTurn(k mem.EventKind) bool {
	switch k {
	case mem.PreToolUse, mem.PostToolUse, mem.PostToolUseFailure, mem.Stop, mem.SubagentStart, mem.SubagentStop,
		mem.TaskCompleted:
		return true
	}
	return false
}

// LogDegraded notes what an answer has to do without.
func (e *Service) LogDegraded(what string, err error) {
	if err != nil && e.Log != nil {
		e.Log(what, err)
	}
}

// SessionOf returns the session of an event, which names it in full: one whose
// id only begins alike is another. The zero value if it is not known yet.
func (e *Service) SessionOf(ctx context.Context, id string) (mem.Session, error) {
	s, err := e.Store.Session(ctx, id)
	switch {
	case errors.Is(err, mem.ErrNotFound), errors.Is(err, mem.ErrAmbiguous), err == nil && s.ID != id:
		return mem.Session{}, nil
	}
	return s, err
}

// Lookup returns what tells a session by its id, asked for once: the zero value for
// one that is erased, or cannot be had. Its names are a convenience.
func (e *Service) Lookup(ctx context.Context) func(id string) mem.Session {
	known := map[string]mem.Session{}
	return func(id string) mem.Session {
		s, ok := known[id]
		if !ok && id != "" {
			s, _ = e.Store.Session(ctx, id)
			known[id] = s
		}
		return s
	}
}

// Nowhere is the project of events that name no directory. It has a key: an
// empty one would mean every project.
var Nowhere = mem.Project{Key: "p_none", Name: "none"}

// ProjectOf returns the project of a directory, or the one of events without a directory.
func (e *Service) ProjectOf(dir string) (mem.Project, error) {
	if dir == "" {
		return Nowhere, nil
	}
	p, err := e.Project(dir)
	if err != nil {
		return p, fmt.Errorf("project of %s: %w", dir, err)
	}
	return p, nil
}

// Known returns the key under which the project's repository is already kept:
// one that gains a remote or is moved keeps its memories.
func (e *Service) Known(ctx context.Context, p mem.Project) (string, error) {
	if p.Common == "" {
		return "", nil
	}
	ps, err := e.Store.Projects(ctx, p.Common)
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return "", fmt.Errorf("project: %w", err)
	}
	if len(ps) == 0 {
		return e.moved(ctx, p)
	}
	return ps[0].Key, nil
}

// moved returns the key that a repository had at another path.
func (e *Service) moved(ctx context.Context, p mem.Project) (string, error) {
	if e.Moved == nil {
		return "", nil
	}
	all, err := e.Store.Projects(ctx, "")
	if err != nil {
		return "", fmt.Errorf("projects: %w", err)
	}
	if slices.ContainsFunc(all, func(o mem.Project) bool { return o.Key == p.Key }) {
		return "", nil
	}
	return e.Moved(p, all), nil
}

// Indexed gives memories the words for search that their texts do not show.
func Indexed(ms []mem.Memory) []mem.Memory {
	for i := range ms {
		ms[i].Index = rank.Index(ms[i])
	}
	return ms
}

// Complete gives memories of this event what is known of them only now.
func (m Context) Complete(ms []mem.Memory) []mem.Memory {
	Anchored(ms, m.Files.At)
	return Indexed(ms)
}

// Person reports whether the main thread of the session is speaking.
func (m Context) Person() bool { return m.AgentID == "" }

// NewMemory is a memory of this event with what all of them share.
func (m Context) NewMemory(k mem.Kind, s mem.Scope) mem.Memory {
	info, _ := k.Info()
	return mem.Memory{
		Scope: s, Project: m.Project.Key, Session: m.Session, Kind: k,
		Importance: info.Importance, Confidence: ConfidenceRule, Trust: mem.TrustTool, Origin: mem.FromTool,
		Source: mem.Source{
			Agent: m.Agent, Session: m.Session, PromptID: m.PromptID, Event: m.ID,
			ToolUseID: m.ToolUseID, AgentID: m.AgentID,
		},
		Resolved: true, Branch: m.Project.Branch, Commit: m.Project.Commit,
		Created: m.At, Updated: m.At,
	}
}

// ConfidenceRule is the confidence of what a rule found, 0…1.
const ConfidenceRule = 0.5

// ConfidenceAgent is the confidence of what an agent stated, 0…1.
const ConfidenceAgent = 0.7

// ConfidenceUser is the confidence of what the person stated, 0…1.
const ConfidenceUser = 0.9
