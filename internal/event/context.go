package event

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
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
	FromSpool        bool            // stored, and not answered
	CreatedBefore    time.Time       // only memories created before are recalled; zero means all
	DisabledFeatures map[string]bool // features of the ranking that are disabled
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

// LogDegraded logs a part that is missing from an answer.
func (e *Service) LogDegraded(what string, err error) {
	if err != nil && e.Log != nil {
		e.Log(what, err)
	}
}

// SessionOf returns the session of an event by its full id; another session whose id begins alike is not returned.
// The zero value if it is unknown.
func (e *Service) SessionOf(ctx context.Context, id string) (mem.Session, error) {
	s, err := e.Store.Session(ctx, id)
	switch {
	case errors.Is(err, mem.ErrNotFound), errors.Is(err, mem.ErrAmbiguous), err == nil && s.ID != id:
		return mem.Session{}, nil
	}
	return s, err
}

// Lookup returns a function that finds a session by its id, with a cache. It returns the zero value for an erased
// session and on an error.
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

// Nowhere is the project of events without a directory. It has a key because an empty key means every project.
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

// Known returns the key under which the project's repository is stored. A repository that gains a remote or moves
// keeps its memories.
func (e *Service) Known(ctx context.Context, p mem.Project) (string, error) {
	if p.Common == "" {
		return e.imported(ctx, p)
	}
	if p.File != nil && p.File.Key != "" { // another clone may have it already
		ps, err := e.Store.Projects(ctx, p.File.Key)
		if err == nil && len(ps) > 0 {
			return ps[0].Key, nil
		}
		if err != nil && !errors.Is(err, mem.ErrNotFound) {
			return "", fmt.Errorf("project: %w", err)
		}
	}
	ps, err := e.Store.Projects(ctx, p.Common)
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return "", fmt.Errorf("project: %w", err)
	}
	if len(ps) == 0 {
		if key, err := e.moved(ctx, p); key != "" || err != nil {
			return key, err
		}
		return e.imported(ctx, p)
	}
	return ps[0].Key, nil
}

// ImportedProject returns the project of imported memories that no project here has: a name without a directory.
func ImportedProject(name string) mem.Project {
	name = chars.Clip(chars.Line(name), 120)
	sum := sha256.Sum256([]byte("imported " + strings.ToLower(name)))
	return mem.Project{Key: mem.KeyMark + hex.EncodeToString(sum[:])[:12], Name: name}
}

// imported returns the key of the project of imported memories with the name of a project that is not stored itself:
// the project takes them over, and is stored under that key from then on.
func (e *Service) imported(ctx context.Context, p mem.Project) (string, error) {
	at := ImportedProject(p.Name)
	for _, ref := range []string{p.Key, at.Key} {
		ps, err := e.Store.Projects(ctx, ref)
		if err != nil && !errors.Is(err, mem.ErrNotFound) {
			return "", fmt.Errorf("project: %w", err)
		}
		switch {
		case len(ps) == 0:
		case ref == p.Key:
			return "", nil
		case ps[0].Root == "", p.Common == "" && ps[0].Root == p.Root, p.Origin != "" && ps[0].Origin == p.Origin:
			return at.Key, nil
		}
	}
	return "", nil
}

// moved returns the key that a repository had at its former path.
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

// Indexed adds search words to memories that their texts do not contain.
func Indexed(ms []mem.Memory) []mem.Memory {
	for i := range ms {
		ms[i].Index = rank.Index(ms[i])
	}
	return ms
}

// Complete fills in the fields of this event's memories that are known only now.
func (m Context) Complete(ms []mem.Memory) []mem.Memory {
	if !m.Backfilled() { // else the files have changed since
		Anchored(ms, m.Files.At)
	}
	return Indexed(m.Tagged(ms))
}

// Tagged tags memories of a backfilled session, so that they can be hidden together.
func (m Context) Tagged(ms []mem.Memory) []mem.Memory {
	if m.Backfilled() {
		for i := range ms {
			ms[i].Tags = append(slices.Clip(ms[i].Tags), mem.BackfillTag)
		}
	}
	return ms
}

// Person reports whether the event is of the session's main thread, not of a subagent.
func (m Context) Person() bool { return m.AgentID == "" }

// Backfilled reports whether the event's session is read in from a transcript of the past. Nothing of the present
// state of its project belongs to it.
func (m Context) Backfilled() bool {
	return m.Recovered && (m.SessionInfo.Source == mem.Backfilled || m.Source == mem.Backfilled)
}

// NewMemory returns a memory of this event with the fields that all of them share.
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

// ConfidenceRule is the confidence of a statement found by a rule, 0…1.
const ConfidenceRule = 0.5

// ConfidenceAgent is the confidence of a statement by an agent, 0…1.
const ConfidenceAgent = 0.7

// ConfidenceUser is the confidence of a statement by the person, 0…1.
const ConfidenceUser = 0.9
