package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"remanence/internal/chars"
)

// tool is one tool and its handler.
type tool struct {
	name   string
	about  string // for the model
	args   string // properties of the schema of its arguments, as JSON
	must   []string
	effect effect
	names  []string // of all arguments
	call   func(*Server, context.Context, json.RawMessage) (any, error)
}

// effect is how a tool changes the memory.
type effect int

const (
	reads   effect = iota
	changes        // doing it again changes nothing more
	adds           // doing it again may add more
	hides          // reversible, and yet something is gone from view
)

// kindEnum are the kinds that an agent saves and searches. Searches accept every other kind too.
const kindEnum = `["fact","decision","rationale","gotcha","error_fix","howto","convention","preference","todo",` +
	`"file_note","command"]`

// core are the tools that are always listed.
func core() []tool { return append(readers(), writers()...) }

func readers() []tool {
	return []tool{
		{
			name: "search", about: "Find memories, best first; rows without full text", effect: reads,
			must: []string{"query"},
			args: `{"query":{"type":"string","description":"\"\" lists the ` +
				`newest"},"scope":{"enum":["session","project","user"]},"kind":{"enum":` + kindEnum + `},` +
				`"project":{"type":"string","description":"name or ` +
				`all"},"file":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},` +
				`"after":{"type":"string","description":"2026-01-31 or ` +
				`3d"},"before":{"type":"string"},"min_importance":{"type":"number"},` +
				`"include_hidden":{"type":"boolean"},"strategy":{"enum":["auto","keyword","vector","hybrid"]},` +
				`"limit":{"type":"integer","maximum":50},` +
				`"offset":{"type":"integer"},"explain":{"type":"boolean"}}`,
			names: namesOf[searchArgs](), call: handlerOf((*Server).search),
		},
		{
			name: "timeline", about: "Memories around one of anchor, query, file", effect: reads,
			args: `{"anchor":{"type":"string","description":"memory or session id, or ` +
				`day"},"query":{"type":"string"},"file":{"type":"string"},` +
				`"before":{"type":"integer"},"after":{"type":"integer"},"session":{"type":"string"},"project":{"type":"string"}}`,
			names: namesOf[timelineArgs](), call: handlerOf((*Server).timeline),
		},
		{
			name: "get", about: "Full records by id: m_, s_ sessions, c_ checkpoints, r_ receipts", effect: reads,
			must:  []string{"ids"},
			args:  `{"ids":{"type":"array","items":{"type":"string"},"maxItems":20},"max_tokens":{"type":"integer"}}`,
			names: namesOf[getArgs](), call: handlerOf((*Server).get),
		},
	}
}

func writers() []tool {
	return []tool{
		{
			name: "remember", about: "Save a decision, fix, gotcha or preference once it is settled: one statement that " +
				"can be understood alone, with reason, names, figures",
			effect: changes, must: []string{"content"},
			args: `{"content":{"type":"string"},"kind":{"enum":` + kindEnum + `},` +
				`"scope":{"enum":["session","project","user"]},"title":{"type":"string"},"tags":{"type":"array",` +
				`"items":{"type":"string"}},` +
				`"files":{"type":"array","items":{"type":"string"}},"aliases":{"type":"array",` +
				`"items":{"type":"string"},"description":"words a later question may use"},"importance":{"type":"number"},` +
				`"supersedes":{"type":"string","description":"id it replaces, or none to keep both"},` +
				`"related":{"type":"array","items":{"type":"object","description":"name, type, relationship"}}}`,
			names: namesOf[rememberArgs](), call: handlerOf((*Server).remember),
		},
		{
			name: "update", about: "Change a memory; the user's own: only proposed", effect: changes,
			must: []string{"id"},
			args: `{"id":{"type":"string"},"content":{"type":"string"},"importance":{"type":"number"},` +
				`"tags":{"type":"object","description":"add, remove: lists"},` +
				`"scope":{"enum":["project","user"]},"resolved":{"type":"boolean"},"reason":{"type":"string"}}`,
			names: namesOf[updateArgs](), call: handlerOf((*Server).update),
		},
		{
			name: "forget", about: "Hide a memory; the user's own: only proposed", effect: hides, must: []string{"id"},
			args:  `{"id":{"type":"string"},"reason":{"type":"string"}}`,
			names: namesOf[forgetArgs](), call: handlerOf((*Server).forget),
		},
		{
			name: "restore", about: "Take back your forget", effect: changes, must: []string{"id"},
			args: `{"id":{"type":"string"}}`, names: namesOf[restoreArgs](), call: handlerOf((*Server).restore),
		},
		{
			name: "feedback", about: "What a memory was worth", effect: changes, must: []string{"id", "verdict"},
			args: `{"id":{"type":"string"},"verdict":{"enum":["useful","wrong","stale","prevented"]},` +
				`"note":{"type":"string","description":"prevented: which mistake"}}`,
			names: namesOf[feedbackArgs](), call: handlerOf((*Server).feedback),
		},
		{
			name: "state", effect: adds,
			about: "Where the work stands. get, with part progress, decisions, sessions; " +
				"update: phase…next_action; decision: title…decided_by, status; progress: task…section; " +
				"session: summary…next, blockers; handoff: text",
			must: []string{"op"},
			args: `{"op":{"enum":["get","update","decision","progress","session","handoff"]},"phase":{"type":"string"},` +
				`"status":{"type":"string"},` +
				`"active_work":{"type":"array","items":{"type":"string"}},"blockers":{"type":"array","items":{"type":"string"}},` +
				`"next_action":{"type":"string"},` +
				`"title":{"type":"string"},"decision":{"type":"string"},"rationale":{"type":"string"},` +
				`"decided_by":{"type":"string"},` +
				`"task":{"type":"string"},"action":{"enum":["add","complete"]},"section":{"type":"string"},` +
				`"summary":{"type":"string"},"completed":{"type":"array","items":{"type":"string"}},"decisions":{"type":"array",` +
				`"items":{"type":"string"}},` +
				`"next":{"type":"array","items":{"type":"string"}},"text":{"type":"string"},"part":{"type":"string"},` +
				`"offset":{"type":"integer"}}`,
			names: namesOf[stateArgs](), call: handlerOf((*Server).state),
		},
	}
}

