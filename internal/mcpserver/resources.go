package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/workstate"
)

// scheme begins the address of every resource.
const scheme = "remanence://"

// resource is something that a client can read without a call.
type resource struct {
	uri, name, about string
	read             func(*Server, context.Context) (any, error)
}

func resources() []resource {
	return []resource{
		{"status", "status", "What is remembered of this project, and how the memory does", (*Server).status},
		{
			"session/summary", "session summary", "The newest summary of this session, or else of the project",
			(*Server).summary,
		},
		{"project/state", "project state", "Where the project's work stands", func(s *Server, ctx context.Context) (any,
			error,
		) {
			return s.state(ctx, stateArgs{Op: workstate.OpGet})
		}},
		{
			"project/knowledge-graph", "knowledge graph", "What memories name, and how they stand to each other",
			(*Server).graph,
		},
		{"user/preferences", "user preferences", "What the user likes done, here and everywhere", (*Server).preferences},
	}
}

func (s *Server) addResources() {
	for _, r := range resources() {
		s.mcp.AddResource(&mcp.Resource{
			URI: scheme + r.uri, Name: r.name, Description: r.about,
			MIMEType: "application/json",
		},
			func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				v, err := r.read(s, ctx)
				return s.contents(req.Params.URI, v, err)
			})
	}
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: scheme + "memory/{id}", Name: "memory", Description: "One memory in full", MIMEType: "application/json",
	}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		id := strings.TrimPrefix(req.Params.URI, scheme+"memory/")
		v, err := s.get(ctx, getArgs{IDs: texts{id}})
		if found, ok := v.(getAnswer); ok && len(found.Records) == 0 {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no memory " + chars.Clip(s.Plain(id), 40)}
		}
		return s.contents(req.Params.URI, v, err)
	})
}

// contents returns the content of a resource. A problem is returned as content too.
func (s *Server) contents(uri string, v any, err error) (*mcp.ReadResourceResult, error) {
	var text string
	if err != nil {
		text = s.problem(err).Content[0].(*mcp.TextContent).Text
	} else {
		text = result(v).Content[0].(*mcp.TextContent).Text
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{
		URI: uri, MIMEType: "application/json",
		Text: text,
	}}}, nil
}

// statusAnswer is the answer of status.
type statusAnswer struct {
	Project   string   `json:"project"`
	Memories  int      `json:"memories"`
	Today     int      `json:"new_today"`
	Hidden    int      `json:"hidden"`
	Sessions  int      `json:"sessions"`
	Session   string   `json:"session,omitempty"`
	Paused    []string `json:"paused,omitempty"`
	Waiting   int      `json:"jobs_waiting"`
	Vectors   int      `json:"vectors,omitempty"`
	LastError string   `json:"last_error,omitempty"`
}

func (s *Server) status(ctx context.Context) (any, error) {
	o, err := s.Memory.Status(ctx, s.Place)
	if err != nil {
		return nil, err
	}
	out := statusAnswer{
		Project: o.Project.Name, Memories: o.Stats.Memories, Today: o.Stats.Today, Hidden: o.Stats.Hidden,
		Sessions: o.Stats.Sessions,
		Session:  s.Session, Waiting: o.Health.QueueDepth, LastError: chars.Clip(s.Plain(o.Health.LastError), 200),
	}
	if o.Embedding != nil {
		out.Vectors = o.Embedding.Vectors
	}
	for _, p := range o.Pauses {
		out.Paused = append(out.Paused, p.Target)
	}
	return out, nil
}

func (s *Server) summary(ctx context.Context) (any, error) {
	ask := recall.SearchRequest{ProjectRef: s.Place, Query: mem.Query{
		Kinds: []mem.Kind{mem.Summary}, Session: s.Session,
		Limit: 1,
	}}
	found, err := s.Memory.Search(ctx, ask)
	if err == nil && len(found.Hits) == 0 && s.Session != "" { // it has none yet
		ask.Query.Session = ""
		found, err = s.Memory.Search(ctx, ask)
	}
	if err != nil {
		return nil, err
	}
	out := getAnswer{Records: []record{}}
	for _, h := range found.Hits {
		r := s.record(h.Memory)
		if size(r) > room {
			if cut := r.shorten(room); cut > 0 {
				out.Warning = "cut to what fits; get has the rest"
				out.Next = map[string]any{"ids": []string{fmt.Sprintf("%s@%d", r.ID, cut)}}
			}
		}
		out.Records = append(out.Records, r)
	}
	return out, nil
}

func (s *Server) preferences(ctx context.Context) (any, error) {
	found, err := s.Memory.Search(ctx, recall.SearchRequest{ProjectRef: s.Place, Query: mem.Query{
		Kinds: []mem.Kind{mem.Preference}, MinTrust: mem.TrustTool, Order: mem.ByImportance, Limit: mostRows,
	}})
	if err != nil {
		return nil, err
	}
	out := getAnswer{Records: []record{}}
	left := room
	for _, h := range found.Hits {
		r := s.record(h.Memory)
		if size(r) > left { // shorter ones may fit still
			out.Warning = "cut to what fits; search has the rest"
			continue
		}
		left -= size(r)
		out.Records = append(out.Records, r)
	}
	return out, nil
}
