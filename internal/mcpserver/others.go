package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/views"
	"remanence/internal/workstate"
)

// others are the names under which other memory servers offer the same, for
// prompts and agents that were written for those. They are the core tools with
// other words; arguments that have no meaning here are passed over.
func others() []tool {
	list := slices.Concat(otherSearches(), otherWrites(), otherStates())
	for i, t := range list {
		list[i].args = schemaOf(t.names)
	}
	return list
}

// other is a tool of another name.
func other[A any](name, about string, e effect, f func(*Server, context.Context, A) (any, error), must ...string) tool {
	return tool{
		name: name, about: about, effect: e, must: must, names: namesOf[A](),
		call: func(s *Server, ctx context.Context, raw json.RawMessage) (any, error) {
			args, err := loose[A](raw)
			if err != nil {
				return nil, err
			}
			return f(s, ctx, args)
		},
	}
}

// loose reads the arguments that there are fields for.
func loose[A any](raw json.RawMessage) (A, error) {
	var all map[string]json.RawMessage
	var none A
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &all); err != nil {
			return none, bad("the arguments are no object")
		}
	}
	for name := range all {
		if !slices.Contains(namesOf[A](), name) {
			delete(all, name)
		}
	}
	known, err := json.Marshal(all)
	if err != nil {
		return none, bad("the arguments were not understood")
	}
	return decode[A](known)
}

// schemaOf says of arguments only that they are there: what each may be, a call
// that gets it wrong is told.
func schemaOf(names []string) string {
	out := "{"
	for i, n := range names {
		if i > 0 {
			out += ","
		}
		out += fmt.Sprintf("%q:{}", n)
	}
	return out + "}"
}

type findArgs struct {
	Query string `json:"query"`
	Scope string `json:"scope"`
	Kind  string `json:"kind"`
	Tags  texts  `json:"tags"`
	File  string `json:"file"`
	Limit int    `json:"limit"`
}

func (s *Server) find(ctx context.Context, a findArgs) (any, error) {
	return s.search(ctx, searchArgs{
		Query: &a.Query, Scope: a.Scope, Kind: a.Kind, Tags: a.Tags, File: a.File,
		Limit: a.Limit,
	})
}

type contextArgs struct {
	Task      string `json:"task_description"`
	Files     texts  `json:"files_in_context"`
	MaxTokens int    `json:"max_tokens"`
	Sections  texts  `json:"sections"`
}

// briefing is what would be told, unasked, to a session or with a prompt.
type briefing struct {
	Context string           `json:"context"`
	Tokens  int              `json:"tokens"`
	Files   map[string][]row `json:"files,omitempty"`
	Warning string           `json:"warning,omitempty"`
}

func (s *Server) briefed(ctx context.Context, a contextArgs) (any, error) {
	got, err := s.Memory.Next(ctx, views.NextRequest{
		ProjectRef: s.Place, Prompt: a.Task, Session: s.Session,
		Budget: cmp.Or(a.MaxTokens, someTokens),
	})
	if err != nil {
		return nil, err
	}
	out := briefing{Context: got.Text, Tokens: got.Tokens, Files: map[string][]row{}}
	for size(out) > room {
		out.Context = chars.Clip(out.Context, len([]rune(out.Context))*7/8)
		out.Warning = "cut to what fits"
	}
	for _, f := range a.Files[:min(len(a.Files), 5)] {
		found, err := s.search(ctx, searchArgs{Query: new(string), File: f, Limit: 5})
		if err != nil {
			return nil, err
		}
		out.Files[f] = found.(rows).Results
		if size(out) > room {
			delete(out.Files, f)
			out.Warning = "cut to what fits"
		}
	}
	return out, nil
}

func otherSearches() []tool {
	return []tool{
		other("memory_search", "search", reads, (*Server).find, "query"),
		other("memory_query", "search", reads, (*Server).find, "query"),
		other("recall_memories", "search", reads, (*Server).find, "query"),
		other("get_observations", "get", reads, (*Server).get, "ids"),
		other("search_knowledge_graph", "What memories say of a name, and how they stand to each other", reads,
			(*Server).graphAround, "entity"),
		other("get_memory_context", "What is worth knowing for a task", reads, (*Server).briefed, "task_description"),
		other("session_start_context", "What a new session is told", reads, func(s *Server, ctx context.Context,
			_ struct{},
		) (any, error) {
			return s.briefed(ctx, contextArgs{})
		}),
		other("memory_status", "What is remembered, and how the memory does", reads, (*Server).overviewed),
		other("get_memory_status", "What is remembered, and how the memory does", reads, (*Server).overviewed),
	}
}

func (s *Server) overviewed(ctx context.Context, _ struct{}) (any, error) { return s.status(ctx) }

type scopeArgs struct {
	ID    string `json:"id"`
	Scope string `json:"scope"`
}

type tagArgs struct {
	ID     string `json:"id"`
	Tags   texts  `json:"tags"` // added, as Add
	Add    texts  `json:"add"`
	Remove texts  `json:"remove"`
}

func otherWrites() []tool {
	return []tool{
		other("memory_store", "remember", changes, (*Server).remember, "content"),
		other("store_memory", "remember", changes, (*Server).remember, "content"),
		other("update_memory", "update", changes, (*Server).update, "id"),
		other("forget_memory", "forget", hides, (*Server).forget, "id"),
		other("promote_memory", "Widen a memory's scope", changes, func(s *Server, ctx context.Context, a scopeArgs) (any,
			error,
		) {
			return s.update(ctx, updateArgs{ID: a.ID, Scope: cmp.Or(a.Scope, string(mem.ScopeUser))})
		}, "id"),
		other("tag_memory", "Add and remove tags of a memory", changes, func(s *Server, ctx context.Context, a tagArgs) (any,
			error,
		) {
			return s.update(ctx, updateArgs{ID: a.ID, Tags: &retag{Add: append(a.Tags, a.Add...), Remove: a.Remove}})
		}, "id"),
		other("reflect_and_consolidate",
			"Bring the project's memories in order: merge, promote, archive; all of it can be taken back", changes,
			(*Server).consolidate),
	}
}

// fixedOp is the tool state with its operation given by the name.
func fixedOp(op string) func(*Server, context.Context, stateArgs) (any, error) {
	return func(s *Server, ctx context.Context, a stateArgs) (any, error) {
		a.Op = op
		return s.state(ctx, a)
	}
}

func otherStates() []tool {
	return []tool{
		other("memory_update_state", "state, op update", changes, fixedOp(workstate.OpUpdate)),
		other("memory_save_decision", "state, op decision", adds, fixedOp(workstate.OpDecision), "title", "decision"),
		other("memory_save_progress", "state, op progress", adds, fixedOp(workstate.OpProgress), "task"),
		other("memory_save_session", "state, op session", adds, fixedOp(workstate.OpSession), "summary"),
	}
}