// listed returns the tools of a choice.
func listed(choice string) []tool {
	list := core()
	if choice == ToolsMore || choice == ToolsAll {
		list = append(list, historyTools()...)
	}
	if choice == ToolsAll {
		list = append(list, aliases()...)
	}
	return list
}

func (s *Server) addTools() {
	for _, t := range listed(s.Tools) {
		if s.Reader {
			if t.effect != reads && t.name != "state" {
				continue
			}
			t = t.readOnly()
		}
		s.mcp.AddTool(t.listed(), t.handler(s))
	}
}

// readOnly returns the tool as a read-only server lists it.
func (t tool) readOnly() tool {
	if t.effect == reads {
		return t
	}
	t.effect, t.about = reads, "Where the project's work stands"
	t.args = `{"op":{"enum":["get"]},"part":{"type":"string"},"offset":{"type":"integer"}}`
	return t
}

// schema is that of the tool's arguments.
func (t tool) schema() json.RawMessage {
	must := ""
	if len(t.must) > 0 {
		must = fmt.Sprintf(`"required":["%s"],`, strings.Join(t.must, `","`))
	}
	return json.RawMessage(`{"type":"object",` + must + `"properties":` + t.args + `}`)
}

func (t tool) listed() *mcp.Tool {
	yes, no := true, false
	hints := &mcp.ToolAnnotations{
		ReadOnlyHint: t.effect == reads, IdempotentHint: t.effect != adds, DestructiveHint: &no,
		OpenWorldHint: &no,
	}
	if t.effect == hides {
		hints.DestructiveHint = &yes
	}
	return &mcp.Tool{Name: t.name, Description: t.about, InputSchema: t.schema(), Annotations: hints}
}

func (t tool) handler(s *Server) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := t.call(s, ctx, req.Params.Arguments)
		var p Problem
		if errors.As(err, &p) && p.Code == codeBad && len(p.Fix) == 0 {
			err = p.fixedBy("arguments: " + strings.Join(t.names, ", "))
		}
		if err != nil {
			return s.problem(err), nil
		}
		return result(answer), nil
	}
}

// handler answers a call with the arguments in JSON.
type handler = func(*Server, context.Context, json.RawMessage) (any, error)

// handlerOf adapts a method that takes its arguments as a struct.
func handlerOf[A any](f func(*Server, context.Context, A) (any, error)) handler {
	return func(s *Server, ctx context.Context, raw json.RawMessage) (any, error) {
		args, err := decode[A](raw)
		if err != nil {
			return nil, err
		}
		return f(s, ctx, args)
	}
}

// decode reads arguments. An unknown argument or a wrong type is an error, because it would be ignored
// silently.
func decode[A any](raw json.RawMessage) (A, error) {
	var args A
	if len(bytes.TrimSpace(raw)) == 0 {
		return args, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	err := dec.Decode(&args)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "":
		return args, bad("the arguments are no object").because("they are a JSON %s", wrong.Value)
	case errors.As(err, &wrong):
		return args, bad("%s is of the wrong type", wrong.Field).because("it is a JSON %s", wrong.Value).fixedBy("give " +
			typeName(wrong.Type))
	case err != nil:
		return args, bad("the arguments were not understood").because("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return args, bad("the arguments were not understood").because("something comes after them")
	}
	return args, nil
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "an object with " + strings.Join(fieldsOf(t), ", ")
}

// namesOf are the arguments that a struct takes.
func namesOf[A any]() []string { return fieldsOf(reflect.TypeFor[A]()) }

func fieldsOf(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// texts is a list of texts. A single text is a list of one, unless it contains a JSON list.
type texts []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *texts) UnmarshalJSON(b []byte) error {
	var one string
	var list []string
	switch {
	case json.Unmarshal(b, &one) != nil:
		if json.Unmarshal(b, &list) != nil {
			return errors.New("a list holds something that is no text")
		}
	case one == "":
	case !strings.HasPrefix(one, "[") || json.Unmarshal([]byte(one), &list) != nil:
		list = []string{one}
	}
	*t = list
	return nil
}

// ListTokens returns the tokens of the list of tools: ToolsCore, ToolsMore or ToolsAll.
func ListTokens(choice string) int {
	n := 0
	for _, t := range listed(choice) {
		n += chars.Tokens(t.name + t.about + string(t.schema()))
	}
	return n
}
