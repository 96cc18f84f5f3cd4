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

// aliases are the names under which other memory servers offer the same tools, for prompts and agents that
// were written for them. Arguments without a meaning here are ignored.
func aliases() []tool {
	list := slices.Concat(searchAliases(), writeAliases(), stateAliases())
	for i, t := range list {
		list[i].args = schemaOf(t.names)
	}
	return list
}

// alias returns a tool under another name.
func alias[A any](name, about string, e effect, f func(*Server, context.Context, A) (any, error), must ...string) tool {
	return tool{
		name: name, about: about, effect: e, must: must, names: namesOf[A](),
		call: func(s *Server, ctx context.Context, raw json.RawMessage) (any, error) {
			args, err := decodeLoosely[A](raw)
			if err != nil {
				return nil, err
			}
			return f(s, ctx, args)
		},
	}
}

// decodeLoosely reads the arguments that have fields and ignores the others.
func decodeLoosely[A any](raw json.RawMessage) (A, error) {
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

// schemaOf returns a schema that only lists arguments. Their types are reported when a call is wrong.
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

// contextAnswer is what would be injected into a session or with a prompt.
type contextAnswer struct {
	Context string           `json:"context"`
	Tokens  int              `json:"tokens"`
	Files   map[string][]row `json:"files,omitempty"`
	Warning string           `json:"warning,omitempty"`
}

func (s *Server) memoryContext(ctx context.Context, a contextArgs) (any, error) {
	got, err := s.Memory.Next(ctx, views.NextRequest{
		ProjectRef: s.Place, Prompt: a.Task, Session: s.Session,
		Budget: cmp.Or(a.MaxTokens, someTokens),
	})
	if err != nil {
		return nil, err
	}
	out := contextAnswer{Context: got.Text, Tokens: got.Tokens, Files: map[string][]row{}}
	for size(out) > room {
		out.Context = chars.Clip(out.Context, len([]rune(out.Context))*7/8)
		out.Warning = "cut to what fits"
	}
	for _, f := range a.Files[:min(len(a.Files), 5)] {
		found, err := s.search(ctx, searchArgs{Query: new(string), File: f, Limit: 5})
		if err != nil {
			return nil, err
		}
		out.Files[f] = found.(searchAnswer).Results
		if size(out) > room {
			delete(out.Files, f)
			out.Warning = "cut to what fits"
		}
	}
	return out, nil
}

func searchAliases() []tool {
	return []tool{
		alias("memory_search", "search", reads, (*Server).find, "query"),
		alias("memory_query", "search", reads, (*Server).find, "query"),
		alias("recall_memories", "search", reads, (*Server).find, "query"),
		alias("get_observations", "get", reads, (*Server).get, "ids"),
		alias("search_knowledge_graph", "What memories say of a name, and how they stand to each other", reads,
			(*Server).graphAround, "entity"),
		alias("get_memory_context", "What is worth knowing for a task", reads, (*Server).memoryContext, "task_description"),
		alias("session_start_context", "What is injected into a new session", reads, func(s *Server, ctx context.Context,
			_ struct{},
		) (any, error) {
			return s.memoryContext(ctx, contextArgs{})
		}),
		alias("memory_status", "What is remembered, and how the memory does", reads, (*Server).statusTool),
		alias("get_memory_status", "What is remembered, and how the memory does", reads, (*Server).statusTool),
	}
}

func (s *Server) statusTool(ctx context.Context, _ struct{}) (any, error) { return s.status(ctx) }

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

func writeAliases() []tool {
	return []tool{
		alias("memory_store", "remember", changes, (*Server).remember, "content"),
		alias("store_memory", "remember", changes, (*Server).remember, "content"),
		alias("update_memory", "update", changes, (*Server).update, "id"),
		alias("forget_memory", "forget", hides, (*Server).forget, "id"),
		alias("promote_memory", "Widen a memory's scope", changes, func(s *Server, ctx context.Context, a scopeArgs) (any,
			error,
		) {
			return s.update(ctx, updateArgs{ID: a.ID, Scope: cmp.Or(a.Scope, string(mem.ScopeUser))})
		}, "id"),
		alias("tag_memory", "Add and remove tags of a memory", changes, func(s *Server, ctx context.Context, a tagArgs) (any,
			error,
		) {
			return s.update(ctx, updateArgs{ID: a.ID, Tags: &tagChange{Add: append(a.Tags, a.Add...), Remove: a.Remove}})
		}, "id"),
		alias("reflect_and_consolidate",
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

func stateAliases() []tool {
	return []tool{
		alias("memory_update_state", "state, op update", changes, fixedOp(workstate.OpUpdate)),
		alias("memory_save_decision", "state, op decision", adds, fixedOp(workstate.OpDecision), "title", "decision"),
		alias("memory_save_progress", "state, op progress", adds, fixedOp(workstate.OpProgress), "task"),
		alias("memory_save_session", "state, op session", adds, fixedOp(workstate.OpSession), "summary"),
	}
}
